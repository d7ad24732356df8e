//! What operators and readers set: the fan-out's policy, seen marks, and where import jobs stand.

use guanxi_model::bytes::Reader;
use guanxi_model::stored::{get_varint, put_varint};
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_model::{FanoutMode, FanoutPolicy};

/// The key of the fan-out's policy.
pub const POLICY_KEY: &[u8] = b"F";
/// The key of the last commit of which users' rows do not say when their relations changed: what is not said there was no later.
pub const UNNOTED_KEY: &[u8] = b"V";
/// Prefix of import jobs.
pub const JOB: u8 = b'J';
/// Prefix of seen marks.
pub const SEEN: u8 = b's';

/// Up to where a user has seen its home, as a dump has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenMark {
    /// One event of the one log, or the same number in every log.
    Same(u64),
    /// An event of some logs, by gene.
    Each(Vec<(u8, u64)>),
}

/// The bytes of an event of one log among many.
const MARK_BYTES: usize = 9;

impl SeenMark {
    /// The stored form: a number, or a gene and a number for each log, which is never as long as one number.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Same(seq) => super::encode_number(*seq).to_vec(),
            Self::Each(marks) => {
                let mark = |(gene, seq): &(u8, u64)| [&[*gene][..], &seq.to_be_bytes()].concat();
                marks.iter().flat_map(mark).collect()
            }
        }
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if let Some(seq) = super::decode_number(bytes) {
            return Some(Self::Same(seq));
        }
        let marks = bytes.chunks(MARK_BYTES).map(|mark| {
            let (gene, seq) = mark.split_first()?;
            Some((*gene, super::decode_number(seq)?))
        });
        let marks = marks.collect::<Option<Vec<_>>>()?;
        marks.is_sorted_by(|a, b| a.0 < b.0).then_some(Self::Each(marks))
    }
}

/// The stored form of the fan-out's policy.
pub fn encode_policy(policy: &FanoutPolicy) -> Vec<u8> {
    let mut out = vec![policy.mode.code()];
    let FanoutPolicy { celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap, .. } = *policy;
    for number in [celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap.into()] {
        put_varint(&mut out, number);
    }
    out
}

/// Reads the fan-out's policy.
pub fn decode_policy(bytes: &[u8]) -> Option<FanoutPolicy> {
    let mut reader = Reader::new(bytes);
    let mode = FanoutMode::of_code(reader.u8()?)?;
    let mut number = || get_varint(&mut reader);
    let policy = FanoutPolicy {
        mode,
        celebrity_followers: number()?,
        active_bucket_ms: number()?,
        cold_after_ms: number()?,
        inbox_cap: u32::try_from(number()?).ok()?,
    };
    reader.end()?;
    Some(policy)
}

/// The key of whose numbers uids are; without it, both minted and foreign ones.
pub const UIDS_KEY: &[u8] = b"u";

/// The stored form of whose numbers uids are: nothing of foreign ones, the ends of a range of minted ones.
pub fn encode_uids(policy: UidPolicy) -> Option<Vec<u8>> {
    match policy {
        UidPolicy::Both => None,
        UidPolicy::Foreign => Some(vec![1]),
        UidPolicy::Minted(range) => {
            let (first, last) = range.ends();
            Some([&[2][..], &first.to_be_bytes(), &last.to_be_bytes()].concat())
        }
    }
}

/// Reads whose numbers uids are.
pub fn decode_uids(bytes: &[u8]) -> Option<UidPolicy> {
    match bytes {
        [1] => Some(UidPolicy::Foreign),
        [2, ends @ ..] if ends.len() == 16 => {
            let (first, last) = ends.split_at(8);
            let number = |bytes: &[u8]| Some(u64::from_be_bytes(bytes.try_into().ok()?));
            UidRange::new(number(first)?, number(last)?).map(UidPolicy::Minted)
        }
        _ => None,
    }
}
