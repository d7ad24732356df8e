//! What the parts of a store share.

use super::budget::ConnectionBudget;
use super::clock_watch::ClockWatch;
use super::credential_copy::CredentialCopy;
use super::{ClusterOptions, EndedTable, TellReplica};
use crate::derive::{Appliers, LogWake, Marks};
use crate::lanes::Lanes;
use crate::map::GeneMap;
use crate::rows::{ProcessClock, RowTerms};
use crate::tail::{Memory, Tail, look};
use crate::{lost, shard_map};
use guanxi_model::{Clock, Error, Gene, LogId, Logs, Position, Reason, Result};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::{Breaker, Connections, Fault, Shut, Stalls};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A database with the connections to it.
pub(crate) struct ServedDatabase {
    /// For lanes and for what applies events: as many as there are at once.
    pub writes: Connections,
    /// For views, each of which holds one.
    pub reads: Connections,
    /// For short questions beside views, so that these never wait for each other.
    pub asks: Connections,
    /// For settings, and for uses of sessions, which are not written by lanes.
    pub others: Connections,
    /// For what writes in other shards have to know of its rows.
    pub looks: Connections,
    /// Whether it may be asked.
    pub breaker: Arc<Breaker>,
    /// Questions of views that it has not answered yet.
    pub stalls: Stalls,
}

/// How long a transaction that holds locks may be idle: the holder may be stopped, and others wait.
const WRITE_IDLE_MAX: Duration = Duration::from_secs(2);

/// How long a view may be asked nothing: longer than any call lives.
const VIEW_IDLE_MAX: Duration = Duration::from_secs(30);

/// Events that cannot be read and are told of one by one: that they are many is known by then.
const UNREADABLE_MAX: usize = 10_000;

/// Events that this process has passed over.
const UNREADABLE_EVENTS: &str = "guanxi_unreadable_events_total";

/// Says what the metrics of logs mean, for their HELP lines.
pub(super) fn describe() {
    metrics::describe_counter!(
        UNREADABLE_EVENTS,
        "Events of logs that this process could not read and passed over: damage, which `guanxi verify` names."
    );
    // A counter that was never counted is not listed in the metrics.
    metrics::counter!(UNREADABLE_EVENTS).absolute(0);
}

/// What the parts of a store share.
pub(crate) struct ClusterCore {
    pub terms: RowTerms,
    pub options: ClusterOptions,
    pub clock: Arc<dyn Clock>,
    /// The clock that versions are minted from.
    pub stamps: Arc<ProcessClock>,
    /// The users whose credentials have ended.
    pub ended: EndedTable,
    /// The number of this process among those of the cluster.
    pub process: i64,
    /// How many batches of it were numbered.
    batches: AtomicU32,
    /// Views at once: as many as each database has connections for them, so that one that holds some waits for no other.
    pub views: Arc<Semaphore>,
    /// How our clock stands to the first database's.
    pub clock_watch: ClockWatch,
    /// Its databases, in the order of the list.
    pub served: Vec<ServedDatabase>,
    /// The credentials as this process knows them.
    pub credentials: CredentialCopy,
    /// What this process says of its indexes of search, if others may ask them.
    pub index: OnceLock<TellReplica>,
    databases: Databases,
    map: RwLock<Arc<GeneMap>>,
    /// Whether somebody reads the map anew.
    reloads: AtomicBool,
    /// Up to where each log is known to have come.
    heads: Vec<AtomicU64>,
    /// Up to which event of each log rows were read that memory keeps, which looks may not have brought yet.
    read: Vec<AtomicU64>,
    /// The tasks that wait for the logs of each database to move.
    pub wakes: Vec<Arc<LogWake>>,
    /// The looks at the logs of each database.
    pub tails: Vec<Tail>,
    /// What is held in memory of users and posts, as the looks have told.
    pub memory: Memory,
    lanes: OnceLock<Lanes>,
    appliers: OnceLock<Appliers>,
    /// Events that cannot be read and were told of.
    unreadable: Mutex<BTreeSet<(Gene, u64)>>,
}

