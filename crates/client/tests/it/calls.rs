//! Calls: lost answers, refusals, and what a client has seen.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use guanxi_api::{Budgets, RateLimits};
use guanxi_client::v1;
use guanxi_client::{ApiClient, ApiOptions, POSITIONS_MAX};
use guanxi_model::{HistoryId, Position};
use guanxi_ports::{BoxFuture, FoundPosts, PostAsk, PostSearch, SearchIndex};
use guanxi_testkit::{Server, Setup};

use crate::proxy::Proxy;
use crate::{client, surroundings};

fn follow(subject: u64, object: u64) -> v1::FollowRequest {
    v1::FollowRequest { subject, object, ..Default::default() }
}

fn counts(uid: u64) -> v1::GetCountsRequest {
    v1::GetCountsRequest { uid, ..Default::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_is_lost_happens_once_and_is_answered_as_it_was() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let client = client(proxy.address);
    proxy.lose(3);
    let followed = client.call(follow(1, 2)).await.unwrap();
    assert_eq!(followed.changed, Some(true), "the first answer, once more");
    proxy.lose(2);
    let post = v1::CreatePostRequest { author: 2, text: "once".into(), ..Default::default() };
    client.call(post).await.unwrap();
    let request = v1::ListAuthorPostsRequest { author: 2, ..Default::default() };
    assert_eq!(client.call(request).await.unwrap().posts.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_repeated_safely_is_not() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let client = client(proxy.address);
    proxy.lose(1);
    let request =
        v1::LoginRequest { login_name: "nobody".into(), password: "x".into(), ..Default::default() };
    let error = client.call(request).await.unwrap_err();
    assert!(error.is_unavailable() && error.reason.is_empty(), "{error:?}");
    // Reads are repeated as often as the policy says, and no more often.
    proxy.lose(100);
    assert!(client.call(counts(1)).await.unwrap_err().is_unavailable());
    proxy.lose(0);
    let error = client.call(follow(1, 1)).await.unwrap_err();
    assert_eq!((&*error.reason, error.is_refusal()), ("SELF", false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_waited_out_for_as_long_as_the_server_says() {
    let limits = RateLimits { writes_per_minute: 60, ..RateLimits::NONE };
    let rates = Arc::new(Budgets::new(limits));
    let server = Server::start(Setup { auth: true, rates, ..Setup::default() }).await;
    let mute = |object| v1::MuteRequest { subject: 1, object, ..Default::default() };
    let token = server.user(1).await;
    let patient = client(server.main).with_token(&token);
    let mut impatient = ApiOptions::new(format!("http://{}", server.main));
    impatient.retry.longest_pause = Duration::from_millis(10);
    let impatient = ApiClient::new(&impatient, surroundings()).unwrap().with_token(&token);
    let mut told = None;
    for object in 2..70 {
        told = told.or(impatient.call(mute(object)).await.err());
    }
    let told = told.expect("the budget is spent");
    assert!(told.reason == "RATE_LIMITED" && told.retry_after.is_some(), "{told:?}");
    let begun = std::time::Instant::now();
    assert_eq!(patient.call(mute(100)).await.unwrap().changed, Some(true));
    assert!(begun.elapsed() > Duration::from_millis(200), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_wait_for_what_the_client_or_another_one_has_seen() {
    let server = Server::open().await;
    let (writer, reader) = (client(server.main), client(server.main));
    writer.call(follow(1, 2)).await.unwrap();
    assert!(!writer.position().is_empty());
    assert_eq!(reader.position(), "");
    // A position that the store has not reached: the read waits until it has.
    reader.take_in(&Position::one(HistoryId(7), 2).to_token());
    let read = tokio::spawn({
        let reader = reader.clone();
        async move { reader.call(counts(1)).await.unwrap().counts.following }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!read.is_finished(), "it asks with what it was given");
    writer.call(follow(1, 3)).await.unwrap();
    assert_eq!(read.await.unwrap(), Some(2));
    assert_eq!(reader.position().split('.').count(), 1, "one token again");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writes_without_a_read_leave_few_tokens_and_a_restored_server_none() {
    let server = Server::open().await;
    let client = client(server.main);
    for object in 2..60 {
        client.call(follow(1, object)).await.unwrap();
        assert!(client.position().split('.').count() < POSITIONS_MAX);
    }
    client.take_in(&Position::one(HistoryId(8), 1).to_token());
    assert_eq!(client.call(counts(1)).await.unwrap().counts.following, Some(58));
    assert_eq!(client.position().split('.').count(), 1, "what is of another history is dropped");
    let token = Position::one(HistoryId(8), 1).to_token();
    let own = v1::GetCountsRequest { uid: 1, token };
    let error = client.call(own).await.unwrap_err();
    assert_eq!(error.reason, "TOKEN_FROM_OTHER_HISTORY", "the caller's own mistake");
}

/// An index without posts that comes to a position when it is told to wait for it, and counts how often.
struct Waiting {
    waits: AtomicUsize,
    as_of: Mutex<Position>,
}

impl SearchIndex for Waiting {
    fn as_of(&self) -> guanxi_model::Result<Position> {
        Ok(self.as_of.lock().unwrap().clone())
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, guanxi_model::Result<()>> {
        self.waits.fetch_add(1, Ordering::Relaxed);
        *self.as_of.lock().unwrap() = at_least.clone();
        Box::pin(std::future::ready(Ok(())))
    }
}

impl PostSearch for Waiting {
    fn search<'a>(&'a self, _: PostAsk<'a>) -> BoxFuture<'a, guanxi_model::Result<FoundPosts>> {
        let found = self.as_of().map(|as_of| FoundPosts { ids: Vec::new(), next: None, looked: 0, as_of });
        Box::pin(std::future::ready(found))
    }
}

/// A search waits for the index once for what the client has written, and never for what it has only read.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_waits_once_for_what_the_client_has_written() {
    let as_of = Mutex::new(Position::one(HistoryId(7), 0));
    let index = Arc::new(Waiting { waits: AtomicUsize::new(0), as_of });
    let server = Server::start(Setup { index: Some(index.clone()), ..Setup::default() }).await;
    let (client, other) = (client(server.main), client(server.main));
    let search = || v1::SearchPostsRequest { query: "tea".into(), ..Default::default() };
    let waits = || index.waits.load(Ordering::Relaxed);
    other.call(follow(3, 4)).await.unwrap();
    client.call(counts(3)).await.unwrap();
    client.call(search()).await.unwrap();
    assert_eq!(waits(), 0, "nothing was written, and what was read is nothing to wait for");
    let post = v1::CreatePostRequest { author: 1, text: "tea".into(), ..Default::default() };
    client.call(post).await.unwrap();
    client.call(search()).await.unwrap();
    assert_eq!(waits(), 1);
    other.call(follow(3, 5)).await.unwrap();
    client.call(counts(3)).await.unwrap();
    client.call(search()).await.unwrap();
    assert_eq!(waits(), 1, "the answer before had it");
    let written = client.call(follow(1, 2)).await.unwrap();
    let given = v1::SearchPostsRequest { token: written.token, ..search() };
    client.call(given).await.unwrap();
    client.call(search()).await.unwrap();
    assert_eq!(waits(), 2, "a token that the caller gives is the same one");
}
