//! Bad input about posts and feeds: each kind has its own reason.

use crate::posts::{call, write};
use guanxi_testkit::Server;
use serde_json::{Value, json};

/// A call that is refused: method, body, reason, and the field that it names.
type Case<'a> = (&'a str, Value, &'a str, &'a str);

async fn refused(server: &Server, cases: &[Case<'_>]) {
    for (method, body, reason, field) in cases {
        let answer = call(server, method, body.clone()).await;
        let (code, info) = answer.error();
        assert_eq!((code.as_str(), answer.status), ("invalid_argument", 400), "{method} {body}");
        assert_eq!(info.reason, *reason, "{method} {body}: {}", answer.text());
        assert_eq!(info.metadata.get("field").map_or("", String::as_str), *field, "{method} {body}");
    }
}

#[tokio::test]
async fn every_kind_of_bad_input_of_a_post_has_its_reason() {
    let server = Server::open().await;
    let long = "长".repeat(5_001);
    let file = |kind: &str, reference: &str| json!([{ "kind": kind, "reference": reference }]);
    let cases = [
        ("PostService/CreatePost", json!({ "text": "a" }), "MISSING_FIELD", "author"),
        ("PostService/CreatePost", json!({ "author": "1" }), "MISSING_FIELD", "text"),
        ("PostService/CreatePost", json!({ "author": "1", "text": long }), "TEXT_TOO_LONG", ""),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "a", "visibility": 9 }),
            "INVALID_FIELD",
            "visibility",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "a", "visibility": "SOME" }),
            "MALFORMED",
            "",
        ),
        ("PostService/CreatePost", json!({ "author": "1", "txt": "a" }), "MALFORMED", ""),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "attachments": [{ "kind": "LINK", "url": "x" }] }),
            "MALFORMED",
            "",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "attachments": [{ "reference": "x" }] }),
            "MISSING_FIELD",
            "attachments.kind",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "attachments": file("LINK", "") }),
            "MISSING_FIELD",
            "attachments.reference",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "attachments": file("LINK", &"x".repeat(2_049)) }),
            "TOO_LONG",
            "attachments.reference",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "a", "replyTo": "1", "repostOf": "1" }),
            "INVALID_FIELD",
            "repost_of",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "a", "replyTo": "9223372036854775808" }),
            "POST_ID_OUT_OF_RANGE",
            "",
        ),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "a", "requestId": "x".repeat(65) }),
            "TOO_LONG",
            "request_id",
        ),
    ];
    refused(&server, &cases).await;
}

#[tokio::test]
async fn every_kind_of_bad_input_of_the_other_calls_has_its_reason() {
    let server = Server::open().await;
    let cases = [
        ("PostService/UpdatePost", json!({ "author": "1" }), "MISSING_FIELD", "post_id"),
        (
            "PostService/UpdatePost",
            json!({ "author": "1", "postId": "1", "updateMask": "text,kind" }),
            "INVALID_FIELD",
            "update_mask",
        ),
        ("PostService/LikePost", json!({ "postId": "1" }), "MISSING_FIELD", "uid"),
        ("PostService/GetPost", json!({}), "MISSING_FIELD", "post_id"),
        ("PostService/BatchGetPosts", json!({}), "MISSING_FIELD", "post_ids"),
        ("PostService/BatchGetPosts", json!({ "postIds": ["0"] }), "POST_ID_OUT_OF_RANGE", ""),
        ("PostService/ListAuthorPosts", json!({ "author": "1", "filter": 7 }), "INVALID_FIELD", "filter"),
        ("PostService/ListAuthorPosts", json!({ "author": "1", "pageToken": "AAAA" }), "STALE_CURSOR", ""),
        ("FeedService/GetHomeTimeline", json!({}), "MISSING_FIELD", "viewer"),
        ("FeedService/GetHomeTimeline", json!({ "viewer": "1", "view": 7 }), "INVALID_FIELD", "view"),
        ("FeedService/GetHomeTimeline", json!({ "viewer": "1", "token": "AAAA" }), "INVALID_TOKEN", ""),
        ("FeedService/PollHomeTimeline", json!({ "viewer": "1" }), "MISSING_FIELD", "token"),
        ("FeedService/MarkSeen", json!({ "viewer": "1" }), "MISSING_FIELD", "seen"),
        ("FeedService/GetUnread", json!({ "viewer": "1", "cap": 1_000 }), "INVALID_FIELD", "cap"),
        ("FeedService/ExplainFeed", json!({ "viewer": "1" }), "MISSING_FIELD", "post_id"),
    ];
    refused(&server, &cases).await;
}

