//! Posts over JSON, as curl sends it.

use crate::http::{Answer, post, post_as};
use guanxi_model::ManualClock;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) async fn call(server: &Server, method: &str, body: Value) -> Answer {
    post(server.main, method, &body.to_string()).await
}

/// Writes a post and answers its id.
pub(crate) async fn write(server: &Server, body: Value) -> String {
    let answer = call(server, "PostService/CreatePost", body).await;
    answer.json()["postId"].as_str().unwrap_or_else(|| panic!("{}", answer.text())).to_owned()
}

pub(crate) async fn follow(server: &Server, subject: &str, object: &str) {
    let body = json!({ "subject": subject, "object": object });
    assert_eq!(call(server, "RelationService/Follow", body).await.status, 200);
}

/// The ids of some items, in order.
pub(crate) fn ids(items: &Value) -> Vec<&str> {
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| item["postId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_post_is_answered_as_documented() {
    let server = Server::open().await;
    let attachments = json!([{ "kind": "IMAGE", "reference": "img/1.png" }]);
    let body = json!({ "author": "1", "text": "你好", "attachments": attachments });
    let created = call(&server, "PostService/CreatePost", body).await.json();
    assert_eq!((&created["changed"], &created["revision"]), (&json!(true), &json!(1)));
    let id = created["postId"].as_str().unwrap();
    let ask = json!({ "postId": id, "viewer": "2", "token": created["token"] });
    let got = call(&server, "PostService/GetPost", ask).await.json();
    let time = "2025-06-15T15:06:40.123Z";
    let expected = json!({
        "postId": id, "author": "1", "text": "你好", "attachments": attachments, "visibility": "PUBLIC",
        "createTime": time, "updateTime": time, "revision": 1, "event": { "seq": "1" },
    });
    assert_eq!(got["item"]["post"], expected);
    let mut item = got["item"].clone();
    item.as_object_mut().unwrap().remove("post");
    let expected = json!({
        "postId": id, "status": "OK", "likes": 0, "replies": 0, "reposts": 0, "liked": false,
        "reposted": false,
    });
    assert_eq!(item, expected);
    let none = call(&server, "PostService/GetPost", json!({ "postId": "77" })).await;
    assert_eq!((none.status, none.reason().as_str()), (404, "POST_NOT_FOUND"));
}

#[tokio::test]
async fn a_repost_carries_its_original_and_replies_name_theirs() {
    let server = Server::open().await;
    let original = write(&server, json!({ "author": "1", "text": "a" })).await;
    let repost = write(&server, json!({ "author": "2", "repostOf": original })).await;
    let reply = write(&server, json!({ "author": "3", "text": "b", "replyTo": repost })).await;
    let of_repost = write(&server, json!({ "author": "3", "repostOf": repost })).await;
    let ask = json!({ "postIds": [repost, reply, of_repost, original] });
    let posts = call(&server, "PostService/BatchGetPosts", ask).await.json()["posts"].clone();
    assert_eq!(
        (&posts[0]["post"]["repostOf"], &posts[0]["post"]["originalAuthor"]),
        (&json!(original), &json!("1"))
    );
    assert_eq!(posts[0]["original"]["post"]["text"], "a");
    assert_eq!(posts[1]["post"]["replyTo"], json!(original), "a repost stands for its original");
    assert_eq!(posts[2]["post"]["repostOf"], json!(original));
    assert_eq!((&posts[3]["replies"], &posts[3]["reposts"]), (&json!(1), &json!(2)));
    assert!(posts[3].get("liked").is_none(), "there is no viewer");
}

#[tokio::test]
async fn a_plain_repost_is_made_once_and_undone() {
    let server = Server::open().await;
    let original = write(&server, json!({ "author": "1", "text": "a" })).await;
    let create = json!({ "author": "2", "repostOf": original });
    let first = call(&server, "PostService/CreatePost", create.clone()).await.json();
    let again = call(&server, "PostService/CreatePost", create).await.json();
    assert_eq!((&again["postId"], &again["changed"]), (&first["postId"], &json!(false)));
    let seen = |viewer: &'static str| {
        let ask = json!({ "postId": original, "viewer": viewer });
        let server = &server;
        async move {
            let item = call(server, "PostService/GetPost", ask).await.json()["item"].clone();
            (item["reposts"].clone(), item["reposted"].clone())
        }
    };
    assert_eq!(seen("2").await, (json!(1), json!(true)));
    assert_eq!(seen("3").await, (json!(1), json!(false)));
    let undo = json!({ "uid": "2", "postId": original });
    for changed in [true, false] {
        let undone = call(&server, "PostService/UndoRepost", undo.clone()).await.json();
        assert_eq!((&undone["changed"], &undone["postId"]), (&json!(changed), &json!(original)));
    }
    assert_eq!(seen("2").await, (json!(0), json!(false)));
    let none = call(&server, "PostService/UndoRepost", json!({ "uid": "2", "postId": "77" })).await;
    assert_eq!(none.reason(), "POST_NOT_FOUND");
}

