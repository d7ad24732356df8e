//! The directories of the indexes of a kind, and the file that says which one is searched.

use crate::SearchError;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The file that has the number of the index that is searched.
const CURRENT: &str = "CURRENT";

/// What it is written as first.
const CURRENT_NEW: &str = "CURRENT.new";

/// The file that says that words of something erased may be in the index.
const ERASING: &str = "ERASING";

/// What the name of an index begins with; its number follows.
const PREFIX: &str = "index-";

/// A directory with at most one index that is searched.
pub(super) struct IndexPlace {
    path: PathBuf,
    current: Option<u64>,
}

impl IndexPlace {
    /// Opens a directory, which is made if it is not there, and removes the indexes that were never finished.
    pub(super) fn open(path: PathBuf) -> Result<Self, SearchError> {
        fs::create_dir_all(&path).map_err(failed)?;
        let current = match fs::read_to_string(path.join(CURRENT)) {
            Ok(text) => text.trim_end().parse().ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let place = Self { path, current };
        place.remove_others()?;
        Ok(place)
    }

    /// The directory of the index that is searched.
    pub(super) fn current(&self) -> Option<PathBuf> {
        self.current.map(|number| self.index(number))
    }

    /// Makes an empty directory for another index. Returns its number beside it.
    pub(super) fn make(&self) -> Result<(u64, PathBuf), SearchError> {
        self.remove_others()?;
        let number = self.current.map_or(1, |current| current + 1);
        let path = self.index(number);
        fs::create_dir(&path).map_err(failed)?;
        Ok((number, path))
    }

    /// Returns whether words of something erased may be in the index.
    pub(super) fn is_erasing(&self) -> bool {
        self.path.join(ERASING).exists()
    }

    /// Notes that words of something erased may be in the index, on the disk.
    pub(super) fn begin_erasing(&self) -> Result<(), SearchError> {
        let note = || File::create(self.path.join(ERASING))?.sync_all();
        note().and_then(|()| File::open(&self.path)?.sync_all()).map_err(failed)
    }

    /// Notes that there are none any more.
    pub(super) fn end_erasing(&self) -> Result<(), SearchError> {
        match fs::remove_file(self.path.join(ERASING)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Names no index as the one that is searched; its files stay until another one is made.
    pub(super) fn condemn(&mut self) -> Result<(), SearchError> {
        self.current = None;
        match fs::remove_file(self.path.join(CURRENT)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Names another index as the one that is searched, from the return on in any case; the index before is removed.
    /// Returns its directory.
    pub(super) fn switch_to(&mut self, number: u64) -> Result<PathBuf, SearchError> {
        let (new, named) = (self.path.join(CURRENT_NEW), self.path.join(CURRENT));
        let write = || {
            let mut file = File::create(&new)?;
            writeln!(file, "{number}")?;
            file.sync_all()?;
            fs::rename(&new, named)?;
            File::open(&self.path)?.sync_all()
        };
        write().map_err(failed)?;
        self.current = Some(number);
        self.remove_others()?;
        Ok(self.index(number))
    }

    fn index(&self, number: u64) -> PathBuf {
        self.path.join(format!("{PREFIX}{number}"))
    }

    /// Removes every index but the one that is searched. Searches that have one open go on.
    fn remove_others(&self) -> Result<(), SearchError> {
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if number(&path).is_some_and(|number| Some(number) != self.current) {
                fs::remove_dir_all(&path).map_err(failed)?;
            }
        }
        Ok(())
    }
}

/// The number of an index, if a path is one's.
fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix(PREFIX)?.parse().ok()
}

fn failed(error: io::Error) -> SearchError {
    SearchError::Failed(Box::new(error))
}
