//! What ends or begins access is one commit: a server that dies before it has done nothing of it, and one that dies behind it has
//! done all of it.

use super::is_played;
use super::rpc::{Answer, Rpc};
use super::server::{Place, Server, is_abort, pause};
use guanxi_embedded::failpoints;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// How long a server may take to die at a failpoint that it passes.
const REACHED_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a call is tried until it is the one that passes the failpoint.
const TRIES_MAX: u32 = 8;

/// How much longer each try waits for what a server does by itself after its start.
const SETTLED: Duration = Duration::from_millis(200);

const FIRST: &str = "correct horse";
const SECOND: &str = "battery staple";

/// An account with one session.
pub(super) struct Account {
    uid: String,
    name: String,
    refresh: String,
}

/// What is seen of an account: its status, how many sessions it has, and which of two passwords lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    active: bool,
    sessions: usize,
    password: Option<&'static str>,
}

pub(super) const BEFORE: Seen = Seen { active: true, sessions: 1, password: Some(FIRST) };

/// A call, and what is seen of the account once it is done.
pub(super) type Case = (&'static str, fn(&Account) -> Value, Seen);

pub(super) const CASES: [Case; 7] = [
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

/// Makes an account and logs it in.
pub(super) fn made(rpc: &mut Rpc, name: &str) -> Account {
    let made = good(rpc, "UserService/Register", &login(name, FIRST));
    let session = good(rpc, "UserService/Login", &login(name, FIRST));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Account { uid: text(&made["uid"]), name: name.to_owned(), refresh: text(&session["refreshToken"]) }
}

/// What a server says of an account.
pub(super) fn said(rpc: &mut Rpc, account: &Account) -> Seen {
    let user = good(rpc, "UserService/BatchGetUsers", &json!({ "uids": [account.uid] }));
    let active = matches!(user["users"][0]["status"].as_str(), None | Some("ACTIVE" | "USER_STATUS_ACTIVE"));
    let sessions = good(rpc, "UserService/ListSessions", &uid(account));
    let sessions = sessions["sessions"].as_array().map_or(0, Vec::len);
    let lets_in = |rpc: &mut Rpc, password| {
        matches!(ask(rpc, "UserService/Login", &login(&account.name, password)), Answer::Good(_))
    };
    let password = [FIRST, SECOND].into_iter().find(|password| lets_in(rpc, password));
    Seen { active, sessions, password }
}

/// Makes an account on a server that nothing befalls.
fn account(place: &Place, name: &str) -> Account {
    let server = ready(place);
    made(&mut Rpc::connect(server.address()).unwrap(), name)
}

fn seen(place: &Place, account: &Account) -> Seen {
    let server = ready(place);
    said(&mut Rpc::connect(server.address()).unwrap(), account)
}

/// Does a call on a server that dies at the next passing of a failpoint, and tells whether the call was what passed it. It is done
/// whole or not at all.
fn died_of(place: &Place, failpoint: &str, case: Case, name: &str, settled: Duration) -> bool {
    let (method, request, after) = case;
    let account = account(place, name);
    let armed = place.beside("armed");
    let mut server = Server::start(place, Some(&format!("{failpoint}:1:{}", armed.display())), &[]);
    assert!(server.ready(place), "{}", place.log_tail());
    let mut rpc = Rpc::connect(server.address()).unwrap();
    pause(settled);
    fs::write(&armed, "").unwrap();
    let answer = rpc.call(method, &request(&account));
    let ended = server.ends_within(REACHED_TIMEOUT);
    fs::remove_file(&armed).unwrap();
    assert!(answer.is_err(), "{method} at {failpoint} was answered: {answer:?}");
    assert!(ended.is_some_and(is_abort), "{method}: {failpoint} was not reached");
    let seen = seen(place, &account);
    if failpoint == failpoints::BEFORE_COMMIT {
        assert_eq!(seen, BEFORE, "{method} at {failpoint}");
        return true;
    }
    assert!(seen == BEFORE || seen == after, "{method} at {failpoint}: {seen:?}");
    seen == after
}

#[test]
fn access_begins_and_ends_in_one_commit() {
    let place = Place::new();
    let mut number = 0;
    let failpoints = [failpoints::BEFORE_COMMIT, failpoints::AFTER_COMMIT, failpoints::BEFORE_ANSWER];
    for (nth, failpoint) in failpoints.into_iter().enumerate() {
        for (_, case) in (nth..).zip(CASES).filter(|(case, _)| is_played(*case)) {
            // A commit that the server makes by itself after its start may pass the failpoint before the call's: then once more.
            let died = (0..TRIES_MAX).any(|tried| {
                number += 1;
                died_of(&place, failpoint, case, &format!("user{number}"), SETTLED * tried)
            });
            assert!(died, "{} never was what a server died of at {failpoint}", case.0);
        }
    }
    place.verify();
}
