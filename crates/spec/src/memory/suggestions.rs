//! What users note of suggestions.

use super::state::{Commit, State};
use super::view::{MemoryView, now, of_owner};
use guanxi_model::limits::DISMISSED_MAX;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Edge, Reason, Result, Stamp, Uid};
use guanxi_ports::{BoxFuture, SuggestionView};

impl State {
    /// Dismisses somebody, or takes that back.
    pub(super) fn dismiss(&mut self, command: DismissCommand, commit: &Commit<'_>) -> Result<bool, Reason> {
        let DismissCommand { viewer, uid, dismissed } = command;
        if viewer == uid {
            return Err(Reason::SelfRelation);
        }
        if !dismissed {
            return Ok(self.dismissed.remove(&(viewer, uid)).is_some());
        }
        if self.dismissed.contains_key(&(viewer, uid)) {
            return Ok(false);
        }
        if self.is_deleted(viewer) || self.is_deleted(uid) {
            return Err(Reason::UserDeleted);
        }
        self.dismissed.insert((viewer, uid), Stamp::from_ms(commit.now_ms));
        let mut all = of_owner(&self.dismissed, viewer);
        if all.len() > DISMISSED_MAX as usize {
            // The new one stays, even if a clock that was set back has made it the oldest.
            all.retain(|edge| edge.uid != uid);
            all.sort_unstable();
            self.dismissed.remove(&(viewer, all[0].uid));
        }
        Ok(true)
    }
}

impl SuggestionView for MemoryView {
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let mut dismissed = of_owner(&self.of(viewer).dismissed, viewer);
        dismissed.sort_unstable_by(|a, b| b.cmp(a));
        now(dismissed)
    }

    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let all = self.pairs_of_all(|state| &state.dismissed, None, usize::MAX).into_iter();
        let viewers = all.filter(|edge| edge.object == uid).map(|edge| edge.subject);
        now(viewers.filter(|viewer| after.is_none_or(|after| *viewer > after)).take(max).collect())
    }
}
