//! An index in a directory behind the ports: one thread writes it, and searches see what it commits.
//!
//! Each kind of documents has a directory of its own (`posts`, `users`), with the index in `index-N`, and a small file that says
//! which N. Another index is built in a directory beside it, and takes its place when the file names it; what no file names is
//! removed at the next start.

mod directory;
mod indexing;
mod pins;
mod posts;
mod thread;
mod users;

use crate::engine::{DocIndex, DocKind, DocWriter, IdOf, Pinned, RowTexts};
use crate::{IndexOptions, SearchError};
use directory::IndexPlace;
use guanxi_model::{Error, HistoryId, Logs, Position, Reason, Result};
use guanxi_ports::search::{ComparedDocs, FoundRows, ProvedIndex, RowAsk, RowWalks, WalkEndHook};
use guanxi_ports::{BoxFuture, Indexing, SearchIndex};
use pins::Pins;
use std::fmt;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;
use thread::{IndexJob, Writing};
use tokio::sync::{Semaphore, oneshot, watch};

/// Searches that run at the same time; others wait for their turn.
const SEARCHES_AT_ONCE: usize = 8;

/// Jobs that wait for the thread: each follower has one at a time.
const JOBS_MAX: usize = 16;

/// How an index is kept.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// How it is opened.
    pub index: IndexOptions,
    /// The time between two commits while no caller waits for one.
    pub commit_every: Duration,
    /// The time between two commits while somebody waits for a position.
    pub commit_hurried: Duration,
    /// The longest pause between two rewritings of the segments in which erased documents have left words. The pause is 100
    /// times as long as the last rewriting took.
    pub rewrite_pause_max: Duration,
    /// The number of the first walk: above all of the process before, so that none of its numbers names another walk.
    pub first_walk: u64,
}

impl StoreOptions {
    /// The usual times: half a second, a tenth of one while a caller waits, and ten minutes.
    pub const fn new(index: IndexOptions) -> Self {
        let (commit_every, commit_hurried) = (Duration::from_millis(500), Duration::from_millis(100));
        Self {
            index,
            commit_every,
            commit_hurried,
            rewrite_pause_max: Duration::from_mins(10),
            first_walk: 1,
        }
    }
}

/// An index in a directory, and its thread. Dropping it drops what is not committed; [`Self::close`] commits first.
pub struct IndexStore<K: DocKind> {
    shared: Arc<Shared<K>>,
    jobs: SyncSender<IndexJob<K>>,
    searches: Arc<Semaphore>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<K: DocKind> fmt::Debug for IndexStore<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexStore").finish_non_exhaustive()
    }
}

/// What the thread tells readers.
struct Shared<K: DocKind> {
    /// What is searched.
    now: RwLock<Searched<K>>,
    /// Changes with every commit and move.
    moved: watch::Sender<u64>,
    /// How often an index was found damaged while it was searched.
    lost: watch::Sender<u64>,
    /// How many wait for a position.
    waiting: AtomicUsize,
    /// The moments of walks.
    pins: Pins,
}

/// The index that is searched, with its directory, or why there is none.
type Searched<K> = std::result::Result<(DocIndex<K>, PathBuf), WhyNone>;

/// Why there is no index.
#[derive(Clone)]
struct WhyNone {
    /// As callers are told.
    cause: &'static str,
    /// For the log.
    detail: Box<str>,
}

impl WhyNone {
    fn new(cause: &'static str, detail: impl Into<Box<str>>) -> Self {
        Self { cause, detail: detail.into() }
    }
}

impl<K: DocKind> Shared<K> {
    fn now(&self) -> Result<(DocIndex<K>, PathBuf)> {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        now.clone().map_err(|WhyNone { cause, detail }| {
            Error::with_detail(Reason::SearchUnavailable { cause }, detail)
        })
    }

    fn show(&self, now: Searched<K>) {
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = now;
        self.tell();
    }

    fn tell(&self) {
        self.moved.send_modify(|moves| *moves += 1);
    }
}

impl<K: DocKind> IndexStore<K> {
    /// Opens the index of a directory, which is made if it is not there; it may have indexes of other kinds beside. Without a usable
    /// index, the holder of [`Self::indexing`] builds one; until then searches say why there is none.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` with the cause when the directory cannot be read, or another process has it open.
    pub fn open(path: &Path, options: StoreOptions, history: HistoryId, logs: Logs) -> Result<Self> {
        let place = IndexPlace::open(path.join(K::NAME))?;
        let beginning = Position::beginning(history, logs);
        let (now, moved) =
            (RwLock::new(Err(WhyNone::new("building", "it is to be built"))), watch::Sender::new(0));
        let lost = watch::Sender::new(0);
        let shared = Arc::new(Shared {
            now,
            moved,
            lost,
            waiting: AtomicUsize::new(0),
            pins: Pins::new(options.first_walk),
        });
        let writing = Writing::open(place, options, beginning, shared.clone())?;
        let (jobs, inbox) = sync_channel(JOBS_MAX);
        let thread = std::thread::Builder::new()
            .name(format!("guanxi-{}", K::NAME))
            .spawn(move || writing.run(&inbox))
            .map_err(failed)?;
        check(shared.clone(), jobs.clone())?;
        let searches = Arc::new(Semaphore::new(SEARCHES_AT_ONCE));
        Ok(Self { shared, jobs, searches, thread: Mutex::new(Some(thread)) })
    }

    /// Returns what keeps the index, for one follower at a time: it goes back to the last commit, and what an earlier one
    /// applied since is dropped.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when the index cannot be opened again.
    pub async fn indexing(&self) -> Result<Box<dyn Indexing<K::Source>>> {
        indexing::take(self.jobs.clone()).await
    }

