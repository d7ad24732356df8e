//! What users note of suggestions: what the planner reads of it, and the rows that its changes come to.

use super::plan::GroupState;
use crate::engine::{EngineError, Table};
use crate::layout::{DISMISSED, dismissed_by_key, encode_stamp, pair_key};
use crate::rows;
use guanxi_model::plan::SuggestionRows;
use guanxi_model::{Edge, Stamp, Uid};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Whom the users of a group have dismissed.
#[derive(Default)]
pub(super) struct WorkingSuggestions {
    dismissed: HashMap<Uid, Vec<Edge>>,
}

impl GroupState<'_> {
    /// Whom a user has dismissed as of this point of the plan, to be changed.
    fn dismissed_of(&mut self, viewer: Uid) -> Result<&mut Vec<Edge>, EngineError> {
        Ok(match self.suggestions.dismissed.entry(viewer) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(rows::suggestions::dismissed(&self.snapshot, viewer)?),
        })
    }
}

impl SuggestionRows for GroupState<'_> {
    fn dismissed(&mut self, viewer: Uid) -> Result<Vec<Edge>, EngineError> {
        self.dismissed_of(viewer).cloned()
    }

    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> Result<(), EngineError> {
        let dismissed = self.dismissed_of(viewer)?;
        dismissed.retain(|edge| edge.uid != uid);
        dismissed.extend(at.map(|at| Edge { at, uid }));
        let (there, back) = (pair_key(DISMISSED, viewer, uid), dismissed_by_key(uid, viewer));
        if let Some(at) = at {
            self.batch.put(Table::Records, &there, &encode_stamp(at));
            self.batch.put(Table::Records, &back, &[]);
        } else {
            self.batch.remove(Table::Records, &there);
            self.batch.remove(Table::Records, &back);
        }
        Ok(())
    }
}