#[tokio::test]
async fn no_answer_is_too_large_for_clients() {
    /// What clients of gRPC take unless they are told otherwise.
    const MESSAGE_MAX: usize = 4 << 20;
    let server = Server::open().await;
    call(&server, "RelationService/Follow", json!({ "subject": "1", "object": "2" })).await;
    let text = "\u{1}".repeat(4_999) + ".";
    let mut ids = Vec::new();
    for _ in 0..150 {
        ids.push(write(&server, json!({ "author": "2", "text": text })).await);
    }
    for (method, request) in [
        ("FeedService/GetHomeTimeline", json!({ "viewer": "1", "pageSize": 200 })),
        ("PostService/ListAuthorPosts", json!({ "author": "2", "pageSize": 200 })),
        ("PostService/BatchGetPosts", json!({ "postIds": ids })),
    ] {
        let answer = call(&server, method, request).await;
        assert_eq!(answer.status, 200, "{method}");
        let len = answer.body.len();
        assert!((MESSAGE_MAX / 2..MESSAGE_MAX).contains(&len), "{method} answers {len} bytes");
        let body = answer.json();
        let posts = body["posts"].as_array().unwrap();
        let got = posts.iter().filter(|item| item["status"] == "OK").count();
        let rest = posts.iter().filter(|item| item["status"] == "OMITTED").count();
        assert!(body["nextPageToken"].is_string() || got + rest == ids.len(), "{method}");
    }
}

#[tokio::test]
async fn a_quote_tells_how_its_original_stands() {
    let server = Server::open().await;
    let original = write(&server, json!({ "author": "1", "text": "a" })).await;
    let quote = write(&server, json!({ "author": "2", "text": "b", "repostOf": original })).await;
    let repost = write(&server, json!({ "author": "3", "repostOf": quote })).await;
    let beside = |id: &str| {
        let ask = json!({ "postId": id, "viewer": "3" });
        let server = &server;
        async move { call(server, "PostService/GetPost", ask).await.json()["item"]["original"].clone() }
    };
    assert_eq!(beside(&quote).await["post"]["text"], "a");
    let shared = beside(&repost).await;
    assert_eq!((&shared["post"]["text"], &shared["original"]["post"]["text"]), (&json!("b"), &json!("a")));
    let post = json!({ "author": "1", "postId": original });
    call(&server, "PostService/DeletePost", post).await;
    assert_eq!(beside(&quote).await, json!({ "postId": original, "status": "DELETED" }));
    let block = json!({ "subject": "1", "object": "3" });
    call(&server, "RelationService/Block", block).await;
    assert_eq!(beside(&repost).await["original"], json!({ "postId": original, "status": "FORBIDDEN" }));
}

