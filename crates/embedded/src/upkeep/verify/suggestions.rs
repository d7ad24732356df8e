//! What users note of suggestions: whom one has dismissed, and by whom one is dismissed, say the same.

use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    DISMISSED, DISMISSED_BY, decode_stamp, dismissed_by_key, pair_key, parse_dismissed_by_key, parse_pair_key,
};

/// Whether a record is of suggestions.
pub(super) fn are(key: &[u8]) -> bool {
    matches!(key.first(), Some(&(DISMISSED | DISMISSED_BY)))
}

/// What a record of suggestions should have been, if it cannot be decoded.
pub(super) fn unreadable(key: &[u8], value: &[u8]) -> Option<&'static str> {
    let (what, readable) = match key.first() {
        Some(&DISMISSED) => {
            ("dismissed user", parse_pair_key(key).is_some() && decode_stamp(value).is_some())
        }
        Some(&DISMISSED_BY) => {
            ("user by whom one is dismissed", parse_dismissed_by_key(key).is_some() && value.is_empty())
        }
        _ => return None,
    };
    (!readable).then_some(what)
}

/// What is wrong with a readable record of suggestions, if the other way does not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8]) -> Result<Option<&'static str>, EngineError> {
    let (other, what) = if key.first() == Some(&DISMISSED) {
        let Some((viewer, uid)) = parse_pair_key(key) else { return Ok(None) };
        (dismissed_by_key(uid, viewer), "dismissed user who does not lead back")
    } else {
        let Some((uid, viewer)) = parse_dismissed_by_key(key) else { return Ok(None) };
        (pair_key(DISMISSED, viewer, uid), "user by whom one is said to be dismissed, and is not")
    };
    Ok((!snapshot.contains(Table::Records, &other)?).then_some(what))
}
