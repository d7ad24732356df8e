//! Answers that are remembered under a request id.

use super::values::{encode_stamp, get_varint, put_varint};
use super::waiting::{kind_code, request_kind};
use guanxi_model::bytes::Reader;
use guanxi_model::error::{Value, ValueKind};
use guanxi_model::post::PostOutcome;
use guanxi_model::user::UserOutcome;
use guanxi_model::{GroupId, GroupOutcome, Outcome, PairOutcome, PostId, Reason, Relation, Stamp, Uid};

/// An answer remembered under a request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerValue {
    /// What was asked.
    pub fingerprint: u64,
    /// When, in Unix milliseconds.
    pub ms: u64,
    /// The position that was answered.
    pub seq: u64,
    /// The outcomes that were answered.
    pub outcomes: Vec<Outcome>,
}

/// Stands before the outcomes of posts. Outcomes of relations have nothing there, and never begin with this byte.
const POSTS: u8 = 0x80;

/// Stands before the outcomes of several domains, each of which begins with a byte of its own. Those of one domain, pairs
/// or posts, are written as they were before there was this form.
const MIXED: u8 = 0x81;

/// What an outcome is, in [`MIXED`].
const PAIR: u8 = 0;
const POST: u8 = 1;
const DONE: u8 = 2;
const USER: u8 = 3;
const PLAIN: u8 = 6;
const GROUP: u8 = 5;

impl AnswerValue {
    /// The stored form.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(40);
        for number in [self.fingerprint, self.ms, self.seq] {
            out.extend(number.to_be_bytes());
        }
        if self.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Pair(_))) {
            self.outcomes.iter().for_each(|outcome| put_any(&mut out, outcome));
        } else if self.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Post(_))) {
            out.push(POSTS);
            self.outcomes.iter().for_each(|outcome| put_any(&mut out, outcome));
        } else {
            out.push(MIXED);
            for outcome in &self.outcomes {
                out.push(match outcome {
                    Outcome::Pair(_) => PAIR,
                    Outcome::Post(_) => POST,
                    Outcome::Done => DONE,
                    Outcome::User(_) => USER,
                    Outcome::Plain(_) => PLAIN,
                    Outcome::Group(_) => GROUP,
                });
                put_any(&mut out, outcome);
            }
        }
        out
    }

    /// Reads the stored form.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (fingerprint, ms, seq) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let form = reader.rest().first().copied();
        let outcomes = match form {
            Some(POSTS | MIXED) => {
                reader.u8()?;
                let post = |reader: &mut Reader<'_>| get_post_outcome(reader).map(Outcome::Post);
                if form == Some(POSTS) { get_all(&mut reader, post)? } else { get_all(&mut reader, get_any)? }
            }
            _ => get_all(&mut reader, |reader| get_outcome(reader).map(Outcome::Pair))?,
        };
        Some(Self { fingerprint, ms, seq, outcomes })
    }
}

fn put_any(out: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Outcome::Pair(outcome) => put_outcome(out, outcome),
        Outcome::Post(outcome) => put_post_outcome(out, outcome),
        Outcome::User(outcome) => put_user_outcome(out, outcome),
        Outcome::Plain(result) => put_result(out, &[], result, None),
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

// Older bytes lie below, and `POSTS` above.
const _: () = {
    let mut n = 0;
    while n < Reason::ALL.len() {
        assert!(
            matches!(Reason::ALL[n].1, 0x20..0x80),
            "the stored byte of a reason is between 0x20 and 0x7f"
        );
        n += 1;
    }
};

/// The reasons of relations that had a byte of their own before every reason had one. They are still written so.
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
    out.extend([r.following_since, r.friends_since].into_iter().flatten().flat_map(encode_stamp));
    out.extend([r.requested, r.requested_by].into_iter().flatten().map(kind_code));
}

fn get_outcome(reader: &mut Reader<'_>) -> Option<PairOutcome> {
    let (tag, bits) = (reader.u8()?, reader.u8()?);
    let result = match tag {
        // What older programs wrote for a reason that they had no byte for.
        5 => Err(Reason::Internal),
        tag => get_result(reader, &RELATION_REASONS, tag)?,
    };
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

/// The same of posts, with the fields that there were; 13 is what older programs wrote for every other one. Those with
/// a number hold zero here.
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

/// A reason without its number, and the number.
fn split_number(mut reason: Reason) -> (Reason, Option<u32>) {
    let number = number_of(&mut reason).map(std::mem::take);
    (reason, number)
}

/// The number of a reason, if it has one.
const fn number_of(reason: &mut Reason) -> Option<&mut u32> {
    match reason {
        Reason::RevisionMismatch { revision } => Some(revision),
        Reason::LimitReached { limit }
        | Reason::TextTooLong { limit }
        | Reason::BatchTooLarge { limit }
        | Reason::TooLong { limit, .. } => Some(limit),
        _ => None,
    }
}

/// Puts a result: 0, 1, an older byte of a reason with its number, or the reason's own byte with its values. `between`
/// stands after the byte.
fn put_result(out: &mut Vec<u8>, older: &[(u8, Reason)], result: &Result<bool, Reason>, between: Option<u8>) {
    let reason = match result {
        Ok(changed) => {
            out.push(u8::from(*changed));
            out.extend(between);
            return;
        }
        Err(reason) => reason,
    };
    let (bare, number) = split_number(reason.clone());
    if let Some((tag, _)) = older.iter().find(|(_, older)| *older == bare) {
        out.push(*tag);
        out.extend(between);
        out.extend(number.into_iter().flat_map(u32::to_be_bytes));
        return;
    }
    out.push(reason.stored());
    out.extend(between);
    for (_, value) in reason.values() {
        match value {
            Value::Name(name) => {
                put_varint(out, name.len() as u64);
                out.extend(name.as_bytes());
            }
            Value::Number(number) => put_varint(out, number),
        }
    }
}

/// Reads the result whose first byte is `tag`.
fn get_result(reader: &mut Reader<'_>, older: &[(u8, Reason)], tag: u8) -> Option<Result<bool, Reason>> {
    if tag < 2 {
        return Some(Ok(tag == 1));
    }
    if let Some((_, reason)) = older.iter().find(|(known, _)| *known == tag) {
        let mut reason = reason.clone();
        if let Some(number) = number_of(&mut reason) {
            *number = reader.u32()?;
        }
        return Some(Err(reason));
    }
    let reason = Reason::of_stored(tag, |_, kind| match kind {
        ValueKind::Name => {
            let len = usize::try_from(get_varint(reader)?).ok()?;
            Value::parse(kind, std::str::from_utf8(reader.take(len)?).ok()?)
        }
        ValueKind::Number => Some(Value::Number(get_varint(reader)?)),
    });
    reason.map(Err)
}

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
