//! Random bytes of the operating system.

use crate::failure::{Context, Failure, Outcome};
use crate::small_file::write_file;
use std::fs;
use std::io;
use std::path::Path;

/// The file of a data directory that has the secret of the data. Dumps do not carry it.
const DATA_KEY_FILE: &str = "data-key";

/// Random bytes, as many as are wanted.
pub(super) fn random<const LEN: usize>() -> Outcome<[u8; LEN]> {
    let mut bytes = [0; LEN];
    let filled = getrandom::fill(&mut bytes).map_err(Failure::new);
    filled.context("the operating system gives no random bytes")?;
    Ok(bytes)
}

/// The secret of a data directory, made at its first start: page tokens and stream tickets are worth something for its data
/// alone.
pub(super) fn data_key(dir: &Path) -> Outcome<[u8; 32]> {
    let path = dir.join(DATA_KEY_FILE);
    match fs::read(&path) {
        Ok(bytes) => bytes.try_into().map_err(|_| {
            Failure::new(format_args!("{} does not hold 32 bytes", path.display()))
                .hint("remove it: a new one is made, and page tokens of before are refused as STALE_CURSOR")
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_data_key(dir),
        Err(error) => Err(Failure::new(error)).context(format_args!("cannot read {}", path.display())),
    }
}

/// Gives a data directory another secret, in the place of the one that it may have.
pub(super) fn new_data_key(dir: &Path) -> Outcome<[u8; 32]> {
    let key: [u8; 32] = random()?;
    let written = write_file(dir, DATA_KEY_FILE, 0o600, &key);
    written.context(format_args!("cannot write {}", dir.join(DATA_KEY_FILE).display()))?;
    Ok(key)
}
