//! Random histories over the index that the product has, behind its follower: it is late, it crashes, it is fed what it
//! had, and it is built anew while everything goes on.

use super::oracle::Bug;
use super::world::{QUERIES, World, walk_from};
use crate::log_readers::{Ended, Follower as _, keep_following};
use crate::search::{IndexChanges, IndexSource, Indexer, PostIndexer, PostSource, SearchFilter, UserSource};
use guanxi_model::{Error, HistoryId, LogId, Op, PairCommand, Position, PostId, Result, Uid};
use guanxi_ports::{
    BoxFuture, Circle, EventBatch, Indexing, Log as _, PostAsk, PostSearch as _, SearchIndex, Store as _,
};
use guanxi_search::{IndexOptions, Pace, PostIndexStore, StoreOptions, UserIndexStore};
use guanxi_spec::conformance::u;
use guanxi_text::{ANALYSER_VERSION, Query};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long counters are late in tests.
pub(super) const REFRESH_MS: u64 = 20_000;

const HOUR: Duration = Duration::from_hours(1);

/// What keeps an index of a source.
pub(super) type Keeps<S> = Box<dyn Indexing<<S as IndexSource>::Doc>>;

/// An index of either kind.
pub(super) trait Kept: SearchIndex + Sized + 'static {
    type Source: IndexSource<Doc: Clone>;

    fn open(path: &Path, options: StoreOptions, world: &World) -> Self;

    fn kept(&self) -> BoxFuture<'_, Result<Keeps<Self::Source>>>;
}

impl Kept for PostIndexStore {
    type Source = PostSource;

    fn open(path: &Path, options: StoreOptions, world: &World) -> Self {
        Self::open(path, options, HistoryId(1), world.store.logs()).unwrap()
    }

    fn kept(&self) -> BoxFuture<'_, Result<Keeps<PostSource>>> {
        Box::pin(self.indexing())
    }
}

impl Kept for UserIndexStore {
    type Source = UserSource;

    fn open(path: &Path, options: StoreOptions, world: &World) -> Self {
        Self::open(path, options, HistoryId(1), world.store.logs()).unwrap()
    }

    fn kept(&self) -> BoxFuture<'_, Result<Keeps<UserSource>>> {
        Box::pin(self.indexing())
    }
}

/// An index in a directory, with its follower.
pub(super) struct Indexed<X: Kept> {
    dir: tempfile::TempDir,
    /// None between two processes.
    index: Option<Arc<X>>,
    pub(super) indexer: Indexer<X::Source>,
    last: Option<EventBatch>,
    /// The bug of the index under test.
    bug: Bug,
}

fn open<X: Kept>(dir: &tempfile::TempDir, world: &World) -> X {
    // Some worlds commit whenever they can, the others only for who waits.
    open_committing(dir, world, if world.is_eager { Duration::ZERO } else { HOUR })
}

fn open_committing<X: Kept>(dir: &tempfile::TempDir, world: &World, commit_every: Duration) -> X {
    let free_bytes = Arc::new(|| Ok(u64::MAX));
    let pace = Pace::unbounded();
    let index =
        IndexOptions { analyser: ANALYSER_VERSION, memory_bytes: 0, reserve_bytes: 0, free_bytes, pace };
    let options = StoreOptions { commit_every, commit_hurried: Duration::ZERO, ..StoreOptions::new(index) };
    X::open(&dir.path().join("search"), options, world)
}

async fn follow<X: Kept>(index: &X, world: &World, bug: Bug) -> Indexer<X::Source> {
    let index = bug.keeping(index.kept().await.unwrap());
    let refresh = (world.any_clock(), REFRESH_MS);
    let mut indexer = Indexer::begin(world.store.clone(), &*world.store, index, refresh).await.unwrap();
    indexer.walk_at_once = 4;
    indexer
}

impl<X: Kept> Indexed<X> {
    pub(super) async fn new(world: &World) -> Self {
        Self::with(world, Bug::None).await
    }

