//! Rows as bytes, and dumps of them.
//!
//! [`layout`] has the keys and values of each domain. The one-machine backend stores these rows as they are. A dump is a file
//! of such rows: `guanxi backup` writes it, and a restore reads it. Every backend writes and reads the same dumps, so that a
//! dump of one backend is restored into another; a backend with other tables makes its rows of these.

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
