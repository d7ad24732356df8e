//! What users note of suggestions, and their scores: the rows of both ways say the same.

use super::findings::{Readable, Unmatched};
use crate::engine::{Snapshot, Table};
use crate::layout::{
    AFFINITY, DISMISSED, DISMISSED_BY, SCORED_BY, decode_number, decode_stamp, dismissed_by_key, pair_key,
    parse_dismissed_by_key, parse_pair_key, parse_user_key, scored_by_key, user_key,
};

/// Returns what a record of suggestions or scores is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    let is_pair = parse_pair_key(key).is_some();
    let is_number = decode_number(value).is_some_and(|number| number > 0);
    Some(match key.first() {
        Some(&DISMISSED) => ("dismissed user", is_pair && decode_stamp(value).is_some()),
        Some(&DISMISSED_BY) => {
            ("user by whom one is dismissed", parse_dismissed_by_key(key).is_some() && value.is_empty())
        }
        Some(&AFFINITY) if parse_user_key(key).is_some() => ("half-life of scores", is_number),
        Some(&AFFINITY) => ("score with a user", is_pair && is_number),
        Some(&SCORED_BY) => ("user who has a score with one", is_pair && value.is_empty()),
        _ => return None,
    })
}

/// Returns what is wrong with a readable record of suggestions or scores, if the other way does not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], _value: &[u8]) -> Unmatched {
    let has = |key: &[u8]| snapshot.contains(Table::Records, key);
    // What has no pair is the half-life of a user: rows of scores ask for it.
    let (Some(kind), Some((a, b))) = (key.first(), parse_pair_key(key)) else { return Ok(None) };
    let (is_matched, what) = match *kind {
        DISMISSED => (has(&dismissed_by_key(b, a))?, "dismissed user who does not lead back"),
        DISMISSED_BY => {
            (has(&pair_key(DISMISSED, b, a))?, "user by whom one is said to be dismissed, and is not")
        }
        AFFINITY if !has(&user_key(AFFINITY, a))? => (false, "score of a user without a half-life"),
        AFFINITY => (has(&scored_by_key(b, a))?, "score with a user who does not lead back"),
        _ => (has(&pair_key(AFFINITY, b, a))?, "user who is said to have a score with one, and has none"),
    };
    Ok((!is_matched).then_some(what))
}