    /// One that is kept with a bug.
    pub(super) async fn with(world: &World, bug: Bug) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let index: Arc<X> = Arc::new(open(&dir, world));
        let indexer = follow(&*index, world, bug).await;
        Self { dir, index: Some(index), indexer, last: None, bug }
    }

    /// Takes in some events of a log. Returns whether there were any.
    pub(super) async fn read(&mut self, world: &World, log: LogId, max: usize) -> bool {
        if !self.indexer.has_room() {
            self.indexer.work().await.unwrap();
            return true;
        }
        let batch = world.store.read(log, self.indexer.position(), max).await.unwrap();
        let came = !batch.events.is_empty();
        if came {
            self.last = Some(batch.clone());
            self.indexer.apply(batch).await.unwrap();
        }
        came
    }

    /// Takes in everything that there is.
    pub(super) async fn catch_up(&mut self, world: &World) {
        let head = world.store.head().await.unwrap();
        for (log, _) in head.marks() {
            while self.read(world, log, 1_000).await {}
        }
        assert!(self.indexer.position().covers(&head));
    }

    /// The events of some time before come again.
    pub(super) async fn repeat(&mut self) {
        let Some(batch) = self.last.clone() else { return };
        if self.indexer.has_room() {
            let position = self.indexer.position().clone();
            self.indexer.apply(EventBatch { position, ..batch }).await.unwrap();
        }
    }

    /// The process dies and another one begins.
    pub(super) async fn crash(&mut self, world: &World) {
        // Two do not have one directory.
        drop(self.index.take());
        let index: Arc<X> = Arc::new(open(&self.dir, world));
        self.indexer = follow(&*index, world, self.bug).await;
        (self.index, self.last) = (Some(index), None);
    }

    /// One of 13 steps: mostly some events, and else what goes wrong.
    pub(super) async fn step(&mut self, world: &mut World, step: u64) {
        let head = world.store.head().await.unwrap();
        match step {
            10 => self.repeat().await,
            11 => self.crash(world).await,
            12 => self.indexer.rebuild(head).await.unwrap(),
            _ => {
                for (log, _) in head.marks() {
                    let max = 1 + world.below(8) as usize;
                    self.read(world, log, max).await;
                }
            }
        }
    }

    /// Has everything be found that there is. A caller that waits for a position hurries a commit. So a first event happens
    /// that is in no document and marks none.
    pub(super) async fn keep(&mut self, world: &World) {
        let (subject, object) = (u(77), u(78));
        let view = world.store.view(None).await.unwrap();
        let is_blocked = view.relations(subject, &[object]).await.unwrap()[0].blocking;
        let op = if is_blocked { Op::Unblock } else { Op::Block };
        assert!(world.write(PairCommand { op, subject, object }).await);
        self.catch_up(world).await;
        let index = self.index();
        let at = self.indexer.position().clone();
        let kept = async { tokio::join!(self.indexer.work(), index.wait(&at)) };
        let (kept, found) = tokio::time::timeout(Duration::from_secs(20), kept).await.expect("it is kept");
        kept.and(found.map(|()| true)).unwrap();
    }

    /// Writes documents that no facts stand for.
    pub(super) async fn write(&mut self, world: &World, changes: IndexChanges<X::Source>) {
        let at = self.indexer.position().clone();
        self.indexer.index.apply(changes, at, None).await.unwrap();
        self.keep(world).await;
    }

    pub(super) fn index(&self) -> Arc<X> {
        self.index.clone().unwrap()
    }
}

/// Writes all marked documents: as time goes on.
pub(super) async fn refresh<X: Kept>(world: &World, indexed: &mut Indexed<X>) {
    while let Some(due_ms) = indexed.indexer.due_in_ms() {
        world.clock.advance(due_ms);
        indexed.indexer.work().await.unwrap();
    }
    indexed.keep(world).await;
}

/// What an index and the specification propose.
async fn compare_proposals(world: &mut World, index: &PostIndexStore) {
    for _ in 0..4 {
        let query = Query::parse(world.pick::<&str>(&QUERIES)).unwrap();
        let circle: [Uid; 2] = [u(2), u(4)];
        let circle = *world.pick(&[Circle::All, Circle::Public, Circle::Of(&circle)]);
        let filter = world.ask().2;
        let SearchFilter { author, replies, from, until } = filter;
        let mut ask = PostAsk { query: &query, author, replies, from, below: until, circle, max: 3 };
        loop {
            let (found, wanted) =
                (index.search(ask.clone()).await.unwrap(), world.store.search(ask.clone()).await.unwrap());
            assert_eq!((&found.ids, found.next), (&wanted.ids, wanted.next), "{ask:?}");
            ask.below = found.next;
            if found.next.is_none() {
                break;
            }
        }
    }
}

