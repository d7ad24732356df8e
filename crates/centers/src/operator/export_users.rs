//! Export of users as an import takes them: accounts with the hashes of their passwords, profiles, and what else is known of each.

use super::OperatorCenter;
use super::export::{Export, ExportChunk, ListedRows};
use guanxi_model::user::{ImportUser, UserStatus};
use guanxi_model::{Position, Result, Uid, User};
use guanxi_ports::{StoreView, Walk};

/// Users as an import takes them, in the order of their uids.
pub struct ListedAccounts {
    after: Option<Uid>,
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
    ) -> Result<Export<ListedAccounts>> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(Export::new(view, ListedAccounts { after }, u64::MAX))
    }
}

impl ListedRows for ListedAccounts {
    type Row = ImportUser;

    async fn next(&mut self, view: &dyn StoreView, max: usize) -> Result<ExportChunk<ImportUser>> {
        let mut users = view.all_users(Walk::new(self.after, max)).await?;
        let is_last = users.len() < max;
        self.after = users.last().map(|user| user.uid).or(self.after);
        let is_leaving = |user: &&User| matches!(user.status, UserStatus::Deleted { .. });
        let left_out = users.iter().filter(is_leaving).count() as u64;
        users.retain(|user| !user.status.is_deleted());
        let uids: Vec<Uid> = users.iter().map(|user| user.uid).collect();
        let ids = view.external_ids(&uids).await?;
        let mut exported = Vec::with_capacity(users.len());
        for (user, external_id) in users.into_iter().zip(ids) {
            let User { uid, login_name, registered_ms, profile, privacy, status, contacts, takedown, .. } =
                user;
            let password = if login_name.is_some() { view.password(uid).await? } else { None };
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
        Ok(ExportChunk { rows: exported, left_out, is_last })
    }
}
