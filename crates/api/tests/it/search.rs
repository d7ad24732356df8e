//! Searching over the API: what the wire makes of it, and who is told what.

use std::future::pending;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use guanxi_model::{HistoryId, ManualClock, Position, PostId, Result, Scope};
use guanxi_ports::{BoxFuture, FoundPosts, PostAsk, PostSearch, SearchIndex};
use serde_json::{Value, json};

use crate::http::{Answer, post_as, send};
use crate::server::{START_MS, Server, Setup};

const SEARCH: &str = "/guanxi.v1.SearchService/SearchPosts";

struct World {
    server: Server,
    clock: Arc<ManualClock>,
    /// A service with every scope.
    service: String,
}

impl World {
    async fn start() -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let setup = Setup { auth: true, clock: clock.clone(), ..Setup::default() };
        let server = Server::start(setup).await;
        let service = server.service(&Scope::ALL).await;
        Self { server, clock, service }
    }

    /// Writes a post, and answers its id.
    async fn write(&self, post: Value) -> String {
        let path = "/guanxi.v1.PostService/CreatePost";
        let answer = post_as(self.server.main, &self.service, path, &post.to_string()).await;
        answer.json()["postId"].as_str().expect("the post was written").to_owned()
    }

    async fn ask(&self, token: &str, request: &Value) -> Answer {
        post_as(self.server.main, token, SEARCH, &request.to_string()).await
    }

    /// What the service finds, by ids.
    async fn found(&self, request: Value) -> Vec<String> {
        let answer = self.ask(&self.service, &request).await;
        assert_eq!(answer.status, 200, "{request}: {}", answer.text());
        ids(&answer.json())
    }
}