#[tokio::test]
async fn a_post_says_when_it_was_written() {
    let now = 1_750_000_000_123;
    let clock = Arc::new(ManualClock::new(now + 86_400_000));
    let server = Server::start(Setup { clock: clock.clone(), ..Setup::default() }).await;
    write(&server, json!({ "author": "1", "text": "ahead" })).await;
    clock.set(now);
    let id = write(&server, json!({ "author": "1", "text": "a" })).await;
    let edit = json!({ "author": "1", "postId": id, "text": "b" });
    call(&server, "PostService/UpdatePost", edit).await;
    let got = call(&server, "PostService/GetPost", json!({ "postId": id })).await.json();
    assert_eq!(got["item"]["post"]["createTime"], "2025-06-15T15:06:40.123Z");
    let earlier = call(&server, "PostService/ListPostRevisions", json!({ "postId": id })).await.json();
    assert_eq!(earlier["revisions"][0]["createTime"], "2025-06-15T15:06:40.123Z");
}

#[tokio::test]
async fn a_batch_has_a_status_for_each_viewer_and_post() {
    let server = Server::open().await;
    let public = write(&server, json!({ "author": "1", "text": "a" })).await;
    let followers = write(&server, json!({ "author": "1", "text": "b", "visibility": "FOLLOWERS" })).await;
    let friends = write(&server, json!({ "author": "1", "text": "c", "visibility": "FRIENDS" })).await;
    let deleted = write(&server, json!({ "author": "1", "text": "d" })).await;
    call(&server, "PostService/DeletePost", json!({ "author": "1", "postId": deleted })).await.json();
    follow(&server, "2", "1").await;
    let block = json!({ "subject": "1", "object": "3" });
    assert_eq!(call(&server, "RelationService/Block", block).await.status, 200);
    let statuses = |viewer: &'static str| {
        let ids = json!([public, followers, friends, deleted, "77"]);
        let server = &server;
        async move {
            let mut ask = json!({ "postIds": ids });
            if !viewer.is_empty() {
                ask["viewer"] = json!(viewer);
            }
            let posts = call(server, "PostService/BatchGetPosts", ask.clone()).await.json();
            let stats = call(server, "PostService/BatchGetPostStats", ask).await.json();
            let of = |items: &Value| -> Vec<String> {
                items.as_array().unwrap().iter().map(|item| item["status"].as_str().unwrap().into()).collect()
            };
            assert!(stats["stats"].as_array().unwrap().iter().all(|item| item.get("post").is_none()));
            assert_eq!(of(&posts["posts"]), of(&stats["stats"]));
            of(&posts["posts"])
        }
    };
    assert_eq!(statuses("2").await, ["OK", "OK", "FORBIDDEN", "DELETED", "NOT_FOUND"]);
    assert_eq!(statuses("3").await, ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "NOT_FOUND"]);
    assert_eq!(statuses("1").await, ["OK", "OK", "OK", "DELETED", "NOT_FOUND"]);
    assert_eq!(statuses("").await, ["OK", "OK", "OK", "DELETED", "NOT_FOUND"], "a service sees all");
}

#[tokio::test]
async fn an_end_user_reads_as_itself_whether_it_says_so_or_not() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let (one, two) = (server.user(1).await, server.user(2).await);
    let create = "/guanxi.v1.PostService/CreatePost";
    let body = r#"{"author":"1","text":"a","visibility":"FRIENDS"}"#;
    let id = post_as(server.main, &one, create, body).await.json()["postId"].clone();
    let get = "/guanxi.v1.PostService/GetPost";
    let ask = json!({ "postId": id }).to_string();
    let hidden = post_as(server.main, &two, get, &ask).await;
    assert_eq!((hidden.status, hidden.reason().as_str()), (403, "POST_FORBIDDEN"));
    let own = post_as(server.main, &one, get, &ask).await.json();
    assert_eq!(own["item"]["liked"], false, "there is a viewer");
    let list = "/guanxi.v1.PostService/ListAuthorPosts";
    let others = post_as(server.main, &two, list, r#"{"author":"1"}"#).await.json();
    assert_eq!(others["posts"], json!([]), "{others}");
    let likers = json!({ "postId": id }).to_string();
    let denied = post_as(server.main, &two, "/guanxi.v1.PostService/ListLikers", &likers).await;
    assert_eq!(denied.reason(), "POST_FORBIDDEN");
}