impl ClusterCore {
    /// Returns what a store begins with, before its lanes and appliers run.
    pub(crate) fn new(
        terms: RowTerms,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
        databases: Databases,
        (map, process): (GeneMap, i64),
    ) -> Result<Self> {
        // So that views of one database alone always find a turn.
        let late_max =
            if databases.all().len() > 1 { (options.views_max / 2).max(1) } else { options.views_max };
        let wakes = databases.all().iter().map(|_| Arc::default()).collect();
        let tails = databases.all().iter().map(|_| Tail::new(options.ring_events_max)).collect();
        let budget = ConnectionBudget::of(&options, databases.all().len());
        let serve = |database| {
            let breaker = Arc::<Breaker>::default();
            Ok(ServedDatabase {
                writes: Connections::new(database, budget.writes, WRITE_IDLE_MAX, &breaker)?,
                reads: Connections::new(database, budget.views, VIEW_IDLE_MAX, &breaker)?,
                asks: Connections::new(database, budget.questions, WRITE_IDLE_MAX, &breaker)?,
                others: Connections::new(database, budget.settings, WRITE_IDLE_MAX, &breaker)?,
                looks: Connections::new(database, budget.looks, WRITE_IDLE_MAX, &breaker)?,
                breaker,
                stalls: Stalls::new(late_max),
            })
        };
        let served = databases.all().iter().map(serve).collect::<Result<Vec<_>, Fault>>();
        Ok(Self {
            terms,
            options,
            clock_watch: ClockWatch::new(clock.clone()),
            clock,
            stamps: Arc::default(),
            ended: EndedTable::default(),
            process,
            batches: AtomicU32::new(0),
            views: Arc::new(Semaphore::new(options.views_max)),
            served: served?,
            wakes,
            tails,
            memory: Memory::new(options.memory),
            credentials: CredentialCopy::default(),
            index: OnceLock::new(),
            databases,
            map: RwLock::new(Arc::new(map)),
            reloads: AtomicBool::new(false),
            heads: (0..=u8::MAX).map(|_| AtomicU64::new(0)).collect(),
            read: (0..=u8::MAX).map(|_| AtomicU64::new(0)).collect(),
            lanes: OnceLock::new(),
            appliers: OnceLock::new(),
            unreadable: Mutex::default(),
        })
    }

    /// Gives it the tasks that write.
    pub(crate) fn run(&self, lanes: Lanes, appliers: Appliers) {
        let _first = (self.lanes.set(lanes), self.appliers.set(appliers));
    }

    /// Returns the number of a batch that no other batch has, of this process or another.
    pub(crate) fn next_batch(&self) -> i64 {
        self.process << u32::BITS | i64::from(self.batches.fetch_add(1, Ordering::Relaxed))
    }

    /// The lanes of every database.
    pub(crate) fn lanes(&self) -> Result<&Lanes> {
        self.lanes.get().ok_or(Error::new(Reason::ShuttingDown))
    }

    /// Returns what applies events, for every database.
    pub(crate) fn appliers(&self) -> Result<&Appliers> {
        self.appliers.get().ok_or(Error::new(Reason::ShuttingDown))
    }

    /// Returns how to reach its databases.
    pub(crate) const fn databases(&self) -> &Databases {
        &self.databases
    }

    /// Returns which database has each gene.
    pub(crate) fn map(&self) -> Arc<GeneMap> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the map anew.
    pub(crate) async fn reload(&self) -> Result<(), DatabaseError> {
        let map = GeneMap::new(&shard_map(&self.databases).await?, &self.databases)?;
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(map);
        Ok(())
    }

