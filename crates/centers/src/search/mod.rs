//! The search center: which posts say what a reader asks for, which users are called so, and the follower that keeps an index
//! of either.
//!
//! An index proposes, and the facts decide. A hit is shown if and only if three things hold: the post is shown to the viewer
//! when it is asked for by its id, no mute of the viewer hides its author, and its present text fits. So an index that is
//! late, or wrong, can leave out posts, and never shows a hidden one. The same holds for users, by their present names
//! (`users/`).
//!
//! # A search for posts
//!
//! 1. **Query.** `guanxi_text` parses it once. The API seals page tokens for this query, filter and reader.
//! 2. **Index.** With a token the call waits until the index has its events, until a moment before its deadline. Then it pins a view
//!    that includes all events of the index, so that the index leaves out nothing by an older state than the view's.
//! 3. **Circle.** Only restricted posts of authors whom the viewer follows, or who have the viewer in a group, are proposed.
//! 4. **Ask.** The index proposes ids below the cursor, newest first, in rounds until a page and one more are found.
//! 5. **Facts.** The rules of GetPost, the viewer's mutes and the present text decide about each. Texts, counters and highlights are
//!    read from the facts.
//! 6. **Answer.** The cursor is the last id. By relevance, the best 1,000 ids are ranked at once and kept as a result set; a page is
//!    a place in it, checked by the same facts.
//!
//! In a cluster, steps 2 and 4 may be questions to another process (`ReplicaSearch`). An answer that does not include the events of
//! the token is refused.

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
use std::sync::Arc;

/// Keeps an index of posts.
pub type PostIndexer = Indexer<PostSource>;

/// The search center over a backend and its indexes. Cheap to clone.
#[derive(Clone)]
pub struct SearchCenter {
    store: Arc<dyn Store>,
    index: Arc<dyn PostSearch>,
    users: Arc<dyn UserSearch>,
    sets: Arc<Sets>,
}

crate::opaque_debug!(SearchCenter);

impl SearchCenter {
    /// A center over a backend's facts, an index of posts and one of users.
    pub fn new(
        store: Arc<dyn Store>,
        index: Arc<dyn PostSearch>,
        users: Arc<dyn UserSearch>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        Self { store, index, users, sets: Arc::new(Sets::new(clock)) }
    }

    /// A center of a process that keeps no index: every search is refused with `SEARCH_UNAVAILABLE`.
    pub fn off(store: Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        let none = Arc::new(off::NoIndex);
        Self::new(store, none.clone(), none, clock)
    }
}

#[cfg(test)]
mod tests;
