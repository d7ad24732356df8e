//! What the writer and the readers share.

use crate::directory::free_bytes;
use crate::engine::{Engine, EngineError, Table};
use crate::layout::ErasedIdKey;
use crate::options::Options;
use crate::signed_out::SignedOut;
use crate::view::{Committing, Published};
use guanxi_memory::affinities::AffinityCache;
use guanxi_memory::credentials::CredentialTable;
use guanxi_memory::headers::HeaderCache;
use guanxi_memory::lists::Lists;
use guanxi_memory::outboxes::{OutboxCache, OutboxChange};
use guanxi_memory::recent_events::RecentEvents;
use guanxi_memory::relations::RelationsCache;
use guanxi_memory::user_groups::GroupMembersCache;
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, Error, HistoryId, LogId, Position, PostHeader, Reason, Result, Uid};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// What a caller is told to wait whose read found no file descriptor left, in milliseconds: until clients have gone.
const OPEN_FILES_RETRY_MS: u32 = 1_000;

pub(crate) struct Shared {
    pub dir: PathBuf,
    pub options: Options,
    pub history: HistoryId,
    /// The key of hashes of external ids that led to users who are erased.
    pub erased_id_key: ErasedIdKey,
    pub engine: Engine,
    pub committing: Committing,
    /// When the relations of a user last changed at the latest whose row does not say it.
    pub unnoted: u64,
    pub relations: RelationsCache,
    pub lists: Lists,
    pub outboxes: OutboxCache,
    pub headers: HeaderCache,
    pub group_members: GroupMembersCache,
    pub affinities: AffinityCache,
    pub recent_events: RecentEvents,
    pub published: Published,
    pub credentials: CredentialTable,
    /// The policy of uids.
    pub uids: UidPolicy,
    /// When users signed out everywhere.
    pub signed_out: SignedOut,
    /// For what readers must not be shown any more: expired sessions.
    pub clock: Arc<dyn Clock>,
    /// Set once, with the reason, when the disk failed: from then on nothing is acknowledged.
    pub stopped: OnceLock<String>,
    /// Turns true when the store stops or closes, for tasks that wait.
    pub ended: watch::Sender<bool>,
}

impl Shared {
    pub(crate) const fn position(&self, seq: u64) -> Position {
        Position::one(self.history, seq)
    }

    /// Stops the store: what the disk holds is not known any more. Returns the error for the caller.
    pub(crate) fn stop(&self, error: &EngineError) -> Error {
        if self.stopped.set(error.to_string()).is_ok() {
            tracing::error!(%error, dir = %self.dir.display(), "the store has stopped; nothing more is acknowledged");
            self.ended.send_replace(true);
        }
        Error::with_detail(Reason::Stopped, error)
    }

    pub(crate) fn check_running(&self) -> Result<()> {
        self.stopped.get().map_or(Ok(()), |why| Err(Error::with_detail(Reason::Stopped, why)))
    }

    /// Tells memory what a commit changed about posts, before that commit is published.
    pub(crate) fn posts_changed(&self, seq: u64, outboxes: &[(Uid, OutboxChange)], headers: &[PostHeader]) {
        self.outboxes.apply(outboxes);
        self.headers.apply(seq, headers);
    }

    /// Refreshes the gauges that no other code sets.
    pub(crate) fn gauges(&self) {
        metrics::gauge!("guanxi_standings").set(self.published.pin().standings.len() as f64);
        metrics::gauge!("guanxi_signed_out_users").set(self.signed_out.len() as f64);
        let (bytes, users) = self.relations.size();
        metrics::gauge!("guanxi_user_cache_bytes").set(bytes as f64);
        metrics::gauge!("guanxi_user_cache_users").set(users as f64);
        let (bytes, authors) = self.outboxes.size();
        metrics::gauge!("guanxi_author_cache_bytes").set(bytes as f64);
        metrics::gauge!("guanxi_author_cache_authors").set(authors as f64);
        let (bytes, headers) = self.headers.size();
        metrics::gauge!("guanxi_item_cache_bytes").set(bytes as f64);
        metrics::gauge!("guanxi_item_cache_items").set(headers as f64);
        if let Ok(bytes) = free_bytes(&self.dir) {
            metrics::gauge!("guanxi_disk_free_bytes").set(bytes as f64);
        }
        metrics::gauge!("guanxi_disk_reserve_bytes").set(self.options.free_space_reserve as f64);
        if let Ok(bytes) = self.engine.journal_len() {
            metrics::gauge!("guanxi_disk_bytes", "part" => "journal").set(bytes as f64);
        }
        for table in Table::ALL {
            metrics::gauge!("guanxi_disk_bytes", "part" => table.name())
                .set(self.engine.table_len(table) as f64);
        }
    }
}

/// Returns where a position stands in the one log.
pub(crate) fn seq_of(position: &Position) -> u64 {
    position.in_log(LogId(0)).seq()
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        let reason = match &error {
            EngineError::Damaged(_) | EngineError::Version(_) => Reason::Damaged,
            EngineError::Stopped | EngineError::Background(_) => Reason::Stopped,
            EngineError::OpenFiles(_) => Reason::Overloaded { retry_after_ms: OPEN_FILES_RETRY_MS },
            EngineError::Io(_) | EngineError::Full(_) | EngineError::InUse => Reason::Internal,
        };
        Self::with_detail(reason, error)
    }
}
