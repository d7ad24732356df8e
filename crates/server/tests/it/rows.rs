//! What a back office asks, over the wire.

use guanxi_model::{Principal, Scope};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::post_as;

struct World {
    server: Server,
    operator: String,
    service: String,
}

impl World {
    async fn start() -> Self {
        let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
        let operator = server.token("operator", Principal::Admin).await;
        let service = server.service(&Scope::FOR_USERS).await;
        Self { server, operator, service }
    }

    async fn act(&self, method: &str, request: Value) -> Value {
        let path = format!("/guanxi.v1.{method}");
        let answer = post_as(self.server.main, &self.service, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    }

    /// The answer of a query, or its reason.
    async fn query(&self, of: &str, request: Value) -> Result<Value, String> {
        let path = format!("/guanxi.v1.AdminService/Query{of}");
        let answer = post_as(self.server.admin, &self.operator, &path, &request.to_string()).await;
        if answer.status == 200 { Ok(answer.json()) } else { Err(answer.reason()) }
    }
}

fn uids(answer: &Value) -> Vec<&str> {
    answer["users"].as_array().into_iter().flatten().map(|row| row["uid"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn users_are_counted_listed_and_summed_up() {
    let world = World::start().await;
    for (uid, nickname, year) in [(1, "Ann", 1_990), (2, "Anna", 1_991), (3, "Bob", 1_990)] {
        let (mask, attributes) = ("nickname,birthYear,attributes", json!({ "team": nickname }));
        let user = json!({ "uid": uid.to_string(), "nickname": nickname, "birthYear": year,
            "attributes": attributes, "updateMask": mask });
        world.act("UserService/UpdateUser", user).await;
    }
    for (subject, object) in [(1, 2), (3, 2), (2, 1)] {
        let follow = json!({ "subject": subject.to_string(), "object": object.to_string() });
        world.act("RelationService/Follow", follow).await;
    }
    let by_followers = json!({ "orderBy": "USER_FOLLOWERS", "descending": true, "pageSize": 2, "sums": [
        { "kind": "TOP", "ofUsers": "USER_BIRTH_YEAR" },
        { "kind": "HISTOGRAM", "ofUsers": "USER_FOLLOWERS" },
        { "kind": "PERCENTILES", "ofUsers": "USER_FOLLOWERS" },
    ]});
    let page = world.query("Users", by_followers.clone()).await.unwrap();
    assert_eq!((uids(&page), &page["total"]), (vec!["2", "1"], &json!("3")));
    assert_eq!(page["users"][0]["user"]["nickname"], json!("Anna"));
    assert_eq!(
        page["sums"][0]["counts"],
        json!([{ "number": "1990", "rows": "2" }, { "number": "1991", "rows": "1" }])
    );
    let steps = json!([{ "rows": "1" }, { "number": "1", "rows": "1" }, { "number": "2", "rows": "1" }]);
    assert_eq!(page["sums"][1]["counts"], steps);
    assert_eq!(page["sums"][2]["percentiles"][2], json!({ "thousandths": 500, "low": "1", "high": "1" }));
    let mut next = by_followers.clone();
    next["pageToken"] = page["nextPageToken"].clone();
    let last = world.query("Users", next.clone()).await.unwrap();
    assert_eq!((uids(&last), last.get("nextPageToken")), (vec!["3"], None));
    next["descending"] = json!(false);
    assert_eq!(world.query("Users", next).await, Err("STALE_CURSOR".to_owned()), "of another query");
    for (filter, found) in [
        (json!({ "name": "ann" }), &["1", "2"][..]),
        (json!({ "name": "ann", "birthYear": { "atLeast": "1991" } }), &["2"]),
        (json!({ "attributes": { "team": "Bob" } }), &["3"]),
        (json!({ "followers": { "atMost": "0" } }), &["3"]),
        (json!({ "states": ["USER_DELETED", "USER_DEACTIVATED"] }), &[]),
    ] {
        let page = world.query("Users", json!({ "filter": filter })).await.unwrap();
        assert_eq!(uids(&page), found, "{filter}");
    }
}

#[tokio::test]
async fn posts_are_found_whatever_became_of_them() {
    let world = World::start().await;
    let mut ids = Vec::new();
    for text in ["green tea", "black tea", "coffee"] {
        let made = world.act("PostService/CreatePost", json!({ "author": "7", "text": text })).await;
        ids.push(made["postId"].as_str().unwrap().to_owned());
    }
    world.act("PostService/DeletePost", json!({ "author": "7", "postId": ids[1] })).await;
    let like = json!({ "uid": "9", "postId": ids[0] });
    world.act("PostService/LikePost", like).await;
    let found = async |request: Value| {
        let page = world.query("Posts", request).await.unwrap();
        let rows = page["posts"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["postId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({ "filter": { "text": "tea" } })).await, ids[..2]);
    assert_eq!(
        found(json!({ "filter": { "text": "tea", "states": ["POST_DELETED"] } })).await,
        [ids[1].clone()]
    );
    assert_eq!(
        found(json!({ "filter": { "likes": { "atLeast": "1" }, "authors": ["7"] } })).await,
        [ids[0].clone()]
    );
    assert!(
        found(json!({ "filter": { "created": { "untilTime": "2001-01-01T00:00:00Z" } } })).await.is_empty()
    );
    let by_day = json!({ "sums": [{ "kind": "HISTOGRAM", "ofPosts": "POST_CREATED", "step": "MONTH" }] });
    let sums = world.query("Posts", by_day).await.unwrap()["sums"][0]["counts"].clone();
    assert_eq!((sums.as_array().unwrap().len(), &sums[0]["rows"]), (1, &json!("3")));
}

#[tokio::test]
async fn a_wrong_query_says_what_is_wrong() {
    let world = World::start().await;
    let nine = vec![json!({ "kind": "TOP", "ofPosts": "POST_AUTHOR" }); 9];
    for (request, reason) in [
        (json!({ "pageSize": 201 }), "PAGE_TOO_LARGE"),
        (json!({ "pageToken": "x" }), "STALE_CURSOR"),
        (json!({ "filter": { "text": "\"tea" } }), "BAD_QUERY"),
        (json!({ "sums": nine }), "BATCH_TOO_LARGE"),
        (json!({ "sums": [{ "kind": "TOP" }] }), "INVALID_FIELD"),
        (json!({ "sums": [{ "kind": "TOP", "ofPosts": "POST_AUTHOR", "max": 1_001 }] }), "INVALID_FIELD"),
        (json!({ "filter": { "states": ["POST_STATE_UNSPECIFIED"] } }), "INVALID_FIELD"),
    ] {
        assert_eq!(world.query("Posts", request.clone()).await.unwrap_err(), reason, "{request}");
    }
}
