//! The calls of operators: import and export, follow limits, the fan-out's policy, takedowns, proof, backup, tokens, and the
//! audit log.
//!
//! The admin API and the command line on a directory both come here, so that both check, count and refuse alike.

mod audit;
mod deleted;
mod export;
mod export_posts;
mod export_users;
mod history;
mod import;
mod import_users;
mod jobs;
mod long;
mod requests;
mod rows;
mod search_proof;
mod settings;
mod takedowns;
mod tokens;

pub use audit::{AUDIT_SCAN_MAX, AuditAbout, AuditFilter, AuditPage};
pub use export::{Export, ExportChunk, ListedEdges, ListedRows};
pub use export_posts::{ListedLikes, ListedPosts, PostsPlace};
pub use export_users::ListedAccounts;
pub use history::{HISTORY_SCAN_MAX, HistoryAsked, HistoryEnd, UserHistory};
pub use import::Imported;
pub use jobs::{
    EXPORT_READ_MAX, EXPORT_TIME, EXPORTS_AT_ONCE, EXPORTS_KEPT_MAX, EXPORTS_QUEUED_MAX, ExportFailure,
    ExportFormat, ExportId, ExportJobs, ExportPart, ExportParts, ExportPlan, ExportRows, ExportState,
    ExportStatus, Pause, RowForm, SpoolTerms, StartKey, SumForm,
};
pub use long::{HomesAsked, HomesProof, LongTask, SAMPLE_DEFAULT};
pub use requests::WaitingRequests;
pub use rows::{
    PostRowPage, ROW_ATTRIBUTES_MAX, ROW_NUMBERS_MAX, ROW_SUMS_MAX, ROW_TOP_MAX, RowQuery, UserRowPage,
};
pub use search_proof::{SearchIndexKind, SearchProof, SearchProofStep};
pub use tokens::Secret;

use crate::feed::FeedCenter;
use crate::user::ExternalIdCenter;
use crate::user::export::UserExports;
use crate::{Ports, Random};
use guanxi_model::user::UidPolicy;
use guanxi_model::{Credential, Position, Principal, Result, Uid};
use guanxi_ports::shards::ShardReport;
use guanxi_ports::{Credentials, SearchUpkeep, Sessions, Shards, Upkeep, Walk};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The parts that operators need beyond the ports of the centers.
#[derive(Clone)]
pub struct OperatorParts {
    /// The stored tokens; those of end users are names for sessions.
    pub credentials: Arc<dyn Credentials>,
    /// The sessions of end users.
    pub sessions: Arc<dyn Sessions>,
    /// Where the shards are.
    pub shards: Arc<dyn Shards>,
    /// Proof and backup.
    pub upkeep: Arc<dyn Upkeep>,
    /// For new tokens and for samples.
    pub random: Random,
    /// Makes the text and the hash of a token from random bits; that of an end user names its shard.
    pub mint: fn(&Principal, [u8; 32]) -> Secret,
}

/// The operator center over a backend. Cheap to clone.
#[derive(Clone)]
pub struct OperatorCenter {
    ports: Ports,
    feed: FeedCenter,
    own: OperatorParts,
    /// When the center was made.
    started_ms: u64,
    uids: UidPolicy,
    search: Option<Arc<dyn SearchUpkeep>>,
    /// The jobs of a process that keeps search indexes.
    jobs: Option<ExportJobs>,
    /// Whether a long task runs: each reads the whole store, so there is one at a time.
    busy: Arc<AtomicBool>,
    /// Mints the times of entries of the audit log.
    audit: Arc<audit::AuditClock>,
}

/// A look at a running store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStats {
    /// The last event.
    pub head: Position,
    /// Stored tokens.
    pub tokens: usize,
    /// When the center was made, in Unix milliseconds.
    pub started_ms: u64,
}

impl OperatorCenter {
    /// Returns the time in Unix milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.ports.clock.now_ms()
    }

    /// Returns random bits for a secret of the operator's own, such as that of a session of the console.
    pub fn random_bits(&self) -> [u8; 32] {
        (self.own.random)()
    }

    /// A center over a backend's ports. Homes are read, and the policy is set, through the feed center that serves.
    pub fn new(ports: &Ports, feed: &FeedCenter, own: OperatorParts) -> Self {
        let started_ms = ports.clock.now_ms();
        let (ports, feed) = (ports.clone(), feed.clone());
        Self {
            ports,
            feed,
            own,
            started_ms,
            uids: UidPolicy::Both,
            search: None,
            jobs: None,
            busy: Arc::default(),
            audit: Arc::default(),
        }
    }

    /// The same, which mints uids by a policy.
    #[must_use]
    pub fn minting(self, uids: UidPolicy) -> Self {
        Self { uids, ..self }
    }

    /// The same of a process that keeps search indexes.
    #[must_use]
    pub fn searching(self, search: Option<Arc<dyn SearchUpkeep>>) -> Self {
        Self { search, ..self }
    }

    /// Begins to build the search indexes anew; those that are searched answer until then.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when this process keeps none.
    pub fn rebuild_search(&self) -> Result<()> {
        self.indexes()?.rebuild();
        Ok(())
    }

    /// A look at the store.
    ///
    /// # Errors
    /// When the log or the tokens cannot be asked.
    pub async fn stats(&self) -> Result<StoreStats> {
        let Self { ports, started_ms, .. } = self;
        let (head, tokens) = (ports.log.head().await?, self.tokens().await?.len());
        Ok(StoreStats { head, tokens, started_ms: *started_ms })
    }

    /// Returns where the shards are, and how far each database is, as this process sees it.
    ///
    /// # Errors
    /// `SHUTTING_DOWN`.
    pub async fn shards(&self) -> Result<ShardReport> {
        self.own.shards.shards().await
    }

    /// Returns when the center was made, in Unix milliseconds.
    pub const fn started_ms(&self) -> u64 {
        self.started_ms
    }

    /// The dictionary of external ids.
    pub fn external_ids(&self) -> ExternalIdCenter {
        let Self { ports, own, .. } = self;
        let random = own.random.clone();
        ExternalIdCenter::new(ports.store.clone(), ports.clock.clone(), random).minting(self.uids)
    }

    /// Returns the erased users, and since when in Unix milliseconds, in the order of uids, after one; at most `max`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn erased_users(&self, after: Option<Uid>, max: usize) -> Result<Vec<(Uid, u64)>> {
        self.ports.store.view(None).await?.erased_users(Walk::new(after, max)).await
    }

    /// Exports of users.
    pub fn user_exports(&self) -> UserExports {
        let OperatorParts { credentials, sessions, .. } = &self.own;
        UserExports::new(self.ports.store.clone(), sessions.clone(), Some(credentials.clone()))
    }

    /// All tokens, by name.
    ///
    /// # Errors
    /// A whole-request error of the store.
    pub async fn tokens(&self) -> Result<Vec<Credential>> {
        self.own.credentials.list().await
    }
}

#[cfg(test)]
mod tests;
