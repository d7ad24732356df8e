//! The stored form of events.
//!
//! `tag cause version subject object [at]`; a follow, block or mute whose place differs from its version carries `at`. An event of a
//! post has what it became in place of the cause and the post's id in place of the object; a like adds whose post it is,
//! and carries `at` like those.
//! A mute on terms has its place and these; a request its kind, and when it ends.
//! An event of a user has what it became in place of the cause, and no object; one of a group the same, with the group's
//! number behind.

use super::relations::{get_terms, kind_code, put_terms, request_kind};
use crate::bytes::Reader;
use crate::event::{PairChange, PostChange, UserChange};
use crate::{Change, Event, EventAt, GroupChange, GroupId, MuteTerms, Op, PostId, Stamp, Uid};

const FOLLOWED: u8 = 1;
const FOLLOWED_AT: u8 = 2;
const UNFOLLOWED: u8 = 3;
const BLOCKED: u8 = 4;
const UNBLOCKED: u8 = 5;
const MUTED: u8 = 6;
const UNMUTED: u8 = 7;
const FOLLOW_LIMIT: u8 = 8;
const POST: u8 = 9;
const LIKED: u8 = 10;
const UNLIKED: u8 = 11;
const BLOCKED_AT: u8 = 12;
const MUTED_AT: u8 = 13;
const LIKED_AT: u8 = 14;
const INTERACTED: u8 = 32;
const USER_CHANGED: u8 = 15;
const REQUESTED: u8 = 16;
const REQUEST_ENDED: u8 = 17;
const MUTED_ON_TERMS: u8 = 18;
const GROUP_CHANGED: u8 = 24;
/// Set in the tag of a follow that makes two users friends.
const MUTUAL: u8 = 0x80;

/// Returns the stored form of an event. It holds neither the place, which is the key of the row, nor the echo, which is
/// gone with the write that it is of.
pub fn encode_event(event: &Event) -> Vec<u8> {
    let mut out = Vec::with_capacity(34);
    match event.change {
        Change::FollowLimit(limit) => {
            put_head(&mut out, FOLLOW_LIMIT, 0, event);
            out.extend(limit.map_or(0, |limit| u64::from(limit) + 1).to_be_bytes());
        }
        Change::User(change) => put_head(&mut out, USER_CHANGED, change.code(), event),
        Change::Interacted => put_head(&mut out, INTERACTED, 0, event),
        Change::Group { id, kind } => {
            put_head(&mut out, GROUP_CHANGED, kind.code(), event);
            out.extend(id.get().to_be_bytes());
        }
        Change::Post { id, kind } => {
            put_head(&mut out, POST, kind.code(), event);
            out.extend(id.get().to_be_bytes());
        }
        Change::Liked { id, author, at } if at != event.version => {
            put_head(&mut out, LIKED_AT, 0, event);
            out.extend([id.get(), author.get(), at.raw()].into_iter().flat_map(u64::to_be_bytes));
        }
        Change::Liked { id, author, .. } | Change::Unliked { id, author } => {
            let tag = if matches!(event.change, Change::Liked { .. }) { LIKED } else { UNLIKED };
            put_head(&mut out, tag, 0, event);
            out.extend(id.get().to_be_bytes());
            out.extend(author.get().to_be_bytes());
        }
        Change::Pair { object, kind, cause } => {
            let (tag, at) = match kind {
                PairChange::Requested { .. } => (REQUESTED, None),
                PairChange::RequestEnded { .. } => (REQUEST_ENDED, None),
                PairChange::Muted { terms, .. } if terms != MuteTerms::default() => (MUTED_ON_TERMS, None),
                PairChange::Followed { at, mutual } => {
                    let friends = if mutual { MUTUAL } else { 0 };
                    if at == event.version {
                        (FOLLOWED | friends, None)
                    } else {
                        (FOLLOWED_AT | friends, Some(at))
                    }
                }
                PairChange::Unfollowed => (UNFOLLOWED, None),
                PairChange::Blocked { at } if at == event.version => (BLOCKED, None),
                PairChange::Blocked { at } => (BLOCKED_AT, Some(at)),
                PairChange::Unblocked => (UNBLOCKED, None),
                PairChange::Muted { at, .. } if at == event.version => (MUTED, None),
                PairChange::Muted { at, .. } => (MUTED_AT, Some(at)),
                PairChange::Unmuted => (UNMUTED, None),
            };
            put_head(&mut out, tag, cause.code(), event);
            out.extend(object.get().to_be_bytes());
            out.extend(at.into_iter().flat_map(|at| at.raw().to_be_bytes()));
            match kind {
                PairChange::Requested { kind, expires_ms } => {
                    out.push(kind_code(kind));
                    out.extend(expires_ms.to_be_bytes());
                }
                PairChange::RequestEnded { kind } => out.push(kind_code(kind)),
                PairChange::Muted { at, terms } if tag == MUTED_ON_TERMS => {
                    out.extend(at.raw().to_be_bytes());
                    put_terms(&mut out, terms);
                }
                _ => {}
            }
        }
    }
    out
}

