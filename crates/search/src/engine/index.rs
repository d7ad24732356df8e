//! An index that is asked: each kind has questions of its own.

use super::kind::{DocKind, Fields, IdOf};
use super::open::Moment;
use crate::{PAGE_MAX, SearchError};
use guanxi_model::Position;
use std::sync::{Arc, PoisonError, RwLock};

/// An index to search. Clones are cheap, and see what the writer commits.
#[derive(Clone)]
pub struct DocIndex<K: DocKind> {
    pub(super) now: Arc<RwLock<Arc<Moment>>>,
    pub(super) fields: Fields<K>,
}

impl<K: DocKind> DocIndex<K> {
    /// What the index holds, by rising ids, after one: for comparing it with the facts. At most `max` and at most
    /// [`PAGE_MAX`]; none when there are no more.
    ///
    /// # Errors
    /// What failed.
    pub fn scan(&self, after: Option<IdOf<K>>, max: usize) -> Result<Vec<K::Indexed>, SearchError> {
        let after = after.map_or(0, K::number);
        super::scan::scan::<K>(&self.moment().searcher, after, max.clamp(1, PAGE_MAX))
    }

    /// Where the index stands: searches see the events up to here, and nothing else.
    pub fn as_of(&self) -> Position {
        self.moment().as_of.clone()
    }

    /// Up to where counters are those of the facts, if that is before [`Self::as_of`].
    pub fn counters_as_of(&self) -> Option<Position> {
        self.moment().counters.clone()
    }

    /// How many documents there are.
    pub fn docs(&self) -> u64 {
        self.moment().searcher.num_docs()
    }

    pub(super) fn moment(&self) -> Arc<Moment> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }
}
