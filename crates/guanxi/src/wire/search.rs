//! The search indexes of a served directory: the thread that follows the log for them, and what it keeps.

use super::interrupted;
use super::priority::give_way;
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::Outcome;
use guanxi_centers::follow::{Ended, Follower, keep_following};
use guanxi_centers::search::{IndexSource, Indexer, PostSource, SearchCenter, UserSource};
use guanxi_model::{Clock, HistoryId, Logs, Position, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log, Posts, SearchIndex as _};
use guanxi_search::{ANALYSER_VERSION, DocKind, IndexOptions, IndexStore, PostDocs, StoreOptions, UserDocs};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Where the indexes are, in the data directory.
pub(crate) const SEARCH_DIR: &str = "search";

/// A mebibyte.
const MIB: u64 = 1 << 20;

/// How long a start waits for indexes: those of a new directory are there at once.
const START_WAIT: Duration = Duration::from_secs(1);

/// How far an index is behind the log.
const LAG: &str = "guanxi_search_lag_events";

/// The indexes.
#[derive(Clone)]
struct Indexes {
    posts: Arc<IndexStore<PostDocs>>,
    users: Arc<IndexStore<UserDocs>>,
}

/// What indexes are made of.
#[derive(Clone)]
struct Facts {
    posts: Arc<dyn Posts>,
    log: Arc<dyn Log>,
}

