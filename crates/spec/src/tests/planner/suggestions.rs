//! Whom users have dismissed, as a database would hold it.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{RowKey, SuggestionRows};
use guanxi_model::{Edge, Result, Stamp, Uid};

impl Rows {
    pub(super) fn dismissed_of(&self, viewer: Uid) -> Vec<Edge> {
        let all = self.dismissed.iter().filter(|((by, _), _)| *by == viewer);
        let mut edges: Vec<Edge> = all.map(|((_, uid), at)| Edge { at: *at, uid: *uid }).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }
}

impl SuggestionRows for Selected<'_, &mut Rows> {
    fn dismissed(&mut self, viewer: Uid) -> Result<Vec<Edge>, NotFetched> {
        self.check(RowKey::Dismissed(viewer))?;
        Ok(self.rows().dismissed_of(viewer))
    }

    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> Result<(), NotFetched> {
        self.check(RowKey::Dismissed(viewer))?;
        match at {
            Some(at) => drop(self.rows().dismissed.insert((viewer, uid), at)),
            None => drop(self.rows().dismissed.remove(&(viewer, uid))),
        }
        Ok(())
    }
}