#[tokio::test]
async fn an_update_sets_what_its_mask_names_and_keeps_what_was() {
    let server = Server::open().await;
    let attachments = json!([{ "kind": "LINK", "reference": "https://a.example" }]);
    let id = write(&server, json!({ "author": "1", "text": "a", "attachments": attachments })).await;
    let update = |more: Value| {
        let mut body = json!({ "author": "1", "postId": id });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&server, "PostService/UpdatePost", body)
    };
    let second = update(json!({ "text": "b", "expectedRevision": 1 })).await.json();
    assert_eq!((&second["changed"], &second["revision"]), (&json!(true), &json!(2)));
    let (code, info) = update(json!({ "text": "c", "expectedRevision": 1 })).await.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("aborted", "REVISION_MISMATCH"));
    assert_eq!(info.metadata["revision"], "2");
    let same = update(json!({ "text": "b" })).await.json();
    assert_eq!((&same["changed"], &same["revision"]), (&json!(false), &json!(2)));
    let emptied = update(json!({ "text": "", "updateMask": "text,visibility" })).await.json();
    assert_eq!(emptied["revision"], 3);
    let post =
        call(&server, "PostService/GetPost", json!({ "postId": id })).await.json()["item"]["post"].clone();
    assert!(post.get("text").is_none(), "{post}");
    assert_eq!((&post["attachments"], &post["visibility"]), (&attachments, &json!("PUBLIC")));
    let says_nothing = update(json!({ "updateMask": "attachments" })).await;
    assert_eq!(says_nothing.reason(), "MISSING_FIELD");

    let list = json!({ "postId": id, "pageSize": 1 });
    let first = call(&server, "PostService/ListPostRevisions", list).await.json();
    assert_eq!((&first["revisions"][0]["text"], &first["nextBelowRevision"]), (&json!("b"), &json!(2)));
    let list = json!({ "postId": id, "pageSize": 1, "belowRevision": 2 });
    let second = call(&server, "PostService/ListPostRevisions", list).await.json();
    assert_eq!(
        (&second["revisions"][0]["text"], &second["revisions"][0]["revision"]),
        (&json!("a"), &json!(1))
    );
    assert!(second.get("nextBelowRevision").is_none());
}

#[tokio::test]
async fn deleting_and_liking_twice_are_no_ops_and_a_restored_post_keeps_its_likes() {
    let server = Server::open().await;
    let id = write(&server, json!({ "author": "1", "text": "a" })).await;
    let change = |method: &'static str, field: &'static str, uid: &'static str| {
        let body = json!({ field: uid, "postId": id });
        let server = &server;
        async move { call(server, &format!("PostService/{method}"), body).await.json()["changed"].clone() }
    };
    assert_eq!(change("LikePost", "uid", "2").await, true);
    assert_eq!(change("LikePost", "uid", "2").await, false);
    assert_eq!(change("LikePost", "uid", "1").await, true);
    let likers = json!({ "postId": id, "viewer": "1" });
    let likers = call(&server, "PostService/ListLikers", likers).await.json();
    let uids: Vec<_> = likers["users"].as_array().unwrap().iter().map(|user| &user["uid"]).collect();
    assert_eq!(uids, ["1", "2"]);
    assert!(likers["users"][0]["createTime"].is_string());
    let repost = write(&server, json!({ "author": "2", "repostOf": id })).await;
    let quote = write(&server, json!({ "author": "1", "repostOf": id, "text": "look" })).await;
    let mut reposters = json!({ "postId": id, "viewer": "1", "pageSize": 1 });
    let page = call(&server, "PostService/ListReposters", reposters.clone()).await.json();
    assert_eq!(page["reposters"], json!([{ "uid": "1", "postId": quote, "quote": true }]));
    reposters["pageToken"] = page["nextPageToken"].clone();
    let page = call(&server, "PostService/ListReposters", reposters.clone()).await.json();
    assert_eq!(page["reposters"], json!([{ "uid": "2", "postId": repost, "quote": false }]));
    assert!(page.get("nextPageToken").is_none(), "{page}");
    reposters["postId"] = json!(repost);
    let stale = call(&server, "PostService/ListReposters", reposters).await;
    assert_eq!(stale.reason(), "STALE_CURSOR", "a token is of its post");
    assert_eq!(change("DeletePost", "author", "1").await, true);
    assert_eq!(change("DeletePost", "author", "1").await, false);
    let gone = call(&server, "PostService/GetPost", json!({ "postId": id })).await;
    assert_eq!((gone.status, gone.reason().as_str()), (404, "POST_DELETED"));
    assert_eq!(change("UnlikePost", "uid", "2").await, true, "also of a deleted post");
    assert_eq!(change("RestorePost", "author", "1").await, true);
    let back = call(&server, "PostService/GetPost", json!({ "postId": id, "viewer": "1" })).await.json();
    assert_eq!((&back["item"]["likes"], &back["item"]["liked"]), (&json!(1), &json!(true)));
    let not_mine = call(&server, "PostService/DeletePost", json!({ "author": "2", "postId": id })).await;
    assert_eq!((not_mine.status, not_mine.reason().as_str()), (403, "POST_FORBIDDEN"));
}

