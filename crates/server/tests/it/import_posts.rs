//! Import of posts, and what Watch tells of posts.

use crate::http::{Answer, post};
use crate::posts::{call, ids, write};
use guanxi_proto::v1::event::Kind;
use guanxi_proto::{Wire, v1};
use guanxi_testkit::Server;
use serde_json::{Value, json};

async fn operate(server: &Server, method: &str, body: Value) -> Answer {
    post(server.admin, &format!("AdminService/{method}"), &body.to_string()).await
}

#[tokio::test]
async fn an_import_tells_what_became_of_each_post_and_moves_its_job() {
    let server = Server::open().await;
    let at = "1700000000000";
    let key = |author: &str, key: &str| json!({ "author": author, "key": key });
    let posts = json!([
        { "author": "1", "key": "a", "unixMs": at, "text": "a" },
        { "author": "2", "key": "b", "unixMs": at, "text": "b", "replyTo": key("1", "a") },
        { "author": "2", "key": "c", "unixMs": at, "repostOf": key("1", "a") },
        { "author": "1", "key": "a", "unixMs": at, "text": "again" },
        { "author": "0", "key": "d", "unixMs": at, "text": "d" },
        { "author": "1", "key": "e", "text": "e" },
        { "author": "1", "key": "", "unixMs": at, "text": "f" },
        { "author": "1", "key": "g", "unixMs": at },
        { "author": "1", "key": "h", "unixMs": at, "text": "h", "replyTo": key("1", "none") },
        { "author": "1", "key": "i", "unixMs": at, "text": "长".repeat(5_001) },
        { "author": "1", "key": "j", "unixMs": at, "text": "j", "replyTo": { "author": "1" } },
    ]);
    let body = json!({ "job": "j", "nextPosition": "11", "posts": posts });
    let answer = operate(&server, "ImportPosts", body.clone()).await.json();
    assert_eq!(
        [&answer["accepted"], &answer["alreadyThere"], &answer["refused"], &answer["position"]],
        [&json!(3), &json!(1), &json!(7), &json!("11")],
        "{answer}"
    );
    let outcomes = answer["outcomes"].as_array().unwrap();
    assert_eq!(outcomes[3]["postId"], outcomes[0]["postId"]);
    let errors: Vec<_> = outcomes[4..]
        .iter()
        .map(|outcome| {
            let error = &outcome["error"];
            (error["reason"].as_str().unwrap(), error["field"].as_str().unwrap_or_default())
        })
        .collect();
    let expected = [
        ("MISSING_FIELD", "author"),
        ("TIME_OUT_OF_RANGE", ""),
        ("MISSING_FIELD", "key"),
        ("MISSING_FIELD", "text"),
        ("POST_NOT_FOUND", ""),
        ("TEXT_TOO_LONG", ""),
        ("MISSING_FIELD", "reply_to"),
    ];
    assert_eq!(errors, expected);
    assert_eq!(outcomes[9]["error"]["limit"], 5_000);
    let (code, info) = operate(&server, "ImportPosts", body).await.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("aborted", "IMPORT_POSITION_MISMATCH"));
    let stands = operate(&server, "GetImportJob", json!({ "job": "j" })).await.json();
    assert_eq!(stands["position"], "11");

    let mine =
        call(&server, "PostService/ListAuthorPosts", json!({ "author": "2", "filter": "ALL" })).await.json();
    assert_eq!(
        ids(&mine["posts"]),
        [outcomes[2]["postId"].as_str().unwrap(), outcomes[1]["postId"].as_str().unwrap()]
    );
    assert_eq!(mine["posts"][0]["post"]["createTime"], "2023-11-14T22:13:20Z");
    assert!(mine["posts"][0]["post"].get("seq").is_none(), "an imported post is never new");
    let many = vec![json!({ "author": "1" }); 1_001];
    let large = operate(&server, "ImportPosts", json!({ "posts": many })).await.error().1;
    assert_eq!((large.reason.as_str(), large.metadata["limit"].as_str()), ("BATCH_TOO_LARGE", "1000"));
    let back = json!({ "job": "j", "position": "11", "nextPosition": "5" });
    assert_eq!(operate(&server, "ImportPosts", back).await.reason(), "INVALID_FIELD");
}

#[tokio::test]
async fn posts_and_likes_of_an_export_are_taken_and_refused_by_field() {
    let server = Server::open().await;
    let at = "1700000000000";
    let id = (1_700_000_000_000_u64 - 946_684_800_000) << 22 | 5 << 8 | 1;
    let posts = json!([
        { "author": "1", "key": "a", "unixMs": at, "text": "a", "postId": id.to_string() },
        { "author": "1", "key": "b", "unixMs": at, "deleted": true },
        { "author": "1", "key": "c", "unixMs": at, "deleted": true, "text": "c" },
        { "author": "2", "key": "d", "unixMs": at, "text": "d", "postId": (id + 256).to_string() },
        { "author": "1", "key": "e", "unixMs": at, "text": "e", "postId": u64::MAX.to_string() },
    ]);
    let answer = operate(&server, "ImportPosts", json!({ "posts": posts })).await.json();
    assert_eq!((&answer["accepted"], &answer["refused"]), (&json!(2), &json!(3)), "{answer}");
    assert_eq!(answer["outcomes"][0]["postId"], id.to_string());
    let field = |n: usize| answer["outcomes"][n]["error"]["field"].clone();
    assert_eq!([field(2), field(3)], ["text", "post_id"]);
    assert_eq!(answer["outcomes"][4]["error"]["reason"], "POST_ID_OUT_OF_RANGE");
    let gone = answer["outcomes"][1]["postId"].clone();
    let restore = json!({ "author": "1", "postId": gone });
    assert_eq!(call(&server, "PostService/RestorePost", restore).await.reason(), "POST_DELETED");

    let like = |user: &str, key: &str| json!({ "user": user, "author": "1", "key": key, "unixMs": at });
    let late = json!({ "user": "3", "author": "1", "key": "a", "unixMs": u64::MAX.to_string() });
    let likes =
        json!([like("2", "a"), like("2", "b"), like("0", "a"), like("2", "none"), late, like("2", "a")]);
    let body = json!({ "job": "likes", "nextPosition": "6", "likes": likes });
    let answer = operate(&server, "ImportLikes", body.clone()).await.json();
    let counted = ["accepted", "alreadyThere", "refused"].map(|field| answer[field].as_u64().unwrap());
    assert_eq!((counted, &answer["position"]), ([2, 1, 3], &json!("6")), "{answer}");
    let errors = [2, 3, 4].map(|n| answer["outcomes"][n]["error"]["reason"].clone());
    assert_eq!(errors, ["MISSING_FIELD", "POST_NOT_FOUND", "TIME_OUT_OF_RANGE"], "{answer}");
    assert_eq!(operate(&server, "ImportLikes", body).await.reason(), "IMPORT_POSITION_MISMATCH");
    let listed = call(&server, "PostService/ListLikers", json!({ "postId": id.to_string() })).await.json();
    assert_eq!(listed["users"][0]["uid"], "2", "{listed}");
    assert!(listed.to_string().contains("2023-11-14T22:13:20Z"), "the time is lost: {listed}");
}

