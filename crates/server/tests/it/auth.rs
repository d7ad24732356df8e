//! Who may call what.

use std::sync::Arc;
use std::time::Duration;

use crate::http::{Answer, post, post_as, send};
use crate::jwt;
use guanxi_api::rules::{Access, RULES, Rule};
use guanxi_api::{hash_token, mint_token};
use guanxi_certs::Signer;
use guanxi_model::limits::SESSION_USE_EVERY_MS;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Clock as _, Credential, HistoryId, ManualClock, Position, Principal, Scope, Session, SessionCommand, Uid,
    Write,
};
use guanxi_ports::{CredentialWrites as _, Facts as _, SessionWrites as _, Sessions};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

pub(crate) async fn guarded() -> Server {
    guarded_by(&Arc::new(ManualClock::new(START_MS))).await
}

async fn guarded_by(clock: &Arc<ManualClock>) -> Server {
    let clock = clock.clone();
    Server::start(Setup { auth: true, jwt: Some(jwt::verifier), clock, ..Setup::default() }).await
}

/// The methods of ours that answer once, on the main listener.
fn unary() -> impl Iterator<Item = &'static Rule> {
    let is_stream = |rule: &&Rule| {
        ["/Watch", "/StreamHomeTimeline", "/ExportUser"].iter().any(|path| rule.path.ends_with(path))
    };
    let ours = RULES.iter().filter(|rule| rule.path.starts_with("guanxi.v1."));
    ours.filter(|rule| !(rule.access.is_operators() || rule.access == Access::Open))
        .filter(move |rule| !is_stream(rule))
}

/// Credentials that were valid once, with the reason by which each is refused: of a session that was revoked, and of one
/// that has expired; of a token of another issuer that has expired, that another key has signed, and whose user signed
/// out.
async fn gone(server: &Server) -> Vec<(String, &'static str)> {
    let uid = |raw| Uid::new(raw).unwrap();
    let revoked = server.token("revoked", Principal::EndUser(uid(9))).await;
    assert_eq!(status_as(server, &revoked).await, 200);
    assert_eq!(server.tokens.revoke("revoked").await, Ok(true));
    let expired = mint_token(&Principal::EndUser(uid(9)), [9; 32]).text;
    let expires_ms = Some(START_MS);
    let session = Session { expires_ms, ..Session::lone(uid(9), hash_token(&expired), START_MS) };
    server.sessions.put(session).await.unwrap();
    server.store.apply(Write::of(SessionCommand::SignOut { uid: uid(10) })).await.unwrap();
    let of_session = [revoked, expired].map(|secret| (secret, "UNAUTHENTICATED"));
    let of_issuer = [
        jwt::token_from(9, START_MS - 3_700_000),
        Signer::p256().token("ES256", 9, START_MS),
        jwt::token(10),
        jwt::unsigned(9),
    ];
    of_session.into_iter().chain(of_issuer.map(|token| (token, "TOKEN_REFUSED"))).collect()
}

/// A right request of every method that answers once, by its path; `own` is the given uid.
fn request(path: &str, own: Option<&str>, uid: &str) -> String {
    let mut all = json!({ "objects": ["2"], "uids": ["1"], "pairs": [{ "subject": "1", "object": "2" }] });
    (all["text"], all["query"]) = (json!("你好"), json!("你好"));
    (all["groupId"], all["name"]) = (json!(1), json!("friends"));
    for field in ["subject", "uid", "viewer", "author"] {
        all[field] = json!(if own == Some(field) { uid } else { "1" });
    }
    all["interactions"] = json!([{ "subject": "1", "object": "2", "kind": "VISIT" }]);
    all["sessionId"] = json!("A".repeat(43));
    for field in ["object", "target", "postId"] {
        all[field] = json!("2");
    }
    (all["postIds"], all["stream"]) = (json!(["2"]), json!("HOME_TIMELINE"));
    (all["loginName"], all["discoverable"]) = (json!("alice"), json!(false));
    (all["phone"], all["email"]) = (json!("+14155550100"), json!("alice@example.org"));
    for field in ["oldPassword", "newPassword"] {
        all[field] = json!("correct horse battery");
    }
    let token = Position::one(HistoryId(7), 0).to_token();
    (all["token"], all["seen"]) = (json!(token), json!(token));
    let mut request = json!({});
    for field in fields(path) {
        request[*field] = all[*field].clone();
    }
    request.to_string()
}

