//! Exports of one user through the API: everything of it, and nothing of others.

use std::collections::BTreeSet;

use guanxi_model::post::{Body, ImportLike, ImportPost};
use guanxi_model::{Command, ExternalId, ImportEdge, Principal, Scope, Stamp, Uid, Visibility, Write};
use guanxi_ports::{CredentialWrites as _, Facts as _, Log as _};
use guanxi_proto::Wire;
use guanxi_proto::v1::{self, export_user_response::Record};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

use crate::framed::enveloped;
use crate::http::{Answer, post, post_as, send};

const PASSWORD: &str = "correct horse battery";

async fn guarded() -> Server {
    Server::start(Setup { auth: true, ..Setup::default() }).await
}

fn uid(raw: u64) -> Uid {
    Uid::new(raw).unwrap()
}

/// The messages of an answer that is a stream of JSON, the end of the stream last.
fn messages(answer: &Answer) -> Vec<Value> {
    let (mut rest, mut messages) = (&answer.body[..], Vec::new());
    while let Some([_, length @ ..]) = rest.first_chunk::<5>() {
        let length = u32::from_be_bytes(*length) as usize;
        messages.push(serde_json::from_slice(&rest[5..5 + length]).unwrap());
        rest = &rest[5 + length..];
    }
    messages
}

/// Asks for an export; answers the records, and the reason of an error.
async fn export(server: &Server, token: Option<&str>, request: &Value) -> (Vec<Value>, Option<String>) {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("content-type", "application/connect+json")];
    headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
    let body = enveloped(0, request.to_string().as_bytes());
    let answer = send(server.main, "POST", "/guanxi.v1.UserService/ExportUser", &headers, &body).await;
    let mut records = messages(&answer);
    let end = records.pop().unwrap();
    let reason = end["error"]["details"][0]["debug"]["reason"].as_str().map(str::to_owned);
    (records, reason)
}

/// A server, the token of a service for everything, and calls with it.
struct World {
    server: Server,
    service: String,
}

impl World {
    async fn start() -> Self {
        let server = guarded().await;
        let service = server.service(&Scope::FOR_USERS).await;
        Self { server, service }
    }