#[tokio::test]
async fn watch_tells_of_posts_and_likes() {
    let server = Server::open().await;
    let start = call(&server, "RelationService/Mute", json!({ "subject": "9", "object": "8" })).await.json();
    let post: u64 = write(&server, json!({ "author": "1", "text": "a" })).await.parse().unwrap();
    let change = |method: &'static str, body: Value| {
        let mut body = body;
        body["postId"] = json!(post.to_string());
        let server = &server;
        async move { call(server, &format!("PostService/{method}"), body).await.json() }
    };
    change("LikePost", json!({ "uid": "2" })).await;
    change("UpdatePost", json!({ "author": "1", "text": "b" })).await;
    change("UpdatePost", json!({ "author": "1", "visibility": "FRIENDS" })).await;
    change("UpdatePost", json!({ "author": "1", "visibility": "FOLLOWERS" })).await;
    change("UnlikePost", json!({ "uid": "2" })).await;
    change("DeletePost", json!({ "author": "1" })).await;
    change("RestorePost", json!({ "author": "1" })).await;
    let kinds = [
        (1, 0, Kind::POST_CREATED),
        (2, 1, Kind::LIKED),
        (1, 0, Kind::POST_EDITED),
        (1, 0, Kind::POST_NARROWED),
        (1, 0, Kind::POST_WIDENED),
        (2, 1, Kind::UNLIKED),
        (1, 0, Kind::POST_DELETED),
        (1, 0, Kind::POST_RESTORED),
    ];
    let client = server.client(Wire::Http1);
    for uids in [Vec::new(), vec![1]] {
        let request = v1::WatchRequest { token: start["token"].as_str().unwrap().to_owned(), uids };
        let mut stream = client.relation_streams().watch(request).await.unwrap();
        let answer = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
        let events: Vec<_> = answer
            .events
            .iter()
            .map(|event| {
                assert_eq!((event.post_id, event.cause.to_i32()), (post, 0));
                (event.subject, event.object, event.kind.as_known().unwrap())
            })
            .collect();
        assert_eq!(events, kinds, "one's likes concern the author, too");
    }
}

#[tokio::test]
async fn watch_tells_whose_posts_change_and_what_they_answer_repost_or_quote() {
    let server = Server::open().await;
    let start = call(&server, "RelationService/Mute", json!({ "subject": "9", "object": "8" })).await.json();
    let number = |id: String| id.parse::<u64>().unwrap();
    let original = write(&server, json!({ "author": "1", "text": "a" })).await;
    let reply = write(&server, json!({ "author": "2", "text": "b", "replyTo": original })).await;
    let repost = write(&server, json!({ "author": "3", "repostOf": original })).await;
    let quote = write(&server, json!({ "author": "4", "text": "c", "repostOf": reply })).await;
    call(&server, "PostService/LikePost", json!({ "uid": "5", "postId": reply })).await.json();
    call(&server, "PostService/DeletePost", json!({ "author": "3", "postId": repost })).await.json();
    call(&server, "UserService/PurgePost", json!({ "author": "2", "postId": reply })).await.json();
    let [original, reply, repost, quote] = [original, reply, repost, quote].map(number);

    let request = v1::WatchRequest { token: start["token"].as_str().unwrap().to_owned(), uids: Vec::new() };
    let mut stream = server.client(Wire::Grpc).relation_streams().watch(request).await.unwrap();
    let answer = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    let told = |event: &v1::Event| {
        let about = (event.post_id, event.author);
        (event.kind.as_known().unwrap(), about, event.reply_to, event.repost_of, event.original_author)
    };
    let told: Vec<_> = answer.events.iter().map(told).collect();
    let expected = [
        (Kind::POST_CREATED, (original, 1), 0, 0, 0),
        (Kind::POST_CREATED, (reply, 2), original, 0, 1),
        (Kind::POST_CREATED, (repost, 3), 0, original, 1),
        (Kind::POST_CREATED, (quote, 4), 0, reply, 2),
        (Kind::LIKED, (reply, 2), 0, 0, 0),
        (Kind::POST_DELETED, (repost, 3), 0, original, 1),
    ];
    assert_eq!(told[..6], expected);
    assert!(told[6..].contains(&(Kind::POST_PURGED, (reply, 2), original, 0, 1)), "{told:?}");
}
