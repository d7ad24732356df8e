//! An index that is asked: each kind has questions of its own.

use super::kind::{DocKind, IndexFields};
use super::open::Moment;
use guanxi_model::Position;
use std::sync::{Arc, PoisonError, RwLock};

/// An index to search. Clones are cheap, and see what the writer commits.
#[derive(Clone)]
pub struct DocIndex<K: DocKind> {
    pub(super) now: Arc<RwLock<Arc<Moment>>>,
    pub(super) fields: IndexFields<K>,
}

impl<K: DocKind> DocIndex<K> {
    /// Returns where the index stands: searches see the events up to here, and nothing else.
    pub fn as_of(&self) -> Position {
        self.moment().as_of.clone()
    }

    /// Returns how many documents there are.
    pub fn docs(&self) -> u64 {
        self.moment().searcher.num_docs()
    }

    pub(super) fn moment(&self) -> Arc<Moment> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }
}
