//! Reads of what operators and readers have set, and of what operators did.

use super::{PinnedView, now};
use crate::rows;
use guanxi_model::{AuditEntry, AuditId, Error, FanoutPolicy, Position, Result, Uid};
use guanxi_ports::{BoxFuture, FollowLimit, SettingsView};

impl SettingsView for PinnedView {
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        now(self.counters(uid).map(|counters| FollowLimit {
            effective: counters.limit.unwrap_or(self.shared.options.follow_limit),
            own: counters.limit,
        }))
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        now(rows::settings::import_position(&self.view.snapshot, job).map_err(Error::from))
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        let seen = rows::settings::seen(&self.view().snapshot, uid);
        now(seen.map(|seq| self.shared().position(seq)).map_err(Error::from))
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        now(rows::settings::policy(&self.view().snapshot).map_err(Error::from))
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        let entries = rows::settings::audit_entries(&self.view().snapshot, below).take(max);
        now(entries.collect::<Result<_, _>>().map_err(Error::from))
    }
}