#[tokio::test]
async fn limits_are_told() {
    let server = Server::open().await;
    let many = vec!["5"; 201];
    let files = vec![json!({ "kind": "LINK", "reference": "x" }); 17];
    let cases = [
        ("PostService/BatchGetPosts", json!({ "postIds": many }), "BATCH_TOO_LARGE", "200"),
        ("PostService/BatchGetPostStats", json!({ "postIds": many }), "BATCH_TOO_LARGE", "200"),
        ("PostService/CreatePost", json!({ "author": "1", "attachments": files }), "BATCH_TOO_LARGE", "16"),
        (
            "PostService/CreatePost",
            json!({ "author": "1", "text": "x".repeat(5_001) }),
            "TEXT_TOO_LONG",
            "5000",
        ),
        ("PostService/ListAuthorPosts", json!({ "author": "1", "pageSize": 201 }), "PAGE_TOO_LARGE", "200"),
        ("PostService/ListPostRevisions", json!({ "postId": "1", "pageSize": -1 }), "PAGE_TOO_LARGE", "200"),
        ("PostService/ListLikers", json!({ "postId": "1", "pageSize": 1_001 }), "PAGE_TOO_LARGE", "1000"),
        ("PostService/ListReposters", json!({ "postId": "1", "pageSize": 201 }), "PAGE_TOO_LARGE", "200"),
        ("FeedService/GetHomeTimeline", json!({ "viewer": "1", "pageSize": 201 }), "PAGE_TOO_LARGE", "200"),
        (
            "FeedService/GetHomeTimeline",
            json!({ "viewer": "1", "pageSize": 1_001, "view": "IDS" }),
            "PAGE_TOO_LARGE",
            "1000",
        ),
    ];
    for (method, body, reason, limit) in cases {
        let info = call(&server, method, body.clone()).await.error().1;
        assert_eq!((info.reason.as_str(), info.metadata["limit"].as_str()), (reason, limit), "{method}");
    }
    let whole = json!({ "author": "1", "text": "长".repeat(5_000) });
    write(&server, whole).await;
    let ids = json!({ "viewer": "1", "pageSize": 1_000, "view": "IDS" });
    assert_eq!(call(&server, "FeedService/GetHomeTimeline", ids).await.status, 200);
}

#[tokio::test]
async fn what_a_post_answers_must_be_there_for_its_author() {
    let server = Server::open().await;
    let friends = write(&server, json!({ "author": "1", "text": "a", "visibility": "FRIENDS" })).await;
    let deleted = write(&server, json!({ "author": "1", "text": "a" })).await;
    call(&server, "PostService/DeletePost", json!({ "author": "1", "postId": deleted })).await.json();
    for (original, reason) in
        [(friends.as_str(), "POST_FORBIDDEN"), (&deleted, "POST_DELETED"), ("77", "POST_NOT_FOUND")]
    {
        for field in ["replyTo", "repostOf"] {
            let body = json!({ "author": "2", "text": "b", field: original });
            assert_eq!(call(&server, "PostService/CreatePost", body).await.reason(), reason, "{field}");
        }
        let like = json!({ "uid": "2", "postId": original });
        assert_eq!(call(&server, "PostService/LikePost", like).await.reason(), reason);
    }
}
