//! Accounts through the API: registering, logging in, passwords.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use guanxi_api::{Budgets, RateLimits, Registrants};
use guanxi_centers::user::passwords::{Argon2Cost, PasswordOptions};
use guanxi_model::event::UserChange;
use guanxi_model::user::{PasswordHash, Profile, Registration, UserCommand, UserStatus};
use guanxi_model::{Change, LoginName, Principal, Scope, Scopes, Uid, Write};
use guanxi_ports::{Facts as _, Log, Store as _};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http::{Answer, post, post_as};

const PASSWORD: &str = "correct horse battery";

async fn guarded() -> Server {
    Server::start(Setup { auth: true, ..Setup::default() }).await
}

fn path(method: &str) -> String {
    format!("/guanxi.v1.UserService/{method}")
}

async fn call(server: &Server, token: &str, method: &str, request: &Value) -> Answer {
    post_as(server.main, token, &path(method), &request.to_string()).await
}

async fn login(server: &Server, name: &str, password: &str) -> Answer {
    let request = json!({ "loginName": name, "password": password });
    post(server.main, "UserService/Login", &request.to_string()).await
}

/// Registers an account as a service does; returns its uid.
async fn register(server: &Server, name: &str) -> u64 {
    let service = server.service(&[Scope::UserWrite]).await;
    let request = json!({ "loginName": name, "password": PASSWORD, "nickname": name });
    let answer = call(server, &service, "Register", &request).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["uid"].as_str().unwrap().parse().unwrap()
}

fn text(answer: &Answer, field: &str) -> String {
    answer.json()[field].as_str().unwrap().to_owned()
}

/// Whether a token still lets its user in.
async fn lets_in(server: &Server, token: &str, uid: u64) -> bool {
    let answer = call(server, token, "GetUser", &json!({ "uid": uid.to_string() })).await;
    assert!([200, 401].contains(&answer.status), "{}", answer.text());
    answer.status == 200
}

#[tokio::test]
async fn whoever_registered_logs_in_and_is_who_it_is() {
    let server = guarded().await;
    let uid = register(&server, "Alice").await;
    assert_eq!(Uid::new(uid).unwrap().gene(), LoginName::stored("alice".into()).gene());
    let session = login(&server, "ＡＬＩＣＥ", PASSWORD).await;
    assert_eq!(session.status, 200, "{}", session.text());
    let access = text(&session, "accessToken");
    assert_eq!(text(&session, "uid"), uid.to_string());
    let me = call(&server, &access, "GetUser", &json!({ "uid": uid.to_string() })).await.json();
    assert_eq!(
        (&me["user"]["loginName"], &me["user"]["nickname"]),
        (&json!("Alice"), &json!("Alice")),
        "the name is shown as it was typed"
    );
    assert_eq!(me["user"]["lastLoginDate"], json!("2025-06-15"));
    let open =
        json!({ "discoverable": true, "locked": false, "hidesFollowing": false, "hidesFollowers": false });
    assert_eq!(me["user"]["privacy"], open);
    let follow = json!({ "subject": uid.to_string(), "object": "2" }).to_string();
    let follow = post_as(server.main, &access, "/guanxi.v1.RelationService/Follow", &follow).await;
    assert_eq!(follow.status, 200);
    // A refresh token is not accepted for a call.
    assert!(!lets_in(&server, &text(&session, "refreshToken"), uid).await);
    // Others see what the user says of itself, and nothing of the account.
    let other = server.user(9).await;
    let seen = call(&server, &other, "GetUser", &json!({ "uid": uid.to_string() })).await.json();
    assert_eq!(seen["user"]["nickname"], json!("Alice"));
    for private in ["loginName", "lastLoginDate", "privacy"] {
        assert!(seen["user"][private].is_null(), "{seen}");
    }
}

