//! Dumps: what `guanxi backup` writes, and a restore reads.
//!
//! Every backend writes and reads the same ones, so that a dump of one is restored into another. The rows in them are those of
//! the one-machine backend, [`layout`], which stores them as they are; others make theirs of them.

mod digest;
mod format;
#[cfg(test)]
mod fuzz;
mod kinds;
pub mod layout;
mod sorter;

pub use digest::{DigestedRows, DumpDigest};
pub use format::{
    DUMPED_LOGS, DumpError, DumpHeader, DumpReader, DumpSection, DumpWriter, DumpedRows, LogHeads, RowError,
};
pub use kinds::{KindTerms, RecordKind, RowEnd, RowKind, RowOwner};
pub use sorter::{DumpSorter, MergedRows, RowsOfKey};
