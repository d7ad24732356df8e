//! Checks the engine's manifests before it opens.
//!
//! Each keyspace has a pointer, `current`, to its manifest, with the manifest's checksum. The engine (as pinned)
//! does not compare the checksum, and takes a keyspace without a pointer for a new, empty one: a store with lost
//! edges would open and answer. So the pointers are followed here first.

use super::{EngineError, EngineResult, TABLES};
use std::fs;
use std::io;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// Where the engine keeps its keyspaces.
const KEYSPACES_DIR: &str = "keyspaces";
/// The engine's own keyspace.
const META_KEYSPACE: &str = "0";
/// The engine's own marker.
const VERSION_FILE: &str = "version";
/// The pointer: number of the manifest u64, checksum u128, kind of checksum u8, little-endian.
const CURRENT_FILE: &str = "current";
const CURRENT_LEN: usize = 25;
/// The only kind of checksum that the pinned engine writes: xxh3-128.
const CHECKSUM_XXH3: u8 = 0;
/// Where a keyspace has its table files.
pub(super) const TABLES_DIR: &str = "tables";

/// Checks the manifests of all keyspaces in the engine's directory, which has all tables of ours; a new directory
/// has none.
pub(super) fn check(dir: &Path) -> EngineResult<()> {
    let keyspaces = dir.join(KEYSPACES_DIR);
    let entries = match fs::read_dir(&keyspaces) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let (mut pointed, mut filled) = (0, false);
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let has_tables = has_tables(&entry.path())?;
            pointed += usize::from(check_keyspace(&entry.path(), has_tables)?);
            filled |= has_tables && entry.file_name() != META_KEYSPACE;
        }
    }
    if pointed > 0 && !dir.join(VERSION_FILE).exists() {
        return Err(damaged(&dir.join(VERSION_FILE), "is missing"));
    }
    // The engine's own keyspace and the tables are created together, before anything is written.
    if filled && pointed < 1 + TABLES {
        return Err(damaged(&keyspaces, "lacks a directory"));
    }
    Ok(())
}

/// Checks one keyspace; `false` for one that was being created when the process died.
fn check_keyspace(dir: &Path, has_tables: bool) -> EngineResult<bool> {
    let pointer = dir.join(CURRENT_FILE);
    let bytes = match fs::read(&pointer) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !has_tables => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged(&pointer, "is missing")),
        Err(error) => return Err(error.into()),
    };
    let Some((number, checksum)) = parse(&bytes) else {
        return Err(damaged(&pointer, "cannot be decoded"));
    };
    let manifest = dir.join(format!("v{number}"));
    match fs::read(&manifest) {
        Ok(bytes) if xxh3_128(&bytes) == checksum => Ok(true),
        Ok(_) => Err(damaged(&manifest, "does not have the checksum that its pointer says")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(damaged(&manifest, "is missing")),
        Err(error) => Err(error.into()),
    }
}

fn parse(bytes: &[u8]) -> Option<(u64, u128)> {
    let (number, rest) = bytes.split_first_chunk()?;
    let (checksum, kind) = rest.split_first_chunk()?;
    let whole = bytes.len() == CURRENT_LEN && kind == [CHECKSUM_XXH3];
    whole.then(|| (u64::from_le_bytes(*number), u128::from_le_bytes(*checksum)))
}

fn has_tables(dir: &Path) -> io::Result<bool> {
    match fs::read_dir(dir.join(TABLES_DIR)) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn damaged(path: &Path, what: &str) -> EngineError {
    EngineError::Damaged(format!("{} {what}", path.display()))
}
