//! The operator's calls over JSON; what they do is in the conformance suite.

use crate::http::{Answer, post};
use guanxi_testkit::Server;
use serde_json::{Value, json};

async fn call(server: &Server, method: &str, body: Value) -> Answer {
    post(server.admin, &format!("AdminService/{method}"), &body.to_string()).await
}

#[tokio::test]
async fn an_import_names_each_refused_edge_and_moves_its_job() {
    let server = Server::open().await;
    let edges = json!([
        { "source": "1", "target": "2", "unixMs": "1700000000000" },
        { "source": "1", "target": "1" },
        { "source": "0", "target": "2" },
        { "source": "1", "target": "9223372036854775808" },
        { "source": "1", "target": "3", "unixMs": "1700000000000000" },
        { "source": "1", "target": "2" },
    ]);
    let body = json!({ "job": "j", "position": "0", "nextPosition": "6", "edges": edges });
    let answer = call(&server, "ImportEdges", body.clone()).await.json();
    assert_eq!((&answer["accepted"], &answer["alreadyThere"]), (&json!(1), &json!(1)), "{answer}");
    let refused = answer["refused"].as_array().unwrap().iter();
    let refused: Vec<_> =
        refused.map(|edge| (edge["index"].as_u64().unwrap_or(0), edge["reason"].as_str().unwrap())).collect();
    let expected = [(1, "SELF"), (2, "UID_OUT_OF_RANGE"), (3, "UID_OUT_OF_RANGE"), (4, "TIME_OUT_OF_RANGE")];
    assert_eq!(refused, expected);
    assert_eq!(answer["position"], "6");
    assert_eq!(answer["outcomes"], json!([]));

    let (code, info) = call(&server, "ImportEdges", body).await.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("aborted", "IMPORT_POSITION_MISMATCH"));
    assert_eq!(info.metadata["position"], "6");
    let stands = call(&server, "GetImportJob", json!({ "job": "j" })).await.json();
    assert_eq!(stands, json!({ "found": true, "position": "6" }));
    let never = call(&server, "GetImportJob", json!({ "job": "k" })).await.json();
    assert_eq!(never, json!({ "found": false, "position": "0" }));
    let back = json!({ "job": "j", "position": "6", "nextPosition": "5" });
    assert_eq!(call(&server, "ImportEdges", back).await.reason(), "INVALID_FIELD");
}

#[tokio::test]
async fn edges_are_follows_unless_another_kind_is_asked_for() {
    let server = Server::open().await;
    let edges = json!([{ "source": "1", "target": "2", "unixMs": "1700000000000" }]);
    let block = json!({ "kind": "BLOCK", "edges": edges });
    assert_eq!(call(&server, "ImportEdges", block).await.json()["accepted"], 1);
    let follow = call(&server, "ImportEdges", json!({ "edges": edges })).await.json();
    assert_eq!(follow["refused"][0]["reason"], "BLOCKED", "{follow}");
    for (body, field) in [
        (json!({ "kind": "MUTE", "revive": true, "edges": edges }), "revive"),
        (json!({ "kind": 9, "edges": edges }), "kind"),
    ] {
        let (_, info) = call(&server, "ImportEdges", body).await.error();
        assert_eq!((info.reason.as_str(), info.metadata["field"].as_str()), ("INVALID_FIELD", field));
    }
}

#[tokio::test]
async fn a_users_follow_limit_is_set_read_and_cleared() {
    let server = Server::open().await;
    call(&server, "SetFollowLimit", json!({ "uid": "1", "limit": 1 })).await.json();
    let limit = call(&server, "GetFollowLimit", json!({ "uid": "1" })).await.json();
    assert_eq!((&limit["effective"], &limit["own"]), (&json!(1), &json!(1)));
    post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#).await;
    let full = post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"3"}"#).await;
    let (code, info) = full.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("failed_precondition", "LIMIT_REACHED"));
    assert_eq!(info.metadata["limit"], "1");
    call(&server, "SetFollowLimit", json!({ "uid": "1" })).await.json();
    let limit = call(&server, "GetFollowLimit", json!({ "uid": "1" })).await.json();
    assert!(limit["effective"].as_u64().unwrap() > 1 && limit.get("own").is_none(), "{limit}");
    let high = call(&server, "SetFollowLimit", json!({ "uid": "1", "limit": 60_001 })).await;
    assert_eq!(high.reason(), "INVALID_FIELD");
}

#[tokio::test]
async fn stats_say_where_the_log_stands() {
    let server = Server::open().await;
    post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#).await;
    let stats = call(&server, "Stats", json!({})).await.json();
    assert_eq!((&stats["version"], &stats["events"]), (&json!(env!("CARGO_PKG_VERSION")), &json!("1")));
    assert_eq!(stats["startTime"], "2025-06-15T15:06:40.123Z");
    assert!(stats["connections"].as_u64().unwrap() >= 1);
}
