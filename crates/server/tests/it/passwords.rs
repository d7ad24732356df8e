//! Passwords in their normal form: what is chosen, what is given, and what was stored before.

use guanxi_model::user::{PasswordHash, Profile, Registration, UserCommand};
use guanxi_model::{LoginName, Scope, Uid, Write};
use guanxi_ports::{Facts as _, Store as _};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post, post_as};

const COMPOSED: &str = "café au lait";
const DECOMPOSED: &str = "cafe\u{301} au\u{a0}lait";

async fn guarded() -> Server {
    Server::start(Setup { auth: true, ..Setup::default() }).await
}

async fn call(server: &Server, token: &str, method: &str, request: &Value) -> Answer {
    post_as(server.main, token, &format!("/guanxi.v1.UserService/{method}"), &request.to_string()).await
}

async fn login(server: &Server, name: &str, password: &str) -> Answer {
    let request = json!({ "loginName": name, "password": password });
    post(server.main, "UserService/Login", &request.to_string()).await
}

async fn hashes(server: &Server, name: &str, password: &str) -> (String, u64) {
    let before = server.passwords.work().hashes;
    let answer = login(server, name, password).await;
    let reason = if answer.status == 200 { "OK".to_owned() } else { answer.reason() };
    (reason, server.passwords.work().hashes - before)
}

#[tokio::test]
async fn composed_and_decomposed_are_one_password() {
    let server = guarded().await;
    let service = server.service(&[Scope::UserWrite]).await;
    let account = json!({ "loginName": "alice", "password": DECOMPOSED });
    let uid = call(&server, &service, "Register", &account).await.json()["uid"].clone();
    assert_eq!(hashes(&server, "alice", COMPOSED).await, ("OK".into(), 1));
    assert_eq!(hashes(&server, "alice", DECOMPOSED).await, ("OK".into(), 1));
    // A wrong password costs the same for any name.
    for name in ["alice", "nobody", "no name"] {
        assert_eq!(hashes(&server, name, "cafe\u{301} noir").await, ("LOGIN_FAILED".into(), 2), "{name}");
        assert_eq!(hashes(&server, name, "tab\tbed").await, ("LOGIN_FAILED".into(), 1), "{name}");
    }
    let change = json!({ "uid": uid, "oldPassword": COMPOSED, "newPassword": "e\u{301}te\u{301} 1999" });
    let own = login(&server, "alice", COMPOSED).await.json()["accessToken"].as_str().unwrap().to_owned();
    assert_eq!(call(&server, &own, "ChangePassword", &change).await.status, 200);
    assert_eq!(hashes(&server, "alice", "été 1999").await, ("OK".into(), 1));
}

/// The hash of a text as it was typed lets its user in by that text, and becomes one of the normal form.
#[tokio::test]
async fn a_hash_of_the_text_as_typed_becomes_one_of_the_normal_form() {
    let server = guarded().await;
    let login_name = LoginName::stored("old".into());
    let uid = Uid::minted(guanxi_model::id::ID_EPOCH_MS + 5, 5, login_name.gene()).unwrap();
    let password = Some(PasswordHash::new(bcrypt::hash(DECOMPOSED, 4).unwrap()).unwrap());
    let account = Registration { uid, login_name, password, profile: Profile::default() };
    server.store.apply(Write::of(UserCommand::Register(account))).await.unwrap();
    assert_eq!(login(&server, "old", COMPOSED).await.reason(), "LOGIN_FAILED");
    assert_eq!(login(&server, "old", DECOMPOSED).await.status, 200);
    let stored = server.store.view(None).await.unwrap().password(uid).await.unwrap().unwrap();
    assert!(stored.expose().starts_with("$argon2id$"));
    assert_eq!(hashes(&server, "old", COMPOSED).await, ("OK".into(), 1));
    assert_eq!(hashes(&server, "old", DECOMPOSED).await, ("OK".into(), 1));
}

#[tokio::test]
async fn a_repeated_registration_is_the_same_with_the_same_password_alone() {
    let server = guarded().await;
    let service = server.service(&[Scope::UserWrite]).await;
    let register = async |password: Value, id: &str| {
        let request = json!({ "loginName": format!("user{id}"), "password": password, "requestId": id });
        let answer = call(&server, &service, "Register", &request).await;
        if answer.status == 200 { answer.json()["uid"].to_string() } else { answer.reason() }
    };
    let first = register(json!(DECOMPOSED), "1").await;
    assert_eq!(register(json!(COMPOSED), "1").await, first);
    for other in [json!("another password"), Value::Null] {
        assert_eq!(register(other, "1").await, "IDEMPOTENCY_MISMATCH");
    }
    let without = register(Value::Null, "2").await;
    assert_eq!(register(Value::Null, "2").await, without);
    assert_eq!(register(json!(COMPOSED), "2").await, "IDEMPOTENCY_MISMATCH");
}

#[tokio::test]
async fn what_is_tried_first_is_no_password() {
    let server = guarded().await;
    let service = server.service(&[Scope::UserWrite]).await;
    let account = json!({ "loginName": "zhang.san", "password": COMPOSED });
    let uid = call(&server, &service, "Register", &account).await.json()["uid"].clone();
    let own = login(&server, "zhang.san", COMPOSED).await.json()["accessToken"].as_str().unwrap().to_owned();
    for (password, reason) in [
        ("Zhang.San", "PASSWORD_TOO_COMMON"),
        ("aaaaaaaaaa", "PASSWORD_TOO_COMMON"),
        ("\u{3000}         ", "PASSWORD_TOO_COMMON"),
        ("abcdefgh", "PASSWORD_TOO_COMMON"),
        ("e\u{301}te\u{301}e\u{301}te", "PASSWORD_TOO_SHORT"),
        ("over\u{202e}ride", "INVALID_FIELD"),
    ] {
        let new = json!({ "loginName": "zhang.San", "password": password });
        assert_eq!(call(&server, &service, "Register", &new).await.reason(), reason, "{password}");
        let set = json!({ "uid": uid, "newPassword": password });
        assert_eq!(call(&server, &service, "SetPassword", &set).await.reason(), reason, "{password}");
        let change = json!({ "uid": uid, "oldPassword": COMPOSED, "newPassword": password });
        assert_eq!(call(&server, &own, "ChangePassword", &change).await.reason(), reason, "{password}");
    }
    assert_eq!(login(&server, "zhang.san", COMPOSED).await.status, 200, "nothing was changed");
}
