//! The deleted users of an export. What they left is being removed, and no list of the export has it: an import of such a
//! list would bring back what no reader may see here any more.

use guanxi_model::{Result, Uid};
use guanxi_ports::StoreView;
use std::collections::HashMap;

/// Users whose state is kept at a time, about 4 MB.
const USERS_HELD: usize = 1 << 17;

/// Users whose state was asked for, at one position.
#[derive(Default)]
pub(super) struct DeletedUsers(HashMap<Uid, bool>);

impl DeletedUsers {
    /// Looks users up, all of them at once.
    pub(super) async fn note(&mut self, view: &dyn StoreView, uids: impl Iterator<Item = Uid>) -> Result<()> {
        if view.all_stand_by_default() {
            return Ok(());
        }
        if self.0.len() > USERS_HELD {
            self.0.clear();
        }
        let mut unknown: Vec<Uid> = uids.filter(|uid| !self.0.contains_key(uid)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            let standings = view.standings(&unknown).await?;
            let deleted = standings.iter().map(|standing| standing.status.is_deleted());
            self.0.extend(unknown.into_iter().zip(deleted));
        }
        Ok(())
    }

    /// Takes rows out that name deleted users. Returns how many.
    pub(super) async fn leave_out<T>(
        &mut self,
        view: &dyn StoreView,
        rows: &mut Vec<T>,
        users: fn(&T) -> [Uid; 2],
    ) -> Result<u64> {
        self.note(view, rows.iter().flat_map(users)).await?;
        let all = rows.len();
        rows.retain(|row| !users(row).into_iter().any(|uid| self.has(uid)));
        Ok((all - rows.len()) as u64)
    }

    /// Returns whether a user of the last look-up is deleted.
    pub(super) fn has(&self, uid: Uid) -> bool {
        self.0.get(&uid).copied().unwrap_or_default()
    }
}