    /// Completes when there is an index that can be asked.
    pub async fn opened(&self) {
        let mut moved = self.shared.moved.subscribe();
        while self.shared.now().is_err() && moved.changed().await.is_ok() {}
    }

    /// Completes when an index is found damaged from now on: a follower that waits for events is to begin anew.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<K> {
        let mut lost = self.shared.lost.subscribe();
        async move {
            if lost.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Commits, waits for merges, and ends: nothing is written afterwards.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when it could not commit.
    pub async fn close(&self) -> Result<()> {
        indexing::call(&self.jobs, IndexJob::Close).await
    }

    /// Asks the index that is searched where blocking calls may be made, when its turn comes.
    async fn asked<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&DocIndex<K>) -> std::result::Result<T, SearchError> + Send + 'static,
    ) -> Result<T> {
        let (index, _) = self.shared.now()?;
        let ended = |error: &dyn fmt::Display| Error::with_detail(Reason::Internal, error);
        let turn = self.searches.clone().acquire_owned().await.map_err(|error| ended(&error))?;
        let ask = move || {
            let _turn = turn;
            ask(&index)
        };
        match tokio::task::spawn_blocking(ask).await {
            Ok(found) => found.map_err(Error::from),
            Err(error) => {
                // The library panics over some damaged files.
                check(self.shared.clone(), self.jobs.clone())?;
                Err(Error::with_detail(Reason::SearchUnavailable { cause: "damaged" }, error))
            }
        }
    }

    /// Asks for rows of a walk, or of one that begins.
    async fn rows_of<T: Send + 'static>(
        &self,
        walk: Option<u64>,
        ask: RowAsk<K::Column, T>,
        query: impl FnOnce(&DocIndex<K>, &Pinned, &T) -> std::result::Result<RowTexts, SearchError>
        + Send
        + 'static,
    ) -> Result<FoundRows<K::Column>> {
        let shared = self.shared.clone();
        let known = walk.map(|walk| shared.pins.get(walk).map(|pinned| (walk, pinned))).transpose()?;
        self.asked(move |index| {
            let (walk, pinned) = known.unwrap_or_else(|| {
                let pinned = index.pin();
                (shared.pins.keep(pinned.clone()), pinned)
            });
            let query = query(index, &pinned, &ask.texts)?;
            Ok(pinned.rows::<K, T>(&ask, query)?.of_walk(walk))
        })
        .await
    }

    fn end(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A thread that has ended takes no job any more.
            let _ = self.jobs.send(IndexJob::Stop);
            let _ = thread.join();
        }
    }
}

impl<K: DocKind> Drop for IndexStore<K> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<K: DocKind> ProvedIndex<K::Source> for IndexStore<K> {
    fn compare(
        &self,
        range: (Option<IdOf<K>>, Option<IdOf<K>>),
        wanted: Vec<K::Source>,
    ) -> BoxFuture<'_, Result<ComparedDocs<IdOf<K>>>> {
        Box::pin(self.asked(move |index| index.compare(range, wanted.into_iter().map(K::in_words).collect())))
    }
}

impl<K: DocKind> SearchIndex for IndexStore<K> {
    fn as_of(&self) -> Result<Position> {
        Ok(self.shared.now()?.0.as_of())
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut moved = self.shared.moved.subscribe();
            let _waits = Waits::begin(&self.shared.waiting);
            // A full queue wakes the thread as well.
            let _ = self.jobs.try_send(IndexJob::Hurry);
            while !self.as_of()?.covers(at_least) {
                if moved.changed().await.is_err() {
                    return Err(Error::new(Reason::ShuttingDown));
                }
            }
            Ok(())
        })
    }
}

impl<K: DocKind> RowWalks for IndexStore<K> {
    fn hold(&self, walk: u64) -> Result<()> {
        self.shared.pins.hold(walk)
    }

    fn end(&self, walk: u64) {
        self.shared.pins.end(walk);
    }

    fn at_end(&self, hook: WalkEndHook) {
        self.shared.pins.at_end(hook);
    }
}

/// Compares the checksums of all files of the index that is searched, on a thread of its own, and tells the one that writes.
fn check<K: DocKind>(shared: Arc<Shared<K>>, jobs: SyncSender<IndexJob<K>>) -> Result<()> {
    let check = move || {
        let Ok((_, path)) = shared.now() else { return };
        let checked = catch_unwind(|| DocWriter::<K>::check(&path));
        let why = match checked {
            Ok(Err(SearchError::Unusable(why))) => why.to_string(),
            // What fails otherwise is told by the next search or commit.
            Ok(Ok(()) | Err(_)) => return,
            Err(_) => "its files cannot be read".to_owned(),
        };
        // A thread that has ended needs no word.
        let _ = jobs.send(IndexJob::Damaged(why));
    };
    let thread = std::thread::Builder::new().name("guanxi-check".to_owned()).spawn(check);
    thread.map(drop).map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::with_detail(Reason::SearchUnavailable { cause: "failed" }, error)
}

/// Somebody waits for a position, as long as this lives.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn begin(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The answer to a job.
type Answer<T> = oneshot::Sender<Result<T>>;

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::PrefixTooWide(_) => {
                Self::with_detail(Reason::BadQuery { position: 0, expected: "a_longer_prefix" }, error)
            }
            SearchError::TooMuch(max) => {
                let limit = u32::try_from(max).unwrap_or(u32::MAX);
                Self::with_detail(Reason::LimitReached { limit }, error)
            }
            SearchError::BadQuery(_) => Self::with_detail(Reason::Internal, error),
            other => Self::with_detail(Reason::SearchUnavailable { cause: other.cause() }, other),
        }
    }
}
