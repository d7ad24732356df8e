//! A data directory: whether it is ours and sound, and how much room it has.

pub(crate) mod file_head;
pub(crate) mod fork;
pub(crate) mod lock;
pub(crate) mod look;
pub(crate) mod mirror;
pub(crate) mod open;
pub(crate) mod upgrade;

use std::io;
use std::path::Path;

/// Bytes that this process may still write to the file system of a directory.
pub(crate) fn free_bytes(dir: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(dir)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}
