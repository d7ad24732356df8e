//! The users whom users have dismissed, and their scores, as a database would hold them.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::affinity::Affinities;
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

    fn affinities(&mut self, actor: Uid) -> Result<Affinities, NotFetched> {
        self.check(RowKey::Affinities(actor))?;
        Ok(self.rows().affinities.get(&actor).cloned().unwrap_or_default())
    }

    fn put_affinities(&mut self, actor: Uid, affinities: Affinities) -> Result<(), NotFetched> {
        self.check(RowKey::Affinities(actor))?;
        if affinities.all.is_empty() {
            self.rows().affinities.remove(&actor);
        } else {
            self.rows().affinities.insert(actor, affinities);
        }
        Ok(())
    }
}