fn ids(answer: &Value) -> Vec<String> {
    let posts = answer["posts"].as_array().into_iter().flatten();
    posts.map(|found| found["post"]["postId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn posts_are_found_with_their_counters_and_what_was_asked_for_is_marked() {
    let world = World::start().await;
    let first = world.write(json!({ "author": "1", "text": "Grüner Tee, 绿茶" })).await;
    world.write(json!({ "author": "2", "text": "coffee" })).await;
    let reply = world.write(json!({ "author": "2", "text": "tee!", "replyTo": first })).await;
    let answer = world.ask(&world.service, &json!({ "query": "tee" })).await.json();
    assert_eq!(ids(&answer), [reply.clone(), first.clone()], "newest first");
    let found = &answer["posts"][1];
    assert_eq!(found["highlights"], json!([{ "start": 7, "end": 10 }]));
    let post = &found["post"];
    assert_eq!((&post["status"], &post["replies"]), (&json!("OK"), &json!(1)));
    assert_eq!(post["post"]["text"], "Grüner Tee, 绿茶");
    assert_eq!((&answer["token"], &answer["nextPageToken"]), (&answer["asOf"], &Value::Null));
    let han = world.ask(&world.service, &json!({ "query": "綠茶" })).await.json();
    assert_eq!(han["posts"][0]["highlights"], json!([{ "start": 12, "end": 14 }]), "in code points");

    let kinds = [("ALL", vec![&reply, &first]), ("POSTS", vec![&first]), ("REPLIES", vec![&reply])];
    for (kind, ids) in kinds {
        let found = world.found(json!({ "query": "tee", "kind": kind })).await;
        assert!(found.iter().eq(ids), "{kind}: {found:?}");
    }
    assert_eq!(world.found(json!({ "query": "tee", "author": "1" })).await, from_ref(&first));
    let token = answer["token"].clone();
    assert_eq!(world.found(json!({ "query": "tee -绿茶", "token": token })).await, [reply]);
}

#[tokio::test]
async fn times_bound_a_search_to_the_millisecond() {
    let world = World::start().await;
    let mut posts = Vec::new();
    for text in ["tea 0", "tea 1", "tea 2"] {
        posts.push(world.write(json!({ "author": "1", "text": text })).await);
        world.clock.advance(1_000);
    }
    let of = |nth: usize| {
        let ms = PostId::new(posts[nth].parse().unwrap()).unwrap().ms();
        json!({ "at": time(ms), "before": time(ms - 1), "after": time(ms + 1) })
    };
    let found = async |field: &str, time: &Value| world.found(json!({ "query": "tea", field: time })).await;
    let (newest, middle) = (&posts[2], &posts[1]);
    assert_eq!(found("fromTime", &of(1)["at"]).await, [newest.clone(), middle.clone()]);
    assert_eq!(found("fromTime", &of(1)["after"]).await, from_ref(newest));
    assert_eq!(found("untilTime", &of(1)["at"]).await, from_ref(&posts[0]));
    assert_eq!(found("untilTime", &of(1)["after"]).await, [middle.clone(), posts[0].clone()]);
    for (field, time, ids) in [
        ("fromTime", "0001-01-01T00:00:00Z", 3),
        ("untilTime", "0001-01-01T00:00:00Z", 0),
        ("fromTime", "9999-12-31T23:59:59Z", 0),
        ("untilTime", "9999-12-31T23:59:59Z", 3),
    ] {
        assert_eq!(found(field, &json!(time)).await.len(), ids, "{field} {time}");
    }
}

/// A time as JSON has it.
fn time(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 2025-06-01, where the clock of the tests begins.
    let day = days - 20_240 + 1;
    assert!((1..=30).contains(&day), "{day}");
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("2025-06-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1_000)
}

#[tokio::test]
async fn a_token_goes_on_in_its_own_search_alone() {
    let world = World::start().await;
    let mut posts = Vec::new();
    for text in ["a tea", "b tea", "c tea", "d tea", "e tea"] {
        posts.push(world.write(json!({ "author": "1", "text": text })).await);
    }
    posts.reverse();
    let (mut walked, mut next) = (Vec::new(), String::new());
    let mut pages = 0;
    loop {
        let asked = json!({ "query": "tea", "pageSize": 2, "pageToken": next });
        let answer = world.ask(&world.service, &asked).await.json();
        walked.extend(ids(&answer));
        pages += 1;
        match answer["nextPageToken"].as_str() {
            Some(token) => token.clone_into(&mut next),
            None => break,
        }
    }
    assert_eq!((walked, pages), (posts, 3));
    let stale = [
        json!({ "query": "teas" }),
        json!({ "query": "tea", "kind": "POSTS" }),
        json!({ "query": "tea", "author": "1" }),
        json!({ "query": "tea", "viewer": "1" }),
        json!({ "query": "tea", "fromTime": "2025-01-01T00:00:00Z" }),
        json!({ "query": "tea", "untilTime": "2027-01-01T00:00:00Z" }),
    ];
    for mut request in stale {
        request["pageToken"] = json!(next);
        assert_eq!(world.ask(&world.service, &request).await.reason(), "STALE_CURSOR", "{request}");
    }
    let reader = world.server.user(1).await;
    let own = json!({ "query": "tea", "pageToken": next });
    assert_eq!(world.ask(&reader, &own).await.reason(), "STALE_CURSOR", "another reader");
}

#[tokio::test]
async fn who_searches_finds_what_it_may_see() {
    let world = World::start().await;
    let public = world.write(json!({ "author": "1", "text": "tea" })).await;
    let friends = world.write(json!({ "author": "1", "text": "tea", "visibility": "FRIENDS" })).await;
    let (author, reader) = (world.server.user(1).await, world.server.user(2).await);
    let of = async |token: &str, request: Value| {
        let answer = world.ask(token, &request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        ids(&answer.json())
    };
    let all = json!({ "query": "tea" });
    assert_eq!(of(&author, all.clone()).await, [friends.clone(), public.clone()]);
    assert_eq!(of(&reader, all.clone()).await, from_ref(&public));
    assert_eq!(world.found(all.clone()).await, from_ref(&public), "nobody in particular");
    assert_eq!(world.found(json!({ "query": "tea", "viewer": "1" })).await, [friends, public]);
    let other = json!({ "query": "tea", "viewer": "1" });
    assert_eq!(world.ask(&reader, &other).await.reason(), "PERMISSION_DENIED");
    let block = json!({ "subject": "1", "object": "2" }).to_string();
    let path = "/guanxi.v1.RelationService/Block";
    assert_eq!(post_as(world.server.main, &author, path, &block).await.status, 200);
    assert_eq!(of(&reader, all).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_bad_search_says_what_is_wrong_and_where() {
    let world = World::start().await;
    let refused = async |request: Value| {
        let answer = world.ask(&world.service, &request).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        answer.error().1
    };
    let bad = refused(json!({ "query": "tea -" })).await;
    assert_eq!(bad.reason, "BAD_QUERY");
    let told = |name: &str| bad.metadata[name].as_str();
    assert_eq!((told("position"), told("expected")), ("4", "a_word_behind_minus"));
    let long = "x".repeat(257);
    for (request, reason) in [
        (json!({}), "MISSING_FIELD"),
        (json!({ "query": long }), "BAD_QUERY"),
        (json!({ "query": "tea", "pageSize": 201 }), "PAGE_TOO_LARGE"),
        (json!({ "query": "tea", "pageSize": -1 }), "PAGE_TOO_LARGE"),
        (json!({ "query": "tea", "pageToken": "x" }), "STALE_CURSOR"),
        (json!({ "query": "tea", "token": "x" }), "INVALID_TOKEN"),
    ] {
        assert_eq!(refused(request.clone()).await.reason, reason, "{request}");
    }
}

/// An index that never comes to any position.
struct Late;

impl PostSearch for Late {
    fn search<'a>(&'a self, _: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(pending())
    }
}

impl SearchIndex for Late {
    fn as_of(&self) -> Result<Position> {
        Ok(Position::one(HistoryId(7), 0))
    }

    fn wait<'a>(&'a self, _: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(pending())
    }
}

/// Whoever waits for a late index is told before its own deadline, so that it knows when to come back.
#[tokio::test]
async fn an_index_that_is_late_says_so_before_the_deadline() {
    let setup = Setup { index: Some(Arc::new(Late)), ..Setup::default() };
    let server = Server::start(setup).await;
    let path = "/guanxi.v1.PostService/CreatePost";
    let written = post_as(server.main, "", path, r#"{"author":"1","text":"tea"}"#).await.json();
    let asked = json!({ "query": "tea", "token": written["token"] }).to_string();
    let headers = [("content-type", "application/json"), ("connect-timeout-ms", "400")];
    let begun = Instant::now();
    let answer = send(server.main, "POST", SEARCH, &headers, asked.as_bytes()).await;
    assert_eq!((answer.status, answer.reason().as_str()), (503, "SEARCH_BEHIND"), "{}", answer.text());
    assert!(begun.elapsed() >= Duration::from_millis(100), "it waits for as long as it can");
}
