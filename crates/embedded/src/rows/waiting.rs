//! Reading requests, the terms of mutes and what ends by itself from the tables.

use super::{ListPart, decoded, record};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    COOLDOWN, MUTE, PAIR_END, REQUESTS_SEEN, SENT_REQUEST, SIGNED_OUT, SentValue, UNLOCKING, decode_mute,
    decode_number, decode_past_request, decode_request, decode_stamp, pair_end_key, pair_key,
    parse_pair_end_key, parse_pair_key, parse_request_key, parse_user_key, request_key, requests_of_key,
    user_key,
};
use guanxi_model::{Edge, MuteTerms, PastRequest, RelationRequest, RequestKind, Stamp, Uid};
use guanxi_ports::DueEnd;

/// Returns since when a user mutes another, and on which terms.
pub(crate) fn mute(snapshot: &Snapshot, owner: Uid, other: Uid) -> EngineResult<Option<(Stamp, MuteTerms)>> {
    record(snapshot, &pair_key(MUTE, owner, other), decode_mute, format_args!("a mute of user {owner}"))
}

/// Returns what a user has asked of another, with its message.
pub(crate) fn request(
    snapshot: &Snapshot,
    sender: Uid,
    receiver: Uid,
) -> EngineResult<Option<RelationRequest>> {
    let what = format_args!("a request of user {sender}");
    let sent = record(snapshot, &pair_key(SENT_REQUEST, sender, receiver), SentValue::decode, what)?;
    let Some(SentValue { kind, at, .. }) = sent else { return Ok(None) };
    received_at(snapshot, receiver, kind, Edge { at, uid: sender })
}

/// Returns the users whom a user has asked, since when and for what, in the order of their uids.
pub(crate) fn sent(
    snapshot: &Snapshot,
    sender: Uid,
) -> impl Iterator<Item = EngineResult<(Edge, RequestKind)>> + use<> {
    let rows = snapshot.prefix(Table::Records, &user_key(SENT_REQUEST, sender));
    let request = |key: &[u8], value: &[u8]| {
        let ((_, uid), SentValue { kind, at, .. }) = parse_pair_key(key).zip(SentValue::decode(value))?;
        Some((Edge { at, uid }, kind))
    };
    decoded(rows, request, move || format!("a request of user {sender}"))
}

/// Returns the requests to a user, newest first.
pub(crate) fn received(
    snapshot: &Snapshot,
    receiver: Uid,
    kind: RequestKind,
    part: ListPart<Edge>,
) -> impl Iterator<Item = EngineResult<Edge>> + use<> {
    let part = part.keys(|edge| request_key(receiver, kind, edge));
    let rows = part.rows(snapshot, Table::Records, &requests_of_key(receiver, kind));
    decoded(rows, |key, _| Some(parse_request_key(key)?.2), move || format!("a request to user {receiver}"))
}

/// The request at a place of a user's list, with its message.
pub(crate) fn received_at(
    snapshot: &Snapshot,
    receiver: Uid,
    kind: RequestKind,
    place: Edge,
) -> EngineResult<Option<RelationRequest>> {
    let key = request_key(receiver, kind, place);
    record(snapshot, &key, |value| decode_request(&key, value), format_args!("a request to user {receiver}"))
}

/// Returns what a user remembers of the last request of another, which is over.
pub(crate) fn past_request(snapshot: &Snapshot, owner: Uid, other: Uid) -> EngineResult<Option<PastRequest>> {
    let what = format_args!("a past request to user {owner}");
    record(snapshot, &pair_key(COOLDOWN, owner, other), decode_past_request, what)
}

/// Returns the users whom a user has rejected, and until when they may not ask again, in the order of their uids,
/// after one.
pub(crate) fn rejections(
    snapshot: &Snapshot,
    owner: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<(Uid, u64)>> + use<> {
    let after = after.map(|after| pair_key(COOLDOWN, owner, after));
    let rows = snapshot.prefix_after(Table::Records, &user_key(COOLDOWN, owner), after);
    let past = |key: &[u8], value: &[u8]| Some((parse_pair_key(key)?.1, decode_past_request(value)?));
    let past = decoded(rows, past, move || format!("a past request to user {owner}"));
    past.filter_map(|past| match past {
        Ok((other, past)) => Some(Ok((other, past.rejected_until_ms()?))),
        Err(error) => Some(Err(error)),
    })
}

/// Returns when a user signed out everywhere last.
pub(crate) fn signed_out_ms(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<u64>> {
    let what = format_args!("when user {uid} signed out");
    record(snapshot, &user_key(SIGNED_OUT, uid), decode_number, what)
}

/// Returns up to where a user has seen the requests to it.
pub(crate) fn requests_seen(snapshot: &Snapshot, uid: Uid) -> EngineResult<Stamp> {
    let what = format_args!("up to where user {uid} has seen requests");
    Ok(record(snapshot, &user_key(REQUESTS_SEEN, uid), decode_stamp, what)?.unwrap_or(Stamp::ZERO))
}

/// Returns what ends by itself, the earliest first, after something.
pub(crate) fn ends(
    snapshot: &Snapshot,
    after: Option<DueEnd>,
) -> impl Iterator<Item = EngineResult<DueEnd>> + use<> {
    let after = after.map(|due| pair_end_key(due.at_ms, due.end));
    let rows = snapshot.prefix_after(Table::Records, &[PAIR_END], after);
    decoded(rows, |key, _| parse_pair_end_key(key), || "what ends by itself".to_owned())
}

/// Returns the time since when the users that wait to follow a user are to be approved.
pub(crate) fn unlocking_since(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<Stamp>> {
    let what = format_args!("since when user {uid} unlocks itself");
    record(snapshot, &user_key(UNLOCKING, uid), decode_stamp, what)
}

/// Returns the users who have unlocked themselves, and since when, in the order of their uids, after one.
pub(crate) fn unlocking(
    snapshot: &Snapshot,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<(Uid, Stamp)>> + use<> {
    let rows = snapshot.prefix_after(Table::Records, &[UNLOCKING], after.map(|uid| user_key(UNLOCKING, uid)));
    let unlocking = |key: &[u8], value: &[u8]| parse_user_key(key).zip(decode_stamp(value));
    decoded(rows, unlocking, || "a user who unlocks itself".to_owned())
}
