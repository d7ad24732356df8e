//! Requests, rejections, and facts that end by themselves: a request stands with both users, and each such end is noted at
//! its time.

use super::findings::{Findings, Readable, Unmatched};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    COOLDOWN, MUTE, PAIR_END, REQUEST, REQUESTS_SEEN, SENT_REQUEST, SentValue, UNLOCKING, decode_mute,
    decode_past_request, decode_request, decode_stamp, pair_end_key, pair_key, parse_pair_end_key,
    parse_pair_key, parse_request_key, parse_user_key, request_key,
};
use crate::view::View;
use guanxi_model::{Edge, PairEnd, PairEndKind, PastRequest};

/// Returns what a record of what waits is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    Some(match key.first() {
        Some(&SENT_REQUEST) => ("sent request", parse_pair_key(key).zip(SentValue::decode(value)).is_some()),
        Some(&REQUEST) => ("request", decode_request(key, value).is_some()),
        Some(&COOLDOWN) => ("past request", parse_pair_key(key).zip(decode_past_request(value)).is_some()),
        Some(&PAIR_END) => ("what ends by itself", parse_pair_end_key(key).is_some() && value.is_empty()),
        Some(&REQUESTS_SEEN) => {
            ("mark of seen requests", parse_user_key(key).zip(decode_stamp(value)).is_some())
        }
        Some(&UNLOCKING) => {
            ("user who unlocks itself", parse_user_key(key).zip(decode_stamp(value)).is_some())
        }
        _ => return None,
    })
}

/// Returns what is wrong with a readable record of what waits, if the other rows do not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    match key.first() {
        Some(&SENT_REQUEST) => {
            let (Some((sender, receiver)), Some(sent)) = (parse_pair_key(key), SentValue::decode(value))
            else {
                return Ok(None);
            };
            let there = request_key(receiver, sent.kind, Edge { at: sent.at, uid: sender });
            let there = snapshot.get(Table::Records, &there)?;
            let expires = there.and_then(|value| Some(u64::from_be_bytes(value.get(..8)?.try_into().ok()?)));
            let end = PairEnd { kind: PairEndKind::Request, owner: receiver, other: sender };
            Ok(if expires != Some(sent.expires_ms) {
                Some("sent request that its receiver does not have, or with another end")
            } else if !snapshot.contains(Table::Records, &pair_end_key(sent.expires_ms, end))? {
                Some("request that is not among what ends by itself")
            } else {
                None
            })
        }
        Some(&REQUEST) => {
            let Some((receiver, kind, Edge { at, uid: sender })) = parse_request_key(key) else {
                return Ok(None);
            };
            let sent = snapshot.get(Table::Records, &pair_key(SENT_REQUEST, sender, receiver))?;
            let sent = sent.and_then(|value| SentValue::decode(&value));
            let stands = sent.is_some_and(|sent| (sent.kind, sent.at) == (kind, at));
            Ok((!stands).then_some("request that its sender has not sent"))
        }
        Some(&COOLDOWN) => {
            let (Some((owner, other)), Some(past)) = (parse_pair_key(key), decode_past_request(value)) else {
                return Ok(None);
            };
            let end = pair_end_key(past.until_ms(), PairEnd { kind: PairEndKind::Cooldown, owner, other });
            let is_noted = snapshot.contains(Table::Records, &end)?;
            Ok((!is_noted).then_some("past request that is not among what ends by itself"))
        }
        Some(&PAIR_END) => match parse_pair_end_key(key) {
            Some(due) if ends_at(snapshot, due.end)? != Some(due.at_ms) => {
                Ok(Some("end of what does not end then"))
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Returns when something ends by itself, as its own row says.
fn ends_at(snapshot: &Snapshot, end: PairEnd) -> EngineResult<Option<u64>> {
    let PairEnd { kind, owner, other } = end;
    let key = match kind {
        PairEndKind::Request => pair_key(SENT_REQUEST, other, owner),
        PairEndKind::Cooldown => pair_key(COOLDOWN, owner, other),
        PairEndKind::Mute => pair_key(MUTE, owner, other),
    };
    let Some(value) = snapshot.get(Table::Records, &key)? else { return Ok(None) };
    Ok(match kind {
        PairEndKind::Request => SentValue::decode(&value).map(|sent| sent.expires_ms),
        PairEndKind::Cooldown => decode_past_request(&value).map(PastRequest::until_ms),
        PairEndKind::Mute => decode_mute(&value).and_then(|(_, terms)| terms.until_ms),
    })
}

/// Names mutes whose end is not noted. Everything else about mutes is compared with what users have said.
pub(super) fn mutes(view: &View, findings: &mut Findings) -> EngineResult<()> {
    for row in view.snapshot.prefix(Table::Records, &[MUTE]) {
        let (key, value) = row?;
        let (Some((owner, other)), Some((_, terms))) = (parse_pair_key(&key), decode_mute(&value)) else {
            continue;
        };
        let Some(at_ms) = terms.until_ms else { continue };
        let end = PairEnd { kind: PairEndKind::Mute, owner, other };
        if !view.snapshot.contains(Table::Records, &pair_end_key(at_ms, end))? {
            findings.undecodable("mute that is not among what ends by itself", None, None, &key, &value);
        }
    }
    Ok(())
}
