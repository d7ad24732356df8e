//! What the parts of a store share.

use super::credential_copy::CredentialCopy;
use super::{ClusterOptions, EndedTable};
use crate::databases::Databases;
use crate::derive::{Appliers, Marks};
use crate::lanes::Lanes;
use crate::map::GeneMap;
use crate::postgres::{Connections, Fault, Statements};
use crate::rows::{ProcessClock, RowTerms, gene};
use crate::serving::CLOCK_SKEW_MS_MAX;
use crate::{ClusterError, shard_map};
use guanxi_model::{Clock, Error, Gene, LogId, Position, Reason, Result};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;

const HEADS: &str = "select gene, seq from gx.shard";

/// A database with the connections to it.
pub(crate) struct ServedDatabase {
    /// For lanes and for what applies events: as many as there are at once.
    pub writes: Connections,
    /// For views, each of which holds one.
    pub reads: Connections,
    /// For short questions beside views, so that these never wait for each other.
    pub asks: Connections,
    /// For sessions, credentials and settings, which are not written by lanes.
    pub others: Connections,
    /// For what writes in other shards have to know of its rows.
    pub looks: Connections,
}

/// Connections that write to one database: one per lane, and one for what applies events.
const WRITES: usize = crate::lanes::LANES + 1;

/// Connections for short questions.
const ASKS: usize = 2;

/// How long a transaction that holds locks may be idle: whoever holds them may be stopped, and others wait.
const WRITE_IDLE_MAX: Duration = Duration::from_secs(2);

/// How long a view may be asked nothing: longer than any call lives.
const VIEW_IDLE_MAX: Duration = Duration::from_secs(30);

/// Connections for sessions, credentials and settings.
const OTHERS: usize = 4;

/// Connections for what writes in other shards have to know: a few questions of some writes.
const LOOKS: usize = crate::lanes::LANES;

/// What the parts of a store share.
pub(crate) struct ClusterCore {
    pub terms: RowTerms,
    pub options: ClusterOptions,
    pub clock: Arc<dyn Clock>,
    /// The clock that versions are minted from.
    pub stamps: Arc<ProcessClock>,
    /// Whose credentials have ended.
    pub ended: EndedTable,
    /// The number of this process among those of the cluster.
    pub process: i64,
    /// Views at once: as many as each database has connections for them, so that one that holds some waits for no other.
    pub views: Arc<Semaphore>,
    /// By how many milliseconds the first database's clock was ahead of ours, when it was last asked.
    pub clock_ahead_ms: AtomicI64,
    /// Its databases, in the order of the list.
    pub served: Vec<ServedDatabase>,
    /// The credentials as this process knows them.
    pub credentials: CredentialCopy,
    databases: Databases,
    map: RwLock<Arc<GeneMap>>,
    /// Up to where each log is known to have come.
    heads: Vec<AtomicU64>,
    lanes: OnceLock<Lanes>,
    appliers: OnceLock<Appliers>,
}

impl ClusterCore {
    /// What a store begins with, before its lanes and appliers run.
    pub(crate) fn new(
        terms: RowTerms,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
        databases: Databases,
        (map, process): (GeneMap, i64),
    ) -> Result<Self> {
        let serve = |database| {
            Ok(ServedDatabase {
                writes: Connections::new(database, WRITES, WRITE_IDLE_MAX)?,
                reads: Connections::new(database, options.views_max, VIEW_IDLE_MAX)?,
                asks: Connections::new(database, ASKS, WRITE_IDLE_MAX)?,
                others: Connections::new(database, OTHERS, WRITE_IDLE_MAX)?,
                looks: Connections::new(database, LOOKS, WRITE_IDLE_MAX)?,
            })
        };
        let served = databases.all().iter().map(serve).collect::<Result<Vec<_>, Fault>>();
        Ok(Self {
            terms,
            options,
            clock,
            stamps: Arc::default(),
            ended: EndedTable::default(),
            process,
            views: Arc::new(Semaphore::new(options.views_max)),
            clock_ahead_ms: AtomicI64::new(0),
            served: served.map_err(Fault::told)?,
            credentials: CredentialCopy::default(),
            databases,
            map: RwLock::new(Arc::new(map)),
            heads: (0..=u8::MAX).map(|_| AtomicU64::new(0)).collect(),
            lanes: OnceLock::new(),
            appliers: OnceLock::new(),
        })
    }

    /// Whether our clock agrees with the first database's, as far as it is known.
    pub(crate) fn is_in_time(&self) -> bool {
        self.clock_ahead_ms.load(Ordering::Relaxed).unsigned_abs() <= CLOCK_SKEW_MS_MAX
    }

    /// Gives it the tasks that write.
    pub(crate) fn run(&self, lanes: Lanes, appliers: Appliers) {
        let _first = (self.lanes.set(lanes), self.appliers.set(appliers));
    }

    /// The lanes of every database.
    pub(crate) fn lanes(&self) -> Result<&Lanes> {
        self.lanes.get().ok_or(Error::new(Reason::ShuttingDown))
    }

    /// What applies events, for every database.
    pub(crate) fn appliers(&self) -> Result<&Appliers> {
        self.appliers.get().ok_or(Error::new(Reason::ShuttingDown))
    }

    /// How to reach its databases.
    pub(crate) const fn databases(&self) -> &Databases {
        &self.databases
    }

    /// Which database has each gene.
    pub(crate) fn map(&self) -> Arc<GeneMap> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the map anew.
    pub(crate) async fn reload(&self) -> Result<(), ClusterError> {
        let map = GeneMap::new(&shard_map(&self.databases).await?, &self.databases)?;
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(map);
        Ok(())
    }

    /// Notes that a log has come to an event.
    pub(crate) fn note_head(&self, gene: Gene, seq: u64) {
        self.heads[usize::from(gene.0)].fetch_max(seq, Ordering::AcqRel);
    }

    /// Where the logs of a database stand.
    pub(crate) async fn heads_of(&self, database: usize) -> Result<Marks, Fault> {
        let mut statements = Statements::default();
        statements.add(HEADS, Vec::new());
        let rows = self.served[database].asks.ask(&statements).await?;
        let head = |row: &tokio_postgres::Row| Ok((gene(row, 0)?, row.get::<_, i64>(1).cast_unsigned()));
        let heads = rows.iter().flatten().map(head).collect::<Result<Marks, Fault>>()?;
        heads.iter().for_each(|(gene, seq)| self.note_head(*gene, *seq));
        Ok(heads)
    }

    /// Up to where a log is known to have come.
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
