//! JSON over plain HTTP, as curl sends it.

use crate::http::{post, send};
use guanxi_testkit::Server;
use serde_json::json;

#[tokio::test]
async fn follow_answers_as_documented() {
    let server = Server::open().await;
    let answer = post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(
        answer.headers["content-length"],
        answer.body.len().to_string(),
        "a whole answer says its size"
    );
    let start = r#"{"changed":true,"relation":{"uid":"2","state":"FOLLOWING","#;
    assert!(answer.text().starts_with(start), "{}", answer.text());
    let json = answer.json();
    assert!(json["relation"]["followTime"].as_str().unwrap().starts_with("2025-06-15T15:06:40.123"));
    assert!(json["token"].as_str().unwrap().len() > 20);

    let again = post(server.main, "RelationService/Follow", r#"{"subject":1,"object":2}"#).await.json();
    assert_eq!(again["changed"], false, "a no-op says so, and numbers are accepted as ids");
    let back = post(server.main, "RelationService/Follow", r#"{"subject":"2","object":"1"}"#).await.json();
    assert_eq!(back["relation"]["state"], "MUTUAL");
    assert!(back["relation"]["friendTime"].is_string());
}

#[tokio::test]
async fn lists_hold_what_they_are_named_after_and_end_without_a_token() {
    let server = Server::open().await;
    for object in 2..=4 {
        let body = format!(r#"{{"subject":"1","object":"{object}"}}"#);
        assert_eq!(post(server.main, "RelationService/Follow", &body).await.status, 200);
    }
    let first =
        post(server.main, "RelationService/ListFollowing", r#"{"uid":"1","pageSize":2}"#).await.json();
    let uids = |page: &serde_json::Value| {
        let items = page["following"].as_array().unwrap();
        items.iter().map(|item| item["uid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(uids(&first), ["4", "3"]);
    let token = first["nextPageToken"].as_str().unwrap();
    let body = json!({ "uid": "1", "pageSize": 2, "pageToken": token }).to_string();
    let second = post(server.main, "RelationService/ListFollowing", &body).await.json();
    assert_eq!(uids(&second), ["2"]);
    assert!(second.get("nextPageToken").is_none(), "{second}");
    let skipped =
        post(server.main, "RelationService/ListFollowing", r#"{"uid":"1","offset":1}"#).await.json();
    assert_eq!(uids(&skipped), ["3", "2"]);

    let body = r#"{"uid":"2","viewer":"1"}"#;
    let fans = post(server.main, "RelationService/ListFollowers", body).await.json();
    assert_eq!(fans["followers"][0]["uid"], "1");
    assert!(fans["followers"][0]["createTime"].is_string());
    assert_eq!(fans["followers"][0]["relation"]["state"], "NONE");
    for (method, items) in [("ListFriends", "friends"), ("ListBlocks", "blocks"), ("ListMutes", "mutes")] {
        let page = post(server.main, &format!("RelationService/{method}"), r#"{"uid":"1"}"#).await.json();
        assert!(page[items] == json!([]) && page["token"].is_string(), "{page}");
    }
}

#[tokio::test]
async fn counts_and_known_followers_are_exact_also_when_zero() {
    let server = Server::open().await;
    for (subject, object) in [(1, 2), (1, 3), (2, 9), (3, 9), (4, 9)] {
        let body = format!(r#"{{"subject":"{subject}","object":"{object}"}}"#);
        post(server.main, "RelationService/Follow", &body).await;
    }
    let counts = post(server.main, "RelationService/GetCounts", r#"{"uid":"9"}"#).await.json();
    let expected =
        json!({ "uid": "9", "following": 0, "followers": 3, "friends": 0, "blocks": 0, "mutes": 0 });
    assert_eq!(counts["counts"], expected);
    let known = post(server.main, "RelationService/ListKnownFollowers", r#"{"viewer":"1","target":"9"}"#);
    let known = known.await.json();
    assert_eq!(known["count"], 2);
    assert_eq!(known["users"].as_array().unwrap().len(), 2);
    let body = r#"{"subject":"2","object":"3"}"#;
    let both = post(server.main, "RelationService/ListMutualFollowing", body).await.json();
    assert_eq!((&both["count"], &both["users"][0]["uid"]), (&json!(1), &json!("9")));
    let none = post(server.main, "RelationService/ListKnownFollowers", r#"{"viewer":"9","target":"1"}"#);
    assert_eq!(none.await.json()["count"], 0);
}

#[tokio::test]
async fn a_batch_has_one_outcome_per_item() {
    let server = Server::open().await;
    post(server.main, "RelationService/Block", r#"{"subject":"5","object":"1"}"#).await;
    let body = r#"{"subject":"1","objects":["2","1","5","2"]}"#;
    let answer = post(server.main, "RelationService/BatchFollow", body).await.json();
    let outcomes = answer["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 4);
    assert_eq!((&outcomes[0]["uid"], &outcomes[0]["changed"]), (&json!("2"), &json!(true)));
    assert_eq!(outcomes[1]["error"]["reason"], "SELF");
    assert_eq!(outcomes[2]["error"]["reason"], "BLOCKED");
    assert_eq!(outcomes[2]["relation"]["blockedBy"], true, "a service sees the block");
    assert_eq!(outcomes[3]["changed"], false);
    assert!(outcomes[3].get("error").is_none());
}

#[tokio::test]
async fn reads_also_answer_get() {
    let server = Server::open().await;
    let path =
        "/guanxi.v1.RelationService/GetCounts?connect=v1&encoding=json&message=%7B%22uid%22%3A%221%22%7D";
    let answer = send(server.main, "GET", path, &[], b"").await;
    assert_eq!((answer.status, &answer.json()["counts"]["uid"]), (200, &json!("1")));
    let path = "/guanxi.v1.RelationService/Follow?connect=v1&encoding=json&message=%7B%7D";
    assert_ne!(send(server.main, "GET", path, &[], b"").await.status, 200, "a write does not");
}

#[tokio::test]
async fn a_read_with_a_writes_token_sees_the_write() {
    let server = Server::open().await;
    let written = post(server.main, "RelationService/Mute", r#"{"subject":"1","object":"2"}"#).await.json();
    let body = json!({ "subject": "1", "object": "2", "token": written["token"] }).to_string();
    let read = post(server.main, "RelationService/GetRelation", &body).await.json();
    assert_eq!(read["relation"]["muting"], true);
    assert_eq!(read["token"], written["token"]);
}

#[tokio::test]
async fn a_request_id_makes_repeats_harmless() {
    let server = Server::open().await;
    let body = r#"{"subject":"1","object":"2","requestId":"a"}"#;
    let first = post(server.main, "RelationService/Follow", body).await.json();
    let second = post(server.main, "RelationService/Follow", body).await.json();
    assert_eq!(first, second);
    assert_eq!(second["changed"], true, "it is the first answer");
    let other =
        post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"3","requestId":"a"}"#);
    assert_eq!(other.await.reason(), "IDEMPOTENCY_MISMATCH");
    let other = post(server.main, "RelationService/Block", body).await;
    assert_eq!(
        other.reason(),
        "IDEMPOTENCY_MISMATCH",
        "the same pair under another method is another request"
    );
}
