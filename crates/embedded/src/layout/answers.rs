//! Answers that are remembered under a request id.

use super::values::{encode_stamp, get_varint, put_varint};
use guanxi_model::bytes::Reader;
use guanxi_model::post::PostOutcome;
use guanxi_model::{Outcome, PostId, Reason, Relation, Stamp};

/// An answer remembered under a request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerValue {
    /// What was asked.
    pub fingerprint: u64,
    /// When, in Unix milliseconds.
    pub ms: u64,
    /// The position that was answered.
    pub seq: u64,
    /// The outcomes that were answered.
    pub outcomes: Outcomes,
}

/// The outcome of each operation of a write, as it was returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcomes {
    /// A write of the graph.
    Relations(Vec<Outcome>),
    /// A write of posts.
    Posts(Vec<PostOutcome>),
}

/// Stands before the outcomes of posts. Outcomes of relations have nothing there, and never begin with this byte.
const POSTS: u8 = 0x80;

impl AnswerValue {
    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(40);
        for number in [self.fingerprint, self.ms, self.seq] {
            out.extend(number.to_be_bytes());
        }
        match &self.outcomes {
            Outcomes::Relations(outcomes) => {
                outcomes.iter().for_each(|outcome| put_outcome(&mut out, outcome));
            }
            Outcomes::Posts(outcomes) => {
                out.push(POSTS);
                outcomes.iter().for_each(|outcome| put_post_outcome(&mut out, outcome));
            }
        }
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (fingerprint, ms, seq) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let outcomes = if reader.rest().first() == Some(&POSTS) {
            reader.u8()?;
            Outcomes::Posts(get_all(&mut reader, get_post_outcome)?)
        } else {
            Outcomes::Relations(get_all(&mut reader, get_outcome)?)
        };
        Some(Self { fingerprint, ms, seq, outcomes })
    }
}

fn get_all<'a, T>(reader: &mut Reader<'a>, get: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    while reader.end().is_none() {
        all.push(get(reader)?);
    }
    Some(all)
}

fn put_outcome(out: &mut Vec<u8>, outcome: &Outcome) {
    let (tag, limit) = match &outcome.result {
        Ok(false) => (0, None),
        Ok(true) => (1, None),
        Err(Reason::SelfRelation) => (2, None),
        Err(Reason::Blocked) => (3, None),
        Err(Reason::LimitReached { limit }) => (4, Some(*limit)),
        Err(_) => (5, None),
    };
    let r = &outcome.relation;
    let bits = [
        r.following_since.is_some(),
        r.followed_by,
        r.friends_since.is_some(),
        r.blocking,
        r.blocked_by,
        r.muting,
    ];
    out.push(tag);
    out.push(bits.iter().enumerate().fold(0, |byte, (bit, set)| byte | (u8::from(*set) << bit)));
    out.extend(limit.into_iter().flat_map(u32::to_be_bytes));
    out.extend([r.following_since, r.friends_since].into_iter().flatten().flat_map(encode_stamp));
}

fn get_outcome(reader: &mut Reader<'_>) -> Option<Outcome> {
    let (tag, bits) = (reader.u8()?, reader.u8()?);
    let result = match tag {
        0 => Ok(false),
        1 => Ok(true),
        2 => Err(Reason::SelfRelation),
        3 => Err(Reason::Blocked),
        4 => Err(Reason::LimitReached { limit: reader.u32()? }),
        5 => Err(Reason::Internal),
        _ => return None,
    };
    let mut stamp =
        |bit: u8| if bits & bit == 0 { Some(None) } else { Some(Some(Stamp::from_raw(reader.u64()?))) };
    let (following_since, friends_since) = (stamp(1)?, stamp(4)?);
    let relation = Relation {
        following_since,
        followed_by: bits & 2 != 0,
        friends_since,
        blocking: bits & 8 != 0,
        blocked_by: bits & 16 != 0,
        muting: bits & 32 != 0,
    };
    Some(Outcome { result, relation })
}

/// The reasons that an operation on a post is refused for, by their byte. Those with a number hold zero here.
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

fn put_post_outcome(out: &mut Vec<u8>, outcome: &PostOutcome) {
    match &outcome.result {
        Ok(changed) => out.push(u8::from(*changed)),
        Err(reason) => {
            let (bare, number) = split_number(reason.clone());
            let known = POST_REASONS.iter().find(|(_, reason)| *reason == bare);
            let (tag, number) = known.map_or((13, None), |(tag, _)| (*tag, number));
            out.push(tag);
            out.extend(number.into_iter().flat_map(u32::to_be_bytes));
        }
    }
    put_varint(out, outcome.id.map_or(0, PostId::get));
    put_varint(out, outcome.revision.into());
}

fn get_post_outcome(reader: &mut Reader<'_>) -> Option<PostOutcome> {
    let result = match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        tag => {
            let (_, mut reason) = POST_REASONS.iter().find(|(known, _)| *known == tag)?.clone();
            if let Some(number) = number_of(&mut reason) {
                *number = reader.u32()?;
            }
            Err(reason)
        }
    };
    let id = match get_varint(reader)? {
        0 => None,
        raw => Some(PostId::new(raw).ok()?),
    };
    Some(PostOutcome { result, id, revision: u32::try_from(get_varint(reader)?).ok()? })
}
