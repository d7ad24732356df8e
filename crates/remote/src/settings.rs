//! Settings over the API.

use guanxi_model::{AuditEntry, AuditId, FanoutPolicy, Position, Result, Uid};
use guanxi_ports::{BoxFuture, FollowLimit, SettingsView};

use super::untold;
use super::view::RemoteView;

impl SettingsView for RemoteView {
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        Box::pin(self.admin.follow_limit(uid, Some(&self.position)))
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.admin.import_position(job))
    }

    fn seen(&self, _uid: Uid) -> BoxFuture<'_, Result<Position>> {
        untold("seen marks")
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        Box::pin(self.admin.fanout_policy())
    }

    fn audit_entries(&self, _below: Option<AuditId>, _max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        untold("entries of the audit log as they are stored")
    }
}
