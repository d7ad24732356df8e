//! Reading requests, the terms of mutes and what ends by itself from the tables.

use super::{ListPart, record};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    COOLDOWN, MUTE, PAIR_END, REQUESTS_SEEN, SENT_REQUEST, SIGNED_OUT, SentValue, UNLOCKING, decode_mute,
    decode_number, decode_past_request, decode_request, decode_stamp, pair_end_key, pair_key,
    parse_pair_end_key, parse_pair_key, parse_request_key, parse_user_key, request_key, requests_of_key,
    user_key,
};
use guanxi_model::{Edge, MuteTerms, PastRequest, RelationRequest, RequestKind, Stamp, Uid};
use guanxi_ports::DueEnd;
use std::ops::Bound;

/// Returns since when a user mutes another, and on which terms.
pub(crate) fn mute(
    snapshot: &Snapshot,
    owner: Uid,
    other: Uid,
) -> Result<Option<(Stamp, MuteTerms)>, EngineError> {
    record(snapshot, &pair_key(MUTE, owner, other), decode_mute, format_args!("a mute of user {owner}"))
}

/// Returns what a user has asked of another, with its message.
pub(crate) fn request(
    snapshot: &Snapshot,
    sender: Uid,
    receiver: Uid,
) -> Result<Option<RelationRequest>, EngineError> {
    let what = format_args!("a request of user {sender}");
    let sent = record(snapshot, &pair_key(SENT_REQUEST, sender, receiver), SentValue::decode, what)?;
    let Some(SentValue { kind, at, .. }) = sent else { return Ok(None) };
    received_at(snapshot, receiver, kind, Edge { at, uid: sender })
}

/// Returns the users whom a user has asked, since when and for what, in the order of their uids.
pub(crate) fn sent(
    snapshot: &Snapshot,
    sender: Uid,
) -> impl Iterator<Item = Result<(Edge, RequestKind), EngineError>> + use<> {
    snapshot.prefix(Table::Records, &user_key(SENT_REQUEST, sender)).map(move |row| {
        let (key, value) = row?;
        let parsed = parse_pair_key(&key).zip(SentValue::decode(&value));
        let damaged = || EngineError::Damaged(format!("a request of user {sender} cannot be decoded"));
        let ((_, uid), SentValue { kind, at, .. }) = parsed.ok_or_else(damaged)?;
        Ok((Edge { at, uid }, kind))
    })
}

/// Returns the requests to a user, newest first.
pub(crate) fn received(
    snapshot: &Snapshot,
    receiver: Uid,
    kind: RequestKind,
    part: ListPart<Edge>,
) -> impl Iterator<Item = Result<Edge, EngineError>> + use<> {
    let part = part.keys(|edge| request_key(receiver, kind, edge));
    part.rows(snapshot, Table::Records, &requests_of_key(receiver, kind)).map(move |row| {
        let damaged = || EngineError::Damaged(format!("a request to user {receiver} cannot be decoded"));
        Ok(parse_request_key(&row?.0).ok_or_else(damaged)?.2)
    })
}

/// The request at a place of a user's list, with its message.
pub(crate) fn received_at(
    snapshot: &Snapshot,
    receiver: Uid,
    kind: RequestKind,
    place: Edge,
) -> Result<Option<RelationRequest>, EngineError> {
    let key = request_key(receiver, kind, place);
    record(snapshot, &key, |value| decode_request(&key, value), format_args!("a request to user {receiver}"))
}

/// Returns what a user remembers of the last request of another, which is over.
pub(crate) fn past_request(
    snapshot: &Snapshot,
    owner: Uid,
    other: Uid,
) -> Result<Option<PastRequest>, EngineError> {
    let what = format_args!("a past request to user {owner}");
    record(snapshot, &pair_key(COOLDOWN, owner, other), decode_past_request, what)
}

/// Returns the users whom a user has rejected, and until when they may not ask again, in the order of their uids,
/// after one.
pub(crate) fn rejections(
    snapshot: &Snapshot,
    owner: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<(Uid, u64), EngineError>> + use<> {
    let (first, last) = (user_key(COOLDOWN, owner), pair_key(COOLDOWN, owner, Uid::MAX));
    let from = after.map(|after| pair_key(COOLDOWN, owner, after));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    let past = snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let damaged = || EngineError::Damaged(format!("a past request to user {owner} cannot be decoded"));
        let (key, value) = row?;
        let (_, other) = parse_pair_key(&key).ok_or_else(damaged)?;
        Ok((other, decode_past_request(&value).ok_or_else(damaged)?))
    });
    past.filter_map(|past| match past {
        Ok((other, past)) => Some(Ok((other, past.rejected_until_ms()?))),
        Err(error) => Some(Err(error)),
    })
}

/// Returns when a user signed out everywhere last.
pub(crate) fn signed_out_ms(snapshot: &Snapshot, uid: Uid) -> Result<Option<u64>, EngineError> {
    let what = format_args!("when user {uid} signed out");
    record(snapshot, &user_key(SIGNED_OUT, uid), decode_number, what)
}

/// Returns up to where a user has seen the requests to it.
pub(crate) fn requests_seen(snapshot: &Snapshot, uid: Uid) -> Result<Stamp, EngineError> {
    let what = format_args!("up to where user {uid} has seen requests");
    Ok(record(snapshot, &user_key(REQUESTS_SEEN, uid), decode_stamp, what)?.unwrap_or(Stamp::ZERO))
}

/// Returns what ends by itself, the earliest first, after something.
pub(crate) fn ends(
    snapshot: &Snapshot,
    after: Option<DueEnd>,
) -> impl Iterator<Item = Result<DueEnd, EngineError>> + use<> {
    let from = after.map(|due| pair_end_key(due.at_ms, due.end));
    let from = from.as_ref().map_or(Bound::Included(&[PAIR_END][..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Excluded(&[PAIR_END + 1])).map(|row| {
        let damaged = || EngineError::Damaged("what ends by itself cannot be decoded".into());
        parse_pair_end_key(&row?.0).ok_or_else(damaged)
    })
}

/// Returns the time since when the users that wait to follow a user are to be approved.
pub(crate) fn unlocking_since(snapshot: &Snapshot, uid: Uid) -> Result<Option<Stamp>, EngineError> {
    let what = format_args!("since when user {uid} unlocks itself");
    record(snapshot, &user_key(UNLOCKING, uid), decode_stamp, what)
}

/// Returns the users who have unlocked themselves, and since when, in the order of their uids, after one.
pub(crate) fn unlocking(
    snapshot: &Snapshot,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<(Uid, Stamp), EngineError>> + use<> {
    let from = after.map(|uid| user_key(UNLOCKING, uid));
    let from = from.as_ref().map_or(Bound::Included(&[UNLOCKING][..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Excluded(&[UNLOCKING + 1])).map(|row| {
        let damaged = || EngineError::Damaged("a user who unlocks itself cannot be decoded".into());
        let (key, value) = row?;
        parse_user_key(&key).zip(decode_stamp(&value)).ok_or_else(damaged)
    })
}
