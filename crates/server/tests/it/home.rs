//! Home timelines over JSON: pages, what is new, what is unread.

use crate::posts::{call, follow, ids, write};
use guanxi_testkit::Server;
use serde_json::{Value, json};

async fn home(server: &Server, body: Value) -> Value {
    call(server, "FeedService/GetHomeTimeline", body).await.json()
}

#[tokio::test]
async fn pages_hold_posts_or_ids_and_share_their_tokens() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    let mut posts = Vec::new();
    for text in ["a", "b", "c", "d", "e"] {
        let author = if text == "c" { "1" } else { "2" };
        posts.insert(0, write(&server, json!({ "author": author, "text": text })).await);
    }
    write(&server, json!({ "author": "3", "text": "x" })).await;
    let first = home(&server, json!({ "viewer": "1", "pageSize": 2 })).await;
    assert_eq!(ids(&first["posts"]), posts[..2]);
    assert_eq!(
        (&first["posts"][0]["post"]["text"], &first["posts"][0]["liked"]),
        (&json!("e"), &json!(false))
    );
    assert_eq!(first["postIds"], json!([]), "a list is there, though empty");
    let next = first["nextPageToken"].clone();
    let body = json!({ "viewer": "1", "pageSize": 9, "pageToken": next, "view": "IDS" });
    let rest = home(&server, body).await;
    assert_eq!(rest["postIds"], json!(posts[2..]), "a token serves either view");
    assert!(rest["posts"] == json!([]) && rest.get("nextPageToken").is_none());
    let other = json!({ "viewer": "2", "pageToken": next });
    assert_eq!(call(&server, "FeedService/GetHomeTimeline", other).await.reason(), "STALE_CURSOR");
    let empty = home(&server, json!({ "viewer": "9" })).await;
    assert_eq!(empty.as_object().unwrap().keys().collect::<Vec<_>>(), ["postIds", "posts", "token"]);
}

#[tokio::test]
async fn a_page_has_twenty_items_unless_asked_otherwise() {
    let server = Server::open().await;
    for _ in 0..23 {
        write(&server, json!({ "author": "1", "text": "a" })).await;
    }
    let page = home(&server, json!({ "viewer": "1" })).await;
    assert_eq!(page["posts"].as_array().unwrap().len(), 20);
    let body = json!({ "viewer": "1", "pageToken": page["nextPageToken"] });
    assert_eq!(home(&server, body).await["posts"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_poll_tells_what_came_on_top_and_resets_when_more_changed() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    let old = write(&server, json!({ "author": "2", "text": "a" })).await;
    let since = home(&server, json!({ "viewer": "1" })).await["token"].clone();
    let poll = |token: &Value| {
        let body = json!({ "viewer": "1", "token": token });
        call(&server, "FeedService/PollHomeTimeline", body)
    };
    let nothing = poll(&since).await.json();
    assert!(nothing["postIds"] == json!([]) && nothing.get("reset").is_none(), "{nothing}");
    let new = write(&server, json!({ "author": "2", "text": "b" })).await;
    write(&server, json!({ "author": "3", "text": "x" })).await;
    let news = poll(&since).await.json();
    assert_eq!(news["postIds"], json!([new]));
    assert_eq!(poll(&news["token"]).await.json()["postIds"], json!([]));
    call(&server, "PostService/DeletePost", json!({ "author": "2", "postId": old })).await.json();
    let reset = poll(&news["token"]).await.json();
    assert_eq!(reset["reset"], true);
    assert_eq!(reset["postIds"], json!([]));
}

#[tokio::test]
async fn unread_items_are_counted_up_to_a_cap_until_they_are_seen() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    for _ in 0..3 {
        write(&server, json!({ "author": "2", "text": "a" })).await;
    }
    let unread = |cap: u32| {
        let body = json!({ "viewer": "1", "cap": cap });
        let server = &server;
        async move {
            let answer = call(server, "FeedService/GetUnread", body).await.json();
            (answer["count"].clone(), answer.get("capped").is_some())
        }
    };
    assert_eq!(unread(0).await, (json!(3), false));
    assert_eq!(unread(2).await, (json!(2), true));
    let page = home(&server, json!({ "viewer": "1", "pageSize": 1 })).await;
    write(&server, json!({ "author": "2", "text": "b" })).await;
    let seen = call(&server, "FeedService/MarkSeen", json!({ "viewer": "1", "seen": page["token"] })).await;
    assert!(seen.json()["token"].is_string());
    assert_eq!(unread(0).await, (json!(1), false));
}

#[tokio::test]
async fn a_block_takes_effect_with_its_acknowledgement() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    let id = write(&server, json!({ "author": "2", "text": "a" })).await;
    assert_eq!(ids(&home(&server, json!({ "viewer": "1" })).await["posts"]), [id.as_str()]);
    let block = call(&server, "RelationService/Block", json!({ "subject": "2", "object": "1" })).await.json();
    for view in ["IDS", "POSTS"] {
        let body = json!({ "viewer": "1", "view": view, "token": block["token"] });
        let page = home(&server, body).await;
        assert!(page["posts"] == json!([]) && page["postIds"] == json!([]), "{page}");
    }
    let unread = call(&server, "FeedService/GetUnread", json!({ "viewer": "1" })).await.json();
    assert_eq!(unread["count"], 0);
}
