//! The search center: which posts say what a reader asks for, which users are called so, and the follower that keeps an index
//! of either.
//!
//! An index proposes, and the facts decide: a hit is shown if and only if the post is shown to the viewer when it is asked
//! for by its id, no mute of the viewer hides its author, and its present text fits. So an index that is late, or wrong,
//! can leave out posts, and never shows one. The same holds for users, by their present names (`users/`).

mod circle;
mod dirty;
mod hits;
mod indexer;
mod off;
mod posts;
mod proof;
mod query;
mod ranked;
mod read;
mod sets;
mod users;

pub use dirty::REFRESH_MS;
pub use hits::SearchFilter;
pub use indexer::{IndexChanges, IndexSource, Indexer, SourceId};
pub(crate) use off::off;
pub use posts::PostSource;
pub use proof::{IndexProof, ProofStep};
pub(crate) use query::{parse as parse_query, parse_name};
pub use ranked::RANKED_MAX;
pub use read::{SearchHit, SearchPage};
pub use sets::{RESULT_SET_MS, RESULT_SETS_MAX, RESULT_SETS_PER_USER_MAX, RankPlace};
pub use users::{USER_HITS_MAX, UserHit, UserHits, UserIndexer, UserPage, UserSource};

use guanxi_model::Clock;
use guanxi_ports::{PostSearch, Store, UserSearch};
use sets::Sets;
use std::fmt;
use std::sync::Arc;

/// Keeps an index of posts.
pub type PostIndexer = Indexer<PostSource>;

/// The search center over a backend and its indexes. Cheap to clone.
#[derive(Clone)]
pub struct SearchCenter {
    posts: Arc<dyn Store>,
    index: Arc<dyn PostSearch>,
    users: Arc<dyn UserSearch>,
    sets: Arc<Sets>,
}

impl fmt::Debug for SearchCenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchCenter").finish_non_exhaustive()
    }
}

impl SearchCenter {
    /// A center over a backend's facts, an index of posts and one of users.
    pub fn new(
        posts: Arc<dyn Store>,
        index: Arc<dyn PostSearch>,
        users: Arc<dyn UserSearch>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        Self { posts, index, users, sets: Arc::new(Sets::new(clock)) }
    }

    /// A center of a process that keeps no index: every search is refused with `SEARCH_UNAVAILABLE`.
    pub fn off(posts: Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        let none = Arc::new(off::NoIndex);
        Self::new(posts, none.clone(), none, clock)
    }
}

#[cfg(test)]
mod tests;
