//! A community moves with its users: every user sees the same of all users at both ends, but for the facts of which
//! docs/operations.md says that no list carries them.

use super::moving::Dice;
use super::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What moves, in the order of its import.
const LISTS: [&str; 7] = ["users", "edges", "mutes", "posts", "likes", "requests", "blocks"];
/// Users who do and see things.
const USERS: usize = 24;
/// Rounds of operations.
const ROUNDS: u64 = 70;
/// Operations of a round, on one connection; what they make is known to those of later rounds.
const AT_ONCE: u64 = 10;
/// The users who are deleted in the end, and whose posts have no answers.
const DELETED: [usize; 2] = [3, 4];
const DEACTIVATED: [usize; 2] = [5, 17];
const PASSWORD: &str = "correct horse 9 battery";

/// Fields that differ in a copy by what no list carries: tokens and the change stream (`event`), how often users and posts were
/// changed and when (`revision`, `updateTime`), and the day of a login.
const NOT_CARRIED: [&str; 7] =
    ["token", "nextPageToken", "event", "revision", "updateTime", "editTime", "lastLoginDate"];

/// Calls that are made one after the other, on one connection.
#[derive(Default)]
struct Calls {
    asked: Vec<String>,
    config: String,
}

impl Calls {
    fn add(&mut self, base: &str, token: &str, method: &str, request: &Value) {
        let next = if self.asked.is_empty() { "" } else { "next\n" };
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let service = if method.contains('/') { "" } else { "RelationService/" };
        write!(
            self.config,
            "{next}silent\nurl = \"{base}/guanxi.v1.{service}{method}\"\nheader = \"content-type: application/json\"\nheader = \"authorization: Bearer {token}\"\ndata-raw = \"{}\"\n",
            quoted(&request.to_string())
        )
        .unwrap();
        self.asked.push(format!("{method} {request}"));
    }

