//! The overview of a process, as operators get it: samples of its page of metrics, and what is wrong.

use crate::http::{Answer, post};
use guanxi_model::ManualClock;
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A server whose calls the test counts, and its clock.
async fn server() -> (Server, Arc<AtomicU64>, Arc<ManualClock>) {
    let (calls, clock) = (Arc::new(AtomicU64::new(0)), Arc::new(ManualClock::new(START_MS)));
    let counted = calls.clone();
    let metrics = Arc::new(move || {
        let calls = counted.load(Ordering::Relaxed);
        format!(
            "guanxi_rpc_requests_total{{method=\"a\",code=\"ok\"}} {calls}\n\
             guanxi_disk_free_bytes 100\nguanxi_disk_reserve_bytes 200\nguanxi_deleted_users_stuck 1\n\
             guanxi_connections 3\nguanxi_connections_max 8\n"
        )
    });
    let setup = Setup { metrics, clock: clock.clone(), ..Setup::default() };
    (Server::start(setup).await, calls, clock)
}

async fn overview(server: &Server, request: Value) -> Answer {
    post(server.admin, "AdminService/GetOverview", &request.to_string()).await
}

fn series<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let all = answer["series"].as_array().unwrap();
    all.iter().find(|series| series["name"] == name).unwrap_or_else(|| panic!("{name}: {answer}"))
}

fn values(answer: &Value, name: &str) -> Vec<Option<f64>> {
    let values = series(answer, name)["values"].as_array().unwrap();
    values.iter().map(|sample| sample["value"].as_f64()).collect()
}

#[tokio::test]
async fn one_machine_is_one_database_with_all_genes() {
    let server = Server::open().await;
    let map = post(server.admin, "AdminService/GetShardMap", "{}").await.json();
    assert_eq!((map.get("cluster"), &map["processes"]), (None, &json!([])), "{map}");
    let database = json!([{ "name": "local", "answerTime": "0s", "behind": "0", "genes": 256 }]);
    assert_eq!(map["databases"], database);
    let shards = map["shards"].as_array().unwrap();
    assert_eq!(shards.len(), 256);
    for (gene, shard) in shards.iter().enumerate() {
        assert_eq!(shard, &json!({ "gene": gene, "database": "local", "epoch": "1", "state": "OPEN" }));
    }
}

#[tokio::test]
async fn samples_are_answered_with_their_times_and_what_is_not_known_is_absent() {
    let (server, calls, clock) = server().await;
    let nothing = overview(&server, json!({})).await.json();
    assert_eq!((&nothing["sampleTimes"], &nothing["series"]), (&json!([]), &json!([])), "{nothing}");
    assert_eq!((&nothing["backend"], &nothing["roles"]), (&json!("DIRECTORY"), &json!(["api"])));
    assert!(
        nothing["version"].as_str().unwrap().contains('.') && nothing["startTime"].is_string(),
        "{nothing}"
    );
    for made in [10, 60, 65] {
        calls.store(made, Ordering::Relaxed);
        server.overviews.sample();
        clock.advance(10_000);
    }
    let all = overview(&server, json!({})).await.json();
    assert_eq!(all["sampleTimes"].as_array().unwrap().len(), 3, "{all}");
    assert_eq!(values(&all, "calls.rate"), [None, Some(5.0), Some(0.5)]);
    assert_eq!(series(&all, "calls.rate")["values"][0], json!({}), "what is not known is absent");
    let connections = series(&all, "load.connections");
    assert_eq!((connections["maximum"].as_f64(), &connections["unit"]), (Some(8.0), &json!("count")));
    let newest = overview(&server, json!({ "samples": 1 })).await.json();
    assert_eq!(newest["sampleTimes"], json!([all["sampleTimes"][2]]));
    assert_eq!(values(&newest, "calls.rate"), [Some(0.5)]);
    let many = overview(&server, json!({ "samples": u32::MAX })).await.json();
    assert_eq!(many["sampleTimes"], all["sampleTimes"]);
}

#[tokio::test]
async fn what_is_wrong_comes_with_its_remedy_and_the_worst_is_first() {
    let (server, ..) = server().await;
    assert_eq!(overview(&server, json!({})).await.json()["problems"], json!([]));
    server.overviews.sample();
    let answer = overview(&server, json!({ "samples": 1 })).await.json();
    let problems = answer["problems"].as_array().unwrap();
    let told: Vec<_> = problems.iter().map(|problem| (&problem["severity"], &problem["name"])).collect();
    let expected = [(&json!("CRITICAL"), &json!("disk_full")), (&json!("WARNING"), &json!("erasure_stuck"))];
    assert_eq!(told, expected);
    assert!(problems.iter().all(|problem| !problem["remedy"].as_str().unwrap().is_empty()), "{answer}");
    assert!(problems[0]["text"].as_str().unwrap().contains("100 B"), "{answer}");
}

#[tokio::test]
async fn only_operators_on_their_listener_are_shown_it() {
    let asking = Server::start(Setup { auth: true, ..Setup::default() }).await;
    assert_eq!(overview(&asking, json!({})).await.status, 401);
    let open = Server::open().await;
    assert_ne!(post(open.main, "AdminService/GetOverview", "{}").await.status, 200);
}
