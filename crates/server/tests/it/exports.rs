//! Jobs of a back office, over the wire.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use guanxi_model::{Principal, Scope};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};
use std::time::Duration;

use crate::http::post_as;

struct World {
    server: Server,
    operator: String,
}

impl World {
    /// A world with two users, of whom one has written two posts.
    async fn start() -> Self {
        let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
        let operator = server.token("operator", Principal::Admin).await;
        let service = server.service(&Scope::FOR_USERS).await;
        for (method, request) in [
            (
                "UserService/UpdateUser",
                json!({ "uid": "1", "nickname": "=Ann, \"A\"", "updateMask": "nickname" }),
            ),
            ("UserService/UpdateUser", json!({ "uid": "2", "nickname": "Bob", "updateMask": "nickname" })),
            ("PostService/CreatePost", json!({ "author": "1", "text": "green tea" })),
            ("PostService/CreatePost", json!({ "author": "1", "text": "black tea" })),
        ] {
            let path = format!("/guanxi.v1.{method}");
            let answer = post_as(server.main, &service, &path, &request.to_string()).await;
            assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        }
        Self { server, operator }
    }

    /// The answer of a call, or its reason.
    async fn call(&self, name: &str, request: Value) -> Result<Value, String> {
        let path = format!("/guanxi.v1.AdminService/{name}");
        let answer = post_as(self.server.admin, &self.operator, &path, &request.to_string()).await;
        if answer.status == 200 { Ok(answer.json()) } else { Err(answer.reason()) }
    }

    /// Starts a job, and waits for its end.
    async fn done(&self, request: Value) -> Value {
        let mut job = self.call("StartExport", request).await.unwrap()["job"].clone();
        while ["EXPORT_QUEUED", "EXPORT_RUNNING"].contains(&job["state"].as_str().unwrap()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
            job = self.call("GetExport", json!({ "job": job["job"] })).await.unwrap()["job"].clone();
        }
        job
    }

    /// The file of a job, read in ranges of 7 bytes.
    async fn file(&self, job: &Value) -> String {
        let mut bytes = Vec::new();
        loop {
            let range = json!({ "job": job["job"], "offset": bytes.len().to_string(), "maxBytes": 7 });
            let part = self.call("ReadExport", range).await.unwrap();
            assert_eq!(part["size"], job["bytes"]);
            let chunk = STANDARD.decode(part["chunk"].as_str().unwrap_or_default()).unwrap();
            assert!(chunk.len() <= 7);
            bytes.extend(chunk);
            if part["isEnd"] == json!(true) {
                return String::from_utf8(bytes).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn users_and_posts_are_exported_and_read_by_ranges() {
    let world = World::start().await;
    let csv = world.done(json!({ "users": {}, "format": "EXPORT_CSV" })).await;
    assert_eq!(
        (&csv["state"], &csv["done"], &csv["total"]),
        (&json!("EXPORT_DONE"), &json!("2"), &json!("2"))
    );
    let text = world.file(&csv).await;
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "uid,state,sex,birth_year,registered,last_login,followers,following,friends,posts,login_name,nickname"
    );
    assert!(lines[1].starts_with("1,active,,") && lines[1].ends_with(",\"'=Ann, \"\"A\"\"\""), "{text}");
    assert!(lines[2].ends_with(",Bob") && lines[3].is_empty() && lines.len() == 4, "{text}");
    let json =
        world.done(json!({ "posts": { "orderBy": "POST_CREATED" }, "format": "EXPORT_JSON_LINES" })).await;
    let text = world.file(&json).await;
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let page = world.call("QueryPosts", json!({ "orderBy": "POST_CREATED" })).await.unwrap();
    assert_eq!(Value::from(rows), page["posts"], "as a query has them");
    let numbers = json!({ "posts": {}, "format": "EXPORT_CSV", "withoutTexts": true });
    let text = world.file(&world.done(numbers).await).await;
    assert!(!text.contains("tea") && text.lines().count() == 3, "{text}");
    let jobs = world.call("ListExports", json!({})).await.unwrap()["jobs"].clone();
    assert_eq!(jobs.as_array().map(Vec::len), Some(3));
    assert_eq!(jobs[2], csv, "the newest first");
}

#[tokio::test]
async fn a_job_sums_up_once_for_all_repeats_of_its_start() {
    let world = World::start().await;
    let request = json!({ "posts": { "sums": [{ "kind": "HISTOGRAM", "ofPosts": "POST_CREATED", "step": "MONTH" }] },
        "requestId": "once" });
    let job = world.done(request.clone()).await;
    assert_eq!((&job["state"], &job["total"], job.get("format")), (&json!("EXPORT_DONE"), &json!("2"), None));
    let query = json!({ "sums": request["posts"]["sums"] });
    assert_eq!(job["sums"], world.call("QueryPosts", query).await.unwrap()["sums"]);
    assert_eq!(world.done(request.clone()).await, job);
    let other = json!({ "posts": {}, "requestId": "once" });
    assert_eq!(world.call("StartExport", other).await, Err("IDEMPOTENCY_MISMATCH".to_owned()));
    assert_eq!(world.call("ReadExport", json!({ "job": job["job"] })).await, Err("NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn an_erasure_and_a_cancel_remove_files() {
    let world = World::start().await;
    let users = world.done(json!({ "users": {}, "format": "EXPORT_CSV" })).await;
    let posts = world.done(json!({ "posts": {}, "format": "EXPORT_CSV" })).await;
    assert_eq!(world.server.spool.files().len(), 2);
    world.server.walks[0].end_all();
    assert_eq!(world.server.spool.files().len(), 1);
    let gone = world.call("GetExport", json!({ "job": users["job"] })).await.unwrap();
    assert_eq!(gone["job"]["state"], json!("EXPORT_EXPIRED"));
    let read = world.call("ReadExport", json!({ "job": users["job"] })).await;
    assert_eq!(read, Err("NOT_FOUND".to_owned()));
    let cancelled = world.call("CancelExport", json!({ "job": posts["job"] })).await.unwrap();
    assert_eq!(cancelled["job"]["state"], json!("EXPORT_EXPIRED"));
    assert!(world.server.spool.files().is_empty());
}

#[tokio::test]
async fn what_no_job_is_is_refused() {
    let world = World::start().await;
    for (name, request, reason) in [
        ("StartExport", json!({}), "MISSING_FIELD"),
        ("StartExport", json!({ "users": {}, "posts": {} }), "INVALID_FIELD"),
        ("StartExport", json!({ "users": { "pageSize": 5 } }), "INVALID_FIELD"),
        ("StartExport", json!({ "users": { "pageToken": "x" } }), "INVALID_FIELD"),
        ("StartExport", json!({ "users": { "filter": { "name": " " } } }), "BAD_QUERY"),
        ("StartExport", json!({ "users": {}, "requestId": "x".repeat(65) }), "TOO_LONG"),
        ("GetExport", json!({}), "MISSING_FIELD"),
        ("GetExport", json!({ "job": "1" }), "NOT_FOUND"),
        ("CancelExport", json!({ "job": "no name" }), "NOT_FOUND"),
        ("ReadExport", json!({ "job": "1" }), "NOT_FOUND"),
    ] {
        assert_eq!(world.call(name, request.clone()).await, Err(reason.to_owned()), "{name} {request}");
    }
}
