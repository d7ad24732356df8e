//! Searching posts and users by their words: asking an index, and keeping one.
//!
//! An index is derived from facts and may be late. It proposes ids, and says up to which events it has taken in; what a
//! reader sees of them, and whether the present words still fit, is decided over the facts.

mod index;
mod posts;
mod proof;
mod replicas;
mod rows;
mod upkeep;
mod users;

pub use index::{IndexChange, IndexDoc, IndexStage, Indexing, SearchIndex};
pub use posts::{Circle, FoundPosts, PostAsk, PostDoc, PostSearch};
pub use proof::{ComparedDocs, DocDiffers, ProvedIndex};
pub use replicas::{IndexReplica, IndexReplicas};
pub use rows::{
    Audience, FoundRows, PERCENTILES, PostColumn, PostForm, PostRowAsk, PostState, PostTable, PostTexts,
    ROW_NAME_CHARS_MAX, Row, RowAsk, RowColumn, RowOrder, RowPlace, RowSum, RowSummed, RowWalks, STEPS_MAX,
    TOP_VALUES_MAX, UserColumn, UserRowAsk, UserState, UserTable, UserTexts, WALK_MS, WALKS_HELD_MAX,
    WALKS_MAX, WalkEndHook, Within,
};
pub use upkeep::{CallsWait, ProvedIndexes, SearchUpkeep};
pub use users::{FoundUsers, NameAsker, UserAsk, UserDoc, UserSearch, sex_number};