/// The fields that a request has, by its method; unknown ones are refused.
fn fields(path: &str) -> &'static [&'static str] {
    match path.rsplit('/').next().unwrap() {
        "BatchFollow"
        | "BatchUnfollow"
        | "BatchApproveFollow"
        | "BatchRejectFollow"
        | "BatchGetRelations"
        | "ListGroupsWithMember" => &["subject", "objects"],
        "ListFollowing" | "ListFollowers" | "ListFriends" => &["uid", "viewer"],
        "ListBlocks" | "ListMutes" | "ListTopAffinity" | "GetCounts" | "GetUser" | "UpdateUser"
        | "ListSessions" | "Deactivate" | "Reactivate" | "DeleteUser" | "EraseUser" | "UnbindPhone"
        | "UnbindEmail" | "ListFriendRequests" | "ListFollowRequests" | "GetUnseenRequests"
        | "MarkRequestsSeen" => &["uid"],
        "CreateGroup" => &["subject", "name"],
        "UpdateGroup" => &["subject", "groupId", "name"],
        "DeleteGroup" | "GetGroup" | "ListGroupMembers" => &["subject", "groupId"],
        "SetGroupMembers" | "AddGroupMembers" | "RemoveGroupMembers" => &["subject", "groupId", "objects"],
        "ListGroups" => &["subject"],
        "ListKnownFollowers" | "DismissSuggestion" | "UndoDismissal" => &["viewer", "target"],
        "RecordInteractions" => &["interactions"],
        "BatchCheckPairs" => &["pairs"],
        "BatchGetCounts" | "BatchGetUsers" | "ResolveIds" => &["uids"],
        "CreatePost" => &["author", "text"],
        "UpdatePost" => &["author", "postId", "text"],
        "DeletePost" | "RestorePost" => &["author", "postId"],
        "LikePost" | "UnlikePost" | "UndoRepost" => &["uid", "postId"],
        "GetPost" | "ListPostRevisions" | "ListLikers" | "ListReposters" | "ExplainFeed" => {
            &["viewer", "postId"]
        }
        "BatchGetPosts" | "BatchGetPostStats" => &["viewer", "postIds"],
        "ListAuthorPosts" => &["viewer", "author"],
        "GetHomeTimeline" | "GetUnread" | "ListSuggestions" | "ListDismissed" => &["viewer"],
        "GetGroupTimeline" => &["viewer", "groupId"],
        "SearchPosts" | "SearchUsers" | "Suggest" => &["viewer", "query"],
        "PollHomeTimeline" => &["viewer", "token"],
        "MarkSeen" => &["viewer", "seen"],
        "CreateStreamTicket" => &["uid", "stream"],
        "LookupUser" | "Register" => &["loginName"],
        "RevokeSession" => &["uid", "sessionId"],
        "Logout" => &[],
        "ChangePassword" => &["uid", "oldPassword", "newPassword"],
        "SetPassword" => &["uid", "newPassword"],
        "PurgePost" => &["postId"],
        "BindPhone" => &["uid", "phone"],
        "BindEmail" => &["uid", "email"],
        "SetPrivacy" => &["uid", "discoverable"],
        _ => &["subject", "object"],
    }
}

/// Whether a caller was let in: answered, or told that there is no such post, user, group or password any more.
fn is_in(answer: &Answer) -> bool {
    answer.status == 200
        || [
            "POST_NOT_FOUND",
            "USER_NOT_FOUND",
            "LOGIN_FAILED",
            "LOGIN_NAME_TAKEN",
            "USER_DELETED",
            "GROUP_NOT_FOUND",
        ]
        .contains(&answer.reason().as_str())
}

