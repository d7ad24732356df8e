//! Small files that are whole or absent.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Writes a small file so that it is whole or absent.
pub(super) fn write_file(dir: &Path, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let temporary = dir.join(format!("{name}.new"));
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // The mode holds from the file's first moment on, which it would not for an existing file.
    let mut file = File::options().write(true).create_new(true).mode(mode).open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, dir.join(name))
}