#[tokio::test]
async fn people_are_found_by_name_unless_they_do_not_want_to() {
    let server = guarded().await;
    let uid = register(&server, "alice").await;
    let own = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    let (other, service) = (server.user(9).await, server.service(&[Scope::UserRead]).await);
    let find = async |token: &str| call(&server, token, "LookupUser", &json!({ "loginName": "Alice" })).await;
    for token in [&own, &other, &service] {
        assert_eq!(find(token).await.json()["user"]["uid"], json!(uid.to_string()));
    }
    let hidden = json!({ "uid": uid.to_string(), "discoverable": false });
    assert_eq!(call(&server, &own, "SetPrivacy", &hidden).await.status, 200);
    for (token, found) in [(&own, true), (&other, false), (&service, true)] {
        let answer = find(token).await;
        assert_eq!(answer.status == 200, found, "{}", answer.text());
    }
    let nobody = call(&server, &other, "LookupUser", &json!({ "loginName": "bob" })).await;
    let (code, info) = nobody.error();
    let hidden = find(&other).await;
    assert_eq!(
        (code, info.reason),
        (hidden.error().0, hidden.error().1.reason),
        "hidden is as good as absent"
    );
}

#[tokio::test]
async fn an_unknown_name_and_a_wrong_password_are_one_answer_at_one_cost() {
    let server = guarded().await;
    register(&server, "alice").await;
    let service = server.service(&[Scope::UserWrite]).await;
    let nameless = json!({ "loginName": "nopassword" });
    let nameless = call(&server, &service, "Register", &nameless).await.json()["uid"].clone();
    let alice = json!(register(&server, "bound").await.to_string());
    for (uid, phone) in
        [(&alice, "+14155550101"), (&nameless, "+14155550102"), (&json!("77"), "+14155550103")]
    {
        let bind = json!({ "uid": uid, "phone": phone });
        assert_eq!(call(&server, &service, "BindPhone", &bind).await.status, 200);
    }
    let unbound = json!({ "uid": alice, "email": "was@example.org" });
    assert_eq!(call(&server, &service, "BindEmail", &unbound).await.status, 200);
    assert_eq!(call(&server, &service, "UnbindEmail", &json!({ "uid": alice })).await.status, 200);
    let mut answers = Vec::new();
    for (field, name, password) in [
        ("loginName", "alice", "wrong password"),
        ("loginName", "nobody", PASSWORD),
        ("loginName", "nopassword", PASSWORD),
        ("loginName", "not a name", PASSWORD),
        ("phone", "+14155550101", "wrong password"),
        ("phone", "+14155550102", PASSWORD),
        ("phone", "+14155550103", PASSWORD),
        ("phone", "+14155550199", PASSWORD),
        ("phone", "no phone", PASSWORD),
        ("email", "was@example.org", PASSWORD),
        ("email", "nobody@example.org", PASSWORD),
    ] {
        let before = server.passwords.work();
        let request = json!({ (field): name, "password": password }).to_string();
        let answer = post(server.main, "UserService/Login", &request).await;
        let after = server.passwords.work();
        assert_eq!(after.hashes - before.hashes, 1, "{name}");
        answers.push((answer.status, answer.text().to_owned(), after.argon2_kib - before.argon2_kib));
    }
    assert_eq!(answers[0].0, 401);
    assert!(answers[0].1.contains("LOGIN_FAILED"));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[tokio::test]
async fn a_changed_password_ends_every_session() {
    let server = guarded().await;
    let uid = register(&server, "alice").await;
    let first = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    let second = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    let change = |old: &str, new: &str| json!({ "uid": uid.to_string(), "oldPassword": old, "newPassword": new, "device": "phone" });
    let wrong =
        call(&server, &first, "ChangePassword", &change("not the one", "another horse battery")).await;
    assert_eq!(wrong.reason(), "LOGIN_FAILED");
    let common = call(&server, &first, "ChangePassword", &change(PASSWORD, "password1")).await;
    assert_eq!(common.reason(), "PASSWORD_TOO_COMMON");
    let other = server.user(9).await;
    let others = call(&server, &other, "ChangePassword", &change(PASSWORD, "another horse battery")).await;
    assert_eq!(others.reason(), "PERMISSION_DENIED");
    assert!(lets_in(&server, &second, uid).await, "nothing has happened so far");
    let changed = call(&server, &first, "ChangePassword", &change(PASSWORD, "another horse battery")).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    for (token, stands) in [(&first, false), (&second, false), (&text(&changed, "accessToken"), true)] {
        assert_eq!(lets_in(&server, token, uid).await, stands);
    }
    assert_eq!(login(&server, "alice", PASSWORD).await.reason(), "LOGIN_FAILED");
    // A service sets one for a user who has forgotten it.
    let third = text(&login(&server, "alice", "another horse battery").await, "accessToken");
    let service = server.service(&[Scope::UserWrite]).await;
    let set = json!({ "uid": uid.to_string(), "newPassword": "a third horse battery" });
    assert_eq!(call(&server, &third, "SetPassword", &set).await.reason(), "PERMISSION_DENIED");
    assert_eq!(call(&server, &service, "SetPassword", &set).await.status, 200);
    assert!(!lets_in(&server, &third, uid).await);
    assert_eq!(login(&server, "alice", "a third horse battery").await.status, 200);
    let nobody = json!({ "uid": "77", "newPassword": "a third horse battery" });
    assert_eq!(call(&server, &service, "SetPassword", &nobody).await.reason(), "USER_NOT_FOUND");
    // Any uid may have relations: one without an account is answered alike, alone and among others.
    let reader = server.service(&[Scope::UserRead]).await;
    let alone = call(&server, &reader, "GetUser", &json!({ "uid": nobody["uid"] })).await.json();
    let among = call(&server, &reader, "BatchGetUsers", &json!({ "uids": [nobody["uid"]] })).await.json();
    assert_eq!((&alone["user"], &alone["user"]["uid"]), (&among["users"][0], &nobody["uid"]));
}

/// A client that logs in with the old password while a new one is set is signed out when both are answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_never_outlives_the_password_that_it_was_for() {
    let server = Arc::new(guarded().await);
    let uid = register(&server, "alice").await;
    let service = server.service(&[Scope::UserWrite]).await;
    // A token that an operator made ends with the sessions, so a service changes the password for the user.
    let own = service.clone();
    let mut old = PASSWORD.to_owned();
    let mut let_in = 0;
    for round in 0..60 {
        let new = format!("horse battery number {round}");
        let racing = (0..3).map(|_| {
            let (server, password) = (server.clone(), old.clone());
            tokio::spawn(async move { login(&server, "alice", &password).await })
        });
        let mut racing: Vec<_> = racing.collect();
        racing.push({
            let (server, own, old) = (server.clone(), own.clone(), old.clone());
            let request =
                json!({ "uid": uid.to_string(), "oldPassword": old, "newPassword": "of the user itself" });
            tokio::spawn(async move { call(&server, &own, "ChangePassword", &request).await })
        });
        let set = json!({ "uid": uid.to_string(), "newPassword": new });
        assert_eq!(call(&server, &service, "SetPassword", &set).await.status, 200);
        for answer in racing {
            let answer = answer.await.unwrap();
            if answer.status == 200 {
                let_in += 1;
                assert!(!lets_in(&server, &text(&answer, "accessToken"), uid).await, "round {round}");
            } else {
                assert_eq!(answer.reason(), "LOGIN_FAILED");
            }
        }
        old = new;
    }
    assert!(let_in > 0, "no login came before its password was gone");
}

