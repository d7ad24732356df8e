//! The search indexes of a process: the thread that follows the logs for them, and what it keeps.

use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::Outcome;
use crate::interrupted;
use crate::priority::give_way;
use guanxi_api::IndexParts;
use guanxi_centers::log_readers::{Ended, Follower, keep_following};
use guanxi_centers::search::{IndexSource, Indexer, PostSource, REFRESH_MS, SearchCenter, UserSource};
use guanxi_cluster::TellReplica;
use guanxi_model::{Clock, HistoryId, Logs, Position, Result};
use guanxi_ports::search::{CallsWait, PostTable, ProvedIndexes, RowWalks, UserTable};
use guanxi_ports::{BoxFuture, EventBatch, IndexReplica, Log, SearchIndex as _, SearchUpkeep, Store};
use guanxi_search::{
    ANALYSER_VERSION, DocKind, IndexOptions, IndexStore, Pace, PostDocs, StoreOptions, UserDocs,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Where the indexes are, in the data directory.
pub const SEARCH_DIR: &str = "search";

/// A mebibyte.
const MIB: u64 = 1 << 20;

/// How long a start waits for indexes: those of a new directory are there at once.
const START_WAIT: Duration = Duration::from_secs(1);

/// How far an index is behind the log.
const LAG: &str = "guanxi_search_lag_events";

/// How many were built.
const BUILDS: &str = "guanxi_search_builds_total";

/// The indexes.
#[derive(Clone)]
struct Indexes {
    posts: Arc<IndexStore<PostDocs>>,
    users: Arc<IndexStore<UserDocs>>,
}

/// The facts that indexes are made of.
#[derive(Clone)]
struct Facts {
    store: Arc<dyn Store>,
    log: Arc<dyn Log>,
    rebuilds: Arc<Rebuilds>,
}

/// How often an operator wanted the indexes built anew.
#[derive(Debug, Default)]
struct Rebuilds(watch::Sender<u64>);

/// The port through which operators ask the indexes.
struct Upkeep {
    rebuilds: Arc<Rebuilds>,
    indexes: Indexes,
    pace: Pace,
}

impl SearchUpkeep for Upkeep {
    fn rebuild(&self) {
        self.rebuilds.0.send_modify(|times| *times += 1);
    }

    fn users(&self) -> Arc<dyn UserTable> {
        self.indexes.users.clone()
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        self.indexes.posts.clone()
    }

    fn give_way_to(&self, calls_wait: CallsWait) {
        self.pace.give_way_to(calls_wait);
    }

    fn proved(&self) -> Option<ProvedIndexes> {
        let Indexes { posts, users } = self.indexes.clone();
        Some(ProvedIndexes { users, posts })
    }

    fn walks(&self) -> Option<[Arc<dyn RowWalks>; 2]> {
        Some([self.indexes.users.clone(), self.indexes.posts.clone()])
    }
}

/// Indexes that are kept.
pub(super) struct Searching {
    indexes: Indexes,
    store: Arc<dyn Store>,
    rebuilds: Arc<Rebuilds>,
    pace: Pace,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Searching {
    /// Opens the indexes of a directory and starts to follow the logs. It does so on a thread that gives way to threads that
    /// answer calls, as all threads of the indexes do. If the indexes do not open, the server goes on, and searches are
    /// refused.
    pub(super) async fn start(
        store: Arc<dyn Store>,
        (log, history): (Arc<dyn Log>, HistoryId),
        path: &Path,
        settings: &Settings,
    ) -> Outcome<Option<Self>> {
        metrics::describe_gauge!(LAG, "Events that a search index has not taken in.");
        metrics::describe_counter!(BUILDS, "Search indexes that were built from all facts.");
        let (path, logs) = (path.to_owned(), log.logs());
        let options = store_options(&path, settings);
        let pace = options.index.pace.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = watch::channel(false);
        let (opened, is_open) = oneshot::channel();
        let rebuilds = Arc::new(Rebuilds::default());
        let facts = Facts { store: store.clone(), log, rebuilds: rebuilds.clone() };
        let work = move || {
            // Threads that this one starts give way as much.
            give_way();
            let indexes = Indexes::open(&path, &options, history, logs);
            let indexes = indexes.inspect_err(|error| {
                tracing::error!(%error, "the search index does not open; searches are refused, all else goes on");
            });
            let indexes = indexes.ok();
            // A receiver that does not wait any more ends the thread by the other channel.
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
        Ok(Some(Self { indexes, store, rebuilds, pace, stop, thread }))
    }

    /// Returns the center that searches them.
    pub(super) fn center(&self) -> SearchCenter {
        let Indexes { posts, users } = self.indexes.clone();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        SearchCenter::new(self.store.clone(), posts, users, &clock)
    }

    /// Returns the parts that answer other processes.
    pub(super) fn parts(&self) -> IndexParts {
        let Indexes { posts, users } = self.indexes.clone();
        IndexParts { posts, users, upkeep: self.upkeep() }
    }

    /// Returns the function that tells other processes of them, at an address.
    pub(super) fn telling(&self, address: String) -> TellReplica {
        let Indexes { posts, users } = self.indexes.clone();
        Arc::new(move || {
            // One that cannot be asked now has no position, and is not asked.
            let (posts, users) = (posts.as_of().ok(), users.as_of().ok());
            IndexReplica { address: address.clone(), posts, users }
        })
    }

    /// Returns the port through which operators ask them.
    pub(super) fn upkeep(&self) -> Arc<dyn SearchUpkeep> {
        Arc::new(Upkeep {
            rebuilds: self.rebuilds.clone(),
            indexes: self.indexes.clone(),
            pace: self.pace.clone(),
        })
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
        pace: Pace::new(settings.search_documents_per_second, settings.search_merge_mib_per_second * MIB),
    };
    StoreOptions {
        commit_every: Duration::from_millis(settings.search_commit_ms),
        // No process of before had come so far.
        first_walk: SystemClock.now_ms() << 16,
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
    let mut rebuilds = facts.rebuilds.0.subscribe();
    let built = metrics::counter!(BUILDS, "index" => name);
    // A counter that was never counted is not listed in the metrics.
    built.absolute(0);
    let is_to_build = Arc::new(AtomicBool::new(false));
    let begin = || -> BoxFuture<'static, Result<Measured<K, S>>> {
        let (index, facts, is_to_build) = (index.clone(), facts.clone(), is_to_build.clone());
        Box::pin(async move {
            let Facts { store, log, .. } = facts;
            let refresh: (Arc<dyn Clock>, u64) = (Arc::new(SystemClock), REFRESH_MS);
            let mut indexer = Indexer::begin(store, &*log, index.indexing().await?, refresh).await?;
            if is_to_build.load(Ordering::Relaxed) {
                indexer.rebuild(log.head().await?).await?;
                is_to_build.store(false, Ordering::Relaxed);
            }
            let was_built = indexer.has_room();
            Ok(Measured { name, indexer, index, log, was_built })
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
                Ok(()) = rebuilds.changed() => is_to_build.store(true, Ordering::Relaxed),
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
    /// Whether it had an index that is whole when that was looked at last.
    was_built: bool,
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

    fn rest(&self) -> Option<BoxFuture<'static, ()>> {
        let due = Duration::from_millis(self.indexer.due_in_ms()?);
        Some(Box::pin(tokio::time::sleep(due)))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async {
            let worked = self.indexer.work().await?;
            let is_built = self.indexer.has_room();
            if is_built && !self.was_built {
                metrics::counter!(BUILDS, "index" => self.name).increment(1);
                tracing::info!(index = self.name, "the search index was built anew");
            }
            self.was_built = is_built;
            let head = self.log.head().await?.event_count();
            let found = self.index.as_of().map_or(0, |as_of| as_of.event_count());
            metrics::gauge!(LAG, "index" => self.name).set(head.saturating_sub(found) as f64);
            Ok(worked)
        })
    }
}
