//! Bad input: each kind has its own reason.

use crate::http::{post, send};
use guanxi_testkit::{FAILS, PANICS, Server, Setup};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn every_kind_of_bad_input_has_its_reason() {
    let server = Server::open().await;
    let many =
        |field: &str, count: u64| json!({ "subject": "1", field: vec!["5"; count as usize] }).to_string();
    let long = "x".repeat(65);
    let cases: &[(&str, &str, &str, &str)] = &[
        ("Follow", "{}", "MISSING_FIELD", "subject"),
        ("Follow", r#"{"subject":"1"}"#, "MISSING_FIELD", "object"),
        ("Follow", r#"{"subject":"1","object":"0"}"#, "MISSING_FIELD", "object"),
        ("Follow", r#"{"subject":"1","object":"9223372036854775808"}"#, "UID_OUT_OF_RANGE", ""),
        ("Follow", r#"{"subject":"1","object":"1"}"#, "SELF", ""),
        ("Follow", r#"{"subjectt":"1","object":"2"}"#, "MALFORMED", ""),
        ("Follow", r#"{"subject":"one","object":"2"}"#, "MALFORMED", ""),
        ("Follow", r#"{"subject":-1,"object":"2"}"#, "MALFORMED", ""),
        ("Follow", r#"{"subject":"1","#, "MALFORMED", ""),
        ("Follow", "[]", "MALFORMED", ""),
        ("Follow", r#"["1","2"]"#, "MALFORMED", ""),
        ("Follow", "null", "MALFORMED", ""),
        ("Follow", "", "MALFORMED", ""),
        ("BatchFollow", r#"{"subject":"1"}"#, "MISSING_FIELD", "objects"),
        ("BatchFollow", r#"{"subject":"1","objects":["2","0"]}"#, "UID_OUT_OF_RANGE", ""),
        ("BatchUnfollow", r#"{"subject":"1"}"#, "MISSING_FIELD", "objects"),
        ("BatchApproveFollow", r#"{"objects":["2"]}"#, "MISSING_FIELD", "subject"),
        ("BatchRejectFollow", r#"{"subject":"1","objects":["2","0"]}"#, "UID_OUT_OF_RANGE", ""),
        ("BatchGetCounts", "{}", "MISSING_FIELD", "uids"),
        ("BatchCheckPairs", "{}", "MISSING_FIELD", "pairs"),
        ("BatchCheckPairs", r#"{"pairs":[{"subject":"1"}]}"#, "MISSING_FIELD", "object"),
        ("BatchCheckPairs", r#"{"pairs":[{"subject":"1","objekt":"2"}]}"#, "MALFORMED", ""),
        ("ListFollowing", "{}", "MISSING_FIELD", "uid"),
        ("ListFollowing", r#"{"uid":"1","pageSize":1001}"#, "PAGE_TOO_LARGE", ""),
        ("ListFollowing", r#"{"uid":"1","pageSize":-1}"#, "PAGE_TOO_LARGE", ""),
        ("ListFollowing", r#"{"uid":"1","pageToken":"AAAA"}"#, "STALE_CURSOR", ""),
        ("ListFollowing", r#"{"uid":"1","token":"AAAA"}"#, "INVALID_TOKEN", ""),
        ("ListFollowers", r#"{"uid":"1","offset":5}"#, "MALFORMED", ""),
        ("ListKnownFollowers", r#"{"viewer":"1"}"#, "MISSING_FIELD", "target"),
        ("GetRelation", r#"{"subject":"1"}"#, "MISSING_FIELD", "object"),
        ("Follow", r#"{"subject":9007199254740993,"object":"2"}"#, "INVALID_FIELD", "subject"),
        ("BatchFollow", r#"{"subject":1,"objects":["2",9007199254740993]}"#, "INVALID_FIELD", "objects"),
        ("BatchCheckPairs", r#"{"pairs":[{"subject":"1","object":1e17}]}"#, "INVALID_FIELD", "object"),
        ("ListFollowing", r#"{"uid":"1","pageSize":90071992547409930}"#, "INVALID_FIELD", "page_size"),
    ];
    for (method, body, reason, field) in cases {
        let answer = post(server.main, &format!("RelationService/{method}"), body).await;
        let (code, info) = answer.error();
        assert_eq!((code.as_str(), answer.status), ("invalid_argument", 400), "{method} {body}");
        assert_eq!(info.reason, *reason, "{method} {body}: {}", answer.text());
        assert_eq!(info.metadata.get("field").map_or("", String::as_str), *field, "{method} {body}");
    }
    for (method, body, reason, limit) in [
        ("BatchFollow", many("objects", 1_001), "BATCH_TOO_LARGE", "1000"),
        ("BatchUnfollow", many("objects", 1_001), "BATCH_TOO_LARGE", "1000"),
        ("BatchApproveFollow", many("objects", 1_001), "BATCH_TOO_LARGE", "1000"),
        ("BatchRejectFollow", many("objects", 1_001), "BATCH_TOO_LARGE", "1000"),
        ("BatchGetRelations", many("objects", 1_001), "BATCH_TOO_LARGE", "1000"),
        ("Follow", json!({"subject":"1","object":"2","requestId":long}).to_string(), "TOO_LONG", "64"),
    ] {
        let info = post(server.main, &format!("RelationService/{method}"), &body).await.error().1;
        assert_eq!((info.reason.as_str(), info.metadata["limit"].as_str()), (reason, limit), "{method}");
    }
    let ok = post(server.main, "RelationService/BatchGetRelations", &many("objects", 1_000)).await;
    assert_eq!(ok.json()["relations"].as_array().unwrap().len(), 1_000);
}

#[tokio::test]
async fn ids_that_a_double_holds_may_be_numbers_also_in_a_query() {
    let server = Server::open().await;
    let exact = post(server.main, "RelationService/GetCounts", r#"{"uid":9007199254740992}"#).await;
    assert_eq!(exact.json()["counts"]["uid"], "9007199254740992");
    let text = post(server.main, "RelationService/GetCounts", r#"{"uid":"9007199254740993"}"#).await;
    assert_eq!(text.json()["counts"]["uid"], "9007199254740993");
    let query = "connect=v1&encoding=json&message=%7B%22uid%22%3A9007199254740993%7D";
    let path = format!("/guanxi.v1.RelationService/GetCounts?{query}");
    let answer = send(server.main, "GET", &path, &[], b"").await;
    assert_eq!((answer.status, answer.reason().as_str()), (400, "INVALID_FIELD"));
}

#[tokio::test]
async fn a_page_token_of_another_list_is_stale() {
    let server = Server::open().await;
    for object in ["2", "3"] {
        let body = json!({ "subject": "1", "object": object }).to_string();
        post(server.main, "RelationService/Follow", &body).await;
    }
    let page = post(server.main, "RelationService/ListFollowing", r#"{"uid":"1","pageSize":1}"#).await.json();
    for (method, uid) in [("ListFollowers", "1"), ("ListFriends", "1"), ("ListFollowing", "2")] {
        let body = json!({ "uid": uid, "pageToken": page["nextPageToken"] }).to_string();
        let answer = post(server.main, &format!("RelationService/{method}"), &body).await;
        assert_eq!(answer.reason(), "STALE_CURSOR", "{method} {uid}");
    }
    let body = json!({ "uid": "1", "token": page["nextPageToken"] }).to_string();
    let answer = post(server.main, "RelationService/ListFollowing", &body).await;
    assert_eq!(answer.reason(), "INVALID_TOKEN", "a page token is no consistency token");
}

#[tokio::test]
async fn what_the_transport_refuses_has_a_reason_too() {
    let server = Server::open().await;
    let path = "/guanxi.v1.RelationService/Follow";
    let none = post(server.main, "RelationService/Fallow", "{}").await;
    assert_eq!((none.status, none.reason().as_str()), (404, "UNKNOWN_METHOD"));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let form = send(server.main, "POST", path, &form, b"{}").await;
    assert_eq!((form.status, form.reason().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"));
    assert!(form.headers["accept-post"].contains("application/json"));

    let large = vec![b' '; (1 << 20) + 1];
    let said = send(server.main, "POST", path, &[("content-type", "application/json")], &large).await;
    assert_eq!((said.status, said.reason().as_str()), (400, "REQUEST_TOO_LARGE"));
    let mut chunked = format!("{:x}\r\n", large.len()).into_bytes();
    chunked.extend(&large);
    chunked.extend(b"\r\n0\r\n\r\n");
    let headers = [("content-type", "application/json"), ("transfer-encoding", "chunked")];
    let unsaid = send(server.main, "POST", path, &headers, &chunked).await;
    assert_eq!((unsaid.status, unsaid.reason().as_str()), (400, "REQUEST_TOO_LARGE"));
}

#[tokio::test]
async fn defects_are_told_without_their_details() {
    let setup = Setup { write_delay: Duration::from_millis(1), ..Setup::default() };
    let server = Server::start(setup).await;
    let body = |object: u64| json!({ "subject": "1", "object": object.to_string() }).to_string();
    let panicked = post(server.main, "RelationService/Follow", &body(PANICS)).await;
    assert_eq!((panicked.status, panicked.reason().as_str()), (500, "INTERNAL"));
    let failed = post(server.main, "RelationService/Follow", &body(FAILS)).await;
    assert_eq!(failed.reason(), "DAMAGED");
    assert!(!failed.text().contains("/var/lib"), "{}", failed.text());
    assert_eq!(server.load.calls_in_flight(), 0, "nothing stays counted");
    let fine = post(server.main, "RelationService/Follow", &body(2)).await;
    assert_eq!(fine.status, 200, "the server lives on");
}
