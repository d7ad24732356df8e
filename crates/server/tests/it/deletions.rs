//! Who deletes a user, and with what.

use std::sync::Arc;

use guanxi_api::{Budgets, RateLimits};
use guanxi_model::{Clock as _, ManualClock, Scope};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post, post_as};
use crate::jwt;

const PASSWORD: &str = "correct horse battery";

/// A server with the account of alice; and her uid.
async fn with_alice(rates: RateLimits, clock: &Arc<ManualClock>) -> (Server, u64) {
    let rates = Arc::new(Budgets::new(rates));
    let (jwt, clock) = (Some(jwt::verifier as _), clock.clone());
    let server = Server::start(Setup { auth: true, rates, jwt, clock, ..Setup::default() }).await;
    let account = json!({ "loginName": "alice", "password": PASSWORD });
    let service = server.service(&[Scope::UserWrite]).await;
    let answer = call(&server, &service, "Register", &account).await;
    let uid = answer.json()["uid"].as_str().unwrap().parse().unwrap();
    (server, uid)
}

async fn call(server: &Server, token: &str, method: &str, request: &Value) -> Answer {
    post_as(server.main, token, &format!("/guanxi.v1.UserService/{method}"), &request.to_string()).await
}

async fn login(server: &Server) -> String {
    let request = json!({ "loginName": "alice", "password": PASSWORD }).to_string();
    let session = post(server.main, "UserService/Login", &request).await.json();
    session["accessToken"].as_str().unwrap().to_owned()
}

async fn delete(server: &Server, token: &str, request: Value) -> Answer {
    call(server, token, "DeleteUser", &request).await
}

async fn is_there(server: &Server, uid: u64) -> bool {
    let service = server.service(&[Scope::UserRead]).await;
    let user = call(server, &service, "GetUser", &json!({ "uid": uid.to_string() })).await.json();
    user["user"]["status"] != json!("DELETED")
}

/// By any credential of an end user: a session, a token that an operator made, or a JWT.
#[tokio::test]
async fn an_end_user_with_a_password_deletes_itself_with_it_alone() {
    for kind in ["session", "token", "jwt"] {
        let clock = Arc::new(ManualClock::new(START_MS));
        let (server, uid) = with_alice(RateLimits::NONE, &clock).await;
        let token = match kind {
            "session" => login(&server).await,
            "token" => server.user(uid).await,
            _ => jwt::token_from(uid, clock.now_ms()),
        };
        let before = server.passwords.work();
        for absent in [json!({}), json!({ "password": "" }), json!({ "uid": uid.to_string() })] {
            let (_, info) = delete(&server, &token, absent).await.error();
            let field = info.metadata["field"].as_str();
            assert_eq!((info.reason.as_str(), field), ("MISSING_FIELD", "password"), "{kind}");
        }
        let long = delete(&server, &token, json!({ "password": "x".repeat(5_000) })).await;
        assert_eq!(long.reason(), "TOO_LONG", "{kind}");
        assert_eq!(server.passwords.work(), before, "nothing is hashed for it");
        let wrong = delete(&server, &token, json!({ "password": "battery horse" })).await;
        assert_eq!((wrong.status, wrong.reason().as_str()), (401, "LOGIN_FAILED"), "{kind}");
        assert!(is_there(&server, uid).await, "{kind}");
        let right = delete(&server, &token, json!({ "password": PASSWORD, "requestId": "1" })).await;
        assert_eq!((right.status, &right.json()["changed"]), (200, &json!(true)), "{kind}: {}", right.text());
        assert!(!is_there(&server, uid).await, "{kind}");
        assert_eq!(delete(&server, &token, json!({ "password": PASSWORD })).await.status, 401, "{kind}");
    }
}

#[tokio::test]
async fn who_has_no_password_and_services_are_asked_for_none() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let (server, uid) = with_alice(RateLimits::NONE, &clock).await;
    let before = server.passwords.work();
    for (user, token) in [(8, server.login(8).await), (9, jwt::token_from(9, clock.now_ms()))] {
        // A password that is given belongs to no account, and proves nothing.
        let request = if user == 8 { json!({}) } else { json!({ "password": "anything" }) };
        assert_eq!(delete(&server, &token, request).await.status, 200, "{user}");
        assert!(!is_there(&server, user).await);
    }
    let service = server.service(&[Scope::UserWrite]).await;
    assert_eq!(delete(&server, &service, json!({ "uid": uid.to_string() })).await.status, 200);
    assert!(!is_there(&server, uid).await);
    assert_eq!(server.passwords.work(), before);
}

/// An attacker with a stolen session cannot guess the password, here or by ChangePassword.
#[tokio::test]
async fn attempts_to_delete_are_counted_with_those_to_change_the_password() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let limits = RateLimits { logins_per_minute: 3, keys_max: 100, ..RateLimits::NONE };
    let (server, uid) = with_alice(limits, &clock).await;
    let token = server.user(uid).await;
    for _ in 0..2 {
        let wrong = delete(&server, &token, json!({ "password": "battery horse" })).await;
        assert_eq!(wrong.reason(), "LOGIN_FAILED");
    }
    let change = json!({ "oldPassword": "battery horse", "newPassword": "another horse battery" });
    assert_eq!(call(&server, &token, "ChangePassword", &change).await.reason(), "LOGIN_FAILED");
    let before = server.passwords.work();
    let refused = delete(&server, &token, json!({ "password": PASSWORD })).await;
    assert_eq!((refused.status, refused.reason().as_str()), (429, "RATE_LIMITED"));
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(server.passwords.work(), before, "nothing is hashed for it");
    assert!(is_there(&server, uid).await);
}
