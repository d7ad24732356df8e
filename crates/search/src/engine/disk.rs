//! The one place that opens the directory of an index.

use super::failed::failed;
use crate::{Pace, SearchError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

/// What the library calls its threads that merge segments begins so.
const MERGES: &str = "merge_thread";

/// Opens a directory, in which merged segments are written at a pace.
pub(super) fn open_directory(path: &Path, pace: &Pace) -> Result<Box<dyn Directory>, SearchError> {
    let files = MmapDirectory::open(path).map_err(|error| failed(error.into()))?;
    Ok(Box::new(Paced { files, pace: pace.clone() }))
}

/// A directory whose merged segments are written at a pace.
#[derive(Clone, Debug)]
struct Paced {
    files: MmapDirectory,
    pace: Pace,
}

impl Directory for Paced {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.files.open_write(path)?;
        let merges = std::thread::current().name().is_some_and(|name| name.starts_with(MERGES));
        if !merges {
            return Ok(file);
        }
        Ok(WritePtr::new(Box::new(PacedFile { file, pace: self.pace.clone() })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, changed: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(changed)
    }
}

/// A file of a merged segment.
struct PacedFile {
    file: WritePtr,
    pace: Pace,
}

impl Write for PacedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.pace.merged_bytes(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for PacedFile {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.file.terminate_ref(token)
    }
}
