//! Export of users as an import takes them: accounts with the hashes of their passwords, profiles, and what else is known of each.

use super::OperatorCenter;
use guanxi_model::user::{ImportUser, UserStatus};
use guanxi_model::{Position, Result, Uid, User};
use guanxi_ports::StoreView;
use guanxi_ports::Walk;

/// An export of users under way: a pinned view, and the last user that was read.
pub struct AccountExport {
    view: Box<dyn StoreView>,
    after: Option<Uid>,
    left_out: u64,
    ended: bool,
}

impl OperatorCenter {
    /// Starts an export of all users of whom anything is kept, in the order of their uids, after one uid. Deleted users are
    /// left out, and counted until they are erased.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn export_users(
        &self,
        after: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<AccountExport> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(AccountExport { view, after, left_out: 0, ended: false })
    }
}

impl AccountExport {
    /// Where all of it stands.
    pub fn position(&self) -> Position {
        self.view.position()
    }

    /// How many of the last chunk were left out, since they are deleted.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next of them, at most `max`; `None` after the last. A chunk may be empty, and the first one comes in any case.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, max: usize) -> Result<Option<Vec<ImportUser>>> {
        if self.ended {
            return Ok(None);
        }
        let mut users = self.view.all_users(Walk::new(self.after, max)).await?;
        self.ended = users.len() < max;
        self.after = users.last().map(|user| user.uid).or(self.after);
        let is_leaving = |user: &&User| matches!(user.status, UserStatus::Deleted { .. });
        self.left_out = users.iter().filter(is_leaving).count() as u64;
        users.retain(|user| !user.status.is_deleted());
        let uids: Vec<Uid> = users.iter().map(|user| user.uid).collect();
        let ids = self.view.external_ids(&uids).await?;
        let mut exported = Vec::with_capacity(users.len());
        for (user, external_id) in users.into_iter().zip(ids) {
            let User { uid, login_name, registered_ms, profile, privacy, status, contacts, takedown, .. } =
                user;
            let password = if login_name.is_some() { self.view.password(uid).await? } else { None };
            exported.push(ImportUser {
                login_name,
                password,
                profile,
                registered_ms,
                privacy,
                // A list has no takedowns; a hidden user stays hidden.
                is_deactivated: status == UserStatus::Deactivated || takedown.is_some(),
                contacts,
                external_id,
                ..ImportUser::unknown(uid)
            });
        }
        Ok(Some(exported))
    }
}
