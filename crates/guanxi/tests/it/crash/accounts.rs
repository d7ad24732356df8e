//! What ends or begins access is one commit: a server that dies before it has done nothing of it, and one that dies behind it has
//! done all of it.

use super::rpc::{Answer, Rpc};
use super::server::{Place, Server, is_abort};
use guanxi_embedded::failpoints;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a server may take to die at a failpoint that it passes.
const REACHED_TIMEOUT: Duration = Duration::from_secs(30);

/// A start that is not over after this passes failpoints later, too.
const SETTLED: Duration = Duration::from_millis(300);

/// How often a start passes a failpoint, at most.
const STARTS_MAX: u64 = 40;

const FIRST: &str = "correct horse";
const SECOND: &str = "battery staple";

/// An account with one session.
struct Account {
    uid: String,
    name: String,
    refresh: String,
}

/// What is seen of an account: its status, how many sessions it has, and which of two passwords lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    active: bool,
    sessions: usize,
    password: Option<&'static str>,
}

const BEFORE: Seen = Seen { active: true, sessions: 1, password: Some(FIRST) };

/// A call, and what is seen of the account once it is done.
type Case = (&'static str, fn(&Account) -> Value, Seen);

const CASES: [Case; 7] = [
    ("UserService/Login", |account| login(&account.name, FIRST), Seen { sessions: 2, ..BEFORE }),
    ("UserService/Deactivate", uid, Seen { active: false, sessions: 0, password: None }),
    ("UserService/DeleteUser", uid, Seen { active: false, sessions: 0, password: None }),
    (
        "UserService/RevokeSession",
        |account| json!({ "uid": account.uid, "everywhere": true }),
        Seen { sessions: 0, ..BEFORE },
    ),
    (
        "UserService/SetPassword",
        |account| json!({ "uid": account.uid, "newPassword": SECOND }),
        Seen { sessions: 0, password: Some(SECOND), ..BEFORE },
    ),
    (
        "UserService/ChangePassword",
        |account| json!({ "uid": account.uid, "oldPassword": FIRST, "newPassword": SECOND }),
        Seen { sessions: 1, password: Some(SECOND), ..BEFORE },
    ),
    ("UserService/RefreshSession", |account| json!({ "refreshToken": account.refresh }), BEFORE),
];

fn uid(account: &Account) -> Value {
    json!({ "uid": account.uid })
}

fn login(name: &str, password: &str) -> Value {
    json!({ "loginName": name, "password": password })
}

fn ready(place: &Place) -> Server {
    let mut server = Server::start(place, None, &[]);
    assert!(server.ready(place), "{}", place.log_tail());
    server
}

fn ask(rpc: &mut Rpc, method: &str, request: &Value) -> Answer {
    rpc.call(method, request).unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn good(rpc: &mut Rpc, method: &str, request: &Value) -> Value {
    match ask(rpc, method, request) {
        Answer::Good(answer) => answer,
        Answer::Refused(reason) => panic!("{method} {request}: {reason}"),
    }
}

/// Makes an account and logs it in, each on a server that nothing befalls.
fn account(place: &Place, name: &str) -> Account {
    let server = ready(place);
    let mut rpc = Rpc::connect(server.address()).unwrap();
    let made = good(&mut rpc, "UserService/Register", &login(name, FIRST));
    let session = good(&mut rpc, "UserService/Login", &login(name, FIRST));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Account { uid: text(&made["uid"]), name: name.to_owned(), refresh: text(&session["refreshToken"]) }
}

/// How often a server passes a failpoint before it answers the first call.
fn passings_of_start(place: &Place, failpoint: &str) -> u64 {
    let survives = |count: &u64| {
        let mut server = Server::start(place, Some(&format!("{failpoint}:{}", count + 1)), &[]);
        server.ready(place) && server.ends_within(SETTLED).is_none()
    };
    (0..STARTS_MAX).find(survives).expect("a start ends")
}

fn seen(place: &Place, account: &Account) -> Seen {
    let server = ready(place);
    let mut rpc = Rpc::connect(server.address()).unwrap();
    let user = good(&mut rpc, "UserService/BatchGetUsers", &json!({ "uids": [account.uid] }));
    let active = matches!(user["users"][0]["status"].as_str(), None | Some("ACTIVE" | "USER_STATUS_ACTIVE"));
    let sessions = good(&mut rpc, "UserService/ListSessions", &uid(account));
    let sessions = sessions["sessions"].as_array().map_or(0, Vec::len);
    let lets_in = |rpc: &mut Rpc, password| {
        matches!(ask(rpc, "UserService/Login", &login(&account.name, password)), Answer::Good(_))
    };
    let password = [FIRST, SECOND].into_iter().find(|password| lets_in(&mut rpc, password));
    Seen { active, sessions, password }
}

#[test]
fn access_begins_and_ends_in_one_commit() {
    let place = Place::new();
    let (mut number, mut done) = (0, 0);
    drop(account(&place, "first"));
    for failpoint in [failpoints::BEFORE_COMMIT, failpoints::AFTER_COMMIT, failpoints::BEFORE_ANSWER] {
        let count = 1 + passings_of_start(&place, failpoint);
        for (method, request, after) in CASES {
            number += 1;
            let account = account(&place, &format!("user{number}"));
            let mut server = Server::start(&place, Some(&format!("{failpoint}:{count}")), &[]);
            if server.ready(&place) {
                let mut rpc = Rpc::connect(server.address()).unwrap();
                let answer = rpc.call(method, &request(&account));
                assert!(answer.is_err(), "{method} at {failpoint}:{count} was answered: {answer:?}");
            }
            let ended = server.ends_within(REACHED_TIMEOUT);
            assert!(ended.is_some_and(is_abort), "{method}: {failpoint} was not reached");
            let seen = seen(&place, &account);
            // What a server does by itself may have passed the failpoint just before the call.
            let is_done = seen == after && failpoint != failpoints::BEFORE_COMMIT;
            assert!(seen == BEFORE || is_done, "{method} at {failpoint}: {seen:?}");
            done += usize::from(is_done && after != BEFORE);
        }
    }
    assert!(done >= CASES.len(), "only {done} calls were done before their server died");
    place.verify();
}
