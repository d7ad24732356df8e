//! The stored form of events.
//!
//! `tag cause version subject object [at]`; a follow whose place differs from its version carries `at`.

use guanxi_model::bytes::Reader;
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Event, Op, Stamp, Uid};

const FOLLOWED: u8 = 1;
const FOLLOWED_AT: u8 = 2;
const UNFOLLOWED: u8 = 3;
const BLOCKED: u8 = 4;
const UNBLOCKED: u8 = 5;
const MUTED: u8 = 6;
const UNMUTED: u8 = 7;
const FOLLOW_LIMIT: u8 = 8;
/// Set in the tag of a follow that makes two users friends.
const MUTUAL: u8 = 0x80;

/// The stored form; the seq is in the key.
pub fn encode_event(event: &Event) -> Vec<u8> {
    let mut out = Vec::with_capacity(34);
    match event.change {
        Change::FollowLimit(limit) => {
            put_head(&mut out, FOLLOW_LIMIT, 0, event);
            out.extend(limit.map_or(0, |limit| u64::from(limit) + 1).to_be_bytes());
        }
        Change::Pair { object, kind, cause } => {
            let (tag, at) = match kind {
                PairChange::Followed { at, mutual } => {
                    let friends = if mutual { MUTUAL } else { 0 };
                    if at == event.version {
                        (FOLLOWED | friends, None)
                    } else {
                        (FOLLOWED_AT | friends, Some(at))
                    }
                }
                PairChange::Unfollowed => (UNFOLLOWED, None),
                PairChange::Blocked => (BLOCKED, None),
                PairChange::Unblocked => (UNBLOCKED, None),
                PairChange::Muted => (MUTED, None),
                PairChange::Unmuted => (UNMUTED, None),
            };
            put_head(&mut out, tag, op_code(cause), event);
            out.extend(object.get().to_be_bytes());
            out.extend(at.into_iter().flat_map(|at| at.raw().to_be_bytes()));
        }
    }
    out
}

fn put_head(out: &mut Vec<u8>, tag: u8, cause: u8, event: &Event) {
    out.extend([tag, cause]);
    out.extend(event.version.raw().to_be_bytes());
    out.extend(event.subject.get().to_be_bytes());
}

/// Reads the stored form.
pub fn decode_event(seq: u64, bytes: &[u8]) -> Option<Event> {
    let mut reader = Reader::new(bytes);
    let (tag, cause) = (reader.u8()?, reader.u8()?);
    let version = Stamp::from_raw(reader.u64()?);
    let subject = Uid::new(reader.u64()?).ok()?;
    let change = if tag == FOLLOW_LIMIT {
        let limit = reader.u64()?;
        Change::FollowLimit(if limit == 0 { None } else { Some(u32::try_from(limit - 1).ok()?) })
    } else {
        let object = Uid::new(reader.u64()?).ok()?;
        let kind = pair_change(tag, version, &mut reader)?;
        Change::Pair { object, kind, cause: op_of(cause)? }
    };
    reader.end()?;
    Some(Event { seq, version, subject, change })
}

fn pair_change(tag: u8, version: Stamp, reader: &mut Reader<'_>) -> Option<PairChange> {
    let mutual = tag & MUTUAL != 0;
    Some(match tag & !MUTUAL {
        FOLLOWED => PairChange::Followed { at: version, mutual },
        FOLLOWED_AT => PairChange::Followed { at: Stamp::from_raw(reader.u64()?), mutual },
        UNFOLLOWED => PairChange::Unfollowed,
        BLOCKED => PairChange::Blocked,
        UNBLOCKED => PairChange::Unblocked,
        MUTED => PairChange::Muted,
        UNMUTED => PairChange::Unmuted,
        _ => return None,
    })
}

const fn op_code(op: Op) -> u8 {
    match op {
        Op::Follow => 0,
        Op::Unfollow => 1,
        Op::RemoveFollower => 2,
        Op::Block => 3,
        Op::Unblock => 4,
        Op::Mute => 5,
        Op::Unmute => 6,
    }
}

fn op_of(code: u8) -> Option<Op> {
    Op::ALL.into_iter().find(|op| op_code(*op) == code)
}
