//! Keys. Those of posts are made in `post_keys.rs`.
//!
//! | table | key | holds |
//! |---|---|---|
//! | forward | `subject object` | an active follow |
//! | reverse | `object !at !subject` | the same follow, newest first |
//! | log | `seq` | an event |
//! | posts | `post` | a post: author, kind, visibility, whether deleted, content |
//! | outbox | `author !post` | a post of the author, newest first, deleted ones too |
//! | records `A` | `author` | the newest of an author's outbox, and when it last changed |
//! | records `B` | `subject object` | a block |
//! | records `C` | `uid` | a user's counters and own follow limit |
//! | records `F` | | how home timelines are pushed |
//! | records `I` | `hash` | a remembered answer |
//! | records `J` | `job` | an import job's position |
//! | records `K` | `name` | a credential |
//! | records `L` | `post user` | a like, with its time |
//! | records `M` | `subject object` | a mute |
//! | records `N` | `author name` | an imported post, by the source's name for it |
//! | records `P` | | where post ids go on |
//! | records `R` | `post !revision` | an earlier revision of a post |
//! | records `S` | `post` | a post's likes, replies and reposts; missing when all are zero |
//! | records `T` | `subject object` | a removed follow |
//! | records `X` | | the state of the whole store |
//! | records `i` | `ms hash` | when a remembered answer may be forgotten |
//! | records `l` | `post !at !user` | the same like, newest first |
//! | records `s` | `uid` | up to which event a user has seen its home |
//!
//! `!x` is the complement of x, which turns ascending keys into descending order.

use guanxi_model::{Edge, Stamp, Uid};

/// Prefix of blocks.
pub const BLOCK: u8 = b'B';
/// Prefix of counters.
pub const COUNTERS: u8 = b'C';
/// Prefix of remembered answers.
pub const ANSWER: u8 = b'I';
/// Prefix of import jobs.
pub const JOB: u8 = b'J';
/// Prefix of credentials.
pub const CREDENTIAL: u8 = b'K';
/// Prefix of mutes.
pub const MUTE: u8 = b'M';
/// Prefix of removed follows.
pub const TOMBSTONE: u8 = b'T';
/// The key of the store's state.
pub const STATE_KEY: &[u8] = b"X";
/// Prefix of the times at which remembered answers expire.
pub const ANSWER_TIME: u8 = b'i';

/// `subject object`, the key of a forward edge.
pub fn forward_key(subject: Uid, object: Uid) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&subject.get().to_be_bytes());
    key[8..].copy_from_slice(&object.get().to_be_bytes());
    key
}

/// Reads a forward key.
pub fn parse_forward_key(key: &[u8]) -> Option<(Uid, Uid)> {
    let (subject, object) = key.split_at_checked(8)?;
    Some((parse_uid(subject)?, parse_uid(object)?))
}

/// `object !at !subject`, the key of a reverse edge.
pub fn reverse_key(object: Uid, edge: Edge) -> [u8; 24] {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&object.get().to_be_bytes());
    key[8..16].copy_from_slice(&(!edge.at.raw()).to_be_bytes());
    key[16..].copy_from_slice(&(!edge.uid.get()).to_be_bytes());
    key
}

/// Reads a reverse key: the followed user, and the follower with the time.
pub fn parse_reverse_key(key: &[u8]) -> Option<(Uid, Edge)> {
    let object = parse_uid(key.get(..8)?)?;
    let at = Stamp::from_raw(!u64::from_be_bytes(key.get(8..16)?.try_into().ok()?));
    let uid = Uid::new(!u64::from_be_bytes(key.get(16..)?.try_into().ok()?)).ok()?;
    Some((object, Edge { at, uid }))
}

/// `prefix subject object`, the key of a block, mute or removed follow.
pub fn pair_key(prefix: u8, subject: Uid, object: Uid) -> [u8; 17] {
    let mut key = [prefix; 17];
    key[1..].copy_from_slice(&forward_key(subject, object));
    key
}

/// Reads the key of a block, mute or removed follow, without its prefix.
pub fn parse_pair_key(key: &[u8]) -> Option<(Uid, Uid)> {
    parse_forward_key(key.get(1..)?)
}

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

/// `seq`, the key of an event.
pub const fn log_key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// Reads the key of an event.
pub fn parse_log_key(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.try_into().ok()?))
}

/// The key of a remembered answer.
pub fn answer_key(hash: u128) -> [u8; 17] {
    let mut key = [ANSWER; 17];
    key[1..].copy_from_slice(&hash.to_be_bytes());
    key
}

/// The key of the time at which an answer was given.
pub fn answer_time_key(ms: u64, hash: u128) -> [u8; 25] {
    let mut key = [ANSWER_TIME; 25];
    key[1..9].copy_from_slice(&ms.to_be_bytes());
    key[9..].copy_from_slice(&hash.to_be_bytes());
    key
}

/// Reads the key of an answer's time.
pub fn parse_answer_time_key(key: &[u8]) -> Option<(u64, u128)> {
    let ms = u64::from_be_bytes(key.get(1..9)?.try_into().ok()?);
    Some((ms, u128::from_be_bytes(key.get(9..)?.try_into().ok()?)))
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