    /// The answers, each with what was asked.
    fn run(self) -> Vec<(String, Value)> {
        let mut curl = Command::new("curl");
        curl.args(["-K", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut curl = curl.spawn().expect("curl is installed");
        curl.stdin.take().unwrap().write_all(self.config.as_bytes()).unwrap();
        let output = curl.wait_with_output().unwrap();
        let answers = serde_json::Deserializer::from_slice(&output.stdout).into_iter().map(Result::unwrap);
        let answers: Vec<Value> = answers.collect();
        assert_eq!(answers.len(), self.asked.len(), "{output:?}");
        self.asked.into_iter().zip(answers).collect()
    }
}

fn call(base: &str, token: &str, method: &str, request: &Value) -> Value {
    let mut calls = Calls::default();
    calls.add(base, token, method, request);
    calls.run().remove(0).1
}

/// A server with the tokens that tests ask it with.
struct End {
    server: Server,
    /// Of a service that may do everything for everybody.
    service: String,
}

impl End {
    fn start(dir: &str) -> Self {
        let server = Server::start(dir, &[]);
        let admin = std::fs::read_to_string(format!("{dir}/admin-token")).unwrap();
        let asked = json!({ "name": "tests", "scopes": ["read", "write"] });
        let made = call(&server.admin, admin.trim(), "AdminService/CreateToken", &asked);
        let service = made["secret"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        Self { server, service }
    }

    fn call(&self, method: &str, request: &Value) -> Value {
        call(&self.server.api, &self.service, method, request)
    }

    fn done(&self, method: &str, request: &Value) -> Value {
        let answer = self.call(method, request);
        assert!(answer["code"].is_null(), "{method} {request}: {answer}");
        answer
    }

    /// A token of each user who may have one.
    fn tokens(&self, dir: &str, users: &[String]) -> BTreeMap<String, String> {
        let admin = std::fs::read_to_string(format!("{dir}/admin-token")).unwrap();
        let mut calls = Calls::default();
        for user in users {
            let asked = json!({ "name": format!("of {user}"), "endUser": user });
            calls.add(&self.server.admin, admin.trim(), "AdminService/CreateToken", &asked);
        }
        let made = users.iter().zip(calls.run());
        made.map(|(user, (_, made))| (user.clone(), made["secret"].as_str().unwrap().to_owned())).collect()
    }
}

/// Accounts, profiles, users with ids of their own, and uids of whom nothing else is kept.
fn people(end: &End) -> Vec<String> {
    let mut users = Vec::new();
    for n in 0..USERS {
        let (nickname, name) = (format!("N {n}"), format!("name{n}"));
        users.push(match n % 4 {
            0 => {
                let asked = json!({ "loginName": name, "password": PASSWORD, "nickname": nickname });
                end.done("UserService/Register", &asked)["uid"].as_str().unwrap().to_owned()
            }
            1 => {
                let asked = json!({ "externalIds": [format!("id of {n}, \"quoted\"")], "create": true });
                let found = end.done("UserService/ResolveIds", &asked);
                found["byExternalId"][0]["uid"].as_str().unwrap().to_owned()
            }
            _ => (n * 197 + 1).to_string(),
        });
        let uid = &users[n];
        if n % 4 != 3 {
            let update = json!({ "uid": uid, "bio": format!("\u{5173} {n}\n"), "sex": "OTHER", "birthYear": 1_970 + n,
                "attributes": { "city": "Xi'an" }, "updateMask": "bio,sex,birthYear,attributes" });
            end.done("UserService/UpdateUser", &update);
        }
        if n % 3 == 0 {
            end.done(
                "UserService/BindPhone",
                &json!({ "uid": uid, "phone": format!("+1415555{:04}", 100 + n) }),
            );
        }
        if n % 5 == 1 {
            end.done("UserService/BindEmail", &json!({ "uid": uid, "email": format!("u{n}@example.org") }));
        }
    }
    for (n, field, value) in [
        (1, "locked", true),
        (6, "locked", true),
        (7, "hidesFollowing", true),
        (8, "hidesFollowers", true),
        (9, "hidesFollowers", true),
        (12, "discoverable", false),
        (14, "locked", true),
    ] {
        end.done("UserService/SetPrivacy", &json!({ "uid": users[n], field: value }));
    }
    users
}

/// A post that was written.
#[derive(Clone, Default)]
struct Written {
    author: String,
    id: String,
    is_quote: bool,
}

/// What somebody does next: the call, who does it, and the request. `None` of what cannot be asked, or shall not.
fn operation(
    n: u64,
    users: &[String],
    posts: &[Written],
    dice: &mut Dice,
) -> Option<(&'static str, String, Value)> {
    let [user, other] = [0, 1].map(|_| users[dice.below(USERS as u64) as usize].clone());
    let post = (!posts.is_empty()).then(|| posts[dice.below(posts.len() as u64) as usize].clone());
    let Written { author, id, is_quote } = post.unwrap_or_default();
    let pair = json!({ "subject": user, "object": other });
    let with = |mut request: Value, field: &str, value: Value| {
        request[field] = value;
        request
    };
    let visibility = ["PUBLIC", "PUBLIC", "FOLLOWERS", "FRIENDS"][dice.below(4) as usize];
    let new = json!({ "author": user, "text": format!("\u{7cfb} {n}"), "visibility": visibility });
    let (method, request) = match dice.below(22) {
        0..6 => ("Follow", pair),
        6 => ("Unfollow", pair),
        7 => (["Block", "Unblock"][dice.below(2) as usize], pair),
        8 => ("Mute", pair),
        9 => {
            let some = with(pair, "repostsOnly", json!(dice.below(2) == 0));
            ("Mute", with(some, "duration", json!("86400s")))
        }
        10 => ("Mute", with(pair, "repostsOnly", json!(true))),
        11 | 12 => ("SendFriendRequest", with(pair, "message", json!(format!("\u{4f60}\u{597d} \"{n}\"!")))),
        13 => ("AcceptFriendRequest", pair),
        14..17 => ("PostService/CreatePost", new),
        17 => ("PostService/CreatePost", with(new, "replyTo", json!(id))),
        18 => ("PostService/CreatePost", json!({ "author": user, "repostOf": id })),
        19 => ("PostService/CreatePost", with(new, "repostOf", json!(id))),
        20 if dice.below(4) == 0 => ("PostService/DeletePost", json!({ "author": author, "postId": id })),
        _ => ("PostService/LikePost", json!({ "uid": user, "postId": id })),
    };
    // A user that is deleted in the end answers no post and is not answered: lists leave out what depends on that, and other
    // tests cover it.
    let is_leaving = DELETED.iter().any(|n| users[*n] == author || users[*n] == user);
    let hangs =
        is_leaving && ["replyTo", "repostOf", "postId"].iter().any(|field| request[field] == id.as_str());
    // A deleted quote comes as a deleted repost, since the text of deleted posts is not carried.
    let is_quote_deleted = is_quote && method == "PostService/DeletePost";
    let is_none = user == other || hangs || is_quote_deleted || request.to_string().contains("\"\"");
    (!is_none).then_some((method, user, request))
}

/// Lets users do what users do. A refusal is answered as such, and belongs to it. Answers the posts of users who stay.
fn live(end: &End, users: &[String], dice: &mut Dice) -> Vec<String> {
    let (mut posts, mut done) = (Vec::<Written>::new(), BTreeMap::<&str, u64>::new());
    for round in 0..ROUNDS {
        let (mut calls, mut asked) = (Calls::default(), Vec::new());
        for n in 0..AT_ONCE {
            let Some((method, user, request)) = operation(round * AT_ONCE + n, users, &posts, dice) else {
                continue;
            };
            calls.add(&end.server.api, &end.service, method, &request);
            let is_quote = request["repostOf"].is_string() && request["text"].is_string();
            asked.push((method, user, is_quote));
        }
        for ((method, author, is_quote), (_, answer)) in asked.into_iter().zip(calls.run()) {
            if answer["code"].is_null() {
                *done.entry(method).or_default() += 1;
                if method == "PostService/CreatePost" {
                    let id = answer["postId"].as_str().unwrap().to_owned();
                    posts.push(Written { author, id, is_quote });
                }
            }
        }
    }
    let least =
        ["Follow", "Block", "Mute", "SendFriendRequest", "AcceptFriendRequest", "PostService/LikePost"];
    assert!(least.iter().all(|method| done.get(method).is_some_and(|times| *times > 2)), "{done:?}");
    let stays = |author: &String| DELETED.iter().all(|n| users[*n] != *author);
    posts.into_iter().filter(|post| stays(&post.author)).map(|post| post.id).collect()
}

/// Ends some users, and waits until nothing of the deleted ones is left that others see.
fn leave(end: &End, dir: &str, users: &[String]) {
    for n in DEACTIVATED {
        end.done("UserService/Deactivate", &json!({ "uid": users[n] }));
    }
    for n in DELETED {
        let password = if n % 4 == 0 { PASSWORD } else { "" };
        end.done("UserService/DeleteUser", &json!({ "uid": users[n], "password": password }));
    }
    wait_for(|| {
        let left = |what: &&str| {
            let flags = ["--server", &end.server.admin, "--token-file", &format!("{dir}/admin-token")];
            let exported = run(&[&["export", what][..], &flags].concat());
            assert_eq!(exported.code, 0, "{exported:?}");
            exported.stderr.contains("deleted users, or")
        };
        !["edges", "blocks", "mutes", "likes", "requests"].iter().any(left)
    });
}

/// Returns what each present user sees of all users.
fn seen(end: &End, dir: &str, users: &[String], posts: &[String]) -> BTreeMap<String, Value> {
    let there: Vec<String> = (0..USERS).filter(|n| !DELETED.contains(n)).map(|n| users[n].clone()).collect();
    let viewers: Vec<String> = (0..USERS)
        .filter(|n| !DELETED.contains(n) && !DEACTIVATED.contains(n))
        .map(|n| users[n].clone())
        .collect();
    let tokens = end.tokens(dir, &viewers);
    let mut seen = BTreeMap::new();
    for (place, viewer) in viewers.iter().map(String::as_str).chain(["a service"]).enumerate() {
        let is_user = viewer != "a service";
        let token = if is_user { &tokens[viewer] } else { &end.service };
        let mut calls = Calls::default();
        let mut add = |method: &str, request: Value| calls.add(&end.server.api, token, method, &request);
        add("UserService/BatchGetUsers", json!({ "uids": there }));
        add("BatchGetCounts", json!({ "uids": there }));
        let page = |field: &str, uid: &str| json!({ field: uid, "pageSize": 200 });
        for other in &there {
            for method in ["ListFollowing", "ListFollowers", "ListFriends"] {
                add(method, page("uid", other));
            }
            add("PostService/ListAuthorPosts", page("author", other));
        }
        let mine = if is_user { vec![viewer] } else { viewers.iter().map(String::as_str).collect() };
        for uid in mine {
            add("BatchGetRelations", json!({ "subject": uid, "objects": there }));
            for method in ["ListBlocks", "ListMutes"] {
                add(method, page("uid", uid));
            }
            for method in ["ListFriendRequests", "ListFollowRequests"] {
                for outgoing in [true, false] {
                    add(method, json!({ "uid": uid, "outgoing": outgoing, "pageSize": 100 }));
                }
            }
            if is_user {
                add("FeedService/GetHomeTimeline", page("viewer", uid));
            }
        }
        // Each post is looked at by some, and each viewer looks at some.
        for (_, post) in posts.iter().enumerate().filter(|(n, _)| (n + place) % 4 == 0) {
            add("PostService/GetPost", json!({ "postId": post }));
            add("PostService/ListLikers", json!({ "postId": post, "pageSize": 100 }));
        }
        seen.extend(
            calls
                .run()
                .into_iter()
                .map(|(asked, answer)| (format!("{viewer}: {asked}"), shown(answer, users))),
        );
    }
    for n in (0..USERS).filter(|n| !DELETED.contains(n)) {
        let asked = json!({ "loginName": format!("name{n}"), "password": PASSWORD });
        // A hash may be late on a busy machine.
        let mut logins = (0..LATE_LOGINS_MAX).map(|_| end.call("UserService/Login", &asked));
        let login = logins.find(|login| login["code"] != "deadline_exceeded");
        let login = login.expect("a login that is not late");
        seen.insert(format!("login {n}"), json!([login["uid"], login["code"]]));
        let asked = json!({ "externalIds": [format!("id of {n}, \"quoted\"")] });
        seen.insert(format!("id {n}"), shown(end.done("UserService/ResolveIds", &asked), users));
        let asked = json!({ "phone": format!("+1415555{:04}", 100 + n) });
        let found = end.call("UserService/LookupUser", &asked);
        seen.insert(format!("phone {n}"), json!([found["user"]["uid"], found["code"]]));
    }
    seen
}

/// How often a login is tried that is late each time.
const LATE_LOGINS_MAX: usize = 10;

/// An answer without what no list carries.
fn shown(mut answer: Value, users: &[String]) -> Value {
    strip(&mut answer, &DEACTIVATED.map(|n| users[n].as_str()));
    answer
}

fn strip(value: &mut Value, deactivated: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !NOT_CARRIED.contains(&name.as_str()));
            // Requests of users who are deactivated.
            if fields.get("uid").and_then(Value::as_str).is_some_and(|uid| deactivated.contains(&uid)) {
                fields.retain(|name, _| name != "requested" && name != "requestedBy");
            }
            // A request, which has an end: since when it waits.
            if fields.remove("expireTime").is_some() {
                fields.remove("createTime");
            }
            fields.values_mut().for_each(|value| strip(value, deactivated));
        }
        Value::Array(items) => {
            items.retain(|item| item["expireTime"].is_null() || item["deactivated"] != true);
            items.iter_mut().for_each(|value| strip(value, deactivated));
            // What happened within one millisecond is in the order of its digits below it, which no list carries.
            let at_once =
                |a: &Value, b: &Value| a["createTime"].is_string() && a["createTime"] == b["createTime"];
            let by_uid = |run: &mut [Value]| run.sort_by_key(|item| item["uid"].to_string());
            items.chunk_by_mut(at_once).for_each(by_uid);
        }
        // A time, whose digits below a millisecond only order what happened within it.
        Value::String(text) if text.len() == 30 && text.ends_with('Z') && text.as_bytes()[19] == b'.' => {
            text.replace_range(23..29, "");
        }
        _ => {}
    }
}

