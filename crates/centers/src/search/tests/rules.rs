//! What a search promises beside its hits: errors, tokens, pages and budgets.

use super::world::World;
use crate::search::{SearchCenter, SearchFilter, SearchPage};
use guanxi_model::post::PostCommand;
use guanxi_model::{Error, HistoryId, Position, PostId, PostPage, Reason, Result, Uid};
use guanxi_ports::{BoxFuture, FoundPosts, Log as _, PostAsk, PostSearch, SearchIndex};
use guanxi_spec::conformance::{draft, u};
use guanxi_spec::memory::MemoryStore;
use std::future::{Future, pending, ready};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// An index that answers as of an earlier moment until it is told to go on, and fails when it is told to.
struct Late {
    store: Arc<MemoryStore>,
    as_of: Mutex<Result<Position>>,
    moved: Notify,
}

impl Late {
    fn new(store: Arc<MemoryStore>, as_of: Position) -> Arc<Self> {
        Arc::new(Self { store, as_of: Mutex::new(Ok(as_of)), moved: Notify::new() })
    }

    fn go_to(&self, as_of: Result<Position>) {
        *self.as_of.lock().unwrap() = as_of;
        self.moved.notify_waiters();
    }
}

impl PostSearch for Late {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(async move { Ok(FoundPosts { as_of: self.as_of()?, ..self.store.search(ask).await? }) })
    }
}

impl SearchIndex for Late {
    fn as_of(&self) -> Result<Position> {
        self.as_of.lock().unwrap().clone()
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            loop {
                let moved = self.moved.notified();
                if self.as_of()?.covers(at_least) {
                    return Ok(());
                }
                moved.await;
            }
        })
    }
}

async fn first_page(
    center: &SearchCenter,
    query: &str,
    at_least: Option<Position>,
    patience: impl Future<Output = ()> + Send,
) -> Result<SearchPage> {
    let page = PostPage { below: None, size: 3 };
    center.posts(query, Some(u(2)), SearchFilter::default(), page, at_least, patience).await
}

async fn post(world: &World, author: u64, text: &str) {
    assert!(world.write(PostCommand::Create(draft(author, text))).await);
}

#[tokio::test]
async fn a_search_with_a_token_waits_for_the_index_as_long_as_there_is_patience() {
    let world = World::new(1);
    let before = world.store.head().await.unwrap();
    post(&world, 1, "green tea").await;
    let after = world.store.head().await.unwrap();
    let index = Late::new(world.store.clone(), before.clone());
    let center = world.center(index.clone());
    let page = first_page(&center, "tea", None, pending()).await.unwrap();
    assert_eq!((&page.as_of, &page.position), (&before, &after), "without a token nobody waits");
    let page = first_page(&center, "tea", Some(before), ready(())).await.unwrap();
    assert_eq!(page.hits.len(), 1);

    let behind = first_page(&center, "tea", Some(after.clone()), ready(())).await.unwrap_err();
    assert_eq!(behind.reason, Reason::SearchBehind { retry_after_ms: 500 });
    let search = first_page(&center, "tea", Some(after.clone()), pending());
    let go_on = async {
        tokio::task::yield_now().await;
        index.go_to(Ok(after.clone()));
    };
    let (page, ()) = tokio::join!(search, go_on);
    assert_eq!(page.unwrap().as_of, after);

    let other = Position::one(HistoryId(77), 1);
    let refused = first_page(&center, "tea", Some(other), pending()).await.unwrap_err();
    assert_eq!(refused.reason, Reason::TokenFromOtherHistory);
}

#[tokio::test]
async fn what_is_wrong_is_said_before_and_while_the_index_is_asked() {
    let world = World::new(1);
    let head = world.store.head().await.unwrap();
    let index = Late::new(world.store.clone(), head);
    let center = world.center(index.clone());
    let wrong = first_page(&center, "tea \"", None, pending()).await.unwrap_err();
    assert_eq!(wrong.reason, Reason::BadQuery { position: 4, expected: "a_closing_quote" });
    index.go_to(Err(Error::new(Reason::SearchUnavailable { cause: "failed" })));
    let down = first_page(&center, "tea", None, pending()).await.unwrap_err();
    assert_eq!(down.reason, Reason::SearchUnavailable { cause: "failed" });
}

