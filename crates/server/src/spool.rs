//! The files of exports, in a directory of this process alone.

use guanxi_model::{Error, Reason, Result};
use guanxi_ports::Spool;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The directory, in the data directory or in that of the indexes.
const SPOOL_DIR: &str = "spool";

/// Files in a directory.
#[derive(Debug)]
pub(super) struct FileSpool {
    dir: PathBuf,
    /// The free space that writes leave, in bytes.
    reserve: u64,
}

/// Removes what a process of before has left.
pub fn clear_spool(place: &Path) -> io::Result<()> {
    let dir = place.join(SPOOL_DIR);
    match fs::symlink_metadata(&dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        // A link is removed, and what it leads to is left alone.
        Ok(found) if found.is_symlink() || found.is_file() => fs::remove_file(&dir),
        Ok(_) => fs::remove_dir_all(&dir),
    }
}

impl FileSpool {
    /// A spool in a directory, empty.
    pub(super) fn new(place: &Path, reserve: u64) -> io::Result<Self> {
        clear_spool(place)?;
        let dir = place.join(SPOOL_DIR);
        fs::DirBuilder::new().mode(0o700).create(&dir)?;
        Ok(Self { dir, reserve })
    }

    fn path(&self, file: u64) -> PathBuf {
        self.dir.join(format!("{file}.part"))
    }

    /// Opens a file that is there and is ours.
    fn open(&self, file: u64, options: &mut fs::OpenOptions) -> io::Result<File> {
        let opened = options.custom_flags(nofollow()).open(self.path(file))?;
        let is_ours = |meta: &Metadata| meta.is_file() && meta.nlink() == 1;
        if is_ours(&opened.metadata()?) { Ok(opened) } else { Err(io::Error::other("it is no file of ours")) }
    }

    fn failed(&self, error: io::Error) -> Error {
        let reason = match error.kind() {
            io::ErrorKind::StorageFull => Reason::DiskFull { reserve: self.reserve },
            _ => Reason::Internal,
        };
        Error::with_detail(reason, error)
    }

    fn check_room(&self) -> Result<()> {
        let stat = rustix::fs::statvfs(&self.dir).map_err(|error| self.failed(error.into()))?;
        if stat.f_bavail.saturating_mul(stat.f_frsize) < self.reserve {
            return Err(Error::new(Reason::DiskFull { reserve: self.reserve }));
        }
        Ok(())
    }
}

/// The flag that refuses links.
fn nofollow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

impl Spool for FileSpool {
    fn create(&self, file: u64) -> Result<()> {
        self.check_room()?;
        let mut options = File::options();
        // What is there already, a link too, is not taken.
        let made = options.write(true).create_new(true).mode(0o600).open(self.path(file));
        made.map(drop).map_err(|error| self.failed(error))
    }

    fn append(&self, file: u64, bytes: &[u8]) -> Result<()> {
        self.check_room()?;
        let written =
            self.open(file, File::options().append(true)).and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| self.failed(error))
    }

    fn read(&self, file: u64, offset: u64, max: usize) -> Result<Vec<u8>> {
        let opened = self.open(file, File::options().read(true)).map_err(|error| self.failed(error))?;
        let (mut bytes, mut done) = (vec![0; max], 0);
        while done < max {
            match opened.read_at(&mut bytes[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        bytes.truncate(done);
        Ok(bytes)
    }

    fn remove(&self, file: u64) -> Result<()> {
        match fs::remove_file(self.path(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for FileSpool {
    fn drop(&mut self) {
        // The next start removes what is left.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_are_the_owners_alone_and_are_read_by_ranges() {
        let place = tempfile::tempdir().unwrap();
        let spool = FileSpool::new(place.path(), 0).unwrap();
        let dir = place.path().join(SPOOL_DIR);
        spool.create(7).unwrap();
        for bytes in ["green ", "tea"] {
            spool.append(7, bytes.as_bytes()).unwrap();
        }
        assert_eq!((mode(&dir), mode(&dir.join("7.part"))), (0o700, 0o600));
        assert_eq!(spool.read(7, 6, 2).unwrap(), b"te");
        assert_eq!(spool.read(7, 6, 9).unwrap(), b"tea");
        assert!(spool.create(7).is_err(), "it is there");
        spool.remove(7).unwrap();
        spool.remove(7).unwrap();
        assert!(spool.read(7, 0, 1).is_err());
    }

    #[test]
    fn what_another_process_left_is_removed_and_links_are_not_followed() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let theirs = other.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        symlink(other.path(), place.path().join(SPOOL_DIR)).unwrap();
        let spool = FileSpool::new(place.path(), 0).unwrap();
        let dir = place.path().join(SPOOL_DIR);
        symlink(&theirs, dir.join("1.part")).unwrap();
        assert!(
            spool.create(1).is_err() && spool.append(1, b"ours").is_err() && spool.read(1, 0, 9).is_err()
        );
        assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
        fs::write(dir.join("2.part"), "old").unwrap();
        std::mem::forget(spool);
        let spool = FileSpool::new(place.path(), 0).unwrap();
        assert!(spool.read(2, 0, 9).is_err());
        drop(spool);
        assert!(!dir.exists());
    }

    #[test]
    fn the_reserve_of_the_disk_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let spool = FileSpool::new(place.path(), u64::MAX).unwrap();
        let full = spool.create(1).unwrap_err();
        assert_eq!(full.reason, Reason::DiskFull { reserve: u64::MAX });
    }
}
