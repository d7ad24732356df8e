//! Asking an index.

use super::open::Moment;
use crate::{IndexedPost, SearchError};
use guanxi_model::{Position, PostId};
use std::sync::{Arc, PoisonError, RwLock};

/// The most posts of one answer.
const PAGE_MAX: usize = 1_000;

/// An index to search. Clones are cheap, and see what the writer commits.
#[derive(Clone)]
pub struct PostIndex {
    pub(super) now: Arc<RwLock<Arc<Moment>>>,
}

impl PostIndex {
    /// What the index holds of posts, by rising ids, after a post: for comparing it with the posts. At most `max` and
    /// at most 1,000; none when there are no more.
    ///
    /// # Errors
    /// What failed.
    pub fn scan(&self, after: Option<PostId>, max: usize) -> Result<Vec<IndexedPost>, SearchError> {
        super::scan::scan(&self.moment().searcher, after.map_or(0, PostId::get), max.clamp(1, PAGE_MAX))
    }

    /// Where the index stands: searches see the events up to here, and nothing else.
    pub fn as_of(&self) -> Position {
        self.moment().as_of.clone()
    }

    /// How many documents there are.
    pub fn docs(&self) -> u64 {
        self.moment().searcher.num_docs()
    }

    fn moment(&self) -> Arc<Moment> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }
}