/// An index that proposes many posts that are not there, a few at a time or none at all.
struct Ghosts {
    as_of: Position,
    at_once: usize,
}

impl PostSearch for Ghosts {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        let top = ask.below.map_or(1_000_000, PostId::get);
        let ids = (1..=ask.max.min(self.at_once) as u64).map(|n| PostId::new(top - n).unwrap()).collect();
        let next = Some(PostId::new(top - self.at_once.min(ask.max).max(1) as u64).unwrap());
        Box::pin(ready(Ok(FoundPosts { ids, next, looked: 12_800, as_of: self.as_of.clone() })))
    }
}

impl SearchIndex for Ghosts {
    fn as_of(&self) -> Result<Position> {
        Ok(self.as_of.clone())
    }

    fn wait<'a>(&'a self, _at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }
}

#[tokio::test]
async fn a_page_ends_within_its_budget_and_says_where_to_go_on() {
    let world = World::new(1);
    let as_of = world.store.head().await.unwrap();
    for (at_once, scanned) in [(usize::MAX, 10_000), (7, 16 * 7 - 3), (0, 0)] {
        let center = world.center(Arc::new(Ghosts { as_of: as_of.clone(), at_once }));
        let page = first_page(&center, "tea", None, pending()).await.unwrap();
        // Each of up to 16 rounds had the index look at as many documents as cost 100 posts.
        let looks = page.scanned - scanned;
        assert!(looks.is_multiple_of(100) && (100..=1_600).contains(&looks), "{looks}");
        assert!(at_once > 7 || looks == 1_600, "{looks}");
        assert_eq!(page.hits.len(), 0);
        assert!(page.next.is_some_and(|next| next.0.get() < 1_000_000));
    }
}

#[tokio::test]
async fn an_answer_ends_where_it_would_be_too_large() {
    let world = World::new(1);
    let long = "\u{1}".repeat(4_990) + " tea";
    for _ in 0..150 {
        post(&world, 1, &long).await;
    }
    let center = world.center(world.store.clone());
    let (mut below, mut pages, mut hits): (_, _, Vec<PostId>) = (None, Vec::new(), Vec::new());
    loop {
        let page = PostPage { below, size: 200 };
        let viewer: Option<Uid> = None;
        let page = center.posts("tea", viewer, SearchFilter::default(), page, None, pending()).await.unwrap();
        pages.push(page.hits.len());
        hits.extend(page.hits.iter().map(|hit| hit.post.id()));
        let Some(next) = page.next else { break };
        below = Some(next.0);
    }
    assert_eq!((pages.len(), hits.len()), (2, 150), "{pages:?}");
    assert!(hits.is_sorted_by(|one, next| one > next));
}

/// One that is asked and has less than the one that was waited for: it was opened again, or another one answers in its place.
struct Behind {
    store: Arc<MemoryStore>,
    as_of: Position,
}

impl PostSearch for Behind {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(async move { Ok(FoundPosts { as_of: self.as_of.clone(), ..self.store.search(ask).await? }) })
    }
}

impl SearchIndex for Behind {
    fn as_of(&self) -> Result<Position> {
        self.store.as_of()
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        SearchIndex::wait(&*self.store, at_least)
    }
}

#[tokio::test]
async fn an_answer_that_lacks_what_was_waited_for_is_refused() {
    let world = World::new(2);
    post(&world, 1, "tea").await;
    let before = world.store.head().await.unwrap();
    post(&world, 1, "tea").await;
    let head = world.store.head().await.unwrap();
    let center = world.center(Arc::new(Behind { store: world.store.clone(), as_of: before.clone() }));
    let (filter, page) = (SearchFilter::default(), (None, 3));
    for (at_least, is_well) in [(None, true), (Some(before.clone()), true), (Some(head), false)] {
        let newest = first_page(&center, "tea", at_least.clone(), pending()).await;
        let best = center.best_posts("tea", None, filter, page, at_least.clone(), pending()).await;
        let refused = [newest.err(), best.err()].map(|error| error.map(|error| error.reason));
        let wanted = (!is_well).then_some(Reason::SearchBehind { retry_after_ms: 500 });
        assert_eq!(refused, [wanted.clone(), wanted], "{at_least:?}");
        if is_well {
            let found = first_page(&center, "tea", at_least, pending()).await.unwrap();
            assert_eq!(found.as_of, before, "it says how far it is");
        }
    }
}