    /// Reads the map anew, apart from the caller that has met a shard that is not where it says. One read is for all.
    pub(crate) fn reload_soon(self: &Arc<Self>) {
        if self.reloads.swap(true, Ordering::AcqRel) {
            return;
        }
        let shared = self.clone();
        tokio::spawn(async move {
            if let Err(error) = shared.reload().await {
                tracing::debug!(%error, "the map cannot be read");
            }
            shared.reloads.store(false, Ordering::Release);
        });
    }

    /// Notes that a reader has passed over an event that it cannot read. It is counted and logged by the first of this process.
    pub(crate) fn note_unreadable(&self, gene: Gene, seq: u64) {
        let mut known = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < UNREADABLE_MAX && known.insert((gene, seq)) {
            tracing::error!(log = gene.0, seq, "an event cannot be read; readers pass it over");
            metrics::counter!(UNREADABLE_EVENTS).increment(1);
        }
    }

    /// Notes that a log has come to an event, and wakes its followers. Returns whether that was not known.
    pub(crate) fn note_head(&self, gene: Gene, seq: u64) -> bool {
        let has_moved = self.heads[usize::from(gene.0)].fetch_max(seq, Ordering::AcqRel) < seq;
        if has_moved {
            self.wakes[self.map().database(gene)].note_moved();
        }
        has_moved
    }

    /// Notes where a log stands to which this process may have written, which it tells others then.
    pub(crate) fn note_wrote(&self, gene: Gene, seq: u64) {
        if self.note_head(gene, seq) {
            self.wakes[self.map().database(gene)].note_wrote();
        }
    }

    /// Returns where the logs of a database stand, by a look that begins after this was called.
    pub(crate) async fn heads_of(self: &Arc<Self>, database: usize) -> Result<Marks, Fault> {
        Ok(look(self, database).await?.heads.as_ref().clone())
    }

    /// Notes up to which event of a log rows were read that memory keeps: a look that finds less tells that the database lost it. No
    /// reader waits for looks to bring it.
    pub(crate) fn note_read(&self, gene: Gene, seq: u64) {
        self.read[usize::from(gene.0)].fetch_max(seq, Ordering::AcqRel);
    }

    /// Returns up to where this process has seen all logs.
    pub(crate) fn seen_heads(&self) -> Marks {
        let read = |gene: Gene| self.read[usize::from(gene.0)].load(Ordering::Acquire);
        (0..=u8::MAX).map(Gene).map(|gene| (gene, self.head(gene).max(read(gene)))).collect()
    }

    /// Notes that a database lost something that this process, or another database, has seen: nothing is asked of it from now
    /// on. Returns what its callers are told.
    pub(crate) fn note_lost(&self, database: usize, lost: &str) -> Fault {
        let problem = lost::problem(self.databases.all()[database].name(), lost);
        self.served[database].breaker.note(Shut::Lost(problem.clone()));
        Fault::Lost(problem)
    }

    /// Takes a database in: it is asked from now on. What it has applied is looked at anew: that may be less than before.
    pub(crate) fn take_in(&self, database: usize) {
        if let Some(appliers) = self.appliers.get() {
            appliers.applied(database).forget();
        }
        self.tails[database].forget(&self.memory);
        // Events that are lost may have had numbers that others get now.
        let logs = self.map().genes(database).map(|gene| Logs::PerGene.of_gene(gene)).collect();
        self.memory.forget_logs(&logs);
        self.served[database].breaker.open();
        self.wakes.iter().for_each(|wake| wake.note_moved());
    }

    /// Returns up to where a log is known to have come.
    pub(crate) fn head(&self, gene: Gene) -> u64 {
        self.heads[usize::from(gene.0)].load(Ordering::Acquire)
    }

    /// Whether a position is of this cluster.
    pub(crate) fn check_history(&self, position: &Position) -> Result<()> {
        if position.history() == self.terms.history {
            return Ok(());
        }
        Err(Error::new(Reason::TokenFromOtherHistory))
    }

    /// The database of a log.
    pub(crate) fn database_of(&self, log: LogId) -> usize {
        self.map().database(Gene(log.0))
    }
}