#[tokio::test]
async fn an_answer_of_many_users_stays_small() {
    let server = guarded().await;
    let service = server.service(&[Scope::UserWrite, Scope::UserRead]).await;
    let attributes: Value = (0..32).map(|n| (n.to_string(), json!("\u{1}".repeat(512)))).collect();
    let uids: Vec<String> = (1..=250).map(|uid: u64| uid.to_string()).collect();
    for uid in &uids {
        let request = json!({ "uid": uid, "attributes": attributes });
        assert_eq!(call(&server, &service, "UpdateUser", &request).await.status, 200);
    }
    let (mut seen, mut answers) = (0, 0);
    while seen < uids.len() {
        let answer = call(&server, &service, "BatchGetUsers", &json!({ "uids": uids[seen..] })).await;
        assert!(answer.body.len() < 4 << 20, "{} bytes", answer.body.len());
        let users = answer.json()["users"].as_array().unwrap().clone();
        assert_eq!(users.len(), uids.len() - seen, "one for each");
        let told = users.iter().take_while(|user| user["omitted"] != json!(true)).count();
        assert!(users[..told].iter().all(|user| user["attributes"] == attributes));
        assert!(users[told..].iter().all(|user| user["omitted"] == json!(true)));
        assert!(told > 0);
        (seen, answers) = (seen + told, answers + 1);
    }
    assert!(answers > 5, "{answers}");
}