fn put_head(out: &mut Vec<u8>, tag: u8, cause: u8, event: &Event) {
    out.extend([tag, cause]);
    out.extend(event.version.raw().to_be_bytes());
    out.extend(event.subject.get().to_be_bytes());
}

/// Reads the event that is stored at a place, without an echo; `None` for bytes that are no event, or one of a kind that
/// this program does not know.
pub fn decode_event(at: EventAt, bytes: &[u8]) -> Option<Event> {
    let mut reader = Reader::new(bytes);
    let (tag, cause) = (reader.u8()?, reader.u8()?);
    let version = Stamp::from_raw(reader.u64()?);
    let subject = Uid::new(reader.u64()?).ok()?;
    let change = if tag == FOLLOW_LIMIT {
        let limit = reader.u64()?;
        Change::FollowLimit(if limit == 0 { None } else { Some(u32::try_from(limit - 1).ok()?) })
    } else if tag == INTERACTED {
        (cause == 0).then_some(Change::Interacted)?
    } else if tag == USER_CHANGED {
        Change::User(UserChange::of_code(cause)?)
    } else if tag == GROUP_CHANGED {
        Change::Group { id: GroupId::new(reader.u32()?).ok()?, kind: GroupChange::of_code(cause)? }
    } else if matches!(tag, POST | LIKED | LIKED_AT | UNLIKED) {
        let id = PostId::new(reader.u64()?).ok()?;
        if tag == POST {
            Change::Post { id, kind: PostChange::of_code(cause)? }
        } else {
            let author = Uid::new(reader.u64()?).ok()?;
            match tag {
                LIKED => Change::Liked { id, author, at: version },
                LIKED_AT => Change::Liked { id, author, at: Stamp::from_raw(reader.u64()?) },
                _ => Change::Unliked { id, author },
            }
        }
    } else {
        let object = Uid::new(reader.u64()?).ok()?;
        let kind = pair_change(tag, version, &mut reader)?;
        Change::Pair { object, kind, cause: Op::of_code(cause)? }
    };
    reader.end()?;
    Some(Event { at, version, subject, change, echo: None })
}

fn pair_change(tag: u8, version: Stamp, reader: &mut Reader<'_>) -> Option<PairChange> {
    let mutual = tag & MUTUAL != 0;
    Some(match tag & !MUTUAL {
        FOLLOWED => PairChange::Followed { at: version, mutual },
        FOLLOWED_AT => PairChange::Followed { at: Stamp::from_raw(reader.u64()?), mutual },
        UNFOLLOWED => PairChange::Unfollowed,
        BLOCKED => PairChange::Blocked { at: version },
        BLOCKED_AT => PairChange::Blocked { at: Stamp::from_raw(reader.u64()?) },
        UNBLOCKED => PairChange::Unblocked,
        MUTED => PairChange::Muted { at: version, terms: MuteTerms::default() },
        MUTED_AT => PairChange::Muted { at: Stamp::from_raw(reader.u64()?), terms: MuteTerms::default() },
        MUTED_ON_TERMS => {
            let at = Stamp::from_raw(reader.u64()?);
            PairChange::Muted { at, terms: get_terms(reader)? }
        }
        REQUESTED => {
            let kind = request_kind(reader.u8()?)?;
            PairChange::Requested { kind, expires_ms: reader.u64()? }
        }
        REQUEST_ENDED => PairChange::RequestEnded { kind: request_kind(reader.u8()?)? },
        UNMUTED => PairChange::Unmuted,
        _ => return None,
    })
}