/// Lets a user be there again that a call has deactivated; a token that it is issued from now on is good.
async fn be_there(server: &Server, clock: &ManualClock, uid: u64) {
    clock.advance(1_000);
    let (uid, status) = (Uid::new(uid).unwrap(), UserStatus::Active);
    server.store.apply(Write::of(UserCommand::SetStatus { uid, status })).await.unwrap();
}

#[tokio::test]
async fn every_rule_holds_for_every_kind_of_caller() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = guarded_by(&clock).await;
    let gone = gone(&server).await;
    let admin = server.token("operator", Principal::Admin).await;
    for rule in unary() {
        let path = format!("/{}", rule.path);
        be_there(&server, &clock, 9).await;
        let (json, plain) = ([("content-type", "application/json")], request(&path, None, ""));
        let anonymous = send(server.main, "POST", &path, &json, plain.as_bytes());
        assert_eq!(anonymous.await.reason(), "UNAUTHENTICATED", "{path}");
        let gone = gone.iter().map(|(token, reason)| (token.as_str(), *reason));
        for (token, reason) in gone.chain([("gx_nobody", "UNAUTHENTICATED")]) {
            let unknown = post_as(server.main, token, &path, &request(&path, rule.own, "9")).await;
            assert_eq!((unknown.status, unknown.reason().as_str()), (401, reason), "{path}: {token}");
        }
        let operator = post_as(server.main, &admin, &path, &request(&path, None, "")).await;
        assert_eq!(operator.reason(), "PERMISSION_DENIED", "the operator has a door of its own: {path}");

        let (Access::User(scope) | Access::Service(scope)) = rule.access else { panic!("{path}") };
        let may = server.service(&[scope]).await;
        let allowed = post_as(server.main, &may, &path, &request(&path, None, "")).await;
        assert!(is_in(&allowed), "{path}: {}", allowed.text());
        let others: Vec<Scope> = Scope::FOR_USERS.into_iter().filter(|other| *other != scope).collect();
        let may_not = server.service(&others).await;
        let denied = post_as(server.main, &may_not, &path, &request(&path, None, "")).await;
        assert_eq!((denied.status, denied.reason().as_str()), (403, "PERMISSION_DENIED"), "{path}");

        // A user that deletes itself does not come back.
        let uids = if path.ends_with("/DeleteUser") { ["21", "22"] } else { ["9", "9"] };
        let [first, second] = uids.map(|uid| uid.parse().unwrap());
        let users = [server.login(first).await, jwt::token_from(second, clock.now_ms())];
        // A session that has logged out is not accepted.
        let logs_out = path.ends_with("/Logout");
        if matches!(rule.access, Access::Service(_)) {
            for user in &users {
                let denied = post_as(server.main, user, &path, &request(&path, None, "")).await;
                assert_eq!(denied.reason(), "PERMISSION_DENIED", "{path}");
            }
            continue;
        }
        for (is_jwt, uid) in [false, true].into_iter().zip(uids) {
            be_there(&server, &clock, 9).await;
            let issued = jwt::token_from(second, clock.now_ms());
            let user = if is_jwt { &issued } else { &users[0] };
            let as_other = post_as(server.main, user, &path, &request(&path, rule.own, "1")).await;
            match rule.own {
                Some(_) => assert_eq!(as_other.reason(), "PERMISSION_DENIED", "{path}"),
                None => assert!(is_in(&as_other), "{path}: {}", as_other.text()),
            }
            let again = if logs_out && !is_jwt { &server.login(9).await } else { user };
            let as_self = post_as(server.main, again, &path, &request(&path, rule.own, uid)).await;
            assert!(is_in(&as_self), "{path}: {}", as_self.text());
        }
    }
}

