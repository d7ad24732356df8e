//! Calls of settings, counted with those of the domain that they are of.

use super::{MeteredView, graph, posts, users};
use crate::{BoxFuture, FollowLimit, SettingsView};
use guanxi_model::{AuditEntry, AuditId, FanoutPolicy, Position, Result, Uid};

impl SettingsView for MeteredView {
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        self.time(graph::Call::FollowLimit, self.inner.follow_limit(uid))
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        self.time(graph::Call::ImportPosition, self.inner.import_position(job))
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        self.time_posts(posts::Call::Seen, self.inner.seen(uid))
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        self.time_posts(posts::Call::FanoutPolicy, self.inner.fanout_policy())
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        self.time_users(users::Call::AuditEntries, self.inner.audit_entries(below, max))
    }
}