    async fn call(&self, method: &str, request: Value) -> Value {
        let path = format!("/guanxi.v1.{method}");
        let answer = post_as(self.server.main, &self.service, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{method} {request}: {}", answer.text());
        answer.json()
    }

    async fn follow(&self, method: &str, subject: &str, object: &str) {
        let request = json!({ "subject": subject, "object": object });
        self.call(&format!("RelationService/{method}"), request).await;
    }

    async fn group(&self, owner: &str, name: &str, members: &[&str]) {
        let made = self.call("RelationService/CreateGroup", json!({ "subject": owner, "name": name })).await;
        let request = json!({ "subject": owner, "groupId": made["groupId"], "objects": members });
        self.call("RelationService/AddGroupMembers", request).await;
    }

    async fn post(&self, author: &str, text: &str, of: Option<&str>) -> String {
        let attachments = json!([{ "kind": "IMAGE", "reference": format!("{text}-picture") }]);
        let mut request = json!({ "author": author, "text": text, "attachments": attachments });
        if let Some(of) = of {
            request["repostOf"] = json!(of);
        }
        let answer = self.call("PostService/CreatePost", request).await;
        answer["postId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn apply(&self, command: impl Into<Command>) {
        let answer = self.server.store.apply(Write::of(command.into())).await.unwrap();
        assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{answer:?}");
    }

    /// A user with an account, whose words all begin with a mark.
    async fn person(&self, mark: &str) -> String {
        let account = json!({ "loginName": format!("{mark}-name"), "password": PASSWORD });
        let uid = self.call("UserService/Register", account).await["uid"].as_str().unwrap().to_owned();
        let profile = json!({
            "uid": uid, "nickname": format!("{mark}-nickname"), "bio": format!("{mark}-bio"),
            "avatar": format!("{mark}-avatar"), "birthYear": 1990, "sex": "OTHER",
            "attributes": { (format!("{mark}-key")): format!("{mark}-value") },
        });
        self.call("UserService/UpdateUser", profile).await;
        let email = json!({ "uid": uid, "email": format!("{mark}@example.org") });
        self.call("UserService/BindEmail", email).await;
        let login = json!({
            "loginName": format!("{mark}-name"), "password": PASSWORD, "device": format!("{mark}-device"),
        });
        let login = post(self.server.main, "UserService/Login", &login.to_string()).await;
        assert_eq!(login.status, 200, "{}", login.text());
        uid
    }
}

fn of_kind<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records.iter().filter_map(|record| record.get(kind)).collect()
}

fn uids(records: &[Value], kind: &str) -> Vec<String> {
    of_kind(records, kind).iter().map(|edge| edge["uid"].as_str().unwrap().to_owned()).collect()
}

/// What each record is, in order: its only field.
fn kinds(records: &[Value]) -> Vec<String> {
    let kind = |record: &Value| {
        let fields = record.as_object().unwrap();
        assert_eq!(fields.len(), 1, "one record is one thing: {record}");
        fields.keys().next().unwrap().clone()
    };
    let mut kinds: Vec<String> = records.iter().map(kind).collect();
    // Revisions stand behind their posts.
    kinds.retain(|kind| kind != "revision");
    kinds.dedup();
    kinds
}

/// What a user has done, and what others did to it.
struct Deeds {
    ours: String,
    token: String,
    /// Its posts: one that was edited, one that is deleted, a quote, and one of which nothing is left.
    first: String,
    deleted: String,
    quote: String,
    purged: String,
    /// A post of another user, which it likes.
    other: String,
    seen: String,
}

async fn deeds(world: &World) -> Deeds {
    let (ours, theirs) = (world.person("ours").await, world.person("theirs").await);
    let us = uid(ours.parse().unwrap());
    world.call("UserService/BindPhone", json!({ "uid": ours, "phone": "+14155550123" })).await;
    let token = world.server.token("ours-token", Principal::EndUser(us)).await;
    for (method, subject, object) in [
        ("Follow", &*ours, "5"),
        ("Follow", &ours, "6"),
        ("Follow", &ours, "7"),
        ("Unfollow", &ours, "6"),
        ("Follow", "5", &ours),
        ("Follow", "8", &ours),
        ("Block", &ours, "21"),
        ("Mute", &ours, "22"),
        ("Block", "131", &ours),
        ("Mute", "132", &ours),
        ("Follow", "133", &ours),
        ("Unfollow", "133", &ours),
    ] {
        world.follow(method, subject, object).await;
    }
    for (viewer, uid) in [(&*ours, "51"), ("141", &ours)] {
        world.call("RelationService/DismissSuggestion", json!({ "viewer": viewer, "target": uid })).await;
    }
    for (sender, receiver) in [(&*ours, "9"), ("10", &ours)] {
        let asked = json!({ "subject": sender, "object": receiver, "message": "from-a-sender" });
        world.call("RelationService/SendFriendRequest", asked).await;
    }
    for (sender, receiver) in [("11", &*ours), (&ours, "12")] {
        let asked = json!({ "subject": sender, "object": receiver });
        world.call("RelationService/SendFriendRequest", asked).await;
        world.follow("RejectFriendRequest", receiver, sender).await;
    }
    world.call("RelationService/MarkRequestsSeen", json!({ "uid": ours })).await;
    world.apply(Command::FollowLimit { uid: us, limit: Some(77) }).await;
    world.group(&ours, "ours-group", &["5", "41"]).await;
    // That somebody has put it into a group is nothing that it is told.
    world.group(&theirs, "theirs-group", &[&ours]).await;
    let first = world.post(&ours, "ours-first", None).await;
    let edit = json!({ "author": ours, "postId": first, "text": "ours-edited" });
    world.call("PostService/UpdatePost", edit).await;
    let deleted = world.post(&ours, "ours-deleted", None).await;
    world.call("PostService/DeletePost", json!({ "author": ours, "postId": deleted })).await;
    let other = world.post(&theirs, "theirs-post", None).await;
    let quote = world.post(&ours, "ours-quote", Some(&other)).await;
    let purged = world.post(&ours, "purged", None).await;
    world.call("UserService/PurgePost", json!({ "postId": purged })).await;
    world.apply(Command::ImportPosts(vec![imported(us)])).await;
    world.call("PostService/LikePost", json!({ "uid": ours, "postId": other })).await;
    let at = Some(Stamp::from_ms(1_600_000_000_000));
    world.apply(Command::ImportLikes(vec![ImportLike { uid: us, author: us, key: first.clone(), at }])).await;
    world.call("PostService/LikePost", json!({ "uid": theirs, "postId": first })).await;
    let head = world.server.store.head().await.unwrap();
    world.apply(Command::MarkSeen { uid: us, seen: head.clone() }).await;
    Deeds { ours, token, first, deleted, quote, purged, other, seen: head.to_token() }
}

fn imported(author: Uid) -> ImportPost {
    ImportPost {
        id: None,
        key: "ours-key".into(),
        author,
        at_ms: START_MS - 9_000,
        body: Body { text: "ours-imported".into(), attachments: Vec::new() },
        visibility: Visibility::Friends,
        reply_to: None,
        repost_of: None,
        deleted: false,
    }
}

fn check_account(records: &[Value], deeds: &Deeds) {
    let account = &records[0]["account"];
    assert_eq!((&account["user"]["phone"], &account["followLimit"]), (&json!("+14155550123"), &json!(77)));
    assert_eq!(
        (&account["seen"], &account["user"]["lastLoginDate"]),
        (&json!(deeds.seen), &json!("2025-06-15"))
    );
    assert!(account["requestsSeenTime"].is_string() && account["signOutTime"].is_null(), "{account}");
    let counts =
        json!({ "uid": deeds.ours, "following": 2, "followers": 2, "friends": 1, "blocks": 1, "mutes": 1 });
    assert_eq!(account["counts"], counts);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let described: BTreeSet<(String, String)> = of_kind(records, "session")
        .iter()
        .map(|one| (text(&one["session"]["device"]), text(&one["tokenName"])))
        .collect();
    let expected = [("ours-device", ""), ("", "ours-token")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(described, BTreeSet::from(expected));
}

fn check_lists(records: &[Value], ours: &str) {
    for (kind, expected) in [
        ("following", &["7", "5"][..]),
        ("follower", &["8", "5"]),
        ("block", &["21"]),
        ("mute", &["22"]),
        ("removedFollow", &["6"]),
        ("dismissed", &["51"]),
        ("rejection", &["11"]),
    ] {
        assert_eq!(uids(records, kind), expected, "{kind}");
    }
    let asked: BTreeSet<(&str, &str)> = of_kind(records, "request")
        .iter()
        .map(|found| (found["subject"].as_str().unwrap(), found["object"].as_str().unwrap()))
        .collect();
    assert_eq!(asked, BTreeSet::from([(ours, "9"), ("10", ours)]));
    let [group] = of_kind(records, "group")[..] else { panic!("one group") };
    assert_eq!((&group["group"]["name"], &group["group"]["memberCount"]), (&json!("ours-group"), &json!(2)));
    let members: Vec<&Value> =
        group["members"].as_array().unwrap().iter().map(|member| &member["uid"]).collect();
    assert_eq!(members, ["41", "5"]);
}

fn check_posts(records: &[Value], deeds: &Deeds) {
    let posts: Vec<(&str, &str, bool)> = of_kind(records, "post")
        .into_iter()
        .map(|found| {
            let post = &found["post"];
            let text = post["text"].as_str().unwrap_or("");
            (post["postId"].as_str().unwrap(), text, found["deleted"] == json!(true))
        })
        .collect();
    let imported = of_kind(records, "importedName")[0]["postId"].as_str().unwrap();
    let expected = [
        (&*deeds.purged, "", true),
        (&deeds.quote, "ours-quote", false),
        (&deeds.deleted, "ours-deleted", true),
        (&deeds.first, "ours-edited", false),
        (imported, "ours-imported", false),
    ];
    assert_eq!(posts, expected);
    let [earlier] = of_kind(records, "revision")[..] else { panic!("one earlier revision") };
    let said = (earlier["postId"].as_str().unwrap(), earlier["text"].as_str().unwrap());
    assert_eq!(said, (&*deeds.first, "ours-first"));
    let likes: BTreeSet<&str> =
        of_kind(records, "like").iter().map(|like| like["postId"].as_str().unwrap()).collect();
    assert_eq!(likes, BTreeSet::from([&*deeds.first, &deeds.other]));
}

#[tokio::test]
async fn an_export_has_everything_of_a_user_and_nothing_of_others() {
    let world = World::start().await;
    let deeds = deeds(&world).await;
    let (records, reason) = export(&world.server, Some(&world.service), &json!({ "uid": deeds.ours })).await;
    assert_eq!(reason, None);
    let expected = [
        "account",
        "session",
        "following",
        "follower",
        "block",
        "mute",
        "request",
        "rejection",
        "removedFollow",
        "dismissed",
        "group",
        "importedName",
        "post",
        "like",
        "end",
    ];
    assert_eq!(kinds(&records), expected);
    check_account(&records, &deeds);
    check_lists(&records, &deeds.ours);
    check_posts(&records, &deeds);
    let end = &records.last().unwrap()["end"];
    assert_eq!(end["records"].as_str().unwrap(), (records.len() - 1).to_string());
    let text = Value::from(records).to_string();
    let words = "name nickname bio avatar key value device token first first-picture edited deleted \
                 deleted-picture quote imported";
    for word in words.split_whitespace() {
        assert!(text.contains(&format!("ours-{word}")), "ours-{word} is missing: {text}");
    }
    assert!(text.contains("ours@example.org"));
    let secrets = [
        "theirs",
        "argon2",
        PASSWORD,
        "gx_",
        "gxs_",
        "gxr_",
        &deeds.token,
        "\"131\"",
        "\"132\"",
        "\"133\"",
        "\"141\"",
    ];
    for secret in secrets.into_iter().chain(["purged"]) {
        assert!(!text.contains(secret), "{secret} is nothing of this user: {text}");
    }
}

#[tokio::test]
async fn an_external_id_and_a_user_of_whom_little_is_kept_are_exported() {
    let world = World::start().await;
    let id = ExternalId::new("marker-of-elsewhere", "external_id").unwrap();
    let found =
        world.call("UserService/ResolveIds", json!({ "externalIds": [id.as_str()], "create": true })).await;
    let uid_of_id = found["byExternalId"][0]["uid"].as_str().unwrap().to_owned();
    world.follow("Follow", &uid_of_id, "5").await;
    let request = json!({ "uid": format!("ext:{}", id.as_str()) });
    let (records, reason) = export(&world.server, Some(&world.service), &request).await;
    assert_eq!(
        (reason, kinds(&records)),
        (None, ["account", "following", "end"].map(str::to_owned).to_vec())
    );
    assert_eq!(records[0]["account"]["externalId"], id.as_str());
    let (nobody, reason) = export(&world.server, Some(&world.service), &json!({ "uid": "4711" })).await;
    assert_eq!((reason, kinds(&nobody)), (None, ["account", "end"].map(str::to_owned).to_vec()));
    assert_eq!(nobody[1]["end"]["records"], "1");
    let (none, reason) = export(&world.server, Some(&world.service), &json!({})).await;
    assert_eq!((none.len(), reason.as_deref()), (0, Some("MISSING_FIELD")));
}

#[tokio::test]
async fn an_end_user_exports_itself_a_service_needs_the_scope_and_operators_have_a_door() {
    let world = World::start().await;
    let server = &world.server;
    world.follow("Follow", "9", "5").await;
    let (login, user) = (server.login(9).await, server.user(9).await);
    for token in [&login, &user] {
        for request in [json!({}), json!({ "uid": "9" })] {
            let (records, reason) = export(server, Some(token), &request).await;
            assert_eq!((reason, uids(&records, "following")), (None, vec!["5".to_owned()]));
            let current =
                of_kind(&records, "session").iter().filter(|one| one["session"]["current"] == true).count();
            assert_eq!(current, 1, "the session that it came with");
        }
        let (records, reason) = export(server, Some(token), &json!({ "uid": "5" })).await;
        assert_eq!((records.len(), reason.as_deref()), (0, Some("PERMISSION_DENIED")));
    }
    let others: Vec<Scope> =
        Scope::FOR_USERS.into_iter().filter(|scope| *scope != Scope::UserWrite).collect();
    let admin = server.token("operator", Principal::Admin).await;
    for (token, wanted) in [
        (None, "UNAUTHENTICATED"),
        (Some(server.service(&others).await), "PERMISSION_DENIED"),
        (Some(admin.clone()), "PERMISSION_DENIED"),
    ] {
        let (records, reason) = export(server, token.as_deref(), &json!({ "uid": "9" })).await;
        assert_eq!((records.len(), reason.as_deref()), (0, Some(wanted)));
    }
    let may = server.service(&[Scope::UserWrite]).await;
    assert_eq!(export(server, Some(&may), &json!({ "uid": "9" })).await.1, None);
    let bearer = format!("Bearer {admin}");
    let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
    let body = enveloped(0, br#"{"uid":"9"}"#);
    let answer = send(server.admin, "POST", "/guanxi.v1.AdminService/ExportUser", &headers, &body).await;
    let records = messages(&answer);
    assert_eq!(uids(&records[..records.len() - 1], "following"), ["5"]);
}

/// More followers than are sent before their client has said a word.
const FOLLOWERS: u64 = 60_000;

// With a thread for the client beside the server's, which has always something to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_is_read_in_parts_and_ends_with_its_credential() {
    let world = World::start().await;
    let at = Some(Stamp::from_ms(1_000));
    let edges: Vec<ImportEdge> =
        (0..FOLLOWERS).map(|n| ImportEdge::new(uid(1_000 + n), uid(9), at)).collect();
    for edges in edges.chunks(10_000) {
        world.server.store.apply(Write::edges(edges.to_vec(), false)).await.unwrap();
    }
    let token = world.server.user(9).await;
    let client = world.server.client_as(Wire::Http1, &token);
    let mut stream = client.user_streams().export_user(v1::ExportUserRequest::default()).await.unwrap();
    let first = stream.message::<v1::ExportUserResponse>().await.unwrap().unwrap().to_owned_message();
    assert!(matches!(first.record, Some(Record::Account(_))), "{first:?}");
    assert_eq!(world.server.tokens.revoke("user-9").await, Ok(true));
    let rest = async {
        let mut followers = 0;
        loop {
            match stream.message::<v1::ExportUserResponse>().await {
                Ok(Some(record)) => {
                    let record = record.to_owned_message().record;
                    assert!(!matches!(record, Some(Record::End(_))), "what is cut off has no end");
                    followers += u64::from(matches!(record, Some(Record::Follower(_))));
                }
                Ok(None) => panic!("the stream ended as if it were whole"),
                Err(error) => break (followers, error),
            }
        }
    };
    let (followers, error) = tokio::time::timeout(crate::PATIENCE, rest).await.unwrap();
    assert!(followers < FOLLOWERS, "{followers}");
    assert_eq!(error.code, guanxi_proto::ErrorCode::Unauthenticated, "{error:?}");
}
