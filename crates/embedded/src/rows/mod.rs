//! Reading rows of the tables at a snapshot: what memory is filled from, the writer plans over, and reads fall back to.

pub(crate) mod external_ids;
pub(crate) mod posts;
pub(crate) mod relations;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod suggestions;
pub(crate) mod user_groups;
pub(crate) mod user_relations;
pub(crate) mod users;
pub(crate) mod waiting;

use crate::engine::{EngineError, Snapshot, Table};

/// A record, if it is there.
fn record<T>(
    snapshot: &Snapshot,
    key: &[u8],
    decode: impl Fn(&[u8]) -> Option<T>,
    what: std::fmt::Arguments<'_>,
) -> Result<Option<T>, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, key)? else { return Ok(None) };
    decode(&bytes).map(Some).ok_or_else(|| damaged(what))
}

fn damaged(what: std::fmt::Arguments<'_>) -> EngineError {
    EngineError::Damaged(format!("{what} cannot be decoded"))
}
