//! Keys that several domains have, and those of remembered answers, credentials and the store's state.

use super::parts::keys;
use guanxi_model::Uid;

/// Prefix of remembered answers.
pub const ANSWER: u8 = b'I';
/// Prefix of credentials.
pub const CREDENTIAL: u8 = b'K';
/// The key of the store's state.
pub const STATE_KEY: &[u8] = b"X";
/// The key of up to where the step of an upgrade under way has come.
pub const UPGRADE_KEY: &[u8] = b"Z";
/// Prefix of the times at which remembered answers expire.
pub const ANSWER_TIME: u8 = b'i';

/// `prefix uid`, the key of counters and the start of a user's blocks, mutes and removed follows.
pub fn user_key(prefix: u8, uid: Uid) -> [u8; 9] {
    let mut key = [prefix; 9];
    key[1..].copy_from_slice(&uid.get().to_be_bytes());
    key
}

/// Reads the key of counters, without its prefix.
pub fn parse_user_key(key: &[u8]) -> Option<Uid> {
    parse_uid(key.get(1..)?)
}

/// The key of a remembered answer.
pub fn answer_key(hash: u128) -> [u8; 17] {
    let mut key = [ANSWER; 17];
    key[1..].copy_from_slice(&hash.to_be_bytes());
    key
}

keys! {
    /// `ms hash`, the key of the time at which an answer was given.
    answer_time_key, parse_answer_time_key = [ANSWER_TIME] (ms: u64, hash: u128);
}

/// The key of a named record: an import job or a credential.
pub fn named_key(prefix: u8, name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 1);
    key.push(prefix);
    key.extend(name.as_bytes());
    key
}

/// Reads a uid.
pub(super) fn parse_uid(bytes: &[u8]) -> Option<Uid> {
    Uid::new(u64::from_be_bytes(bytes.try_into().ok()?)).ok()
}
