//! ExplainFeed: why, and never who blocks an end user.

use crate::http::post_as;
use crate::posts::{call, follow, write};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

async fn explain(server: &Server, viewer: &str, post: &str) -> Value {
    call(server, "FeedService/ExplainFeed", json!({ "viewer": viewer, "postId": post })).await.json()
}

#[tokio::test]
async fn each_rule_has_its_verdict() {
    let server = Server::open().await;
    let stranger = write(&server, json!({ "author": "9", "text": "x" })).await;
    let post = write(&server, json!({ "author": "2", "text": "a" })).await;
    assert_eq!(explain(&server, "1", &post).await["verdict"], "NOT_FOLLOWED");
    follow(&server, "1", "2").await;
    let shown = explain(&server, "1", &post).await;
    assert_eq!((&shown["verdict"], &shown["author"]), (&json!("SHOWN"), &json!("2")));
    assert!(shown["followTime"].is_string() && shown["token"].is_string());
    let friends = write(&server, json!({ "author": "2", "text": "b", "visibility": "FRIENDS" })).await;
    assert_eq!(explain(&server, "1", &friends).await["verdict"], "NOT_FRIEND");
    let reply = write(&server, json!({ "author": "2", "text": "c", "replyTo": stranger })).await;
    assert_eq!(explain(&server, "1", &reply).await["verdict"], "REPLY_TO_STRANGER");
    let repost = write(&server, json!({ "author": "2", "repostOf": stranger })).await;
    assert_eq!(explain(&server, "1", &repost).await["verdict"], "SHOWN");
    let mute = json!({ "subject": "1", "object": "9" });
    call(&server, "RelationService/Mute", mute).await.json();
    assert_eq!(explain(&server, "1", &repost).await["verdict"], "ORIGINAL_MUTED");
    let mute = json!({ "subject": "1", "object": "2" });
    call(&server, "RelationService/Mute", mute).await.json();
    assert_eq!(explain(&server, "1", &post).await["verdict"], "MUTED");
    call(&server, "PostService/DeletePost", json!({ "author": "2", "postId": post })).await.json();
    assert_eq!(explain(&server, "1", &post).await["verdict"], "MUTED", "whatever became of it");
    let unmute = json!({ "subject": "1", "object": "2" });
    call(&server, "RelationService/Unmute", unmute).await.json();
    assert_eq!(explain(&server, "1", &post).await["verdict"], "DELETED");
    assert_eq!(explain(&server, "1", "77").await["verdict"], "NOT_FOUND");
}

#[tokio::test]
async fn an_end_user_cannot_tell_a_block_from_not_following() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let mut users = Vec::new();
    for uid in 0..5 {
        users.push(if uid == 0 { String::new() } else { server.user(uid).await });
    }
    let service = server.service(&guanxi_model::Scope::FOR_USERS).await;
    let send = |token: &str, method: &str, body: Value| {
        let (token, path) = (token.to_owned(), format!("/guanxi.v1.{method}"));
        let to = server.main;
        async move { post_as(to, &token, &path, &body.to_string()).await.json() }
    };
    // 1 blocks 2 and is blocked by 3; 4 does not follow.
    let post =
        send(&users[1], "PostService/CreatePost", json!({ "author": "1", "text": "a" })).await["postId"]
            .clone();
    send(&users[3], "RelationService/Follow", json!({ "subject": "3", "object": "1" })).await;
    send(&users[1], "RelationService/Block", json!({ "subject": "1", "object": "2" })).await;
    send(&users[3], "RelationService/Block", json!({ "subject": "3", "object": "1" })).await;
    let explain = |token: &str, viewer: u64| {
        let body = json!({ "viewer": viewer.to_string(), "postId": post });
        let answer = send(token, "FeedService/ExplainFeed", body);
        async move {
            let mut answer = answer.await;
            answer.as_object_mut().unwrap().remove("token");
            answer
        }
    };
    let not_followed = json!({ "verdict": "NOT_FOLLOWED" });
    assert_eq!(explain(&users[4], 4).await, not_followed);
    assert_eq!(explain(&users[2], 2).await, not_followed, "word for word the same");
    assert_eq!(explain(&users[3], 3).await, json!({ "verdict": "BLOCKED", "author": "1" }), "its own block");
    for viewer in [2, 3] {
        let told = explain(&service, viewer).await;
        assert_eq!(told, json!({ "verdict": "BLOCKED", "author": "1" }), "a service is told all");
    }
}
