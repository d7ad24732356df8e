//! A data directory that cannot be written, read through one that can.
//!
//! The engine has no way to open files without writing: it locks, cuts journals, and writes manifests. Its tables,
//! which are nearly all of a directory, never change once they are written; so the mirror points to those and has its
//! own copies of the rest, which are at most some journals long.

use super::file_head::HEAD_FILE;
use super::lock::FileLock;
use super::open::{BULK_FILE, ENGINE_DIR, FORMAT_FILE, LOCK_FILE, OpenError, check_format, not_locked};
use super::upgrade::FORMATS;
use crate::engine;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Keeps writers out of the mirrored directory for as long as it lives.
pub struct Mirror {
    _lock: Option<FileLock>,
}

/// Mirrors a data directory into an empty one, of which a [`EmbeddedStore`](crate::EmbeddedStore) can be opened then. Nothing in `dir`
/// is written.
///
/// # Errors
/// As of opening; `InUse` also while another process writes `dir`.
pub fn mirror(dir: &Path, into: &Path) -> Result<Mirror, OpenError> {
    let io = |source| OpenError::Io { dir: dir.to_owned(), source };
    if check_format(dir, FORMATS)?.is_none() {
        return Err(OpenError::Foreign(dir.to_owned()));
    }
    let lock = match File::open(dir.join(LOCK_FILE)) {
        Ok(file) => Some(file),
        // A copy may lack it; no process can write a directory without it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(error)),
    };
    let lock = lock.map(FileLock::shared).transpose().map_err(|error| not_locked(dir, error))?;
    if dir.join(BULK_FILE).exists() {
        return Err(OpenError::UnfinishedLoad(dir.to_owned()));
    }
    for name in [FORMAT_FILE, HEAD_FILE] {
        match fs::read(dir.join(name)) {
            Ok(bytes) => fs::write(into.join(name), bytes).map_err(io)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(error)),
        }
    }
    let tables = fs::canonicalize(dir.join(ENGINE_DIR)).map_err(io)?;
    engine::mirror(&tables, &into.join(ENGINE_DIR)).map_err(io)?;
    Ok(Mirror { _lock: lock })
}
