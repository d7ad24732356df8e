//! The library, tantivy, behind the words of this crate. No other module names it.

mod columns;
mod disk;
mod failed;
mod fields;
mod merges;
mod open;
mod parts;
mod scan;
mod search;
mod writer;

pub use search::PostIndex;
pub use writer::PostIndexWriter;
