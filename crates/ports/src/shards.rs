//! Where the shards of a store are, and how far each database is: what an operator is shown of a cluster.

use crate::BoxFuture;
use guanxi_model::{Gene, Result};
use std::time::Duration;

/// What a process knows of the shards of its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardReport {
    /// Whether the store is a cluster; else it is on one machine.
    pub is_of_cluster: bool,
    /// The databases, in the order of the setting `databases`.
    pub databases: Vec<SeenDatabase>,
    /// All genes, in order.
    pub shards: Vec<SeenShard>,
    /// The processes that served the cluster within the last 30 seconds, as its first database tells; empty on one machine.
    pub processes: Vec<SeenProcess>,
}

/// A database of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenDatabase {
    /// Its name in the cluster.
    pub name: String,
    /// How long it took to answer; `None` if it did not answer in time.
    pub answered_in: Option<Duration>,
    /// Events of all logs that are not applied in this database yet; `None` if it did not answer.
    pub behind: Option<u64>,
}

/// The shard of a gene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenShard {
    /// The gene.
    pub gene: Gene,
    /// Its database, as an index into the list.
    pub database: usize,
    /// Rises whenever the shard moves.
    pub epoch: u64,
    /// Whether the shard may be written; `None` if the first database did not answer.
    pub state: Option<SeenState>,
    /// Events that its log has had; `None` if it has no log of its own, or its database did not answer.
    pub events: Option<u64>,
}

/// Whether a shard may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenState {
    /// It may.
    Open,
    /// It moves to another database, and may not be written meanwhile.
    Moving,
}

/// A process that serves the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenProcess {
    /// Its number among those of the cluster.
    pub number: u64,
    /// The version of its program.
    pub program: String,
    /// Its roles, as the setting `roles` names them.
    pub roles: Vec<String>,
    /// By how many milliseconds the clock of the first database is ahead of its own.
    pub clock_ahead_ms: i64,
    /// The name of its machine.
    pub host: String,
    /// Its number on that machine.
    pub pid: u32,
}

/// The name of the only database of one machine.
const ONLY: &str = "local";

impl ShardReport {
    /// One machine: one database that has all genes.
    pub fn one_machine() -> Self {
        let shard = |gene| SeenShard {
            gene: Gene(gene),
            database: 0,
            epoch: 1,
            state: Some(SeenState::Open),
            events: None,
        };
        let only = SeenDatabase { name: ONLY.to_owned(), answered_in: Some(Duration::ZERO), behind: Some(0) };
        Self {
            is_of_cluster: false,
            databases: vec![only],
            shards: (0..=u8::MAX).map(shard).collect(),
            processes: Vec::new(),
        }
    }
}

/// Asking a store for its shards. The answer is of the process that is asked, and of this moment.
pub trait Shards: Send + Sync {
    /// Returns where the shards are, and how far each database is. A database that is away is said to be so, and is no error. It
    /// takes a few seconds at most.
    ///
    /// # Errors
    /// `SHUTTING_DOWN` when the store closes.
    fn shards(&self) -> BoxFuture<'_, Result<ShardReport>> {
        Box::pin(std::future::ready(Ok(ShardReport::one_machine())))
    }
}