#[tokio::test]
async fn an_authors_posts_are_filtered_and_paged() {
    let server = Server::open().await;
    let other = write(&server, json!({ "author": "2", "text": "x" })).await;
    let mut posts = Vec::new();
    for text in ["a", "b", "c"] {
        posts.insert(0, write(&server, json!({ "author": "1", "text": text })).await);
    }
    let reply = write(&server, json!({ "author": "1", "text": "r", "replyTo": other })).await;
    let list = |more: Value| {
        let mut body = json!({ "author": "1", "viewer": "3" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&server, "PostService/ListAuthorPosts", body)
    };
    let first = list(json!({ "pageSize": 2 })).await.json();
    assert_eq!(ids(&first["posts"]), posts[..2]);
    let next = first["nextPageToken"].clone();
    let second = list(json!({ "pageSize": 2, "pageToken": next })).await.json();
    assert_eq!(ids(&second["posts"]), posts[2..]);
    assert!(second.get("nextPageToken").is_none());
    assert_eq!(ids(&list(json!({ "filter": "REPLIES" })).await.json()["posts"]), [reply.as_str()]);
    assert_eq!(list(json!({ "filter": "ALL" })).await.json()["posts"].as_array().unwrap().len(), 4);
    for other in [json!({ "filter": "ALL" }), json!({ "author": "2" }), json!({ "viewer": "4" })] {
        let mut body = other.clone();
        body["pageToken"] = next.clone();
        assert_eq!(list(body).await.reason(), "STALE_CURSOR", "{other}");
    }
}

#[tokio::test]
async fn a_repeated_request_writes_once() {
    let server = Server::open().await;
    let file = |name: &str| json!([{ "kind": "FILE", "reference": name }]);
    let body = json!({ "author": "1", "text": "a", "attachments": file("f"), "requestId": "k" });
    let first = call(&server, "PostService/CreatePost", body.clone()).await.json();
    assert_eq!(call(&server, "PostService/CreatePost", body.clone()).await.json(), first);
    let mut others = vec![body.clone(); 4];
    others[0]["text"] = json!("b");
    others[1]["visibility"] = json!("FRIENDS");
    others[2]["attachments"] = file("g");
    others[3]["replyTo"] = first["postId"].clone();
    for other in others {
        let refused = call(&server, "PostService/CreatePost", other.clone()).await;
        assert_eq!(refused.reason(), "IDEMPOTENCY_MISMATCH", "{other}");
    }
    let mut of_another = body.clone();
    of_another["author"] = json!("2");
    let posted = call(&server, "PostService/CreatePost", of_another).await.json();
    assert_ne!(posted["postId"], first["postId"], "a request id belongs to the acting user, too");
    let like = json!({ "uid": "1", "postId": first["postId"], "requestId": "k" });
    assert_eq!(call(&server, "PostService/LikePost", like).await.reason(), "IDEMPOTENCY_MISMATCH");
    let mine = call(&server, "PostService/ListAuthorPosts", json!({ "author": "1" })).await.json();
    assert_eq!(mine["posts"].as_array().unwrap().len(), 1);
}
