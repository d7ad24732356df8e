//! What a view answers about users and settings.

use crate::reads::{PinnedView, now};
use crate::rows;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{
    AuditEntry, AuditId, Error, ExternalId, FanoutPolicy, LoginName, Position, Result, Uid, User,
};
use guanxi_ports::{BoxFuture, FollowLimit, UserView};

impl UserView for PinnedView {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        let user = |uid: &Uid| rows::users::user(&self.view.snapshot, *uid).map_err(Error::from);
        now(uids.iter().map(user).collect())
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        now(rows::users::uid_of(&self.view.snapshot, name).map_err(Error::from))
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        now(rows::users::password(&self.view.snapshot, uid).map_err(Error::from))
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        now(rows::users::claim(&self.view.snapshot, contact).map_err(Error::from))
    }

    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        now(self.in_order_of_keys(ids))
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        let id = |uid: &Uid| rows::external_ids::id_of(&self.view.snapshot, *uid).map_err(Error::from);
        now(uids.iter().map(id).collect())
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        let entries = rows::settings::audit_entries(&self.view().snapshot, below).take(max);
        now(entries.collect::<Result<_, _>>().map_err(Error::from))
    }

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
}
