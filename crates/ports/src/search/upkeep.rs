//! What operators ask of the search indexes of a process.

use super::posts::PostDoc;
use super::proof::ProvedIndex;
use super::rows::{PostTable, RowWalks, UserTable};
use super::users::UserDoc;
use std::fmt;
use std::sync::Arc;

/// Says whether calls wait for their turn.
pub type CallsWait = Arc<dyn Fn() -> bool + Send + Sync>;

/// Keeps the indexes of a process, for operators.
pub trait SearchUpkeep: Send + Sync {
    /// Begins to build all of them anew. Those that are searched answer until the new ones take their place.
    fn rebuild(&self);

    /// Answers for rows of users.
    fn users(&self) -> Arc<dyn UserTable>;

    /// Answers for rows of posts.
    fn posts(&self) -> Arc<dyn PostTable>;

    /// From now on the indexes are written more slowly while calls wait for their turn. Only the first word counts.
    fn give_way_to(&self, _calls_wait: CallsWait) {}

    /// The walks over users and those over posts; none where other processes keep the indexes.
    fn walks(&self) -> Option<[Arc<dyn RowWalks>; 2]> {
        None
    }

    /// The indexes to prove, of a process that keeps some itself.
    fn proved(&self) -> Option<ProvedIndexes> {
        None
    }
}

/// Indexes that can be proved.
#[derive(Clone)]
pub struct ProvedIndexes {
    /// That of users.
    pub users: Arc<dyn ProvedIndex<UserDoc>>,
    /// That of posts.
    pub posts: Arc<dyn ProvedIndex<PostDoc>>,
}

impl fmt::Debug for ProvedIndexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProvedIndexes").finish_non_exhaustive()
    }
}