#[tokio::test]
async fn a_name_is_registered_once_and_a_request_is_one_account() {
    let server = guarded().await;
    let service = server.service(&[Scope::UserWrite]).await;
    let request = json!({ "loginName": "alice", "password": PASSWORD, "requestId": "1" });
    let first = call(&server, &service, "Register", &request).await;
    let again = call(&server, &service, "Register", &request).await;
    assert_eq!((first.status, first.json()["uid"].clone()), (200, again.json()["uid"].clone()));
    let other = json!({ "loginName": "alice", "password": PASSWORD, "requestId": "2" });
    assert_eq!(call(&server, &service, "Register", &other).await.reason(), "LOGIN_NAME_TAKEN");
    let changed = json!({ "loginName": "alice", "nickname": "A", "requestId": "1" });
    assert_eq!(call(&server, &service, "Register", &changed).await.reason(), "IDEMPOTENCY_MISMATCH");
    for (request, reason) in [
        (json!({ "password": PASSWORD }), "MISSING_FIELD"),
        (json!({ "loginName": "a b" }), "INVALID_FIELD"),
        (json!({ "loginName": "bob", "password": "short" }), "PASSWORD_TOO_SHORT"),
        (json!({ "loginName": "bob", "password": "x".repeat(500) }), "TOO_LONG"),
        (json!({ "loginName": "bob", "nickname": "x".repeat(500) }), "TOO_LONG"),
    ] {
        assert_eq!(call(&server, &service, "Register", &request).await.reason(), reason, "{request}");
    }
    let own = server.user(9).await;
    let denied = call(&server, &own, "Register", &json!({ "loginName": "bob" })).await;
    assert_eq!(denied.reason(), "PERMISSION_DENIED", "services register users");
}

