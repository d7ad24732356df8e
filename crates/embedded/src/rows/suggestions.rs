//! Reading what users have noted of suggestions, and their scores, from the tables.

use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    AFFINITY, DISMISSED, DISMISSED_BY, SCORED_BY, decode_number, decode_stamp, dismissed_by_key,
    parse_dismissed_by_key, parse_pair_key, parse_user_key, scored_by_key, user_key,
};
use guanxi_model::affinity::{Affinities, Affinity, Score};
use guanxi_model::{Edge, Uid};
use std::ops::Bound;

/// Returns the users whom a user has dismissed, each since when, in the order of their uids.
pub(crate) fn dismissed(snapshot: &Snapshot, viewer: Uid) -> Result<Vec<Edge>, EngineError> {
    let rows = snapshot.prefix(Table::Records, &user_key(DISMISSED, viewer));
    rows.map(|row| {
        let (key, value) = row?;
        let parsed = parse_pair_key(&key).zip(decode_stamp(&value));
        let ((_, uid), at) =
            parsed.ok_or_else(|| super::damaged(format_args!("whom user {viewer} dismissed")))?;
        Ok(Edge { at, uid })
    })
    .collect()
}

/// Returns the users who have dismissed a user, in the order of their uids, after one.
pub(crate) fn dismissed_by(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Uid, EngineError>> + use<> {
    by(snapshot, DISMISSED_BY, dismissed_by_key, uid, after)
}

/// Returns the users who have a score with a user, in the order of their uids, after one.
pub(crate) fn scored_by(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Uid, EngineError>> + use<> {
    by(snapshot, SCORED_BY, scored_by_key, uid, after)
}

/// The users of rows that lead from another one to them, after one.
fn by(
    snapshot: &Snapshot,
    prefix: u8,
    key: fn(Uid, Uid) -> [u8; 17],
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Uid, EngineError>> + use<> {
    let (first, last) = (user_key(prefix, uid), key(uid, Uid::MAX));
    let from = after.map(|by| key(uid, by));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let parsed = parse_dismissed_by_key(&row?.0);
        Ok(parsed.ok_or_else(|| super::damaged(format_args!("what leads from user {uid} to another")))?.1)
    })
}

/// The scores of a user, in the order of the others' uids.
pub(crate) fn affinities(snapshot: &Snapshot, actor: Uid) -> Result<Affinities, EngineError> {
    let mut affinities = Affinities::default();
    for row in snapshot.prefix(Table::Records, &user_key(AFFINITY, actor)) {
        let (key, value) = row?;
        let damaged = || super::damaged(format_args!("a score of user {actor}"));
        let number = decode_number(&value).ok_or_else(damaged)?;
        if parse_user_key(&key).is_some() {
            affinities.half_life_ms = number;
        } else {
            let (_, uid) = parse_pair_key(&key).ok_or_else(damaged)?;
            affinities.all.push(Affinity { uid, score: Score::from_raw(number) });
        }
    }
    Ok(affinities)
}
