//! The stored form of outcomes: what a write with a request id is answered when it is repeated.

use super::relations::{kind_code, request_kind};
use super::results::{get_result, put_result};
use super::varint::{get_varint, put_varint};
use crate::bytes::Reader;
use crate::post::PostOutcome;
use crate::user::UserOutcome;
use crate::{GroupId, GroupOutcome, Outcome, PairOutcome, PostId, Reason, Relation, Stamp, Uid};

/// Stands before the outcomes of posts. Outcomes of relations have nothing there, and never begin with this byte.
const POSTS: u8 = 0x80;

/// Stands before the outcomes of several domains, each of which begins with a byte of its own. Pairs alone, and posts
/// alone, have the shorter forms.
const MIXED: u8 = 0x81;

/// What an outcome is, in [`MIXED`].
const PAIR: u8 = 0;
const POST: u8 = 1;
const DONE: u8 = 2;
const USER: u8 = 3;
const PLAIN: u8 = 6;
const GROUP: u8 = 5;

/// The stored form of the outcomes of one write, in its order.
pub fn encode_outcomes(outcomes: &[Outcome]) -> Vec<u8> {
    let mut out = Vec::new();
    if outcomes.iter().all(|outcome| matches!(outcome, Outcome::Pair(_))) {
        outcomes.iter().for_each(|outcome| put_any(&mut out, outcome));
    } else if outcomes.iter().all(|outcome| matches!(outcome, Outcome::Post(_))) {
        out.push(POSTS);
        outcomes.iter().for_each(|outcome| put_any(&mut out, outcome));
    } else {
        out.push(MIXED);
        for outcome in outcomes {
            out.push(match outcome {
                Outcome::Pair(_) => PAIR,
                Outcome::Post(_) => POST,
                Outcome::Done => DONE,
                Outcome::User(_) => USER,
                // No write of sessions has a request id, so that no outcome of one is stored.
                Outcome::Plain(_) | Outcome::Session(_) => PLAIN,
                Outcome::Group(_) => GROUP,
            });
            put_any(&mut out, outcome);
        }
    }
    out
}

/// Reads the outcomes of one write; `None` for bytes that are none, or hold one that this program does not
/// know.
pub fn decode_outcomes(bytes: &[u8]) -> Option<Vec<Outcome>> {
    let mut reader = Reader::new(bytes);
    let form = bytes.first().copied();
    match form {
        Some(POSTS | MIXED) => {
            reader.u8()?;
            let post = |reader: &mut Reader<'_>| get_post_outcome(reader).map(Outcome::Post);
            if form == Some(POSTS) { get_all(&mut reader, post) } else { get_all(&mut reader, get_any) }
        }
        _ => get_all(&mut reader, |reader| get_outcome(reader).map(Outcome::Pair)),
    }
}

fn put_any(out: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Outcome::Pair(outcome) => put_outcome(out, outcome),
        Outcome::Post(outcome) => put_post_outcome(out, outcome),
        Outcome::User(outcome) => put_user_outcome(out, outcome),
        Outcome::Plain(result) => put_result(out, &[], result, None),
        Outcome::Session(outcome) => put_result(out, &[], &outcome.result, None),
        Outcome::Done => {}
        Outcome::Group(outcome) => put_group_outcome(out, outcome),
    }
}

/// Reads an outcome after its byte.
fn get_any(reader: &mut Reader<'_>) -> Option<Outcome> {
    Some(match reader.u8()? {
        PAIR => Outcome::Pair(get_outcome(reader)?),
        POST => Outcome::Post(get_post_outcome(reader)?),
        DONE => Outcome::Done,
        USER => Outcome::User(get_user_outcome(reader)?),
        PLAIN => {
            let tag = reader.u8()?;
            Outcome::Plain(get_result(reader, &[], tag)?)
        }
        GROUP => Outcome::Group(get_group_outcome(reader)?),
        _ => return None,
    })
}

fn get_all<'a, T>(reader: &mut Reader<'a>, get: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    while reader.end().is_none() {
        all.push(get(reader)?);
    }
    Some(all)
}

/// The reasons of relations that have a byte of their own here, beside the one that every reason has.
const RELATION_REASONS: [(u8, Reason); 3] =
    [(2, Reason::SelfRelation), (3, Reason::Blocked), (4, Reason::LimitReached { limit: 0 })];

