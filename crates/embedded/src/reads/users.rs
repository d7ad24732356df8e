//! Reads of users.

use super::{PinnedView, now};
use crate::rows;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{Error, LoginName, Result, Uid, User};
use guanxi_ports::{BoxFuture, UserView};

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

    fn deleted_users(&self, after: Option<(u64, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        now(rows::users::deleted(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn all_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<User>>> {
        now(rows::users::all(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn erased_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        now(rows::users::erased(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        now(rows::users::claim(&self.view.snapshot, contact).map_err(Error::from))
    }

    fn claims<'a>(
        &'a self,
        after: Option<&'a Contact>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        now(rows::users::claims(&self.view.snapshot, after, max).map_err(Error::from))
    }
}
