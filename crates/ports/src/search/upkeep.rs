//! What operators ask of the search indexes of a process.

use super::rows::{PostTable, UserTable};
use std::sync::Arc;

/// Keeps the indexes of a process, for operators.
pub trait SearchUpkeep: Send + Sync {
    /// Begins to build all of them anew. Those that are searched answer until the new ones take their place.
    fn rebuild(&self);

    /// Answers for rows of users.
    fn users(&self) -> Arc<dyn UserTable>;

    /// Answers for rows of posts.
    fn posts(&self) -> Arc<dyn PostTable>;
}
