//! Ids from elsewhere: the dictionary, and requests and answers that hold them.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::http::{Answer, post_as, send};
use guanxi_api::{Budgets, RateLimits};
use guanxi_model::{Credential, Principal, Scope, Scopes};
use guanxi_ports::CredentialWrites as _;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

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
async fn what_is_no_uid_is_told_how_an_id_of_ones_own_is_written() {
    let server = guarded().await;
    let token = server.service(&[Scope::RelationWrite, Scope::PostRead]).await;
    for request in [json!({ "subject": UUID, "object": 2 }), json!({ "subject": 1, "object": "anna" })] {
        let answer = call(&server, &token, "RelationService/Follow", &request).await;
        assert_eq!(answer.reason(), "MALFORMED");
        assert!(answer.text().contains(r#"stands for a user as \"ext:ID\""#), "{}", answer.text());
    }
    let answer = call(&server, &token, "PostService/GetPost", &json!({ "postId": "ext:anna" })).await;
    assert!(answer.text().contains("`ext:` is only for users"), "{}", answer.text());
    let wrong = json!({ "interactions": [{ "subject": 1, "object": 2, "kind": "WAVE" }] });
    let answer = call(&server, &token, "RelationService/RecordInteractions", &wrong).await;
    assert!(!answer.text().contains("VISIT"), "a caller that may not record learns nothing");
    let token = server.service(&[Scope::AffinityWrite]).await;
    let answer = call(&server, &token, "RelationService/RecordInteractions", &wrong).await;
    assert!(answer.text().contains("`kind` is one of KIND_UNSPECIFIED, VISIT,"), "{}", answer.text());
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

/// A call whose answer is wanted with external ids.
async fn call_external(server: &Server, token: &str, method: &str, request: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers =
        [("content-type", "application/json"), ("authorization", &bearer), ("guanxi-ids", "external")];
    let path = format!("/guanxi.v1.{method}");
    send(server.main, "POST", &path, &headers, request.to_string().as_bytes()).await
}

#[tokio::test]
async fn any_uid_of_a_request_may_be_an_external_id() {
    let server = guarded().await;
    let uids = made(&server, &["a", "b\"\\", "c"]).await;
    let token = server.token("all", Principal::Service(Scopes::all())).await;
    let all = async |method: &str, request: Value| {
        let answer = call(&server, &token, method, &request).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    };
    let follow = json!({ "subject": "ext:a", "object": "ext:b\"\\" });
    assert_eq!(all("RelationService/Follow", follow).await["changed"], true);
    let batch = json!({ "subject": "ext:a", "objects": ["ext:c", uids[1].to_string(), 77, "ext:c"] });
    let answer = all("RelationService/BatchFollow", batch).await;
    let got: Vec<&str> =
        answer["outcomes"].as_array().unwrap().iter().map(|one| one["uid"].as_str().unwrap()).collect();
    let [_, b, c] = [uids[0].to_string(), uids[1].to_string(), uids[2].to_string()];
    assert_eq!(got, [&c, &b, "77", &c]);
    let pairs = json!({ "pairs": [{ "subject": "ext:a", "object": "ext:c" }, { "subject": "1", "object": "ext:a" }] });
    let answer = all("RelationService/BatchCheckPairs", pairs).await;
    assert_eq!(answer["relations"][0]["state"], "FOLLOWING");
    let text = "is \"ext:a\" one of {\"author\":\"ext:nobody\"}?";
    let post = all("PostService/CreatePost", json!({ "author": "ext:a", "text": text })).await;
    let read = all("PostService/GetPost", json!({ "postId": post["postId"], "viewer": "ext:c" })).await;
    assert_eq!(
        (&read["item"]["post"]["text"], &read["item"]["post"]["author"]),
        (&json!(text), &json!(uids[0].to_string()))
    );
    let id = call(&server, &token, "PostService/GetPost", &json!({ "postId": "ext:a" })).await;
    assert_eq!(id.reason(), "MALFORMED", "the id of a post is no uid");
}

#[tokio::test]
async fn an_external_id_that_nobody_has_is_named_with_its_field() {
    let server = guarded().await;
    made(&server, &["a"]).await;
    let token = server.token("all", Principal::Service(Scopes::all())).await;
    let request = json!({ "subject": "ext:a", "objects": ["ext:a", "2", "ext:B"] });
    let refused = call(&server, &token, "RelationService/BatchFollow", &request).await;
    let (code, info) = refused.error();
    assert_eq!(
        (refused.status, code.as_str(), info.reason.as_str()),
        (404, "not_found", "EXTERNAL_ID_UNKNOWN")
    );
    assert_eq!((&*info.metadata["field"], &*info.metadata["external_id"]), ("objects", "B"));
    assert!(refused.text().contains("ResolveIds"), "it says what to do: {}", refused.text());
    let pairs: Vec<Value> =
        (0..501).map(|n| json!({ "subject": format!("ext:{n}"), "object": "ext:a" })).collect();
    let many = call(&server, &token, "RelationService/BatchCheckPairs", &json!({ "pairs": pairs })).await;
    assert_eq!(many.reason(), "BATCH_TOO_LARGE");
}

#[tokio::test]
async fn an_end_user_is_itself_by_its_external_id_and_strangers_learn_nothing() {
    let server = guarded().await;
    let uids = made(&server, &["a", "b"]).await;
    let own = server.user(uids[0]).await;
    let as_own = json!({ "subject": "ext:a", "object": "ext:b" });
    assert_eq!(call(&server, &own, "RelationService/Follow", &as_own).await.status, 200);
    let other = json!({ "subject": "ext:b", "object": "ext:a" });
    assert_eq!(call(&server, &own, "RelationService/Follow", &other).await.reason(), "PERMISSION_DENIED");
    for id in ["ext:a", "ext:nobody"] {
        let request = json!({ "subject": id, "object": "2" });
        let stranger = call(&server, "gx_nobody", "RelationService/Follow", &request).await;
        assert_eq!(stranger.reason(), "UNAUTHENTICATED", "{id}");
        let reader = server.service(&[Scope::RelationRead]).await;
        let refused = call(&server, &reader, "RelationService/Follow", &request).await;
        assert_eq!(refused.reason(), "PERMISSION_DENIED", "{id}");
    }
}

#[tokio::test]
async fn whoever_tries_external_ids_out_pays_for_each() {
    let rates = RateLimits { reads_per_minute: 5, keys_max: 64, ..RateLimits::NONE };
    let rates = Arc::new(Budgets::new(rates));
    let server = Server::start(Setup { auth: true, rates, ..Setup::default() }).await;
    let uids = made(&server, &["a"]).await;
    let own = server.user(uids[0]).await;
    let guess = json!({ "uids": ["ext:a", "ext:b", "ext:c", "ext:d"] });
    let first = call(&server, &own, "UserService/BatchGetUsers", &guess).await;
    assert_eq!(first.reason(), "EXTERNAL_ID_UNKNOWN");
    let second = call(&server, &own, "UserService/BatchGetUsers", &guess).await;
    assert_eq!(second.reason(), "RATE_LIMITED");
}

#[tokio::test]
async fn answers_have_external_ids_if_they_are_asked_for() {
    let server = guarded().await;
    let uids = made(&server, &["a", "b\"\\\u{e9}"]).await;
    let token = server.token("all", Principal::Service(Scopes::all())).await;
    for object in ["ext:b\"\\\u{e9}", "77"] {
        let follow = json!({ "subject": "ext:a", "object": object });
        assert_eq!(call(&server, &token, "RelationService/Follow", &follow).await.status, 200);
    }
    let list = json!({ "uid": "ext:a", "viewer": uids[0].to_string() });
    let items = call_external(&server, &token, "RelationService/ListFollowing", &list).await.json();
    let listed =
        |n: usize| (items["following"][n]["uid"].clone(), items["following"][n]["relation"]["uid"].clone());
    assert_eq!(listed(0), (json!("77"), json!("77")), "who has no external id has a uid");
    assert_eq!(listed(1), (json!("ext:b\"\\\u{e9}"), json!("ext:b\"\\\u{e9}")));
    let plain = call(&server, &token, "RelationService/ListFollowing", &list).await.json();
    assert_eq!(plain["following"][1]["uid"], uids[1].to_string());
    let post = json!({ "author": "ext:a", "text": format!("\"uid\":\"{}\"", uids[0]) });
    let post = call(&server, &token, "PostService/CreatePost", &post).await.json();
    let read =
        call_external(&server, &token, "PostService/GetPost", &json!({ "postId": post["postId"] })).await;
    let read = &read.json()["item"]["post"];
    assert_eq!(read["author"], "ext:a");
    assert_eq!(
        (&read["postId"], &read["text"]),
        (&post["postId"], &json!(format!("\"uid\":\"{}\"", uids[0])))
    );
    let same = json!({ "externalIds": ["a"] });
    let dictionary = call_external(&server, &token, "UserService/ResolveIds", &same).await.json();
    assert_eq!(dictionary["byExternalId"][0]["uid"], uids[0].to_string());
}

#[tokio::test]
async fn binary_messages_and_other_forms_are_refused_by_their_header() {
    let server = guarded().await;
    let token = server.token("all", Principal::Service(Scopes::all())).await;
    let bearer = format!("Bearer {token}");
    let counts = guanxi_proto::v1::GetCountsRequest { uid: 1, ..Default::default() };
    let binary = buffa::Message::encode_to_vec(&counts);
    let ask = async |kind: &str, ids: &str, body: &[u8]| {
        let headers = [("content-type", kind), ("authorization", &bearer), ("guanxi-ids", ids)];
        send(server.main, "POST", "/guanxi.v1.RelationService/GetCounts", &headers, body).await
    };
    let refused = ask("application/proto", "external", &binary).await;
    assert_eq!((refused.status, refused.reason().as_str()), (400, "MALFORMED"));
    assert!(refused.text().contains("JSON"), "{}", refused.text());
    let other = ask("application/json", "uuid", br#"{"uid":"1"}"#).await;
    assert_eq!(other.reason(), "MALFORMED");
    assert_eq!(ask("application/json", "external", br#"{"uid":"1"}"#).await.status, 200);
}

#[tokio::test]
async fn streams_take_and_give_external_ids() {
    let server = guarded().await;
    made(&server, &["a", "b"]).await;
    let token = server.token("all", Principal::Service(Scopes::all())).await;
    let bearer = format!("Bearer {token}");
    let path = "/guanxi.v1.RelationService/Watch?uids=ext:a&ids=external";
    let mut stream = tokio::net::TcpStream::connect(server.main).await.unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nauthorization: {bearer}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    // Its first word says where it begins.
    read_until(&mut stream, &mut read, "heartbeat").await;
    let follow = json!({ "subject": "ext:a", "object": "ext:b" });
    assert_eq!(call(&server, &token, "RelationService/Follow", &follow).await.status, 200);
    read_until(&mut stream, &mut read, r#""object":"ext:b""#).await;
    assert!(String::from_utf8_lossy(&read).contains(r#""subject":"ext:a""#));
}

/// Reads until a text has come.
async fn read_until(stream: &mut tokio::net::TcpStream, read: &mut Vec<u8>, wanted: &str) {
    let come = async {
        while !String::from_utf8_lossy(read).contains(wanted) {
            let mut some = [0; 4_096];
            let n = stream.read(&mut some).await.unwrap();
            assert!(n > 0, "{}", String::from_utf8_lossy(read));
            read.extend_from_slice(&some[..n]);
        }
    };
    tokio::time::timeout(Duration::from_secs(10), come).await.unwrap();
}
