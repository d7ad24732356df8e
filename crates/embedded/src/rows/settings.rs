//! Where import jobs stand.

use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{JOB, named_key};

/// The stored position of a job; `None` if it never began.
pub(crate) fn stored_position(snapshot: &Snapshot, job: &str) -> Result<Option<u64>, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, &named_key(JOB, job))? else { return Ok(None) };
    let position = bytes[..].try_into().map(u64::from_be_bytes);
    position
        .map(Some)
        .map_err(|_| EngineError::Damaged(format!("the position of import job {job} cannot be decoded")))
}
