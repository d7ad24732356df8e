//! Searching over the API: what the wire makes of it, and who is told what.

use std::future::pending;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use guanxi_model::{HistoryId, ManualClock, Position, PostId, Result, Scope};
use guanxi_ports::{BoxFuture, FoundPosts, PostAsk, PostSearch, SearchIndex};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post_as, send};

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
        let service = server.service(&Scope::FOR_USERS).await;
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

/// A caller that waits for a late index is told before its own deadline, so that it knows when to come back.
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

const USERS: &str = "/guanxi.v1.SearchService/SearchUsers";
const SUGGEST: &str = "/guanxi.v1.SearchService/Suggest";

impl World {
    /// Users with nicknames, whom a service has named.
    async fn named(names: &[(u64, &str)]) -> Self {
        let world = Self::start().await;
        for (uid, nickname) in names {
            let update = json!({ "uid": uid.to_string(), "nickname": nickname, "updateMask": "nickname" });
            let path = "/guanxi.v1.UserService/UpdateUser";
            let answer = post_as(world.server.main, &world.service, path, &update.to_string()).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        world
    }

    /// Whom a caller finds, by uids.
    async fn people(&self, token: &str, path: &str, request: Value) -> (Vec<String>, Value) {
        let answer = post_as(self.server.main, token, path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{request}: {}", answer.text());
        let answer = answer.json();
        let users = answer["users"].as_array().into_iter().flatten();
        (users.map(|found| found["user"]["uid"].as_str().unwrap().to_owned()).collect(), answer)
    }
}

#[tokio::test]
async fn users_are_found_by_what_they_are_called_with_the_relation() {
    let world = World::named(&[(1, "Ann"), (2, "Anna Smith"), (3, "王小明"), (4, "Zoë")]).await;
    let reader = world.server.user(9).await;
    let follow = json!({ "subject": "9", "object": "2" }).to_string();
    let path = "/guanxi.v1.RelationService/Follow";
    assert_eq!(post_as(world.server.main, &reader, path, &follow).await.status, 200);
    let (found, answer) = world.people(&reader, USERS, json!({ "query": "ann" })).await;
    assert_eq!(found, ["1", "2"], "exactly so, then so begun");
    let second = &answer["users"][1];
    assert_eq!(second["user"]["nickname"], "Anna Smith");
    assert_eq!((&second["relation"]["state"], &second["knownFollowers"]), (&json!("FOLLOWING"), &json!(0)));
    assert_eq!((&answer["token"], &answer["nextPageToken"]), (&answer["asOf"], &Value::Null));
    for (query, uid) in [("zoe", "4"), ("wangxiao", "3"), ("wxm", "3"), ("小明", "3"), ("smiht", "2")] {
        assert_eq!(world.people(&reader, USERS, json!({ "query": query })).await.0, [uid], "{query}");
        assert_eq!(world.people(&reader, SUGGEST, json!({ "query": query })).await.0, [uid], "{query}");
    }
    let (first, _) = world.people(&reader, SUGGEST, json!({ "query": "a", "pageSize": 1 })).await;
    assert_eq!(first, ["2"], "whom one follows comes first");
    let (served, answer) = world.people(&world.service, USERS, json!({ "query": "ann" })).await;
    assert_eq!((served.len(), &answer["users"][0]["relation"]), (2, &Value::Null));
    let block = json!({ "subject": "1", "object": "9" }).to_string();
    let path = "/guanxi.v1.RelationService/Block";
    assert_eq!(post_as(world.server.main, &world.service, path, &block).await.status, 200);
    assert_eq!(world.people(&reader, USERS, json!({ "query": "ann" })).await.0, ["2"]);
}

#[tokio::test]
async fn ranked_pages_go_on_for_their_reader_and_their_time() {
    let names: Vec<(u64, String)> = (1..=5).map(|uid| (uid, format!("Ann {uid}"))).collect();
    let names: Vec<(u64, &str)> = names.iter().map(|(uid, name)| (*uid, name.as_str())).collect();
    let world = World::named(&names).await;
    let mut posts = Vec::new();
    for text in ["a tea", "b tea", "c tea"] {
        posts.push(world.write(json!({ "author": "1", "text": text })).await);
    }
    let asks = [
        (USERS, json!({ "query": "ann", "pageSize": 2 }), 5),
        (SEARCH, json!({ "query": "tea", "pageSize": 2, "order": "RELEVANCE" }), 3),
    ];
    let reader = world.server.user(9).await;
    for (path, request, all) in asks {
        let ask = async |token: &str, request: &Value| {
            post_as(world.server.main, token, path, &request.to_string()).await
        };
        let (mut found, mut request, mut tokens) = (Vec::new(), request, Vec::new());
        loop {
            let answer = ask(&world.service, &request).await.json();
            let kind = if path == USERS { "users" } else { "posts" };
            found.extend(answer[kind].as_array().unwrap().iter().map(ToString::to_string));
            request["pageToken"] = answer["nextPageToken"].clone();
            if request["pageToken"].is_null() {
                break;
            }
            tokens.push(request["pageToken"].clone());
        }
        found.sort();
        found.dedup();
        assert_eq!(found.len(), all, "{path}: {found:?}");
        request["pageToken"] = tokens[0].clone();
        assert_eq!(ask(&world.service, &request).await.status, 200, "again");
        assert_eq!(ask(&reader, &request).await.reason(), "STALE_CURSOR", "another reader");
        let mut other = request.clone();
        other["viewer"] = json!("1");
        assert_eq!(ask(&world.service, &other).await.reason(), "STALE_CURSOR", "another search");
        world.clock.advance(10 * 60 * 1_000);
        assert_eq!(ask(&world.service, &request).await.reason(), "STALE_CURSOR", "its time is over");
    }
}

#[tokio::test]
async fn a_bad_search_for_users_is_refused() {
    let world = World::start().await;
    for (path, request, reason) in [
        (USERS, json!({}), "MISSING_FIELD"),
        (USERS, json!({ "query": "!" }), "BAD_QUERY"),
        (USERS, json!({ "query": "a", "pageSize": 51 }), "PAGE_TOO_LARGE"),
        (USERS, json!({ "query": "a", "pageToken": "x" }), "STALE_CURSOR"),
        (SUGGEST, json!({}), "MISSING_FIELD"),
        (SUGGEST, json!({ "query": "a", "pageSize": 21 }), "PAGE_TOO_LARGE"),
    ] {
        let answer = post_as(world.server.main, &world.service, path, &request.to_string()).await;
        assert_eq!(answer.reason(), reason, "{path} {request}");
    }
}