#[tokio::test]
async fn what_an_end_user_leaves_out_of_its_own_field_is_itself() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = guarded_by(&clock).await;
    let mut seen = 0;
    for rule in unary() {
        let (Some(own), Access::User(scope)) = (rule.own, rule.access) else { continue };
        let path = format!("/{}", rule.path);
        let with = |value: Option<&str>| {
            let mut body: Value = serde_json::from_str(&request(&path, rule.own, "9")).unwrap();
            match value {
                Some(value) => body[own] = json!(value),
                None => drop(body.as_object_mut().unwrap().remove(own).unwrap()),
            }
            body.to_string()
        };
        let service = server.service(&[scope]).await;
        // A service may look without a viewer, and acts for a user.
        let is_looked_at =
            own == "viewer" && is_in(&post_as(server.main, &service, &path, &with(None)).await);
        let is_final = path.ends_with("/DeleteUser");
        for (absent, last) in [(with(None), 31), (with(Some("0")), 33)] {
            let uids = if is_final { [last, last + 1] } else { [9, 9] };
            for (is_jwt, uid) in [false, true].into_iter().zip(uids) {
                be_there(&server, &clock, 9).await;
                let issued = jwt::token_from(uid, clock.now_ms());
                let user = if is_jwt { &issued } else { &server.login(uid).await };
                let itself = post_as(server.main, user, &path, &absent).await;
                assert!(is_in(&itself), "{path} {absent}: {}", itself.text());
            }
            if !is_looked_at {
                let (_, info) = post_as(server.main, &service, &path, &absent).await.error();
                assert_eq!((info.reason.as_str(), info.metadata["field"].as_str()), ("MISSING_FIELD", own));
            }
        }
        seen += 1;
    }
    assert!(seen > 25, "{seen}");
    let relation = "/guanxi.v1.RelationService/GetRelation";
    let follow = "/guanxi.v1.RelationService/Follow";
    for (raw, token) in [("11", server.user(11).await), ("12", jwt::token(12))] {
        let followed = post_as(server.main, &token, follow, r#"{"object":"2"}"#).await;
        assert_eq!(followed.status, 200, "{}", followed.text());
        let body = json!({ "subject": raw, "object": "2" }).to_string();
        let told = post_as(server.main, &token, relation, &body).await.json();
        assert_eq!(told["relation"]["state"], "FOLLOWING", "{raw}: {told}");
        let blocks = post_as(server.main, &token, "/guanxi.v1.RelationService/ListBlocks", "{}").await;
        assert_eq!(blocks.status, 200, "{}", blocks.text());
        let list = post_as(server.main, &token, "/guanxi.v1.RelationService/ListFollowers", r#"{"uid":"2"}"#);
        let list = list.await.json();
        assert!(list["followers"][0].get("relation").is_some(), "with its relation to each: {list}");
        // Only a service reads posts without a viewer.
        let likes = "/guanxi.v1.PostService/ListAuthorPosts";
        assert_eq!(post_as(server.main, &token, likes, r#"{"author":"2"}"#).await.status, 200);
    }
}

#[tokio::test]
async fn the_operators_door_is_shut_to_every_other_kind_of_caller() {
    let server = guarded().await;
    let (user, service) = (server.user(9).await, server.service(&Scope::FOR_USERS).await);
    let mut callers = gone(&server).await;
    // A token of another issuer is not even looked at.
    callers.iter_mut().for_each(|(_, reason)| *reason = "UNAUTHENTICATED");
    callers.push((jwt::token(9), "UNAUTHENTICATED"));
    callers.extend([(user, "PERMISSION_DENIED"), (service, "PERMISSION_DENIED")]);
    for rule in RULES.iter().filter(|rule| rule.access.is_operators()) {
        for (token, reason) in &callers {
            let told = told_by_the_operators_door(&server, token, rule).await;
            assert!(told.contains(reason), "{} {token}: {told}", rule.path);
        }
    }
}

/// Calls a method of the admin listener with an empty request.
pub(crate) async fn told_by_the_operators_door(server: &Server, token: &str, rule: &Rule) -> String {
    let path = format!("/{}", rule.path);
    let mut answer = post_as(server.admin, token, &path, "{}").await;
    if answer.status != 200 && answer.reason() == "UNSUPPORTED_MEDIA_TYPE" {
        // A stream, which tells it in its last envelope.
        let bearer = format!("Bearer {token}");
        let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
        answer = send(server.admin, "POST", &path, &headers, b"\0\0\0\0\x02{}").await;
    }
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[tokio::test]
async fn no_credential_that_is_gone_opens_a_stream() {
    let server = guarded().await;
    let gone = gone(&server).await;
    let streams = [
        "/guanxi.v1.FeedService/StreamHomeTimeline",
        "/guanxi.v1.RelationService/Watch",
        "/guanxi.v1.UserService/ExportUser",
    ];
    for path in streams {
        for (token, reason) in &gone {
            let bearer = format!("Bearer {token}");
            let envelope = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
            let called = send(server.main, "POST", path, &envelope, b"\0\0\0\0\x02{}").await;
            assert!(String::from_utf8_lossy(&called.body).contains(reason), "{path}: {token}");
            if path.ends_with("/ExportUser") {
                // No events: a page has no use for them.
                continue;
            }
            let events = [("accept", "text/event-stream"), ("authorization", bearer.as_str())];
            let asked = send(server.main, "GET", path, &events, b"").await;
            assert!(String::from_utf8_lossy(&asked.body).contains(reason), "{path}: {token}");
        }
    }
}

#[tokio::test]
async fn an_end_user_streams_its_own_home_alone() {
    let server = guarded().await;
    let user = server.user(9).await;
    let bearer = format!("Bearer {user}");
    let path = "/guanxi.v1.FeedService/StreamHomeTimeline";
    let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
    let answer = send(server.main, "POST", path, &headers, b"\0\0\0\0\x0e{\"viewer\":\"1\"}");
    let answer = tokio::time::timeout(crate::PATIENCE, answer).await.expect("no stream is opened");
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("permission_denied"), "{text}");
}

#[tokio::test]
async fn only_services_watch() {
    let server = guarded().await;
    let user = server.user(9).await;
    let path = "/guanxi.v1.RelationService/Watch";
    let bearer = format!("Bearer {user}");
    let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
    let answer = send(server.main, "POST", path, &headers, b"\0\0\0\0\x02{}").await;
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("permission_denied"), "{text}");
}

#[tokio::test]
async fn the_operators_door_is_for_the_operator() {
    let server = guarded().await;
    let admin = server.token("operator", Principal::Admin).await;
    let service = server.service(&Scope::FOR_USERS).await;
    for rule in RULES.iter().filter(|rule| rule.path.starts_with("guanxi.v1.AdminService")) {
        assert!(rule.access.is_operators());
    }
    let path = "/guanxi.v1.AdminService/Stats";
    assert_eq!(post_as(server.admin, &admin, path, "{}").await.status, 200);
    assert_eq!(post_as(server.admin, &service, path, "{}").await.reason(), "PERMISSION_DENIED");
    assert_eq!(post(server.admin, "AdminService/Stats", "{}").await.reason(), "UNAUTHENTICATED");
    let elsewhere = post_as(server.main, &admin, path, "{}").await;
    assert_eq!(elsewhere.reason(), "WRONG_LISTENER", "the main door does not have it at all");
    assert_eq!(elsewhere.error().1.metadata["address"], server.admin.to_string());
    let away = [("content-type", "application/json"), ("x-forwarded-for", "203.0.113.9")];
    let from_away = send(server.main, "POST", path, &away, b"{}").await;
    assert_eq!(from_away.reason(), "WRONG_LISTENER");
    assert!(!from_away.text().contains(&server.admin.port().to_string()), "{}", from_away.text());
    let follow = post_as(server.admin, &admin, "/guanxi.v1.RelationService/Follow", "{}").await;
    assert_eq!(follow.reason(), "WRONG_LISTENER");
}

#[tokio::test]
async fn who_is_not_let_in_is_told_what_it_is_what_is_wanted_and_how_to_get_it() {
    let server = guarded().await;
    let path = "/guanxi.v1.RelationService/Follow";
    let body = r#"{"subject":"1","object":"2"}"#;
    let admin = server.token("operator", Principal::Admin).await;
    let reader = server.service(&[Scope::RelationRead, Scope::Watch]).await;
    let other = server.user(9).await;
    let none =
        send(server.main, "POST", path, &[("content-type", "application/json")], body.as_bytes()).await;
    assert_eq!(none.headers["www-authenticate"], "Bearer");
    let unknown = post_as(server.main, "gx_nobody", path, body).await;
    assert_eq!(unknown.headers["www-authenticate"], "Bearer error=\"invalid_token\"");
    let away = [("content-type", "application/json"), ("x-forwarded-for", "203.0.113.9")];
    let told = send(server.main, "POST", path, &away, b"{}").await;
    let (_, info) = told.error();
    assert!(info.metadata["command"].contains("--server ADMIN_URL"), "{info:?}");
    assert!(!String::from_utf8_lossy(&told.body).contains(&server.admin.port().to_string()));
    for (answer, reason, who) in [
        (none, "UNAUTHENTICATED", "without a token"),
        (unknown, "UNAUTHENTICATED", "a token that this server does not know"),
        (post_as(server.main, &admin, path, body).await, "PERMISSION_DENIED", "an operator"),
        (post_as(server.main, &reader, path, body).await, "PERMISSION_DENIED", "relation.read, watch"),
        (post_as(server.main, &other, path, body).await, "PERMISSION_DENIED", "`subject` is another user"),
    ] {
        let (_, info) = answer.error();
        let command = format!(
            "guanxi token create NAME --service relation.write --server http://{} --token-file DATA_DIR/admin-token",
            server.admin
        );
        assert_eq!((info.reason.as_str(), &info.metadata["command"]), (reason, &command));
        assert!(info.metadata["caller"].contains(who), "{who}: {info:?}");
        let wants = "an end user that is `subject`, or a service with the scope relation.write";
        assert_eq!(info.metadata["wants"], wants);
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        for part in [who, wants, command.as_str(), "RelationService/Follow"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let user = post_as(server.main, &other, "/guanxi.v1.FeedService/GetUnread", r#"{"viewer":"1"}"#).await;
    assert!(user.error().1.metadata["caller"].contains("`viewer` is another user"));
    let stats = post_as(server.admin, &reader, "/guanxi.v1.AdminService/Stats", "{}").await;
    assert_eq!(stats.error().1.metadata["wants"], "an operator, or a service with the scope admin.read");
    let revoked = post_as(server.admin, &reader, "/guanxi.v1.AdminService/RevokeToken", "{}").await;
    let (_, info) = revoked.error();
    assert!(
        info.metadata["command"].contains("--admin") && info.metadata["wants"] == "an operator",
        "{info:?}"
    );
}

#[tokio::test]
async fn tokens_are_made_used_listed_and_revoked() {
    let server = guarded().await;
    let admin = server.token("operator", Principal::Admin).await;
    let call = |method: &str, body: Value| {
        let (admin, path) = (admin.clone(), format!("/guanxi.v1.AdminService/{method}"));
        let to = server.admin;
        async move { post_as(to, &admin, &path, &body.to_string()).await }
    };
    let made = call("CreateToken", json!({ "name": "web", "scopes": ["relation.read"] })).await;
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    let counts = "/guanxi.v1.RelationService/GetCounts";
    assert_eq!(post_as(server.main, &secret, counts, r#"{"uid":"1"}"#).await.status, 200);
    let follow = "/guanxi.v1.RelationService/Follow";
    let denied = post_as(server.main, &secret, follow, r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!(denied.reason(), "PERMISSION_DENIED");

    let listed = call("ListTokens", json!({})).await;
    assert!(!listed.text().contains(&secret));
    let tokens = listed.json();
    let web =
        tokens["tokens"].as_array().unwrap().iter().find(|token| token["name"] == "web").unwrap().clone();
    assert_eq!(web["scopes"], json!(["relation.read"]));

    assert_eq!(call("RevokeToken", json!({ "name": "web" })).await.status, 200);
    let gone = post_as(server.main, &secret, counts, r#"{"uid":"1"}"#).await;
    assert_eq!(gone.reason(), "UNAUTHENTICATED", "at once");
    assert_eq!(call("RevokeToken", json!({ "name": "web" })).await.reason(), "NOT_FOUND");
    for (body, reason) in [
        (json!({ "scopes": ["relation.read"] }), "MISSING_FIELD"),
        (json!({ "name": "x" }), "MISSING_FIELD"),
        (json!({ "name": "x", "scopes": ["everything"] }), "INVALID_FIELD"),
        (json!({ "name": "x", "scopes": ["relation.read"], "endUser": "1" }), "INVALID_FIELD"),
        (json!({ "name": "x", "admin": true, "endUser": "1" }), "INVALID_FIELD"),
        (json!({ "name": "x", "endUser": "0" }), "MISSING_FIELD"),
        (json!({ "name": "x", "endUser": "1", "expires": "soon" }), "MALFORMED"),
        (json!({ "name": "x".repeat(65), "endUser": "1" }), "TOO_LONG"),
        (json!({ "name": "operator", "endUser": "1" }), "ALREADY_EXISTS"),
    ] {
        assert_eq!(call("CreateToken", body.clone()).await.reason(), reason, "{body}");
    }
}

#[tokio::test]
async fn an_end_user_never_sees_who_blocks_it() {
    let server = guarded().await;
    let (one, two) = (server.user(1).await, server.user(2).await);
    let service = server.service(&Scope::FOR_USERS).await;
    let block = "/guanxi.v1.RelationService/Block";
    let follow = "/guanxi.v1.RelationService/Follow";
    let batch = "/guanxi.v1.RelationService/BatchFollow";
    let relation = "/guanxi.v1.RelationService/GetRelation";
    post_as(server.main, &two, block, r#"{"subject":"2","object":"1"}"#).await;

    let blocked = post_as(server.main, &one, follow, r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!((blocked.status, blocked.reason().as_str()), (403, "NOT_ALLOWED"));
    let items = post_as(server.main, &one, batch, r#"{"subject":"1","objects":["2"]}"#).await.json();
    assert_eq!(items["outcomes"][0]["error"]["reason"], "NOT_ALLOWED");
    let told = post_as(server.main, &two, follow, r#"{"subject":"2","object":"1"}"#).await;
    assert_eq!(told.reason(), "BLOCKED", "the blocker is told");
    let by_service = post_as(server.main, &service, follow, r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!(by_service.reason(), "BLOCKED");

    let see = |token: String, subject: &str, object: &str| {
        let body = json!({ "subject": subject, "object": object }).to_string();
        let to = server.main;
        async move { post_as(to, &token, relation, &body).await.json()["relation"].clone() }
    };
    assert!(see(one.clone(), "1", "2").await.get("blockedBy").is_none());
    assert!(see(one.clone(), "2", "1").await.get("blocking").is_none(), "nor from the other side");
    assert_eq!(see(two.clone(), "2", "1").await["blocking"], true);
    assert_eq!(see(service, "1", "2").await["blockedBy"], true);
    let counts = "/guanxi.v1.RelationService/GetCounts";
    let other = post_as(server.main, &one, counts, r#"{"uid":"2"}"#).await.json();
    assert!(other["counts"].get("blocks").is_none() && other["counts"]["following"] == 0);
    let own = post_as(server.main, &two, counts, r#"{"uid":"2"}"#).await.json();
    assert_eq!(own["counts"]["blocks"], 1);
}

#[tokio::test]
async fn callers_cannot_meet_each_others_request_ids() {
    let server = guarded().await;
    let (one, two) = (server.user(1).await, server.user(2).await);
    let follow = "/guanxi.v1.RelationService/Follow";
    let first = post_as(server.main, &one, follow, r#"{"subject":"1","object":"3","requestId":"a"}"#).await;
    let second = post_as(server.main, &two, follow, r#"{"subject":"2","object":"3","requestId":"a"}"#).await;
    assert_eq!((first.status, second.status), (200, 200));
}

/// Asks for counts, which any end user may.
async fn status_as(server: &Server, secret: &str) -> u16 {
    post_as(server.main, secret, "/guanxi.v1.RelationService/GetCounts", r#"{"uid":"1"}"#).await.status
}

#[tokio::test]
async fn a_session_ends_when_it_is_revoked_or_expires() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = Server::start(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let uid = Uid::new(0x0a07).unwrap();
    let secret = |n: u8| mint_token(&Principal::EndUser(uid), [n; 32]).text;
    let session =
        |n: u8, expires_ms| Session { expires_ms, ..Session::lone(uid, hash_token(&secret(n)), START_MS) };
    assert_eq!(status_as(&server, &secret(1)).await, 401);
    for (n, expires_ms) in [(1, None), (2, Some(START_MS + 50)), (3, None)] {
        server.sessions.put(session(n, expires_ms)).await.unwrap();
        assert_eq!(status_as(&server, &secret(n)).await, 200, "although it was unknown a moment ago");
    }
    let elsewhere = secret(1).replace("gxs_07", "gxs_08");
    assert_eq!(status_as(&server, &elsewhere).await, 401, "of another shard");
    clock.set(START_MS + 50);
    assert_eq!(status_as(&server, &secret(2)).await, 401);
    assert_eq!(server.sessions.revoke(uid, hash_token(&secret(1))).await, Ok(true));
    assert_eq!((status_as(&server, &secret(1)).await, status_as(&server, &secret(3)).await), (401, 200));
    server.sessions.revoke_all(uid).await.unwrap();
    assert_eq!(status_as(&server, &secret(3)).await, 401);
}

#[tokio::test]
async fn tokens_of_end_users_from_before_sessions_stay_valid() {
    let server = guarded().await;
    let uid = Uid::new(600).unwrap();
    // As an upgrade leaves it: the text names no shard, the session has the same hash, the credential its name.
    let secret = "gx_hAPzSn8UDWZDuuCEzkYyK1rk9XrOTMfWy3AXmzHIFRA";
    let credential = Credential {
        hash: hash_token(secret),
        name: "alice".to_owned(),
        principal: Principal::EndUser(uid),
        created_ms: START_MS,
        rate_per_minute: None,
    };
    server.store.add(credential).await.unwrap();
    assert_eq!(status_as(&server, secret).await, 401, "a name without a session opens nothing");
    server.sessions.put(Session::lone(uid, hash_token(secret), START_MS)).await.unwrap();
    assert_eq!(status_as(&server, secret).await, 200);
    let follow = "/guanxi.v1.RelationService/Follow";
    let own = post_as(server.main, secret, follow, r#"{"subject":"600","object":"2"}"#).await;
    assert_eq!(own.status, 200);
    let other = post_as(server.main, secret, follow, r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!(other.reason(), "PERMISSION_DENIED");
    assert_eq!(server.tokens.revoke("alice").await, Ok(true));
    assert_eq!(status_as(&server, secret).await, 401);
}

#[tokio::test]
async fn the_use_of_a_session_is_noted_once_an_hour() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = Server::start(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let secret = server.user(7).await;
    let used = async || {
        let page = Sessions::list(&*server.store, Uid::new(7).unwrap(), None, 9).await.unwrap();
        page.sessions[0].used_ms
    };
    let noted = async |at_ms: u64| {
        let deadline = tokio::time::Instant::now() + crate::PATIENCE;
        while used().await != at_ms {
            assert!(tokio::time::Instant::now() < deadline, "{} is not {at_ms}", used().await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    clock.set(START_MS + SESSION_USE_EVERY_MS - 1);
    assert_eq!(status_as(&server, &secret).await, 200);
    clock.set(START_MS + SESSION_USE_EVERY_MS);
    assert_eq!(used().await, START_MS, "not within the hour");
    assert_eq!(status_as(&server, &secret).await, 200);
    noted(START_MS + SESSION_USE_EVERY_MS).await;
}
