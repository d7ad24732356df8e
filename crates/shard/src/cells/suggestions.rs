//! The users whom users have dismissed, and their scores with others.

use super::{Cells, NotFetched, Rows};
use guanxi_model::affinity::Affinities;
use guanxi_model::plan::SuggestionRows;
use guanxi_model::{Edge, Stamp, Uid};
use std::collections::BTreeMap;

/// Something of a user that is there as a whole, with what the tables have of it: only what differs is written.
#[derive(Clone, Debug, Default)]
pub struct WholeRow<T> {
    /// What the tables have.
    pub stored: T,
    /// The present value.
    pub now: T,
}

/// What a batch has of suggestions.
#[derive(Debug, Default)]
pub struct SuggestionCells {
    /// The users whom users have dismissed.
    pub dismissed: Cells<Uid, WholeRow<BTreeMap<Uid, Stamp>>>,
    /// The scores of users.
    pub affinities: Cells<Uid, WholeRow<Affinities>>,
}

impl SuggestionRows for Rows {
    fn dismissed(&mut self, viewer: Uid) -> Result<Vec<Edge>, NotFetched> {
        let row = self.suggestions.dismissed.get(viewer)?;
        Ok(row.now.iter().map(|(uid, at)| Edge { at: *at, uid: *uid }).collect())
    }

    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> Result<(), NotFetched> {
        let now = &mut self.suggestions.dismissed.change(viewer)?.now;
        match at {
            Some(at) => now.insert(uid, at),
            None => now.remove(&uid),
        };
        Ok(())
    }

    fn affinities(&mut self, actor: Uid) -> Result<Affinities, NotFetched> {
        Ok(self.suggestions.affinities.get(actor)?.now.clone())
    }

    fn put_affinities(&mut self, actor: Uid, affinities: Affinities) -> Result<(), NotFetched> {
        let now = if affinities.all.is_empty() { Affinities::default() } else { affinities };
        self.suggestions.affinities.change(actor)?.now = now;
        Ok(())
    }
}
