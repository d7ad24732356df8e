//! The format of a data directory, read without opening it.

use super::file_head::HEAD_FILE;
use super::open::{BULK_FILE, ENGINE_DIR, OpenError, check_format};
use super::upgrade::FORMATS;
use crate::layout::{FIRST_FORMAT, FORMAT_VERSION};
use std::ops::RangeInclusive;
use std::path::Path;

/// The formats of data directories that this program opens. It brings older ones up to the last.
pub const FORMATS_READ: RangeInclusive<u32> = FIRST_FORMAT..=FORMAT_VERSION;

/// Reads which format a data directory has. It writes nothing and takes no lock, so a server may have the directory open.
///
/// # Errors
/// The reasons why this program would refuse to open it, as far as they can be seen without opening it: another format, foreign
/// files, no data, an interrupted import or restore, missing files.
pub fn format_of(dir: &Path) -> Result<u32, OpenError> {
    let found = check_format(dir, FORMATS)?.ok_or_else(|| OpenError::Missing(dir.to_owned()))?;
    if dir.join(BULK_FILE).exists() {
        return Err(OpenError::UnfinishedLoad(dir.to_owned()));
    }
    if dir.join(HEAD_FILE).exists() && !dir.join(ENGINE_DIR).exists() {
        let detail = format!("`{ENGINE_DIR}` is missing");
        return Err(OpenError::Damaged { dir: dir.to_owned(), detail });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn each_reason_to_refuse_is_seen_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let mark = |format: u32| fs::write(path.join("FORMAT"), format!("guanxi-data {format}\n")).unwrap();
        assert!(matches!(format_of(&path.join("none")), Err(OpenError::Missing(_))));
        assert!(matches!(format_of(path), Err(OpenError::Missing(_))));
        assert_eq!(fs::read_dir(path).unwrap().count(), 0, "nothing is made");
        mark(FORMAT_VERSION + 1);
        let newer = FORMAT_VERSION + 1;
        assert!(matches!(format_of(path), Err(OpenError::Newer { found, .. }) if found == newer));
        mark(FIRST_FORMAT - 1);
        assert!(matches!(format_of(path), Err(OpenError::Older { .. })));
        for format in FORMATS_READ {
            mark(format);
            assert_eq!(format_of(path).unwrap(), format);
        }
        fs::write(path.join("HEAD"), "").unwrap();
        assert!(matches!(format_of(path), Err(OpenError::Damaged { .. })));
        fs::create_dir(path.join("engine")).unwrap();
        fs::write(path.join("BULK"), "").unwrap();
        assert!(matches!(format_of(path), Err(OpenError::UnfinishedLoad(_))));
        fs::write(path.join("FORMAT"), "something else").unwrap();
        assert!(matches!(format_of(path), Err(OpenError::Foreign(_))));
    }
}
