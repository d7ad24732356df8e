//! Rows of sessions: one by its secret's hash, one by its user, and one by its end.

use super::keys::{parse_uid, user_key};
use guanxi_model::bytes::Reader;
use guanxi_model::{Session, SessionCursor, Uid};

/// Prefix of sessions by the hash of their secret.
pub(crate) const SESSION: u8 = b'H';
/// Prefix of sessions by user, newest first.
pub(crate) const SESSION_OF_USER: u8 = b'U';
/// Prefix of sessions by the time at which they expire.
pub(crate) const SESSION_END: u8 = b'e';

/// In the flags of a session: a time follows at which it expires.
const EXPIRES: u8 = 1;

/// `hash`, the key of a session.
pub(crate) fn session_key(hash: [u8; 32]) -> [u8; 33] {
    let mut key = [SESSION; 33];
    key[1..].copy_from_slice(&hash);
    key
}

/// Reads the key of a session.
pub(crate) fn parse_session_key(key: &[u8]) -> Option<[u8; 32]> {
    key.get(1..)?.try_into().ok()
}

/// The stored form of a session; the hash is in the key.
pub(crate) fn encode_session(session: &Session) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 + 4 * size_of::<u64>());
    out.push(if session.expires_ms.is_some() { EXPIRES } else { 0 });
    for number in
        [session.uid.get(), session.created_ms, session.used_ms].into_iter().chain(session.expires_ms)
    {
        out.extend(number.to_be_bytes());
    }
    out
}

/// Reads a session.
pub(crate) fn decode_session(hash: [u8; 32], bytes: &[u8]) -> Option<Session> {
    let mut reader = Reader::new(bytes);
    let flags = reader.u8()?;
    let (uid, created_ms, used_ms) = (Uid::new(reader.u64()?).ok()?, reader.u64()?, reader.u64()?);
    let expires_ms = if flags & EXPIRES == 0 { None } else { Some(reader.u64()?) };
    reader.end()?;
    (flags <= EXPIRES).then_some(Session { hash, uid, created_ms, expires_ms, used_ms })
}

/// `uid !created hash`, the key of a place in the list of a user's sessions.
pub(crate) fn session_of_user_key(uid: Uid, at: SessionCursor) -> [u8; 49] {
    let mut key = [0; 49];
    key[..9].copy_from_slice(&user_key(SESSION_OF_USER, uid));
    key[9..17].copy_from_slice(&(!at.created_ms).to_be_bytes());
    key[17..].copy_from_slice(&at.hash);
    key
}

/// Reads the key of a place in the list of a user's sessions.
pub(crate) fn parse_session_of_user_key(key: &[u8]) -> Option<(Uid, SessionCursor)> {
    let uid = parse_uid(key.get(1..9)?)?;
    let created_ms = !u64::from_be_bytes(key.get(9..17)?.try_into().ok()?);
    Some((uid, SessionCursor { created_ms, hash: key.get(17..)?.try_into().ok()? }))
}

/// `expires hash`, the key of the end of a session.
pub(crate) fn session_end_key(expires_ms: u64, hash: [u8; 32]) -> [u8; 41] {
    let mut key = [SESSION_END; 41];
    key[1..9].copy_from_slice(&expires_ms.to_be_bytes());
    key[9..].copy_from_slice(&hash);
    key
}

/// Reads the key of the end of a session.
pub(crate) fn parse_session_end_key(key: &[u8]) -> Option<(u64, [u8; 32])> {
    let expires_ms = u64::from_be_bytes(key.get(1..9)?.try_into().ok()?);
    Some((expires_ms, key.get(9..)?.try_into().ok()?))
}
