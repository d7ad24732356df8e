//! The audit log: what of operators' calls is in it, and what never is.

use std::collections::BTreeSet;

use guanxi_model::Principal;
use guanxi_proto::{Client, ClientOptions};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post_as};

/// A text that no entry may have.
const SECRET: &str = "hush-hush";

struct World {
    server: Server,
    operator: String,
    client: Client,
}

impl World {
    async fn start() -> Self {
        let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
        let operator = server.token("operator", Principal::Admin).await;
        let mut options = ClientOptions::new(format!("http://{}", server.admin));
        options.token = Some(operator.clone());
        let client = Client::new(&options).unwrap();
        Self { server, operator, client }
    }

    /// Calls a method of operators to the end of its answers, and tells whether it was done.
    async fn call(&self, method: &str, request: &Value, streams: bool) -> bool {
        let path = format!("guanxi.v1.AdminService/{method}");
        let Ok(mut answers) = self.client.call_json(&path, &request.to_string(), streams).await else {
            return false;
        };
        loop {
            match answers.next().await {
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    async fn list(&self, request: Value) -> Answer {
        let path = "/guanxi.v1.AdminService/ListAuditEntries";
        post_as(self.server.admin, &self.operator, path, &request.to_string()).await
    }

    /// Entries of a filter, newest first.
    async fn entries(&self, request: Value) -> Vec<Value> {
        let answer = self.list(request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["entries"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until the first job is done.
    async fn until_exported(&self) {
        let (path, request) =
            ("/guanxi.v1.AdminService/GetExport", json!({ "job": export_job() }).to_string());
        loop {
            let job = post_as(self.server.admin, &self.operator, path, &request).await.json()["job"].clone();
            match job["state"].as_str() {
                Some("EXPORT_DONE") => return,
                Some("EXPORT_QUEUED" | "EXPORT_RUNNING") => {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
                _ => panic!("{job}"),
            }
        }
    }

    async fn post(&self) -> String {
        let author = self.server.user(1).await;
        let path = "/guanxi.v1.PostService/CreatePost";
        let made = post_as(self.server.main, &author, path, &json!({ "text": SECRET }).to_string()).await;
        made.json()["postId"].as_str().unwrap().to_owned()
    }
}

/// The name of the first job.
fn export_job() -> String {
    format!("{:x}", START_MS << 8)
}

/// What every call of operators is asked, and what its entry names; `None` of those that have none.
fn calls(id: &str) -> Vec<(&'static str, Value, Option<Vec<String>>)> {
    let (none, uid, post) =
        (Some(Vec::new()), Some(vec!["uid:7".to_owned()]), Some(vec![format!("post:{id}")]));
    let job = Some(vec!["job:nightly".to_owned()]);
    let of_job = |name: &str, rows: Value| {
        let mut request = json!({ "job": "nightly", "position": "0", "nextPosition": "1" });
        request[name] = rows;
        request
    };
    let edge = json!([{ "source": "1", "target": "2" }]);
    let user = json!([{ "uid": "70", "nickname": SECRET, "email": format!("{SECRET}@example.com") }]);
    let imported = json!([{ "author": "1", "key": "k", "unixMs": "1700000000000", "text": SECRET }]);
    vec![
        ("ImportEdges", of_job("edges", edge), job.clone()),
        (
            "ImportPosts",
            json!({ "job": "posts", "nextPosition": "1", "posts": imported }),
            Some(vec!["job:posts".into()]),
        ),
        ("ImportLikes", json!({ "likes": [] }), none.clone()),
        ("ImportUsers", json!({ "users": user }), none.clone()),
        ("ImportRequests", json!({ "requests": [] }), none.clone()),
        ("ExportEdges", json!({}), none.clone()),
        ("ExportPosts", json!({}), none.clone()),
        ("ExportLikes", json!({}), none.clone()),
        ("ExportRequests", json!({}), none.clone()),
        ("ExportUsers", json!({}), none.clone()),
        ("ExportUser", json!({ "uid": "7" }), uid.clone()),
        ("Repair", json!({ "reason": "why" }), none.clone()),
        ("Backup", json!({}), none.clone()),
        ("SetFollowLimit", json!({ "uid": "7", "limit": 5 }), uid.clone()),
        ("PutFanoutPolicy", json!({ "policy": { "mode": "PUSH" } }), none.clone()),
        ("ResolveIds", json!({ "externalIds": [SECRET], "create": true }), none.clone()),
        ("RebuildSearch", json!({}), none.clone()),
        ("QueryUsers", json!({}), none.clone()),
        ("QueryPosts", json!({}), none.clone()),
        (
            "StartExport",
            json!({ "users": { "filter": { "name": SECRET } }, "format": "EXPORT_CSV" }),
            none.clone(),
        ),
        ("ListUserEvents", json!({ "uid": "7", "pageSize": 1 }), uid.clone()),
        ("ReadExport", json!({ "job": export_job() }), Some(vec![format!("job:{}", export_job())])),
        // Further ranges are of the same look.
        ("ReadExport", json!({ "job": export_job(), "offset": "5" }), None),
        ("GetExport", json!({ "job": export_job() }), None),
        ("ListExports", json!({}), None),
        ("CancelExport", json!({ "job": export_job() }), Some(vec![format!("job:{}", export_job())])),
        ("TakeDownPost", json!({ "postId": id, "reason": "why" }), post.clone()),
        ("ReinstatePost", json!({ "postId": id }), post),
        ("TakeDownUser", json!({ "uid": "7", "reason": "why" }), uid.clone()),
        ("ReinstateUser", json!({ "uid": "7" }), uid),
        ("CreateToken", json!({ "name": "new", "endUser": "9" }), Some(vec!["uid:9".into()])),
        ("RevokeToken", json!({ "name": "new" }), Some(vec!["token:new".into()])),
        ("Verify", json!({}), None),
        ("VerifyFeed", json!({ "viewers": ["1"] }), None),
        ("VerifySearch", json!({}), None),
        ("GetImportJob", json!({ "job": "nightly" }), None),
        ("GetFollowLimit", json!({ "uid": "7" }), None),
        ("GetFanoutStatus", json!({}), None),
        ("GetFanoutPolicy", json!({}), None),
        ("ListErasedUsers", json!({}), None),
        ("ListTokens", json!({}), None),
        ("ListAuditEntries", json!({}), None),
        ("Stats", json!({}), None),
        ("GetOverview", json!({}), None),
        ("GetShardMap", json!({}), None),
        ("CreateConsoleCode", json!({}), none.clone()),
    ]
}

#[tokio::test]
async fn each_call_of_operators_leaves_one_entry_or_none() {
    let world = World::start().await;
    let id = world.post().await;
    let methods: Vec<_> = guanxi_api::rules::methods().into_iter().filter(|method| method.admin).collect();
    let (mut asked, mut expected) = (BTreeSet::new(), Vec::new());
    for (name, request, targets) in calls(&id) {
        let path = format!("guanxi.v1.AdminService/{name}");
        let method = methods.iter().find(|method| method.path == path).unwrap();
        assert!(world.call(name, &request, method.streams).await, "{name} {request}");
        if name == "StartExport" {
            world.until_exported().await;
        }
        asked.insert(path);
        expected.extend(targets.map(|targets| (name, targets)));
        let entries = world.entries(json!({ "pageSize": 200 })).await;
        let said = |entry: &Value| {
            assert_eq!(
                (&entry["outcome"], entry.get("refusal"), &entry["principal"]),
                (&json!("DONE"), None, &json!("operator")),
                "{entry}"
            );
            let targets: Vec<String> = serde_json::from_value(entry["targets"].clone()).unwrap_or_default();
            (entry["action"].as_str().unwrap().to_owned(), targets)
        };
        let found: Vec<_> = entries.iter().rev().map(said).collect();
        let wanted: Vec<_> =
            expected.iter().map(|(name, targets)| ((*name).to_owned(), targets.clone())).collect();
        assert_eq!(found, wanted, "after {name}");
    }
    assert_eq!(asked, methods.iter().map(|method| method.path.clone()).collect(), "every call is tried");
    // What only reads of a call that may also write.
    assert!(world.call("ResolveIds", &json!({ "externalIds": [SECRET] }), false).await);
    let text = Value::from(world.entries(json!({ "pageSize": 200 })).await).to_string();
    assert_eq!(text.matches("ResolveIds").count(), 1);
    assert!(!text.contains(SECRET) && !text.contains("gxs_"), "{text}");
    let reasons: Vec<_> = world
        .entries(json!({ "target": "uid:7" }))
        .await
        .iter()
        .map(|entry| entry["reason"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(reasons, ["", "why", "", "", ""]);
}

#[tokio::test]
async fn what_is_refused_says_why_and_what_is_not_let_in_leaves_nothing() {
    let world = World::start().await;
    let refused = async |method: &str, request: Value, streams: bool, reason: &str, targets: Value| {
        assert!(!world.call(method, &request, streams).await, "{method}");
        let entry = world.entries(json!({ "pageSize": 1 })).await.remove(0);
        let told = (&entry["action"], &entry["outcome"], &entry["refusal"], &entry["targets"]);
        assert_eq!(told, (&json!(method), &json!("REFUSED"), &json!(reason), &targets));
    };
    let nobodys = json!({ "postId": "99", "reason": "spam" });
    refused("TakeDownPost", nobodys, false, "POST_NOT_FOUND", json!(["post:99"])).await;
    refused("RevokeToken", json!({ "name": "none" }), false, "NOT_FOUND", json!(["token:none"])).await;
    let long = "x".repeat(1_001);
    let request = json!({ "uid": "7", "reason": long });
    refused("TakeDownUser", request, false, "TOO_LONG", json!(["uid:7"])).await;
    refused("CreateToken", json!({ "name": long, "admin": true }), false, "TOO_LONG", json!([])).await;
    refused("ExportEdges", json!({ "kind": 9 }), true, "INVALID_FIELD", json!([])).await;
    let before = world.entries(json!({})).await.len();
    let path = "/guanxi.v1.AdminService/TakeDownUser";
    let body = json!({ "uid": "7", "reason": "why" }).to_string();
    let service = world.server.service(&guanxi_model::Scope::FOR_USERS).await;
    for (token, body) in [("nobody", body.as_str()), (&service, &body), (&world.operator, "{")] {
        assert_ne!(post_as(world.server.admin, token, path, body).await.status, 200);
    }
    assert_eq!(world.entries(json!({})).await.len(), before);
}

#[tokio::test]
async fn an_entry_is_there_before_its_action_is_done() {
    // Every write of this store takes its time, so that the entry is seen before the action.
    let delay = std::time::Duration::from_millis(200);
    let setup = Setup { auth: true, write_delay: delay, ..Setup::default() };
    let server = Server::start(setup).await;
    let operator = server.token("operator", Principal::Admin).await;
    let path = "/guanxi.v1.AdminService/SetFollowLimit";
    let body = json!({ "uid": "7", "limit": 5 }).to_string();
    let at_work = tokio::spawn(async move { post_as(server.admin, &operator, path, &body).await.status });
    let store = server.store.clone();
    let limit = async || {
        let view = guanxi_ports::Store::view(&*store, None).await.unwrap();
        let own = view.follow_limit(guanxi_model::Uid::new(7).unwrap()).await.unwrap().own;
        (view.audit_entries(None, 10).await.unwrap(), own)
    };
    let mut begun = limit().await;
    while begun.0.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        begun = limit().await;
    }
    assert_eq!((&begun.0[0].outcome, begun.1), (&guanxi_model::AuditOutcome::Begun, None));
    assert_eq!(at_work.await.unwrap(), 200);
    let ended = limit().await;
    assert_eq!((&ended.0[0].outcome, ended.1), (&guanxi_model::AuditOutcome::Done, Some(5)));
}

#[tokio::test]
async fn entries_are_searched_page_by_page() {
    let world = World::start().await;
    for uid in 1..=7_u64 {
        let uid = (uid % 3 + 1).to_string();
        assert!(world.call("SetFollowLimit", &json!({ "uid": uid, "limit": 5 }), false).await);
    }
    assert!(world.call("RebuildSearch", &json!({}), false).await);
    let all = world.entries(json!({})).await;
    assert_eq!(all.len(), 8);
    let ids: Vec<&str> = all.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a > b) && ids.iter().all(|id| id.len() == 32), "{ids:?}");
    let time = |n: usize| all[n]["time"].clone();
    for (filter, expected) in [
        (json!({ "action": "RebuildSearch" }), &all[..1]),
        (json!({ "principal": "operator" }), &all[..]),
        (json!({ "principal": "somebody" }), &[]),
        (json!({ "target": "uid:1" }), &[all[2].clone(), all[5].clone()]),
        (json!({ "untilTime": "2000-01-01T00:00:00Z" }), &[]),
        (json!({ "sinceTime": "2000-01-01T00:00:00Z", "untilTime": "2100-01-01T00:00:00Z" }), &all[..]),
        (json!({ "sinceTime": time(0) }), &all[..]),
    ] {
        let (mut found, mut token) = (Vec::new(), String::new());
        for _ in 0..20 {
            let mut request = filter.clone();
            (request["pageSize"], request["pageToken"]) = (json!(3), json!(token));
            let page = world.list(request).await.json();
            found.extend(page["entries"].as_array().cloned().unwrap_or_default());
            token = page["nextPageToken"].as_str().unwrap_or_default().to_owned();
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(found, expected, "{filter}");
    }
    let first = world.list(json!({ "pageSize": 3 })).await.json();
    for (request, reason) in [
        (json!({ "pageSize": 201 }), "PAGE_TOO_LARGE"),
        (json!({ "pageSize": -1 }), "PAGE_TOO_LARGE"),
        (json!({ "target": "7" }), "INVALID_FIELD"),
        (json!({ "pageToken": "x" }), "STALE_CURSOR"),
        (json!({ "pageToken": first["nextPageToken"], "action": "Backup" }), "STALE_CURSOR"),
    ] {
        assert_eq!(world.list(request.clone()).await.reason(), reason, "{request}");
    }
}
