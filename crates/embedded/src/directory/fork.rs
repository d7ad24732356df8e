//! A copied data directory that becomes a store of its own.

use super::file_head::HeadFile;
use super::open::{FORMAT_FILE, OpenError, open};
use crate::engine::{Table, Wait};
use crate::layout::{STATE_KEY, StateValue};
use crate::options::Options;
use guanxi_model::Position;
use std::path::Path;

/// Gives a data directory the history [`Options::new_history`], so that it no longer honours the positions of the directory
/// that it is a copy of. What is in it stays as it is, its log too. Returns where it stands.
///
/// # Errors
/// [`OpenError`]; `Missing` for a directory that holds no store. A call that was cut off has done nothing or all of it, and may
/// be repeated.
pub fn fork(dir: &Path, options: &Options) -> Result<Position, OpenError> {
    // Opening would make a store of an empty directory.
    if !dir.join(FORMAT_FILE).exists() {
        return Err(OpenError::Missing(dir.to_owned()));
    }
    let opened = open(dir, options)?;
    let failed = |error| OpenError::engine(dir, error);
    let state = StateValue { history: options.new_history, ..opened.state };
    let mut batch = opened.engine.batch();
    batch.put(Table::Records, STATE_KEY, &state.encode());
    batch.commit(Wait::Disk).map_err(failed)?;
    opened.engine.finish().map_err(failed)?;
    let head = HeadFile::open(dir, state.history).and_then(|mut head| head.note(state.last_seq));
    head.map_err(|source| OpenError::Io { dir: dir.to_owned(), source })?;
    Ok(Position::one(state.history, state.last_seq))
}
