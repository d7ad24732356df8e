//! What a view answers about users and settings.

use crate::memory::view::{MemoryView, now};
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{AuditEntry, AuditId, ExternalId, FanoutPolicy, LoginName, Position, Result, Uid, User};
use guanxi_ports::{BoxFuture, FollowLimit, UserView};
use std::future::ready;

impl UserView for MemoryView {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        let users = uids.iter().map(|uid| self.of(*uid).users.users.get(uid).cloned());
        Box::pin(ready(Ok(users.collect())))
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        Box::pin(ready(Ok(self.of_gene(name.gene()).users.login_names.get(name).copied())))
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        Box::pin(ready(Ok(self.of(uid).users.passwords.get(&uid).cloned())))
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        Box::pin(ready(Ok(self.of_gene(contact.gene()).users.claims.get(contact).copied())))
    }

    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        let uid = |id: &ExternalId| self.of_gene(id.gene()).external_ids.uids.get(id).copied();
        Box::pin(ready(Ok(ids.iter().map(uid).collect())))
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        let id = |uid: &Uid| self.of(*uid).external_ids.id_of(*uid).cloned();
        Box::pin(ready(Ok(uids.iter().map(id).collect())))
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        now(self.of_all().audit_entries(below, max))
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        let own = self.of(uid).limits.get(&uid).copied();
        now(FollowLimit { effective: own.unwrap_or(self.shared.options.follow_limit), own })
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        now(self.of_all().jobs.get(job).copied())
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        let beginning = || Position::beginning(self.shared.options.history, self.shared.options.logs);
        now(self.of(uid).posts.seen.get(&uid).cloned().unwrap_or_else(beginning))
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        now(self.of_all().posts.policy)
    }
}
