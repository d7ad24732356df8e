//! The search center: which posts say what a reader asks for, which users are called so, and the follower that keeps an index
//! of either.
//!
//! An index proposes, and the facts decide: a hit is shown if and only if the post is shown to the viewer when it is asked
//! for by its id, no mute of the viewer hides its author, and its present text fits. So an index that is late, or wrong,
//! can leave out posts, and never shows one. The same holds for users, by their present names (`users/`).

mod circle;
mod hits;
mod indexer;
mod off;
mod posts;
mod query;
mod read;
mod users;

pub use hits::SearchFilter;
pub use indexer::{IndexSource, Indexer, SourceId};
pub use posts::PostSource;
pub use read::{SearchHit, SearchPage};
pub use users::{USER_HITS_MAX, UserHit, UserHits, UserIndexer, UserSource};

use guanxi_ports::{PostSearch, Posts, UserSearch};
use std::fmt;
use std::sync::Arc;

/// Keeps an index of posts.
pub type PostIndexer = Indexer<PostSource>;

/// The search center over a backend and its indexes. Cheap to clone.
#[derive(Clone)]
pub struct SearchCenter {
    posts: Arc<dyn Posts>,
    index: Arc<dyn PostSearch>,
    users: Arc<dyn UserSearch>,
}

impl fmt::Debug for SearchCenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchCenter").finish_non_exhaustive()
    }
}

impl SearchCenter {
    /// A center over a backend's facts, an index of posts and one of users.
    pub fn new(posts: Arc<dyn Posts>, index: Arc<dyn PostSearch>, users: Arc<dyn UserSearch>) -> Self {
        Self { posts, index, users }
    }

    /// A center of a process that keeps no index: every search is refused with `SEARCH_UNAVAILABLE`.
    pub fn off(posts: Arc<dyn Posts>) -> Self {
        let none = Arc::new(off::NoIndex);
        Self { posts, index: none.clone(), users: none }
    }
}

#[cfg(test)]
mod tests;
