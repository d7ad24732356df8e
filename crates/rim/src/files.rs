//! Files that are read anew when they change.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

/// How often files are looked at.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Which file it is, when it was written last (seconds and nanoseconds), and how long it is; `None` for one that cannot
/// be looked at.
pub(crate) type Look = Vec<Option<(u64, i64, i64, u64)>>;

/// How files are now. Links are followed, since that is how certificates are swapped in.
pub(crate) fn look<'a>(files: impl Iterator<Item = &'a Path>) -> Look {
    let look = |path| {
        let found = fs::metadata(path).ok()?;
        Some((found.ino(), found.mtime(), found.mtime_nsec(), found.len()))
    };
    files.map(look).collect()
}

/// The first `max` bytes of a file.
pub(crate) fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}
