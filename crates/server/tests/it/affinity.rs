//! Affinity over the API: a recorded interaction shows for services with the scope, and for no other caller.

use crate::http::{Answer, post_as};
use guanxi_model::{ImportEdge, ManualClock, Scope, Stamp, Uid, Write};
use guanxi_ports::Facts as _;
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::sync::Arc;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

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
fn items(answer: &Answer) -> Vec<(String, i64)> {
    let items = answer.json()["items"].as_array().cloned().unwrap_or_default();
    let item = |item: &Value| {
        (item["uid"].as_str().unwrap().to_owned(), (item["score"].as_f64().unwrap() * 100.0).round() as i64)
    };
    items.iter().map(item).collect()
}

fn named(items: &[(&str, i64)]) -> Vec<(String, i64)> {
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

/// Walks a list by affinity; time passes between its pages.
async fn walk(server: &Server, clock: &ManualClock, token: &str, method: &str, size: usize) -> Vec<String> {
    let (mut walked, mut page_token) = (Vec::new(), String::new());
    loop {
        let body = json!({ "uid": "1", "order": "AFFINITY", "pageSize": size, "pageToken": page_token });
        let answer = call(server, token, method, body).await.json();
        let items = answer[if method == "ListFriends" { "friends" } else { "following" }].clone();
        let page = items.as_array().cloned().unwrap_or_default();
        assert!(!answer.to_string().contains("score"), "{answer}");
        walked.extend(page.iter().map(|item| item["uid"].as_str().unwrap().to_owned()));
        answer["nextPageToken"].as_str().unwrap_or_default().clone_into(&mut page_token);
        if page_token.is_empty() {
            return walked;
        }
        assert_eq!(page.len(), size, "a page with a successor is full");
        clock.advance(3 * 86_400_000);
    }
}

#[tokio::test]
async fn lists_by_affinity_have_everybody_once_whatever_time_passes() {
    let (server, clock, writer, _) = world().await;
    let edge = |(subject, object): (u64, u64)| {
        ImportEdge::new(u(subject), u(object), Some(Stamp::from_ms(START_MS - object % 7 * 1_000)))
    };
    let follows = (2..60).map(|object| (1, object)).chain((2..60).step_by(3).map(|subject| (subject, 1)));
    server.store.apply(Write::edges(follows.map(edge).collect(), false)).await.unwrap();
    // Scores with some of them, with some who are not followed, and some that are equal.
    let visit = |n: u64| json!({ "subject": "1", "object": (50 + n).to_string(), "kind": "VISIT", "count": 1 + n * 7 % 5 });
    let interactions = json!({ "interactions": (0..20).map(visit).collect::<Vec<_>>() });
    assert_eq!(call(&server, &writer, "RecordInteractions", interactions).await.status, 200);
    let (user, service) = (server.user(1).await, server.service(&[Scope::RelationRead]).await);
    for (method, is_friend) in [("ListFollowing", false), ("ListFriends", true)] {
        let listed = |uid: &u64| !is_friend || (uid - 2).is_multiple_of(3);
        let mut scored: Vec<u64> = (50..60).filter(listed).collect();
        let newest = |uid: &u64| {
            // A friendship begins with the later of the two follows.
            let at = if is_friend { (uid % 7).min(1) } else { uid % 7 };
            (at, Reverse(*uid))
        };
        scored.sort_by_key(|uid| (Reverse(1 + (uid - 50) * 7 % 5), newest(uid)));
        let mut rest: Vec<u64> = (2..50).filter(listed).collect();
        rest.sort_by_key(newest);
        let expected: Vec<String> = scored.iter().chain(&rest).map(ToString::to_string).collect();
        for size in [1, 3, 7, 10, 58, 1_000] {
            for token in [&user, &service] {
                assert_eq!(walk(&server, &clock, token, method, size).await, expected, "{method} by {size}");
            }
        }
    }
}

#[tokio::test]
async fn the_order_is_for_the_user_itself_and_each_token_for_its_own() {
    let (server, _, writer, _) = world().await;
    let edges = [(1, 2), (1, 3), (1, 4)].map(|(a, b)| ImportEdge::new(u(a), u(b), None));
    server.store.apply(Write::edges(edges.to_vec(), false)).await.unwrap();
    let interactions = json!({ "interactions": [{ "subject": "1", "object": "2", "kind": "VISIT" }] });
    assert_eq!(call(&server, &writer, "RecordInteractions", interactions).await.status, 200);
    let (user, other) = (server.user(1).await, server.user(2).await);
    let ask = json!({ "uid": "1", "order": "AFFINITY", "pageSize": 1 });
    assert_eq!(call(&server, &other, "ListFollowing", ask.clone()).await.reason(), "PERMISSION_DENIED");
    let first = call(&server, &user, "ListFollowing", ask.clone()).await.json();
    assert_eq!(first["following"][0]["uid"], "2");
    let token = first["nextPageToken"].clone();
    let raw = token.as_str().unwrap();
    for (field, value, reason) in [
        ("pageToken", json!(format!("{raw}x")), "STALE_CURSOR"),
        ("offset", json!(1), "INVALID_FIELD"),
        ("order", json!(9), "INVALID_FIELD"),
        ("pageSize", json!(1_001), "PAGE_TOO_LARGE"),
    ] {
        let mut wrong = ask.clone();
        wrong[field] = value;
        assert_eq!(call(&server, &user, "ListFollowing", wrong).await.reason(), reason, "{field}");
    }
    for (method, order) in [("ListFollowing", 0), ("ListFriends", 1)] {
        let body = json!({ "uid": "1", "order": order, "pageToken": token });
        assert_eq!(call(&server, &user, method, body).await.reason(), "STALE_CURSOR", "of another list");
    }
}
