//! The lock of a data directory.

use std::fs::{File, TryLockError};

/// A lock on a file, given back when dropped.
///
/// Closing the file would not do: a lock of this kind belongs to the open file, of which a process that another thread
/// is just starting has a copy until it runs its own program.
#[derive(Debug)]
pub(crate) struct FileLock(File);

impl FileLock {
    /// Locks a file for this one alone.
    pub(super) fn exclusive(file: File) -> Result<Self, TryLockError> {
        file.try_lock().map(|()| Self(file))
    }

    /// Locks a file for this one and others of the same kind.
    pub(super) fn shared(file: File) -> Result<Self, TryLockError> {
        file.try_lock_shared().map(|()| Self(file))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // What cannot be given back now goes with the last copy of the file.
        drop(self.0.unlock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &std::path::Path) -> File {
        File::options().create(true).truncate(false).write(true).open(path).unwrap()
    }

    #[test]
    fn a_lock_is_given_back_whoever_else_holds_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("LOCK");
        for lock in [FileLock::exclusive, FileLock::shared] {
            let file = open(&path);
            let inherited = file.try_clone().unwrap();
            let held = lock(file).unwrap();
            assert!(matches!(FileLock::exclusive(open(&path)), Err(TryLockError::WouldBlock)));
            drop(held);
            drop(FileLock::exclusive(open(&path)).unwrap());
            drop(inherited);
        }
    }
}
