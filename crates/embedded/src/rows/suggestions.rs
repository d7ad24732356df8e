//! Reading what users have noted of suggestions, and their scores, from the tables.

use super::relations::stamped;
use super::{damaged, decoded};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    AFFINITY, DISMISSED, DISMISSED_BY, SCORED_BY, decode_number, dismissed_by_key, parse_dismissed_by_key,
    parse_pair_key, parse_user_key, scored_by_key, user_key,
};
use guanxi_model::affinity::{Affinities, Affinity, Score};
use guanxi_model::{Edge, Uid};

/// Returns the users whom a user has dismissed, each since when, in the order of their uids.
pub(crate) fn dismissed(snapshot: &Snapshot, viewer: Uid) -> EngineResult<Vec<Edge>> {
    let rows = snapshot.prefix(Table::Records, &user_key(DISMISSED, viewer));
    decoded(rows, stamped, || format!("whom user {viewer} dismissed")).collect()
}

/// Returns the users who have dismissed a user, in the order of their uids, after one.
pub(crate) fn dismissed_by(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<Uid>> + use<> {
    by(snapshot, DISMISSED_BY, dismissed_by_key, uid, after)
}

/// Returns the users who have a score with a user, in the order of their uids, after one.
pub(crate) fn scored_by(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<Uid>> + use<> {
    by(snapshot, SCORED_BY, scored_by_key, uid, after)
}

/// The users of rows that lead from another one to them, after one.
fn by(
    snapshot: &Snapshot,
    prefix: u8,
    key: fn(Uid, Uid) -> [u8; 17],
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<Uid>> + use<> {
    let rows = snapshot.prefix_after(Table::Records, &user_key(prefix, uid), after.map(|by| key(uid, by)));
    let other = |key: &[u8], _: &[u8]| Some(parse_dismissed_by_key(key)?.1);
    decoded(rows, other, move || format!("what leads from user {uid} to another"))
}

/// The scores of a user, in the order of the others' uids.
pub(crate) fn affinities(snapshot: &Snapshot, actor: Uid) -> EngineResult<Affinities> {
    let mut affinities = Affinities::default();
    for row in snapshot.prefix(Table::Records, &user_key(AFFINITY, actor)) {
        let (key, value) = row?;
        let damaged = || damaged(format_args!("a score of user {actor}"));
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
