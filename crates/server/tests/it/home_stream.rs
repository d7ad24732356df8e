//! StreamHomeTimeline: at once, resumable, and never beyond what the viewer may see.

use std::time::Duration;

use crate::posts::{call, follow, write};
use guanxi_proto::{ErrorCode, Wire, v1};
use guanxi_testkit::Server;
use serde_json::json;

fn from(token: &str) -> v1::StreamHomeTimelineRequest {
    v1::StreamHomeTimelineRequest { viewer: 1, token: token.to_owned() }
}

/// The next answer of a stream.
macro_rules! next {
    ($stream:expr) => {{
        let next = tokio::time::timeout(crate::PATIENCE, $stream.message::<v1::HomeNews>());
        next.await.expect("an answer comes").unwrap().unwrap().to_owned_message()
    }};
}

async fn posted(server: &Server, author: &str) -> u64 {
    write(server, json!({ "author": author, "text": "a" })).await.parse().unwrap()
}

#[tokio::test]
async fn a_listener_is_told_at_once_woken_by_a_post_and_goes_on_where_it_was() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    posted(&server, "2").await;
    for wire in [Wire::Http1, Wire::Http2, Wire::Grpc] {
        let client = server.client(wire);
        let mut stream = client.feed_streams().stream_home_timeline(from("")).await.unwrap();
        let greeting = next!(stream);
        assert!(greeting.post_ids.is_empty() && !greeting.reset && !greeting.token.is_empty());
        posted(&server, "3").await;
        let first = posted(&server, "2").await;
        let told = next!(stream);
        assert_eq!((told.post_ids, told.reset), (vec![first], false), "{wire:?}");
        drop(stream);
        let (second, _own) = (posted(&server, "2").await, posted(&server, "1").await);
        let mut stream = client.feed_streams().stream_home_timeline(from(&told.token)).await.unwrap();
        let told = next!(stream);
        assert_eq!(told.post_ids, [second], "what others wrote meanwhile is the first answer");
        let third = posted(&server, "2").await;
        assert_eq!(next!(stream).post_ids, [third], "and nothing comes twice");
    }
}

#[tokio::test]
async fn a_block_ends_visibility_at_once() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    follow(&server, "1", "3").await;
    let client = server.client(Wire::Http1);
    let mut stream = client.feed_streams().stream_home_timeline(from("")).await.unwrap();
    let greeting = next!(stream);
    call(&server, "RelationService/Block", json!({ "subject": "2", "object": "1" })).await.json();
    posted(&server, "2").await;
    let reset = next!(stream);
    assert!(reset.reset && reset.post_ids.is_empty());
    posted(&server, "2").await;
    let seen = posted(&server, "3").await;
    assert_eq!(next!(stream).post_ids, [seen], "nothing of the blocker comes any more");
    let mut resumed = client.feed_streams().stream_home_timeline(from(&greeting.token)).await.unwrap();
    let first = next!(resumed);
    assert!(first.reset && first.post_ids.is_empty(), "nor by an old token");
}

#[tokio::test]
async fn changes_below_the_newest_are_a_reset() {
    let server = Server::open().await;
    follow(&server, "1", "2").await;
    let post = write(&server, json!({ "author": "2", "text": "a" })).await;
    let client = server.client(Wire::Http1);
    let mut stream = client.feed_streams().stream_home_timeline(from("")).await.unwrap();
    assert!(!next!(stream).reset);
    let change = json!({ "author": "2", "postId": post });
    for method in ["DeletePost", "RestorePost"] {
        call(&server, &format!("PostService/{method}"), change.clone()).await.json();
        assert!(next!(stream).reset, "{method}");
    }
    let narrow = json!({ "author": "2", "postId": post, "visibility": "FRIENDS" });
    call(&server, "PostService/UpdatePost", narrow).await.json();
    assert!(next!(stream).reset);
    follow(&server, "1", "4").await;
    assert!(next!(stream).reset);
    call(&server, "RelationService/Mute", json!({ "subject": "1", "object": "2" })).await.json();
    assert!(next!(stream).reset);
    posted(&server, "2").await;
    let heard = posted(&server, "4").await;
    assert_eq!(next!(stream).post_ids, [heard], "the muted are not heard");
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_says_that_it_lives() {
    let server = Server::open().await;
    let client = server.client(Wire::Http1);
    let mut stream = client.feed_streams().stream_home_timeline(from("")).await.unwrap();
    let greeting = next!(stream);
    let started = tokio::time::Instant::now();
    let alive = stream.message::<v1::HomeNews>().await.unwrap().unwrap().to_owned_message();
    assert!(started.elapsed() >= guanxi_api::limits::HEARTBEAT);
    assert_eq!(alive, greeting);
}

#[tokio::test]
async fn a_stream_ends_with_a_reason_when_the_server_closes_and_leaves_nothing_behind() {
    let server = Server::open().await;
    let client = server.client(Wire::Http1);
    let mut stream = client.feed_streams().stream_home_timeline(from("")).await.unwrap();
    assert!(!next!(stream).reset);
    assert_eq!(server.load.calls_in_flight(), 1);
    server.load.close();
    let error = stream.message::<v1::HomeNews>().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable, "{error:?}");
    let gone = async {
        while server.load.calls_in_flight() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("the slot is given back");
}