fn put_outcome(out: &mut Vec<u8>, outcome: &PairOutcome) {
    let r = &outcome.relation;
    let bits = [
        r.following_since.is_some(),
        r.followed_by,
        r.friends_since.is_some(),
        r.blocking,
        r.blocked_by,
        r.muting,
        r.requested.is_some(),
        r.requested_by.is_some(),
    ];
    let bits = bits.iter().enumerate().fold(0, |byte, (bit, set)| byte | (u8::from(*set) << bit));
    put_result(out, &RELATION_REASONS, &outcome.result, Some(bits));
    out.extend(
        [r.following_since, r.friends_since].into_iter().flatten().flat_map(|at| at.raw().to_be_bytes()),
    );
    out.extend([r.requested, r.requested_by].into_iter().flatten().map(kind_code));
}

fn get_outcome(reader: &mut Reader<'_>) -> Option<PairOutcome> {
    let (tag, bits) = (reader.u8()?, reader.u8()?);
    let result = get_result(reader, &RELATION_REASONS, tag)?;
    let mut stamp =
        |bit: u8| if bits & bit == 0 { Some(None) } else { Some(Some(Stamp::from_raw(reader.u64()?))) };
    let (following_since, friends_since) = (stamp(1)?, stamp(4)?);
    let mut kind =
        |bit: u8| if bits & bit == 0 { Some(None) } else { Some(Some(request_kind(reader.u8()?)?)) };
    let (requested, requested_by) = (kind(64)?, kind(128)?);
    let relation = Relation {
        following_since,
        followed_by: bits & 2 != 0,
        friends_since,
        blocking: bits & 8 != 0,
        blocked_by: bits & 16 != 0,
        muting: bits & 32 != 0,
        requested,
        requested_by,
    };
    Some(PairOutcome { result, relation })
}

/// The same of posts, some with a field. Those with a number hold zero here.
const POST_REASONS: [(u8, Reason); 12] = [
    (2, Reason::PostNotFound),
    (3, Reason::PostDeleted),
    (4, Reason::PostForbidden),
    (5, Reason::RevisionMismatch { revision: 0 }),
    (6, Reason::LimitReached { limit: 0 }),
    (7, Reason::TextTooLong { limit: 0 }),
    (8, Reason::BatchTooLarge { limit: 0 }),
    (9, Reason::TooLong { field: "attachments.reference", limit: 0 }),
    (10, Reason::MissingField { field: "attachments.reference" }),
    (11, Reason::MissingField { field: "text" }),
    (12, Reason::InvalidField { field: "repost_of" }),
    (13, Reason::Internal),
];

fn put_post_outcome(out: &mut Vec<u8>, outcome: &PostOutcome) {
    put_result(out, &POST_REASONS, &outcome.result, None);
    put_varint(out, outcome.id.map_or(0, PostId::get));
    put_varint(out, outcome.revision.into());
}

fn get_post_outcome(reader: &mut Reader<'_>) -> Option<PostOutcome> {
    let tag = reader.u8()?;
    let result = get_result(reader, &POST_REASONS, tag)?;
    let id = match get_varint(reader)? {
        0 => None,
        raw => Some(PostId::new(raw).ok()?),
    };
    Some(PostOutcome { result, id, revision: u32::try_from(get_varint(reader)?).ok()? })
}

fn put_user_outcome(out: &mut Vec<u8>, outcome: &UserOutcome) {
    put_result(out, &[], &outcome.result, None);
    put_varint(out, outcome.uid.get());
    put_varint(out, outcome.revision.into());
}

fn get_user_outcome(reader: &mut Reader<'_>) -> Option<UserOutcome> {
    let tag = reader.u8()?;
    let result = get_result(reader, &[], tag)?;
    let uid = Uid::new(get_varint(reader)?).ok()?;
    Some(UserOutcome { result, uid, revision: u32::try_from(get_varint(reader)?).ok()? })
}

fn put_group_outcome(out: &mut Vec<u8>, outcome: &GroupOutcome) {
    put_result(out, &[], &outcome.result, None);
    put_varint(out, outcome.id.map_or(0, GroupId::get).into());
    put_varint(out, outcome.revision.into());
}

fn get_group_outcome(reader: &mut Reader<'_>) -> Option<GroupOutcome> {
    let tag = reader.u8()?;
    let result = get_result(reader, &[], tag)?;
    let id = match u32::try_from(get_varint(reader)?).ok()? {
        0 => None,
        raw => Some(GroupId::new(raw).ok()?),
    };
    Some(GroupOutcome { result, id, revision: u32::try_from(get_varint(reader)?).ok()? })
}
