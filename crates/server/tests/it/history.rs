//! The history of a user: what the log tells of it, newest first, and why a page ends.

use guanxi_model::Scope;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post};

struct World {
    server: Server,
}

impl World {
    async fn start(setup: Setup) -> Self {
        Self { server: Server::start(setup).await }
    }

    async fn does(&self, method: &str, request: Value) -> Value {
        let answer = post(self.server.main, method, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    }

    async fn pair(&self, op: &str, subject: u64, object: u64) {
        let request = json!({ "subject": subject.to_string(), "object": object.to_string() });
        self.does(&format!("RelationService/{op}"), request).await;
    }

    async fn asked(&self, request: Value) -> Answer {
        post(self.server.admin, "AdminService/ListUserEvents", &request.to_string()).await
    }

    async fn page(&self, request: Value) -> Value {
        let answer = self.asked(request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// All events of a user with the end of each page.
    async fn walked(&self, mut request: Value) -> (Vec<Value>, Vec<String>) {
        let (mut events, mut ends) = (Vec::new(), Vec::new());
        loop {
            let page = self.page(request.clone()).await;
            events.extend(list(&page));
            ends.push(page["end"].as_str().unwrap().to_owned());
            match page["nextPageToken"].as_str() {
                Some(token) => request["pageToken"] = json!(token),
                None => return (events, ends),
            }
        }
    }
}

fn list(page: &Value) -> Vec<Value> {
    page["events"].as_array().cloned().unwrap_or_default()
}

/// What an event says in a word: who, what, to whom or which post.
fn said(event: &Value) -> String {
    let text = |field: &str| event[field].as_str().unwrap_or("-");
    let about = if event["postId"].is_null() { text("object") } else { text("postId") };
    format!("{} {} {about}", text("subject"), text("kind"))
}

fn seq(event: &Value) -> u64 {
    event["place"]["seq"].as_str().unwrap().parse().unwrap()
}

/// Users 1 and 2 act, and others around them; returns the id of the post of user 1.
async fn acts(world: &World) -> String {
    world.pair("Follow", 1, 2).await;
    world.pair("Follow", 3, 4).await;
    world.pair("Follow", 2, 1).await;
    let post = world.does("PostService/CreatePost", json!({ "author": "1", "text": "words" })).await;
    let post = post["postId"].as_str().unwrap().to_owned();
    world.does("PostService/LikePost", json!({ "uid": "3", "postId": post })).await;
    world.pair("Unfollow", 1, 2).await;
    // It ends the follow of user 2, too.
    world.pair("Block", 1, 2).await;
    world.does("PostService/DeletePost", json!({ "author": "1", "postId": post })).await;
    world.does("PostService/CreatePost", json!({ "author": "4", "text": "others" })).await;
    post
}

#[tokio::test]
async fn a_history_is_what_was_done_newest_first() {
    let world = World::start(Setup::default()).await;
    let post = acts(&world).await;
    let page = world.page(json!({ "uid": "1" })).await;
    let told: Vec<String> = list(&page).iter().map(said).collect();
    let block = ["2 UNFOLLOWED 1".to_owned(), "1 BLOCKED 2".to_owned()];
    let (of_block, rest) = (&told[1..3], [&told[..1], &told[3..]].concat());
    assert!(block.iter().all(|event| of_block.contains(event)), "{told:?}");
    let expected = [
        format!("1 POST_DELETED {post}"),
        "1 UNFOLLOWED 2".to_owned(),
        format!("3 LIKED {post}"),
        format!("1 POST_CREATED {post}"),
        "2 FOLLOWED 1".to_owned(),
        "1 FOLLOWED 2".to_owned(),
    ];
    assert_eq!(rest, expected);
    let causes = list_of(&page, "cause");
    assert_eq!(causes.iter().filter(|cause| **cause == "BLOCK").count(), 2);
    assert!(list(&page).is_sorted_by(|a, b| seq(a) > seq(b)));
    assert!(list(&page).iter().all(|event| event["time"].is_string()));
    assert_eq!((&page["end"], page.get("nextPageToken")), (&json!("BEGINNING"), None));
    assert_eq!((&page["reached"]["seq"], page["reachedTime"].is_string()), (&json!("1"), true));
    // Two events are of other users alone.
    assert_eq!(page["scanned"], json!(told.len() + 2));
    let others = world.page(json!({ "uid": "4" })).await;
    let told: Vec<String> = list(&others).iter().map(said).collect();
    assert_eq!((told.len(), told[1].as_str()), (2, "3 FOLLOWED 4"), "{told:?}");
    let nobody = world.page(json!({ "uid": "77" })).await;
    assert_eq!((list(&nobody).len(), &nobody["end"]), (0, &json!("BEGINNING")));
}

fn list_of<'a>(page: &'a Value, field: &str) -> Vec<&'a Value> {
    page["events"].as_array().unwrap().iter().map(|event| &event[field]).collect()
}

#[tokio::test]
async fn pages_and_budgets_of_any_size_tell_the_same_and_say_why_they_end() {
    let world = World::start(Setup::default()).await;
    acts(&world).await;
    let (all, ends) = world.walked(json!({ "uid": "1" })).await;
    assert_eq!((all.len(), ends), (8, vec!["BEGINNING".to_owned()]));
    for (size, scan_max) in [(1, 0), (3, 0), (0, 1), (0, 3), (2, 3), (200, 100_000)] {
        let request = json!({ "uid": "1", "pageSize": size, "scanMax": scan_max });
        let (events, ends) = world.walked(request).await;
        assert_eq!(events, all, "{size} {scan_max}");
        let (last, others) = ends.split_last().unwrap();
        assert_eq!(last, "BEGINNING");
        assert!(size == 0 || scan_max > 0 || others.iter().all(|end| end == "FULL"), "{ends:?}");
        assert!(size > 0 || others.iter().all(|end| end == "BUDGET"), "{ends:?}");
        assert_eq!(others.is_empty(), size == 200, "{ends:?}");
    }
    let cut = world.page(json!({ "uid": "1", "scanMax": 3 })).await;
    assert_eq!((&cut["scanned"], &cut["end"]), (&json!(3), &json!("BUDGET")));
    assert_eq!(cut["reached"]["seq"], json!("8"), "of ten events the newest three");
}

#[tokio::test]
async fn a_trimmed_log_is_said_to_be_one() {
    let mut setup = Setup::default();
    setup.store.log_events_max = 4;
    let world = World::start(setup).await;
    acts(&world).await;
    for request in
        [json!({ "uid": "1" }), json!({ "uid": "1", "pageSize": 1 }), json!({ "uid": "1", "scanMax": 1 })]
    {
        let (events, ends) = world.walked(request).await;
        assert_eq!((events.len(), ends.last().unwrap().as_str()), (3, "TRIMMED"));
        assert_eq!(events.last().map(seq), Some(7));
    }
    let page = world.page(json!({ "uid": "1" })).await;
    assert_eq!((&page["reached"]["seq"], &page["scanned"]), (&json!("7"), &json!(4)));
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let world = World::start(Setup::default()).await;
    acts(&world).await;
    let first = world.page(json!({ "uid": "1", "pageSize": 1 })).await;
    for (request, reason) in [
        (json!({}), "MISSING_FIELD"),
        (json!({ "uid": "1", "pageSize": 201 }), "PAGE_TOO_LARGE"),
        (json!({ "uid": "1", "pageSize": -1 }), "PAGE_TOO_LARGE"),
        (json!({ "uid": "1", "scanMax": 100_001 }), "INVALID_FIELD"),
        (json!({ "uid": "1", "pageToken": "x" }), "STALE_CURSOR"),
        (json!({ "uid": "2", "pageToken": first["nextPageToken"] }), "STALE_CURSOR"),
    ] {
        assert_eq!(world.asked(request.clone()).await.reason(), reason, "{request}");
    }
}

#[tokio::test]
async fn an_operator_who_only_looks_may_ask_and_a_walk_is_one_look() {
    let world = World::start(Setup { auth: true, ..Setup::default() }).await;
    let looker = world.server.service(&[Scope::AdminRead]).await;
    let of_users = world.server.service(&Scope::FOR_USERS).await;
    for (subject, object) in [("1", "2"), ("1", "3"), ("1", "4")] {
        let path = "/guanxi.v1.RelationService/Follow";
        let body = json!({ "subject": subject, "object": object }).to_string();
        assert_eq!(crate::http::post_as(world.server.main, &of_users, path, &body).await.status, 200);
    }
    let ask = async |name: &str, request: Value| {
        let path = format!("/guanxi.v1.AdminService/{name}");
        let answer = crate::http::post_as(world.server.admin, &looker, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let mut request = json!({ "uid": "1", "pageSize": 1 });
    for _ in 0..3 {
        let page = ask("ListUserEvents", request.clone()).await;
        assert_eq!(list(&page).len(), 1);
        request["pageToken"] = page["nextPageToken"].clone();
    }
    let entries = ask("ListAuditEntries", json!({ "action": "ListUserEvents" })).await;
    let entries = entries["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["targets"]), (1, &json!(["uid:1"])));
}
