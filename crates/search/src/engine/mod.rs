//! The library, tantivy, behind the words of this crate. No other module names it.
//!
//! The documents of a segment stand in the order of their ids, the newest first. So what is newest among the matches of
//! a segment is what its lists of postings begin with, and a page is a merge of these beginnings (`walk.rs`): it costs
//! what it answers, however many matches lie behind.

mod columns;
mod disk;
mod failed;
mod fields;
mod merges;
mod open;
mod parts;
mod query;
mod range;
mod scan;
mod search;
#[cfg(test)]
mod tests;
mod walk;
mod without;
mod writer;

pub use search::PostIndex;
pub use writer::PostIndexWriter;
