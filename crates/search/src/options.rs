//! How an index is opened.

use crate::Pace;
use std::fmt;
use std::io;
use std::sync::Arc;

/// The least memory that the writer can work with, in bytes.
pub const MEMORY_BYTES_MIN: usize = 15_000_000;

/// The most moves of the position that are kept in memory alone; the next one commits.
pub const MOVES_MAX: u32 = 10_000;

/// Says how many bytes the disk of the index has left.
pub type FreeBytes = Arc<dyn Fn() -> io::Result<u64> + Send + Sync>;

/// How an index is opened.
#[derive(Clone)]
pub struct IndexOptions {
    /// The version of the analyser that makes the words of documents and queries.
    pub analyser: u32,
    /// Bytes of memory for documents that are not on disk yet; at least [`MEMORY_BYTES_MIN`], less is raised. When it is
    /// full, the documents are written, and are found after the next commit.
    pub memory_bytes: usize,
    /// Bytes of the disk that are left free.
    pub reserve_bytes: u64,
    /// What the disk has left; asked before every batch, commit and merge.
    pub free_bytes: FreeBytes,
    /// How fast it is written.
    pub pace: Pace,
}

impl fmt::Debug for IndexOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexOptions")
            .field("analyser", &self.analyser)
            .field("memory_bytes", &self.memory_bytes)
            .field("reserve_bytes", &self.reserve_bytes)
            .finish_non_exhaustive()
    }
}
