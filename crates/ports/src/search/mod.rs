//! Searching posts and users by their words: asking an index, and keeping one.
//!
//! An index is derived from facts and may be late. It proposes ids, and says up to which events it has taken in; what a
//! reader sees of them, and whether the present words still fit, is decided over the facts.

mod index;
mod posts;
mod users;

pub use index::{IndexChange, IndexDoc, IndexStage, Indexing, SearchIndex, SearchUpkeep};
pub use posts::{Audience, Circle, FoundPosts, PostAsk, PostDoc, PostSearch};
pub use users::{FoundUsers, NameAsker, UserAsk, UserDoc, UserSearch};
