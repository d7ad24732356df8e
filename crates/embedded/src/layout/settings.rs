//! What operators and readers set: the fan-out's policy, seen marks, and where import jobs stand.

use super::values::{get_varint, put_varint};
use guanxi_model::bytes::Reader;
use guanxi_model::{FanoutMode, FanoutPolicy};

/// The key of the fan-out's policy.
pub(crate) const POLICY_KEY: &[u8] = b"F";
/// The key of the last commit before users' rows said when their relations changed: what is not said there was no later.
pub(crate) const UNNOTED_KEY: &[u8] = b"V";
/// Prefix of import jobs.
pub(crate) const JOB: u8 = b'J';
/// Prefix of seen marks.
pub(crate) const SEEN: u8 = b's';

/// The stored form of the fan-out's policy.
pub(crate) fn encode_policy(policy: &FanoutPolicy) -> Vec<u8> {
    let mut out = vec![match policy.mode {
        FanoutMode::Pull => 0,
        FanoutMode::Push => 1,
        FanoutMode::Hybrid => 2,
    }];
    let FanoutPolicy { celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap, .. } = *policy;
    for number in [celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap.into()] {
        put_varint(&mut out, number);
    }
    out
}

/// Reads the fan-out's policy.
pub(crate) fn decode_policy(bytes: &[u8]) -> Option<FanoutPolicy> {
    let mut reader = Reader::new(bytes);
    let mode = match reader.u8()? {
        0 => FanoutMode::Pull,
        1 => FanoutMode::Push,
        2 => FanoutMode::Hybrid,
        _ => return None,
    };
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
