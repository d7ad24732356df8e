//! Rows as bytes, and dumps of them.
//!
//! [`layout`] has the keys and values of each domain. The one-machine backend stores these rows as they are. A dump is a file
//! of such rows: `guanxi backup` writes it, and a restore reads it. Every backend writes and reads the same dumps, so that a
//! dump of one backend is restored into another; a backend with other tables makes its rows of these.
//!
//! # What it is not
//!
//! - It is no database. `guanxi-embedded` keeps these rows in an LSM engine. `guanxi-cluster` has tables of its own in
//!   PostgreSQL.
//! - It does not decide which rows a write changes. The planner in `guanxi-model` does.
//! - It has no lists for people and other programs. `guanxi-lists` has them.
//!
//! # Main types
//!
//! - A [`DumpWriter`] writes a dump, a [`DumpReader`] reads it and says where it is damaged.
//! - A [`DumpSorter`] sorts more rows than fit into memory.
//! - [`DumpedRows`] counts rows, a [`DumpDigest`] compares two dumps.
//! - A [`RowKind`] says to which user a row belongs, and what an erasure of the user does with it.
//!
//! # Example
//!
//! The row of a follow, through a dump and back.
//!
//! ```
//! use guanxi_model::{HistoryId, Stamp, Uid};
//! use guanxi_rows::layout::{FORMAT_VERSION, forward_key, parse_forward_key};
//! use guanxi_rows::{DumpError, DumpHeader, DumpReader, DumpSection, DumpWriter};
//!
//! let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//! let clock = Stamp::ZERO;
//! let header = DumpHeader { layout: FORMAT_VERSION, history: HistoryId(1), seq: 1, clock, logs: None };
//! let mut dump = Vec::new();
//! let mut writer = DumpWriter::new(&mut dump, &header)?;
//! writer.row(DumpSection::Forward, &forward_key(ann, bob), b"a value")?;
//! writer.end_section()?;
//! writer.finish()?;
//!
//! let mut bytes = &dump[..];
//! let mut reader = DumpReader::new(&mut bytes)?;
//! reader.rows::<DumpError>(DumpSection::Forward, |key, _| {
//!     assert_eq!(parse_forward_key(key), Some((ann, bob)));
//!     Ok(())
//! })?;
//! assert_eq!(reader.finish()?.forward, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `layout/mod.rs`: which rows are there? Its table has a line for each.
//! - `layout/relations.rs`: how do the keys of follows, blocks and mutes look?
//! - `format.rs`: what is in a dump, and how is damage found?
//! - `kinds.rs`: to which user does a row belong, and what happens to it when the user is erased?

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
