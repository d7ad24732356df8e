//! The tables that a dump reads, with what a row of each comes to. A table is read through its parent, which has the shards that
//! are here.

mod posts;
mod relations;
mod users;

use super::merge::DumpRows;
use guanxi_postgres::Fault;
use std::io;
use tokio_postgres::Row;

/// Why a row does not get into a dump.
#[derive(Debug)]
pub(super) enum DumpRowError {
    /// It cannot be read.
    Row(Fault),
    /// What it comes to cannot be kept.
    Kept(io::Error),
}

impl From<Fault> for DumpRowError {
    fn from(fault: Fault) -> Self {
        Self::Row(fault)
    }
}

impl From<io::Error> for DumpRowError {
    fn from(error: io::Error) -> Self {
        Self::Kept(error)
    }
}

/// What a row comes to.
type TakeDumped = fn(&Row, &mut DumpRows) -> Result<(), DumpRowError>;

/// A table of a dump.
pub(super) struct DumpedTable {
    /// Its rows.
    pub question: &'static str,
    /// What one comes to.
    pub take: TakeDumped,
}

impl DumpedTable {
    const fn new(question: &'static str, take: TakeDumped) -> Self {
        Self { question, take }
    }
}

/// The tables of every database.
pub(super) fn everywhere() -> impl Iterator<Item = &'static DumpedTable> {
    relations::TABLES.iter().chain(posts::TABLES).chain(users::TABLES)
}

/// Those of the first database alone.
pub(super) fn in_first() -> impl Iterator<Item = &'static DumpedTable> {
    users::IN_FIRST.iter()
}
