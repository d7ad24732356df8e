//! A directory that is being filled: claimed, marked, and unmarked last.

use crate::directory::file_head::HEAD_FILE;
use crate::directory::lock::FileLock;
use crate::directory::open::{BULK_FILE, ENGINE_DIR, OpenError, claim, open_engine, write_file};
use crate::engine::{Engine, EngineError, EngineResult, RowBatch, Wait};
use crate::failpoints;
use crate::options::Options;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Where sorted runs are spilled to.
const SORT_DIR: &str = "sort";

/// Why a directory cannot be filled.
#[derive(Debug)]
pub(crate) enum PlaceError {
    Open(OpenError),
    NotEmpty(PathBuf),
    Engine(EngineError),
}

impl From<OpenError> for PlaceError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<io::Error> for PlaceError {
    fn from(error: io::Error) -> Self {
        Self::Engine(error.into())
    }
}

/// A claimed and marked directory.
pub(crate) struct BulkPlace {
    dir: PathBuf,
    /// Keeps other processes out.
    _lock: FileLock,
}

impl BulkPlace {
    /// Claims a directory that is new, empty, or marked by an earlier attempt, and marks it.
    pub(crate) fn claim(dir: &Path) -> Result<Self, PlaceError> {
        let lock = claim(dir)?;
        if !dir.join(BULK_FILE).exists() {
            if dir.join(ENGINE_DIR).exists() || dir.join(HEAD_FILE).exists() {
                return Err(PlaceError::NotEmpty(dir.to_owned()));
            }
            write_file(dir, BULK_FILE, b"")?;
        }
        let place = Self { dir: dir.to_owned(), _lock: lock };
        place.wipe()?;
        failpoints::pass(failpoints::BULK_MARKED);
        Ok(place)
    }

    /// Returns where to spill sorted runs to; created by the code that spills.
    pub(crate) fn sort_dir(&self) -> PathBuf {
        self.dir.join(SORT_DIR)
    }

    /// A fresh engine.
    pub(crate) fn engine(&self, options: &Options) -> Result<Engine, OpenError> {
        open_engine(&self.dir, options)
    }

    /// Removes the mark: from here on the directory opens. The engine must be closed.
    pub(crate) fn finish(self) -> EngineResult<()> {
        remove(&self.sort_dir())?;
        fs::remove_file(self.dir.join(BULK_FILE))?;
        Ok(File::open(&self.dir)?.sync_all()?)
    }

    /// Removes what was written so far; the mark stays.
    fn wipe(&self) -> io::Result<()> {
        remove(&self.sort_dir())?;
        remove(&self.dir.join(ENGINE_DIR))?;
        match fs::remove_file(self.dir.join(HEAD_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Gives room back after a failure, which is what the caller reports: the mark alone keeps the directory from
    /// being opened.
    pub(crate) fn wipe_quietly(&self) {
        if let Err(error) = self.wipe() {
            tracing::warn!(%error, dir = %self.dir.display(), "what was loaded before the failure could not be removed");
        }
    }
}

/// Commits the last batch, and waits until everything is in table files on the disk.
pub(crate) fn commit_last(engine: &Engine, batch: RowBatch) -> EngineResult<()> {
    batch.commit(Wait::Disk)?;
    engine.finish()
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
