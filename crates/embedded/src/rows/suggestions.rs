//! Reading what users have noted of suggestions from the tables.

use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    DISMISSED, DISMISSED_BY, decode_stamp, dismissed_by_key, parse_dismissed_by_key, parse_pair_key, user_key,
};
use guanxi_model::{Edge, Uid};
use std::ops::Bound;

/// Whom a user has dismissed, each since when, in the order of their uids.
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

/// Who has dismissed a user, in the order of their uids, after one.
pub(crate) fn dismissed_by(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Uid, EngineError>> + use<> {
    let (first, last) = (user_key(DISMISSED_BY, uid), dismissed_by_key(uid, Uid::MAX));
    let from = after.map(|viewer| dismissed_by_key(uid, viewer));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let parsed = parse_dismissed_by_key(&row?.0);
        Ok(parsed.ok_or_else(|| super::damaged(format_args!("who dismissed user {uid}")))?.1)
    })
}
