//! The library, tantivy, behind the words of this crate. No other module names it.
//!
//! The documents of a segment stand in the order of their ids, posts with the newest first. So what is newest among the
//! matches of a segment is what its lists of postings begin with, and a page is a merge of these beginnings
//! (`posts/walk.rs`): it costs what it answers, however many matches lie behind.

mod columns;
mod compare;
mod disk;
mod failed;
mod index;
mod kind;
mod merges;
mod open;
mod parts;
mod posts;
mod rewriting;
mod rows;
#[cfg(test)]
mod tests;
mod users;
mod writer;

pub use index::DocIndex;
pub use kind::DocKind;
pub(crate) use kind::IdOf;
pub use posts::PostDocs;
pub use rewriting::Rewriting;
pub(crate) use rows::{Pinned, RowTexts};
pub use users::UserDocs;
pub use writer::DocWriter;
