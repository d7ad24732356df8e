//! What a view answers about users and settings.

use crate::store::job;
use crate::view::ClusterView;
use guanxi_model::user::{Contact, ContactClaim, ExternalId, LoginName, PasswordHash, User};
use guanxi_model::{AuditEntry, AuditId, FanoutPolicy, Position, Result, Uid};
use guanxi_ports::{BoxFuture, FollowLimit, UserView};

impl UserView for ClusterView {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        Box::pin(self.users_of(uids))
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        Box::pin(self.named(name))
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        Box::pin(self.password_of(uid))
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        Box::pin(self.claimed(contact))
    }

    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        Box::pin(self.resolved(ids))
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        Box::pin(self.ids_of(uids))
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        Box::pin(self.audit(below, max))
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        Box::pin(self.follow_limit_of(uid))
    }

    fn import_position<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(job(self.shared(), name))
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        Box::pin(self.seen_by(uid))
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        Box::pin(self.policy())
    }
}
