//! Files that are written once, read by ranges, and removed: exports wait in them to be fetched.

use guanxi_model::Result;

/// A place for files of this process, which no other process reads. Its methods block.
pub trait Spool: Send + Sync {
    /// Makes an empty file, in the place of one of the same number.
    ///
    /// # Errors
    /// `DISK_FULL` below the reserve of free space; `INTERNAL` with the cause otherwise.
    fn create(&self, file: u64) -> Result<()>;

    /// Adds bytes at the end of a file.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    fn append(&self, file: u64, bytes: &[u8]) -> Result<()>;

    /// At most so many bytes from an offset on; fewer only at the end of the file.
    ///
    /// # Errors
    /// `INTERNAL` with the cause.
    fn read(&self, file: u64, offset: u64, max: usize) -> Result<Vec<u8>>;

    /// Removes a file. One that is not there is removed already.
    ///
    /// # Errors
    /// `INTERNAL` with the cause.
    fn remove(&self, file: u64) -> Result<()>;
}
