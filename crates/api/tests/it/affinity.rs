//! Affinity over the API: what is recorded shows for services with the scope, and for nobody else.

use crate::http::{Answer, post_as};
use crate::server::{START_MS, Server, Setup};
use guanxi_model::{ManualClock, Scope};
use serde_json::{Value, json};
use std::sync::Arc;

async fn call(server: &Server, token: &str, method: &str, body: Value) -> Answer {
    let path = format!("/guanxi.v1.RelationService/{method}");
    post_as(server.main, token, &path, &body.to_string()).await
}

/// A server, its clock, and tokens of a service that records and of one that reads.
async fn world() -> (Server, Arc<ManualClock>, String, String) {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = Server::start(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let writer = server.service(&[Scope::AffinityWrite]).await;
    let reader = server.service(&[Scope::AffinityRead]).await;
    (server, clock, writer, reader)
}

/// Users and scores, the scores in hundredths.
fn items(answer: &Answer) -> Vec<(String, u64)> {
    let items = answer.json()["items"].as_array().cloned().unwrap_or_default();
    let item = |item: &Value| {
        (item["uid"].as_str().unwrap().to_owned(), (item["score"].as_f64().unwrap() * 100.0).round() as u64)
    };
    items.iter().map(item).collect()
}

fn named(items: &[(&str, u64)]) -> Vec<(String, u64)> {
    items.iter().map(|(uid, score)| ((*uid).to_owned(), *score)).collect()
}

#[tokio::test]
async fn what_is_recorded_is_read_and_decays() {
    let (server, clock, writer, reader) = world().await;
    let interactions = json!({ "requestId": "once", "interactions": [
        { "subject": "1", "object": "2", "kind": "VISIT", "count": 5 },
        { "subject": "1", "object": "3", "kind": "MESSAGE" },
        { "subject": "1", "object": "4", "kind": "MESSAGE", "time": "2025-06-08T15:06:40.123Z" },
        { "subject": "2", "object": "1", "kind": "LIKE" },
    ] });
    for _ in 0..2 {
        let answer = call(&server, &writer, "RecordInteractions", interactions.clone()).await;
        assert_eq!(answer.json()["subjects"], 2, "a retry records nothing more: {}", answer.text());
    }
    let top = async |body: Value| items(&call(&server, &reader, "ListTopAffinity", body).await);
    let of_1 = json!({ "uid": "1" });
    assert_eq!(
        top(of_1.clone()).await,
        named(&[("3", 1_000), ("2", 500), ("4", 500)]),
        "a week ago counts half"
    );
    assert_eq!(top(json!({ "uid": "1", "pageSize": 1 })).await, named(&[("3", 1_000)]));
    assert_eq!(top(json!({ "uid": "2" })).await, named(&[("1", 300)]));
    assert_eq!(top(json!({ "uid": "3" })).await, []);
    clock.advance(7 * 86_400_000);
    assert_eq!(top(of_1).await, named(&[("3", 500), ("2", 250), ("4", 250)]));
}

#[tokio::test]
async fn scores_are_for_services_with_the_scope_alone() {
    let (server, _, writer, reader) = world().await;
    let interactions = json!({ "interactions": [{ "subject": "1", "object": "2", "kind": "VISIT" }] });
    assert_eq!(call(&server, &writer, "RecordInteractions", interactions.clone()).await.status, 200);
    let others = server.service(&[Scope::RelationRead, Scope::RelationWrite, Scope::UserRead]).await;
    let user = server.user(1).await;
    for token in [&user, &others, &writer] {
        let answer = call(&server, token, "ListTopAffinity", json!({ "uid": "1" })).await;
        assert_eq!(answer.reason(), "PERMISSION_DENIED");
    }
    for token in [&user, &others, &reader] {
        let answer = call(&server, token, "RecordInteractions", interactions.clone()).await;
        assert_eq!(answer.reason(), "PERMISSION_DENIED");
    }
}

#[tokio::test]
async fn what_is_wrong_with_interactions_is_named() {
    let (server, _, writer, reader) = world().await;
    let right = json!({ "subject": "1", "object": "2", "kind": "VISIT" });
    let with = |field: &str, value: Value| {
        let mut one = right.clone();
        one[field] = value;
        json!({ "interactions": [right, one] })
    };
    for (body, reason, field) in [
        (json!({}), "MISSING_FIELD", "interactions"),
        (json!({ "interactions": vec![right.clone(); 1_001] }), "BATCH_TOO_LARGE", ""),
        (with("subject", json!("0")), "MISSING_FIELD", "subject"),
        (with("object", json!("0")), "MISSING_FIELD", "object"),
        (with("object", json!("1")), "SELF", ""),
        (with("kind", json!(0)), "MISSING_FIELD", "kind"),
        (with("kind", json!(77)), "INVALID_FIELD", "kind"),
        (with("count", json!(10_001)), "INVALID_FIELD", "count"),
        (with("time", json!("2040-01-01T00:00:00Z")), "INVALID_FIELD", "time"),
        (with("time", json!("1960-01-01T00:00:00Z")), "INVALID_FIELD", "time"),
    ] {
        let answer = call(&server, &writer, "RecordInteractions", body).await;
        let (_, info) = answer.error();
        assert_eq!(info.reason, reason, "{}", answer.text());
        if !field.is_empty() {
            assert_eq!(info.metadata["field"], field, "{}", answer.text());
        }
    }
    let top = call(&server, &reader, "ListTopAffinity", json!({ "uid": "1" })).await;
    assert_eq!(items(&top), [], "all or nothing");
    for body in [json!({ "uid": "1", "pageSize": 1_001 }), json!({ "uid": "1", "pageSize": -1 })] {
        assert_eq!(call(&server, &reader, "ListTopAffinity", body).await.reason(), "PAGE_TOO_LARGE");
    }
}
