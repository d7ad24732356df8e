//! Ids from elsewhere: the dictionary, and requests and answers that hold them.

use std::num::NonZeroU32;

use crate::http::{Answer, post_as};
use crate::server::{Server, Setup};
use guanxi_model::{Credential, Principal, Scope, Scopes};
use serde_json::{Value, json};

const UUID: &str = "0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60";

async fn guarded() -> Server {
    Server::start(Setup { auth: true, ..Setup::default() }).await
}

async fn call(server: &Server, token: &str, method: &str, request: &Value) -> Answer {
    let path = format!("/guanxi.v1.{method}");
    post_as(server.main, token, &path, &request.to_string()).await
}

async fn resolve(server: &Server, token: &str, request: &Value) -> Answer {
    call(server, token, "UserService/ResolveIds", request).await
}

/// Makes uids for ids, and returns them.
async fn made(server: &Server, ids: &[&str]) -> Vec<u64> {
    let token = server.service(&[Scope::UserRead, Scope::UserWrite]).await;
    let answer = resolve(server, &token, &json!({ "externalIds": ids, "create": true })).await;
    let found = answer.json()["byExternalId"].as_array().unwrap().clone();
    found.iter().map(|found| found["uid"].as_str().unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn ids_are_resolved_both_ways_and_made_only_if_asked_to() {
    let server = guarded().await;
    let token = server.service(&[Scope::UserRead, Scope::UserWrite]).await;
    let ask = json!({ "externalIds": [UUID, "b", UUID], "uids": ["7"] });
    let none = resolve(&server, &token, &ask).await.json();
    for found in none["byExternalId"].as_array().unwrap() {
        assert!(found["uid"].is_null() && found["created"].is_null(), "{found}");
    }
    assert_eq!(none["byUid"], json!([{ "uid": "7" }]), "unknown ones are present but empty");
    let uids = made(&server, &[UUID, UUID]).await;
    assert_eq!(uids[0], uids[1]);
    let uid = uids[0].to_string();
    let known = json!({ "uid": uid, "externalId": UUID });
    let ask = json!({ "externalIds": ["b", UUID], "uids": ["7", uid] });
    let found = resolve(&server, &token, &ask).await.json();
    assert_eq!(found["byExternalId"], json!([{ "externalId": "b" }, known]));
    assert_eq!(found["byUid"], json!([{ "uid": "7" }, known]));
    let admin = server.token("operator", Principal::Admin).await;
    let path = "/guanxi.v1.AdminService/ResolveIds";
    let imported = post_as(server.admin, &admin, path, &json!({ "externalIds": [UUID] }).to_string()).await;
    assert_eq!(imported.json()["byExternalId"], json!([known]));
}

#[tokio::test]
async fn only_who_may_write_users_makes_uids() {
    let server = guarded().await;
    let reader = server.service(&[Scope::UserRead]).await;
    let (ask, create) = (json!({ "externalIds": ["a"] }), json!({ "externalIds": ["a"], "create": true }));
    assert_eq!(resolve(&server, &reader, &ask).await.status, 200);
    assert_eq!(resolve(&server, &reader, &create).await.reason(), "PERMISSION_DENIED");
    let writer = server.service(&[Scope::UserWrite]).await;
    assert_eq!(resolve(&server, &writer, &create).await.reason(), "PERMISSION_DENIED", "it reads, too");
    let user = server.user(1).await;
    assert_eq!(resolve(&server, &user, &ask).await.reason(), "PERMISSION_DENIED", "services ask for users");
}

#[tokio::test]
async fn what_is_no_id_and_what_is_too_much_is_refused() {
    let server = guarded().await;
    let token = server.service(&[Scope::UserRead, Scope::UserWrite]).await;
    let many: Vec<String> = (0..1_001).map(|n| n.to_string()).collect();
    for (request, reason) in [
        (json!({}), "MISSING_FIELD"),
        (json!({ "externalIds": [""] }), "MISSING_FIELD"),
        (json!({ "externalIds": ["a\n"] }), "INVALID_FIELD"),
        (json!({ "externalIds": ["x".repeat(129)] }), "TOO_LONG"),
        (json!({ "uids": ["0"] }), "UID_OUT_OF_RANGE"),
        (json!({ "externalIds": many }), "BATCH_TOO_LARGE"),
        (json!({ "externalIds": many[..1_000], "uids": ["1"] }), "BATCH_TOO_LARGE"),
    ] {
        assert_eq!(resolve(&server, &token, &request).await.reason(), reason);
    }
    let most = json!({ "externalIds": many[..1_000], "create": true });
    let made = resolve(&server, &token, &most).await.json();
    assert!(made["byExternalId"].as_array().unwrap().iter().all(|found| found["created"] == true));
}

#[tokio::test]
async fn a_question_costs_what_it_holds() {
    let server = guarded().await;
    let (principal, rate_per_minute) = (Principal::Service(Scopes::all()), NonZeroU32::new(5));
    let hash = guanxi_api::hash_token("slow");
    let slow = Credential { hash, name: "slow".into(), principal, created_ms: 5, rate_per_minute };
    server.tokens.add(slow).await.unwrap();
    let ask = json!({ "externalIds": ["a", "b"], "uids": ["1", "2"] });
    assert_eq!(resolve(&server, "slow", &ask).await.status, 200);
    assert_eq!(resolve(&server, "slow", &ask).await.reason(), "RATE_LIMITED");
}
