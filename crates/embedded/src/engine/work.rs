//! What reads take from the engine, counted in tests.

use super::{EngineResult, RawRow};
use std::sync::atomic::{AtomicU64, Ordering};

/// What was read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// Rows that iterators yielded.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blocks of rows that were read from files: marks of deletion lie there, too.
    pub blocks: u64,
}

impl Work {
    /// Returns what was read since.
    pub(crate) const fn since(self, before: Self) -> Self {
        Self {
            rows: self.rows - before.rows,
            bytes: self.bytes - before.bytes,
            blocks: self.blocks - before.blocks,
        }
    }

    /// Returns whether it is at most some times as much as another, each count for itself.
    pub(crate) const fn within(self, other: Self, times: u64) -> bool {
        self.rows <= other.rows * times
            && self.bytes <= other.bytes * times
            && self.blocks <= other.blocks * times
    }
}

/// Counts what iterators yield.
#[derive(Default)]
pub(crate) struct WorkCount {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl WorkCount {
    pub(crate) fn count(&self, row: &EngineResult<RawRow>) {
        let bytes = row.as_ref().map_or(0, |(key, value)| key.len() + value.len());
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn with_blocks(&self, blocks: u64) -> Work {
        Work { rows: self.rows.load(Ordering::Relaxed), bytes: self.bytes.load(Ordering::Relaxed), blocks }
    }
}