#[tokio::test]
async fn a_name_may_be_tried_so_often_and_others_go_on() {
    let limits = RateLimits { logins_per_minute: 3, keys_max: 100, ..RateLimits::NONE };
    let rates = Arc::new(Budgets::new(limits));
    let server = Server::start(Setup { auth: true, rates, ..Setup::default() }).await;
    register(&server, "alice").await;
    register(&server, "bob").await;
    for spelling in ["alice", "Alice", "ＡＬＩＣＥ"] {
        assert_eq!(login(&server, spelling, "wrong password").await.reason(), "LOGIN_FAILED");
    }
    let before = server.passwords.work();
    let refused = login(&server, "alice", PASSWORD).await;
    assert_eq!((refused.status, refused.reason().as_str()), (429, "RATE_LIMITED"));
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(server.passwords.work(), before, "nothing is hashed for it");
    assert_eq!(login(&server, "bob", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn an_old_hash_is_renewed_by_a_login_and_tells_nobody() {
    let server = guarded().await;
    let login_name = LoginName::stored("old".into());
    let uid = Uid::minted(guanxi_model::id::ID_EPOCH_MS + 5, 5, login_name.gene()).unwrap();
    // bcrypt, cost 4, of "correct horse battery".
    let old = bcrypt_of(PASSWORD);
    let password = Some(PasswordHash::new(old.clone()).unwrap());
    let account = Registration { uid, login_name, password, profile: Profile::default() };
    let answer = server.store.apply(Write::of(UserCommand::Register(account))).await.unwrap();
    assert_eq!(login(&server, "old", "wrong password").await.reason(), "LOGIN_FAILED");
    let stored = async || server.store.view(None).await.unwrap().password(uid).await.unwrap().unwrap();
    assert_eq!(stored().await.expose(), old);
    assert_eq!(login(&server, "old", PASSWORD).await.status, 200);
    let renewed = stored().await;
    assert!(renewed.expose().starts_with("$argon2id$"));
    assert_eq!(login(&server, "old", PASSWORD).await.status, 200);
    assert_eq!(stored().await, renewed);
    let (log, head) = (&*server.store as &dyn Log, server.store.head().await.unwrap());
    let mut told = Vec::new();
    for (id, _) in head.marks() {
        let events = log.read(id, &answer.position, 9).await.unwrap().events;
        told.extend(events.into_iter().map(|event| event.change));
    }
    assert_eq!(told, [Change::User(UserChange::LoggedIn)], "no event tells of the hash");
}

/// A hash that is renewed by one login is another for those beside it, and the password is right all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_log_in_at_once_with_an_old_hash_are_all_let_in() {
    let server = Arc::new(guarded().await);
    for round in 0..20 {
        let name = format!("old{round}");
        let login_name = LoginName::stored(name.clone());
        let uid = Uid::minted(guanxi_model::id::ID_EPOCH_MS + 5, 5, login_name.gene()).unwrap();
        let password = Some(PasswordHash::new(bcrypt_of(PASSWORD)).unwrap());
        let account = Registration { uid, login_name, password, profile: Profile::default() };
        let answer = server.store.apply(Write::of(UserCommand::Register(account))).await.unwrap();
        // Names of one gene share this uid.
        if answer.user().unwrap().result.is_err() {
            continue;
        }
        let login = || {
            let (server, name) = (server.clone(), name.clone());
            tokio::spawn(async move { login(&server, &name, PASSWORD).await })
        };
        let racing = [login(), login(), login(), login()];
        for answer in racing {
            let answer = answer.await.unwrap();
            assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        }
    }
}

/// A hash as another system has made it.
fn bcrypt_of(password: &str) -> String {
    bcrypt::hash(password, 4).unwrap()
}

#[tokio::test]
async fn a_login_is_no_way_in_for_operators_doors() {
    let server = guarded().await;
    register(&server, "alice").await;
    let access = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    let stats = post_as(server.admin, &access, "/guanxi.v1.AdminService/Stats", "{}").await;
    assert_eq!(stats.status, 403);
    let all = server.token("all", Principal::Service(Scopes::all())).await;
    let there = post_as(server.admin, &all, &path("Login"), "{}").await;
    assert_eq!(there.reason(), "WRONG_LISTENER");
}

#[test]
fn the_openapi_document_says_which_calls_need_no_token() {
    let document: Value = serde_json::from_str(guanxi_proto::OPENAPI).unwrap();
    for rule in guanxi_api::rules::RULES.iter().filter(|rule| rule.path.starts_with("guanxi.")) {
        let path = &document["paths"][format!("/{}", rule.path)];
        for (verb, operation) in path.as_object().unwrap().iter().filter(|(verb, _)| *verb != "servers") {
            let needs_none = operation["security"] == json!([]);
            assert_eq!(needs_none, rule.access == guanxi_api::rules::Access::Open, "{verb} {}", rule.path);
        }
    }
}

#[tokio::test]
async fn whoever_is_deactivated_is_out_and_comes_back_whole() {
    let server = guarded().await;
    let uid = register(&server, "alice").await;
    let own = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    let lone = server.user(uid).await;
    let (other, service) = (server.user(9).await, server.service(&[Scope::UserWrite, Scope::UserRead]).await);
    let relation = async |token: &str, method: &str, request: Value| {
        let path = format!("/guanxi.v1.RelationService/{method}");
        post_as(server.main, token, &path, &request.to_string()).await
    };
    let me = uid.to_string();
    assert_eq!(relation(&other, "Follow", json!({ "object": me })).await.status, 200);
    let post = json!({ "text": "hello" }).to_string();
    let post = post_as(server.main, &own, "/guanxi.v1.PostService/CreatePost", &post).await.json();
    let post = post["postId"].as_str().unwrap().to_owned();
    let read = async |token: &str| {
        let request = json!({ "postId": post }).to_string();
        post_as(server.main, token, "/guanxi.v1.PostService/GetPost", &request).await.status
    };
    assert_eq!(read(&other).await, 200);
    // Only the user itself and services may.
    assert_eq!(call(&server, &other, "Deactivate", &json!({ "uid": me })).await.status, 403);
    let gone = call(&server, &own, "Deactivate", &json!({ "requestId": "bye" })).await;
    assert_eq!((gone.status, &gone.json()["changed"]), (200, &json!(true)));
    assert!(!lets_in(&server, &own, uid).await && !lets_in(&server, &lone, uid).await);
    let refused = login(&server, "alice", PASSWORD).await;
    assert_eq!(refused.error().1.reason, "USER_DEACTIVATED");
    assert_eq!(login(&server, "alice", "wrong password").await.error().1.reason, "LOGIN_FAILED");
    let seen = call(&server, &other, "GetUser", &json!({ "uid": me })).await.json();
    assert_eq!(seen["user"], json!({ "uid": me, "status": "DEACTIVATED" }));
    assert_eq!(call(&server, &other, "LookupUser", &json!({ "loginName": "alice" })).await.status, 404);
    let known = call(&server, &service, "GetUser", &json!({ "uid": me })).await.json();
    assert_eq!(
        (&known["user"]["nickname"], &known["user"]["status"]),
        (&json!("alice"), &json!("DEACTIVATED"))
    );
    assert_eq!(read(&other).await, 404);
    let list = relation(&other, "ListFollowing", json!({ "uid": "9" })).await.json();
    assert_eq!(
        (&list["following"][0]["uid"], &list["following"][0]["deactivated"]),
        (&json!(me), &json!(true))
    );
    let late = relation(&server.user(8).await, "Follow", json!({ "object": me })).await;
    assert_eq!((late.status, late.error().1.reason.as_str()), (400, "USER_DEACTIVATED"));
    assert_eq!(call(&server, &other, "Reactivate", &json!({ "uid": me })).await.status, 403);
    assert_eq!(call(&server, &service, "Reactivate", &json!({ "uid": me })).await.status, 200);
    assert!(!lets_in(&server, &own, uid).await, "what was ended stays ended");
    let again = text(&login(&server, "alice", PASSWORD).await, "accessToken");
    assert!(lets_in(&server, &again, uid).await);
    assert_eq!(read(&other).await, 200);
    let list = relation(&other, "ListFollowing", json!({ "uid": "9" })).await.json();
    assert!(list["following"][0]["deactivated"].is_null());
}

#[tokio::test]
async fn a_session_that_is_left_of_somebody_deactivated_lets_nobody_in() {
    let server = guarded().await;
    let token = server.user(7).await;
    assert_eq!(call(&server, &token, "UpdateUser", &json!({ "nickname": "seven" })).await.status, 200);
    assert!(lets_in(&server, &token, 7).await);
    // As after a death between the commit and the end of the sessions.
    let uid = Uid::new(7).unwrap();
    let gone = UserCommand::SetStatus { uid, status: UserStatus::Deactivated };
    server.store.apply(Write::of(gone)).await.unwrap();
    assert!(!lets_in(&server, &token, 7).await);
}

#[tokio::test]
async fn hidden_lists_are_hidden_from_others_alone() {
    let server = guarded().await;
    let relation = async |token: &str, method: &str, request: Value| {
        let path = format!("/guanxi.v1.RelationService/{method}");
        let answer = post_as(server.main, token, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let (one, two, three) = (server.user(1).await, server.user(2).await, server.user(3).await);
    for (token, object) in [(&one, "2"), (&one, "3"), (&two, "3")] {
        relation(token, "Follow", json!({ "object": object })).await;
    }
    let nothing = call(&server, &one, "SetPrivacy", &json!({})).await;
    assert_eq!(nothing.error().1.reason, "MISSING_FIELD");
    assert_eq!(call(&server, &one, "SetPrivacy", &json!({ "hidesFollowing": true })).await.status, 200);
    let service = server.service(&[Scope::RelationRead]).await;
    let uids = |answer: &Value| -> Vec<String> {
        let users = ["following", "followers"].iter().find_map(|list| answer[*list].as_array());
        users.unwrap().iter().map(|user| user["uid"].as_str().unwrap().to_owned()).collect()
    };
    for (token, expected) in
        [(&one, &["3", "2"][..]), (&two, &["2"]), (&three, &["3"]), (&service, &["3", "2"])]
    {
        let list = relation(token, "ListFollowing", json!({ "uid": "1" })).await;
        assert_eq!(uids(&list), expected);
    }
    assert_eq!(uids(&relation(&two, "ListFollowers", json!({ "uid": "3" })).await), ["2"]);
    let asked = json!({ "subject": "1", "object": "3" });
    for (token, follows) in [(&two, false), (&three, true), (&one, true), (&service, true)] {
        let found = relation(token, "GetRelation", asked.clone()).await;
        assert_eq!(!found["relation"]["followTime"].is_null(), follows, "{found}");
    }
    let counts = relation(&two, "GetCounts", json!({ "uid": "1" })).await;
    assert_eq!(counts["counts"]["following"], json!(2), "counters stay");
}

/// In a flood of logins nearly all calls are refused: each by its head, before anything of it is read or looked up. Who comes
/// with a token is refused behind it, as before, and what hashes nothing is answered.
#[tokio::test]
async fn without_room_for_a_password_a_stranger_is_refused_by_the_head() {
    let passwords = PasswordOptions { queue: 0, cost: Argon2Cost::LEAST, ..PasswordOptions::default() };
    let registration = Registrants::Open;
    let server = Server::start(Setup { auth: true, passwords, registration, ..Setup::default() }).await;
    for method in ["Login", "Register"] {
        let mut stream = TcpStream::connect(server.main).await.unwrap();
        let head = format!(
            "POST /guanxi.v1.UserService/{method} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 60\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        let answered = timeout(Duration::from_secs(10), stream.read_exact(&mut answer)).await;
        answered.expect("it is answered before its body comes").unwrap();
        assert_eq!(answer, *b"HTTP/1.1 429", "{method}");
    }
    assert_eq!(login(&server, "alice", PASSWORD).await.reason(), "OVERLOADED");
    let refresh = json!({ "refreshToken": "x" }).to_string();
    assert_ne!(post(server.main, "UserService/RefreshSession", &refresh).await.reason(), "OVERLOADED");
    let service = server.service(&[Scope::UserWrite]).await;
    let with_password = json!({ "loginName": "alice", "password": PASSWORD });
    assert_eq!(call(&server, &service, "Register", &with_password).await.reason(), "OVERLOADED");
    let without = json!({ "loginName": "alice" });
    assert_eq!(call(&server, &service, "Register", &without).await.status, 200);
}

/// In a flood of strangers who log in, a user who came from there before gets in: its password waits in a queue of its own.
#[tokio::test(flavor = "multi_thread")]
async fn in_a_flood_of_strangers_known_users_log_in() {
    let passwords = PasswordOptions { queue: 2, ..PasswordOptions::default() };
    let server = Server::start(Setup { auth: true, passwords, ..Setup::default() }).await;
    let service = server.service(&[Scope::UserWrite]).await;
    for name in ["alice", "bob"] {
        let account = json!({ "loginName": name, "password": PASSWORD });
        assert_eq!(call(&server, &service, "Register", &account).await.status, 200);
    }
    assert_eq!(login(&server, "alice", PASSWORD).await.status, 200);
    let (main, refused) = (server.main, Arc::new(AtomicUsize::new(0)));
    for n in 0..32 {
        let refused = refused.clone();
        tokio::spawn(async move {
            let request = json!({ "loginName": format!("nobody{n}"), "password": PASSWORD }).to_string();
            loop {
                let answer = post(main, "UserService/Login", &request).await;
                refused.fetch_add(usize::from(answer.reason() == "OVERLOADED"), Ordering::Relaxed);
            }
        });
    }
    while refused.load(Ordering::Relaxed) < 32 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        let answer = login(&server, "alice", PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.reason());
    }
}

/// What a user changes and others do not see changes nothing of what they are told, its revision included.
#[tokio::test]
async fn strangers_are_not_told_of_changes_that_they_do_not_see() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let service = server.service(&[Scope::UserRead, Scope::UserWrite]).await;
    let stranger = server.token("stranger", Principal::EndUser(Uid::new(8).unwrap())).await;
    let call =
        async |token: &str, method: &str, request: Value| call(&server, token, method, &request).await.json();
    let alice = call(&service, "Register", json!({ "loginName": "alice" })).await["uid"].clone();
    let own = json!({ "uid": alice });
    let told = async |token: &str| call(token, "GetUser", own.clone()).await["user"].clone();
    let (before, revision) = (told(&stranger).await, told(&service).await["revision"].clone());
    assert_eq!((before.get("revision"), &revision), (None, &json!(1)));
    for (method, request) in [
        ("SetPrivacy", json!({ "uid": alice, "hidesFollowers": true })),
        ("BindPhone", json!({ "uid": alice, "phone": "+8613800138000" })),
        ("BindEmail", json!({ "uid": alice, "email": "alice@example.org" })),
        ("UnbindPhone", json!({ "uid": alice })),
    ] {
        assert_eq!(call(&service, method, request).await["changed"], true, "{method}");
        assert_eq!(told(&stranger).await, before, "{method}");
    }
    assert_eq!(told(&service).await["revision"], 5);
}
