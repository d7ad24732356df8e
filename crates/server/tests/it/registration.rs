//! `registration = open`: a caller without a credential makes an account, within a budget.

use std::sync::Arc;

use guanxi_api::{Budgets, RateLimits, Registrants};
use guanxi_model::{LoginName, Scope};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post, post_as};

const PASSWORD: &str = "correct horse battery";
const REGISTER: &str = "/guanxi.v1.UserService/Register";

/// How many accounts one address may make.
const PER_HOUR: u32 = 3;

async fn server(registration: Registrants) -> Server {
    let limits = RateLimits { registrations_per_hour: PER_HOUR, ..RateLimits::NONE };
    let rates = Arc::new(Budgets::new(limits));
    Server::start(Setup { auth: true, rates, registration, ..Setup::default() }).await
}

fn account(name: &str) -> Value {
    json!({ "loginName": name, "password": PASSWORD, "requestId": name })
}

async fn register(server: &Server, name: &str) -> Answer {
    post(server.main, "UserService/Register", &account(name).to_string()).await
}

#[tokio::test]
async fn whoever_has_no_credential_registers_and_logs_in() {
    let server = server(Registrants::Open).await;
    let made = register(&server, "alice").await;
    assert_eq!(made.status, 200, "{}", made.text());
    let login = json!({ "loginName": "Alice", "password": PASSWORD });
    let session = post(server.main, "UserService/Login", &login.to_string()).await.json();
    assert_eq!(session["uid"], made.json()["uid"]);
    let token = session["accessToken"].as_str().unwrap();
    let own = json!({ "uid": session["uid"] }).to_string();
    assert_eq!(post_as(server.main, token, "/guanxi.v1.UserService/GetUser", &own).await.status, 200);
    // A repeat answers what was answered; a name that is taken is told.
    assert_eq!(register(&server, "alice").await.json()["uid"], session["uid"]);
    let same_name = json!({ "loginName": "ALICE", "password": PASSWORD }).to_string();
    assert_eq!(post(server.main, "UserService/Register", &same_name).await.reason(), "LOGIN_NAME_TAKEN");
    let spent = register(&server, "bob").await;
    assert_eq!((spent.status, &*spent.reason()), (429, "RATE_LIMITED"));
    assert!(spent.headers.contains_key("retry-after"));
    // It opens nothing else, and a service pays nothing of it.
    let follow = json!({ "subject": "1", "object": "2" }).to_string();
    assert_eq!(post(server.main, "RelationService/Follow", &follow).await.reason(), "UNAUTHENTICATED");
    let set = json!({ "uid": session["uid"], "newPassword": PASSWORD }).to_string();
    assert_eq!(post(server.main, "UserService/SetPassword", &set).await.reason(), "UNAUTHENTICATED");
    let service = server.service(&[Scope::UserWrite]).await;
    for name in ["carol", "dave", "erin", "frank"] {
        let made = post_as(server.main, &service, REGISTER, &account(name).to_string()).await;
        assert_eq!(made.status, 200, "{}", made.text());
    }
}

#[tokio::test]
async fn strangers_do_not_meet_each_others_request_ids() {
    let server = server(Registrants::Open).await;
    // Names of one shard, whose requests lie side by side.
    let gene = |name: &str| LoginName::stored(name.to_owned()).gene();
    let other = (0..9_999).map(|n| format!("n{n}")).find(|name| gene(name) == gene("alice")).unwrap();
    let account = |name: &str| json!({ "loginName": name, "requestId": "signup-1" }).to_string();
    let alice = post(server.main, "UserService/Register", &account("alice")).await;
    let other = post(server.main, "UserService/Register", &account(&other)).await;
    assert_eq!((alice.status, other.status), (200, 200), "{}", other.text());
    let again = post(server.main, "UserService/Register", &account("Alice")).await;
    assert_eq!(again.json()["uid"], alice.json()["uid"], "a repeat is known by its name");
}

#[tokio::test]
async fn a_credential_is_looked_at_whoever_may_register() {
    for registration in [Registrants::Open, Registrants::Services] {
        let server = server(registration).await;
        let reader = server.service(&[Scope::UserRead]).await;
        let (user, other) = (server.user(7).await, "gx_unknown".to_owned());
        for (token, reason) in
            [(reader, "PERMISSION_DENIED"), (user, "PERMISSION_DENIED"), (other, "UNAUTHENTICATED")]
        {
            let answer = post_as(server.main, &token, REGISTER, &account("x").to_string()).await;
            assert_eq!(answer.reason(), reason, "{token}");
        }
    }
}

#[tokio::test]
async fn services_alone_register_unless_it_is_said() {
    let server = server(Registrants::Services).await;
    assert_eq!(register(&server, "alice").await.reason(), "UNAUTHENTICATED");
}

/// Who registers itself takes no address of somebody else; a service may give one, and finds what there is.
#[tokio::test]
async fn a_stranger_takes_no_address_and_no_name_that_looks_like_another() {
    let registration = Registrants::Open;
    let server = Server::start(Setup { auth: true, registration, ..Setup::default() }).await;
    let service = server.service(&[Scope::UserWrite]).await;
    for (name, may_service) in
        [("victim@example.org", true), ("+14155550100", true), ("@alice", false), ("p\u{430}ypal", false)]
    {
        let refused = register(&server, name).await;
        assert_eq!(refused.reason(), "INVALID_FIELD", "{name}");
        assert!(refused.text().contains("letters and digits of one script"), "{}", refused.text());
        let given = post_as(server.main, &service, REGISTER, &account(name).to_string()).await;
        assert_eq!(given.status == 200, may_service, "{name}: {}", given.text());
    }
    // One name, whichever sigma it is written with.
    assert_eq!(register(&server, "ΝΙΚΟΣ").await.status, 200);
    assert_eq!(register(&server, "νικος").await.reason(), "LOGIN_NAME_TAKEN");
}
