//! What operators and readers have set, and what operators did.

use crate::BoxFuture;
use guanxi_model::{AuditEntry, AuditId, FanoutPolicy, Position, Result, Uid};

/// A user's follow limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowLimit {
    /// The limit that holds.
    pub effective: u32,
    /// The user's own limit, if the operator set one.
    pub own: Option<u32>,
}

/// Limits, policies, read markers, where imports stand, and the audit log.
pub trait SettingsView: Send + Sync {
    /// The follow limit of a user.
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>>;

    /// Where an import job stands; `None` for one that never began.
    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>>;

    /// Up to where a user has seen its home: its read marker; the beginning if never marked.
    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>>;

    /// How home timelines are pushed; the default until it was set.
    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>>;

    /// What operators did, newest first, from below an entry on, which need not be there any more; at most `max`.
    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>>;
}