/// What a search answers: all of what there is when it is told to wait for it, and else nothing that is not.
async fn compare(world: &mut World, index: &Arc<PostIndexStore>, at_least: Option<Position>) {
    let center = world.center(index.clone());
    for _ in 0..3 {
        let (query, viewer, filter) = world.ask();
        let expected = world.oracle(query, viewer, filter).await;
        let hits = walk_from(&center, query, viewer, filter, 3, at_least.clone()).await;
        if at_least.is_some() {
            assert_eq!(hits, expected, "{query} of {viewer:?} with {filter:?}");
        }
        let ids: Vec<PostId> = hits.iter().map(|hit| hit.post.id()).collect();
        assert!(ids.is_sorted_by(|one, next| one > next), "newest first, each once: {ids:?}");
        assert!(hits.iter().all(|hit| expected.contains(hit)), "{query} of {viewer:?} shows too much");
    }
}

async fn play(seed: u64) {
    let mut world = World::new(seed);
    for _ in 0..world.below(30) {
        world.act().await;
    }
    let mut indexed: Indexed<PostIndexStore> = Indexed::new(&world).await;
    for _ in 0..24 {
        for _ in 0..world.below(6) {
            world.act().await;
        }
        match world.below(16) {
            step @ 0..13 => indexed.step(&mut world, step).await,
            _ => {
                // The first one is being built.
                if indexed.index().as_of().is_ok() {
                    compare(&mut world, &indexed.index(), None).await;
                }
            }
        }
    }
    indexed.catch_up(&world).await;
    let head = world.store.head().await.unwrap();
    let index = indexed.index();
    compare(&mut world, &index, Some(head.clone())).await;
    assert_eq!(index.as_of().unwrap(), head);
    compare_proposals(&mut world, &index).await;
}

#[tokio::test]
async fn an_index_that_is_late_crashes_repeats_and_is_built_anew_finds_what_there_is() {
    // They wait for the disk most of the time.
    for seed in (0..24).step_by(4) {
        tokio::join!(play(seed), play(seed + 1), play(seed + 2), play(seed + 3));
    }
}

/// The loop that a server runs, over a log that is trimmed under it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_loop_keeps_up_with_writes_and_builds_anew_what_was_trimmed() {
    let mut world = World::with_log(1, 40);
    for _ in 0..60 {
        world.act().await;
    }
    let dir = tempfile::tempdir().unwrap();
    // The follower ends after the commit that it waits for.
    let index: Arc<PostIndexStore> = Arc::new(open_committing(&dir, &world, Duration::from_secs(1)));
    let (store, own, clock) = (world.store.clone(), index.clone(), world.any_clock());
    let begin = move || -> BoxFuture<'static, Result<PostIndexer>> {
        let (store, index) = (store.clone(), own.clone());
        let refresh = (clock.clone(), REFRESH_MS);
        Box::pin(
            async move { PostIndexer::begin(store.clone(), &*store, index.indexing().await?, refresh).await },
        )
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let log = world.store.clone();
    let running = tokio::spawn(async move {
        let failed = |error: &Error, _| -> BoxFuture<'static, ()> { panic!("{error}") };
        keep_following(&*log, begin, async { drop(stopped.await) }, failed).await
    });
    for round in 0..30 {
        // Sometimes more than the log holds, while the follower waits for its next commit.
        for _ in 0..if round % 10 == 9 { 200 } else { 3 } {
            world.act().await;
        }
        let head = world.store.head().await.unwrap();
        while index.as_of().is_err() {
            tokio::task::yield_now().await;
        }
        compare(&mut world, &index, Some(head)).await;
    }
    compare_proposals(&mut world, &index).await;
    stop.send(()).unwrap();
    assert_eq!(running.await.unwrap(), Ended::Stopped);
}
