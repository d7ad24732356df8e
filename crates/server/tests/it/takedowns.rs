//! Posts and users that an operator takes down, as callers of every kind meet them.

use guanxi_model::{Principal, Scope};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post, post_as};

const PASSWORD: &str = "correct horse battery";

/// A server, the token of its operator, and that of a service for everything.
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

    async fn ask(&self, token: &str, method: &str, request: Value) -> Answer {
        post_as(self.server.main, token, &format!("/guanxi.v1.{method}"), &request.to_string()).await
    }

    /// An answer that is none of the errors.
    async fn told(&self, token: &str, method: &str, request: Value) -> Value {
        let answer = self.ask(token, method, request).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    }

    /// Whether something of the operator changed anything.
    async fn operate(&self, method: &str, request: Value) -> bool {
        let path = format!("/guanxi.v1.AdminService/{method}");
        let answer = post_as(self.server.admin, &self.operator, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()["changed"] == json!(true)
    }

    /// The posts of user 1 that a viewer is shown in its list.
    async fn listed(&self, token: &str) -> Vec<String> {
        let list = self.told(token, "PostService/ListAuthorPosts", json!({ "author": "1" })).await;
        let items = list["posts"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["postId"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn a_post_that_is_taken_down_is_shown_to_its_author_alone() {
    let world = World::start().await;
    let (author, other) = (world.server.user(1).await, world.server.user(2).await);
    world.told(&other, "RelationService/Follow", json!({ "object": "1" })).await;
    let made = world.told(&author, "PostService/CreatePost", json!({ "text": "buy" })).await;
    let id = made["postId"].as_str().unwrap().to_owned();
    let quote = json!({ "text": "look", "repostOf": id });
    let quote = world.told(&other, "PostService/CreatePost", quote).await["postId"].clone();
    let of_post = json!({ "postId": id });
    world.told(&other, "PostService/LikePost", of_post.clone()).await;
    let item = async |token: &str| {
        let got = world.told(token, "PostService/BatchGetPosts", json!({ "postIds": [id] })).await;
        got["posts"][0].clone()
    };
    let home = async |token: &str| {
        let page = world.told(token, "FeedService/GetHomeTimeline", json!({ "view": "IDS" })).await;
        page["postIds"].as_array().cloned().unwrap_or_default().contains(&json!(id))
    };
    assert!(home(&other).await && home(&author).await);
    let spam = json!({ "postId": id, "reason": "spam" });
    assert!(world.operate("TakeDownPost", spam.clone()).await && !world.operate("TakeDownPost", spam).await);
    for token in [&other, &world.service] {
        assert_eq!(item(token).await["status"], json!("DELETED"));
        let got = world.ask(token, "PostService/GetPost", of_post.clone()).await;
        assert_eq!((got.status, got.reason()), (404, "POST_DELETED".to_owned()));
        assert!(world.listed(token).await.is_empty());
    }
    assert!(!home(&other).await && !home(&author).await, "a home has it for nobody");
    let own = item(&author).await;
    assert_eq!(own["post"]["takedownReason"], json!("spam"));
    assert_eq!((&own["post"]["text"], &own["likes"]), (&json!("buy"), &json!(1)));
    assert_eq!(world.listed(&author).await, std::slice::from_ref(&id));
    let quoted = world.told(&author, "PostService/GetPost", json!({ "postId": quote })).await;
    assert_eq!(quoted["item"]["original"]["status"], json!("DELETED"), "what quotes it quotes nothing");
    for (method, request, reason) in [
        ("UpdatePost", json!({ "postId": id, "text": "sell" }), "POST_TAKEN_DOWN"),
        ("RestorePost", of_post.clone(), "POST_TAKEN_DOWN"),
        ("LikePost", of_post.clone(), "POST_DELETED"),
        ("CreatePost", json!({ "text": "again", "repostOf": id }), "POST_DELETED"),
        ("CreatePost", json!({ "text": "answer", "replyTo": id }), "POST_DELETED"),
    ] {
        let refused = world.ask(&author, &format!("PostService/{method}"), request).await;
        assert_eq!(refused.reason(), reason, "{method}");
    }
    assert!(world.operate("ReinstatePost", of_post.clone()).await);
    assert_eq!(item(&other).await["likes"], json!(1));
    assert!(home(&other).await && home(&author).await);
    // What its author deletes meanwhile stays deleted.
    assert!(world.operate("TakeDownPost", json!({ "postId": id, "reason": "spam" })).await);
    world.told(&author, "PostService/DeletePost", of_post.clone()).await;
    assert_eq!(item(&author).await["status"], json!("DELETED"));
    assert!(world.operate("ReinstatePost", of_post).await);
    assert_eq!(item(&author).await["status"], json!("DELETED"));
}

#[tokio::test]
async fn who_is_taken_down_is_out_and_is_told_why() {
    let world = World::start().await;
    let account = json!({ "loginName": "alice", "password": PASSWORD, "nickname": "alice" });
    let uid = world.told(&world.service, "UserService/Register", account).await["uid"].clone();
    let login = async || {
        let request = json!({ "loginName": "alice", "password": PASSWORD }).to_string();
        post(world.server.main, "UserService/Login", &request).await
    };
    let session = login().await.json()["accessToken"].as_str().unwrap().to_owned();
    let (me, other) = (json!({ "uid": uid }), world.server.user(9).await);
    let written = world.told(&session, "PostService/CreatePost", json!({ "text": "hello" })).await;
    assert!(world.operate("TakeDownUser", json!({ "uid": uid, "reason": "abuse" })).await);
    assert_eq!(world.ask(&session, "UserService/GetUser", me.clone()).await.status, 401);
    let reactivate = world.ask(&world.service, "UserService/Reactivate", me.clone()).await;
    for refused in [login().await, reactivate] {
        let told = refused.error().1;
        assert_eq!((told.reason.as_str(), told.metadata["reason"].as_str()), ("USER_TAKEN_DOWN", "abuse"));
    }
    let seen = world.told(&other, "UserService/GetUser", me.clone()).await;
    assert_eq!(seen["user"], json!({ "uid": uid, "status": "DEACTIVATED" }), "as who is deactivated");
    let known = world.told(&world.service, "UserService/GetUser", me.clone()).await;
    let known = &known["user"];
    assert_eq!((&known["status"], &known["takedownReason"]), (&json!("DEACTIVATED"), &json!("abuse")));
    let got = world.ask(&other, "PostService/GetPost", json!({ "postId": written["postId"] })).await;
    assert_eq!(got.reason(), "POST_DELETED");
    let follow = world.ask(&other, "RelationService/Follow", json!({ "object": uid })).await;
    assert_eq!(follow.reason(), "USER_DEACTIVATED");
    // What it is below may change meanwhile.
    world.told(&world.service, "UserService/Deactivate", me.clone()).await;
    let known = world.told(&world.service, "UserService/GetUser", me.clone()).await;
    assert_eq!(known["user"]["reinstatedStatus"], json!("DEACTIVATED"));
    assert!(world.operate("ReinstateUser", me.clone()).await);
    assert_eq!(login().await.reason(), "USER_DEACTIVATED");
    world.told(&world.service, "UserService/Reactivate", me.clone()).await;
    assert_eq!(
        world.ask(&session, "UserService/GetUser", me.clone()).await.status,
        401,
        "what ended stays so"
    );
    assert_eq!(login().await.status, 200);
    world.told(&other, "RelationService/Follow", json!({ "object": uid })).await;
    // A user that is taken down can be deleted for good.
    assert!(world.operate("TakeDownUser", json!({ "uid": uid, "reason": "abuse" })).await);
    world.told(&world.service, "UserService/EraseUser", me.clone()).await;
    let path = "/guanxi.v1.AdminService/ReinstateUser";
    let late = post_as(world.server.admin, &world.operator, path, &me.to_string()).await;
    assert_eq!(late.reason(), "USER_DELETED");
}
