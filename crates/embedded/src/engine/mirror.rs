//! The engine's files in a second place: one set of tables, two sets of all else.

use super::manifest::TABLES_DIR;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Makes a directory whose tables are those of another, by links, and whose other files are copies. `from` is an
/// absolute path. The engine only reads or removes tables, and removing a link leaves the table where it is.
pub(crate) fn mirror(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    let holds_tables = from.file_name().is_some_and(|name| name == TABLES_DIR);
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            mirror(&path, &copy)?;
        } else if holds_tables {
            symlink(&path, &copy)?;
        } else {
            // The bytes alone: the mode of a read-only file would go with them.
            io::copy(&mut fs::File::open(&path)?, &mut fs::File::create_new(&copy)?)?;
        }
    }
    Ok(())
}