fn everybody_sees_the_same_after_a_move(seed: u64) {
    let scratch = Scratch::new();
    let (old, new) = (scratch.arg("old"), scratch.arg("new"));
    let end = End::start(&old);
    let users = people(&end);
    let posts = live(&end, &users, &mut Dice(seed));
    leave(&end, &old, &users);
    let before = seen(&end, &old, &users, &posts);
    end.server.stop();
    for list in LISTS {
        let file = scratch.arg(list);
        let exported = run(&["export", list, &file, "--data", &old]);
        assert!(exported.code == 0 && exported.stderr.contains("no list carries"), "{exported:?}");
        let imported = run(&["import", list, &file, "--data", &new, "--strict", "--json"]);
        assert!(imported.stderr.contains("no list carries"), "{imported:?}");
        let report = imported.json();
        let again = run(&[
            "import",
            list,
            &file,
            "--data",
            &new,
            "--strict",
            "--json",
            "--job",
            &format!("again {list}"),
        ]);
        assert_eq!(again.json()["accepted"], 0, "{list}: {report}");
        // What is exported from the copy is the same to the byte.
        let copied = scratch.arg("copied");
        assert_eq!(run(&["export", list, &copied, "--data", &new, "--force"]).code, 0);
        let read = |file: &str| std::fs::read_to_string(file).unwrap();
        if list != "edges" && list != "requests" {
            assert_eq!(read(&copied), read(&file), "{list}");
        }
    }
    let end = End::start(&new);
    let after = seen(&end, &new, &users, &posts);
    assert!(before.len() > 2_000 && before.len() == after.len(), "{} and {}", before.len(), after.len());
    let differs = before.iter().filter(|(asked, answer)| after[*asked] != **answer);
    let told: Vec<String> = differs
        .map(|(asked, answer)| format!("{asked}\n  before {answer}\n  after  {}", after[asked]))
        .collect();
    assert!(
        told.is_empty(),
        "seed {seed}, {} differ:\n{}",
        told.len(),
        told[..told.len().min(12)].join("\n")
    );
    end.server.stop();
    assert_eq!(run(&["verify", "--data", &new, "--json"]).json()["clean"], true);
}

#[test]
fn everybody_sees_the_same_after_a_move_1() {
    everybody_sees_the_same_after_a_move(1);
}

#[test]
fn everybody_sees_the_same_after_a_move_2() {
    everybody_sees_the_same_after_a_move(2);
}