/// Indexes that are kept.
pub(super) struct Searching {
    indexes: Indexes,
    posts: Arc<dyn Posts>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Searching {
    /// Opens the indexes of a data directory and starts to follow the log, on a thread that gives way to those that answer
    /// calls, as all threads of the indexes do. Without indexes that open the server goes on, and searches are refused.
    pub(super) async fn start(
        posts: Arc<dyn Posts>,
        log: Arc<dyn Log>,
        dir: &Path,
        settings: &Settings,
    ) -> Outcome<Option<Self>> {
        metrics::describe_gauge!(LAG, "Events that a search index has not taken in.");
        let path = dir.join(SEARCH_DIR);
        let (options, beginning) = (store_options(&path, settings), log.head().await?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = watch::channel(false);
        let (opened, is_open) = oneshot::channel();
        let facts = Facts { posts: posts.clone(), log };
        let work = move || {
            // Threads that this one starts give way as much.
            give_way();
            let indexes = Indexes::open(&path, &options, beginning.history(), beginning.logs());
            let indexes = indexes.inspect_err(|error| {
                tracing::error!(%error, "the search index does not open; searches are refused, all else goes on");
            });
            let indexes = indexes.ok();
            // Whoever does not wait any more ends the thread by the other channel.
            let _ = opened.send(indexes.clone());
            if let Some(indexes) = indexes {
                runtime.block_on(indexes.keep(facts, stopped));
            }
        };
        let thread = std::thread::Builder::new().name("guanxi-index".into()).spawn(work)?;
        let indexes = is_open.await.map_err(|_| io::Error::other("the search index panicked"))?;
        let Some(indexes) = indexes else { return Ok(None) };
        let both = async { tokio::join!(indexes.posts.opened(), indexes.users.opened()) };
        // One that is built from many posts takes longer: until then searches say so.
        let _ = tokio::time::timeout(START_WAIT, both).await;
        Ok(Some(Self { indexes, posts, stop, thread }))
    }

    /// What searches them.
    pub(super) fn center(&self) -> SearchCenter {
        let (posts, Indexes { posts: of_posts, users }) = (self.posts.clone(), self.indexes.clone());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        SearchCenter::new(posts, of_posts, users, &clock)
    }

    /// Ends after the batch at hand, commits, and returns when nothing is written any more.
    pub(super) async fn end(self) -> Outcome {
        self.stop.send_replace(true);
        let joined = tokio::task::spawn_blocking(move || self.thread.join()).await?;
        joined.map_err(|_| io::Error::other("what keeps the search index panicked"))?;
        let Indexes { posts, users } = self.indexes;
        let (posts, users) = tokio::join!(posts.close(), users.close());
        if let Err(error) = posts.and(users) {
            tracing::warn!(%error, "the search index was not committed; it goes on from its last commit");
        }
        Ok(())
    }
}

/// How an index of a directory is kept.
fn store_options(path: &Path, settings: &Settings) -> StoreOptions {
    let place: PathBuf = path.to_owned();
    let index = IndexOptions {
        analyser: ANALYSER_VERSION,
        // One half for each.
        memory_bytes: usize::try_from(settings.search_memory_mib * MIB / 2).unwrap_or(usize::MAX),
        reserve_bytes: settings.free_space_reserve_mib * MIB,
        free_bytes: Arc::new(move || {
            let stat = rustix::fs::statvfs(&place)?;
            Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
        }),
    };
    StoreOptions {
        commit_every: Duration::from_millis(settings.search_commit_ms),
        ..StoreOptions::new(index)
    }
}

impl Indexes {
    fn open(path: &Path, options: &StoreOptions, history: HistoryId, logs: Logs) -> Result<Self> {
        let posts = IndexStore::open(path, options.clone(), history, logs)?;
        let users = IndexStore::open(path, options.clone(), history, logs)?;
        Ok(Self { posts: Arc::new(posts), users: Arc::new(users) })
    }

    /// Keeps them until the word to stop, or until the store closes.
    async fn keep(self, facts: Facts, stopped: watch::Receiver<bool>) {
        let Self { posts, users } = self;
        tokio::join!(
            keep::<PostDocs, PostSource>("posts", posts, facts.clone(), stopped.clone()),
            keep::<UserDocs, UserSource>("users", users, facts, stopped),
        );
    }
}

/// Keeps one index.
async fn keep<K, S>(
    name: &'static str,
    index: Arc<IndexStore<K>>,
    facts: Facts,
    mut stopped: watch::Receiver<bool>,
) where
    K: DocKind<Source = S::Doc>,
    S: IndexSource,
{
    let begin = || -> BoxFuture<'static, Result<Measured<K, S>>> {
        let (index, Facts { posts, log }) = (index.clone(), facts.clone());
        Box::pin(async move {
            let indexer = Indexer::begin(posts, &*log, index.indexing().await?).await?;
            Ok(Measured { name, indexer, index, log })
        })
    };
    loop {
        let lost = index.lost();
        let stop = async {
            tokio::select! {
                // A sender that is gone counts as a word to stop, too.
                _ = stopped.wait_for(|stop| *stop) => {}
                // A follower that waits for events does not notice that there is no index any more.
                () = lost => tracing::error!(name, "the search index is damaged; another one is built"),
            }
        };
        let failed = interrupted("the search index was interrupted; it goes on from its last commit");
        let ended = keep_following(&*facts.log, begin, stop, failed).await;
        if ended == Ended::Closed || *stopped.borrow() || stopped.has_changed().is_err() {
            return;
        }
    }
}

/// A follower that tells how far its index is behind.
struct Measured<K: DocKind, S: IndexSource> {
    name: &'static str,
    indexer: Indexer<S>,
    index: Arc<IndexStore<K>>,
    log: Arc<dyn Log>,
}

impl<K: DocKind, S: IndexSource> Follower for Measured<K, S> {
    fn position(&self) -> &Position {
        self.indexer.position()
    }

    fn has_room(&self) -> bool {
        self.indexer.has_room()
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        self.indexer.apply(batch)
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        self.indexer.rebuild(head)
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async {
            let worked = self.indexer.work().await?;
            let head = self.log.head().await?.event_count();
            let found = self.index.as_of().map_or(0, |as_of| as_of.event_count());
            metrics::gauge!(LAG, "index" => self.name).set(head.saturating_sub(found) as f64);
            Ok(worked)
        })
    }
}
