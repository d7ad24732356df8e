//! Rows of sessions: one by its id, one by its user, and one by its end.

use super::keys::{parse_uid, user_key};
use super::parts::keys;
use guanxi_model::bytes::Reader;
use guanxi_model::{ReplacedSecrets, Rotation, Session, SessionCursor, SessionSecrets, Uid};

/// Prefix of sessions by id.
pub const SESSION: u8 = b'H';
/// Prefix of sessions by user, newest first.
pub const SESSION_OF_USER: u8 = b'U';
/// Prefix of sessions by the time at which they expire.
pub const SESSION_END: u8 = b'e';

/// In the flags of a session: a time follows at which it expires.
const EXPIRES: u8 = 1;
/// In the flags of a session: its secrets follow.
const ROTATES: u8 = 2;
/// In the flags of a session: the secrets before those follow.
const ROTATED: u8 = 4;
/// In the flags of a session: what its user calls the device follows.
const DEVICE: u8 = 8;

/// `id`, the key of a session.
pub fn session_key(id: [u8; 32]) -> [u8; 33] {
    let mut key = [SESSION; 33];
    key[1..].copy_from_slice(&id);
    key
}

/// Reads the key of a session.
pub fn parse_session_key(key: &[u8]) -> Option<[u8; 32]> {
    key.get(1..)?.try_into().ok()
}

/// The stored form of a session; the id is in the key.
pub fn encode_session(session: &Session) -> Vec<u8> {
    let rotation = session.rotation.as_deref();
    let replaced = rotation.and_then(|rotation| rotation.replaced);
    let device = session.device.as_deref();
    let flags = [
        (session.expires_ms.is_some(), EXPIRES),
        (rotation.is_some(), ROTATES),
        (replaced.is_some(), ROTATED),
        (device.is_some(), DEVICE),
    ];
    let mut out = vec![flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum()];
    for number in
        [session.uid.get(), session.created_ms, session.used_ms].into_iter().chain(session.expires_ms)
    {
        out.extend(number.to_be_bytes());
    }
    if let Some(rotation) = rotation {
        out.extend(rotation.ends_ms.to_be_bytes());
        out.extend(rotation.since_ms.to_be_bytes());
        encode_secrets(&rotation.secrets, &mut out);
    }
    if let Some(ReplacedSecrets { secrets, nonce }) = &replaced {
        encode_secrets(secrets, &mut out);
        out.extend(nonce);
    }
    if let Some(device) = device {
        // Bounded by DEVICE_LEN_MAX.
        out.push(device.len() as u8);
        out.extend(device.as_bytes());
    }
    out
}

fn encode_secrets(secrets: &SessionSecrets, out: &mut Vec<u8>) {
    out.extend(secrets.access);
    out.extend(secrets.access_expires_ms.to_be_bytes());
    out.extend(secrets.refresh);
}

/// Reads a session.
pub fn decode_session(id: [u8; 32], bytes: &[u8]) -> Option<Session> {
    let mut reader = Reader::new(bytes);
    let flags = reader.u8()?;
    let has = |flag| flags & flag != 0;
    let is_known = flags <= EXPIRES | ROTATES | ROTATED | DEVICE && (has(ROTATES) || !has(ROTATED));
    let (uid, created_ms, used_ms) = (Uid::new(reader.u64()?).ok()?, reader.u64()?, reader.u64()?);
    let expires_ms = if has(EXPIRES) { Some(reader.u64()?) } else { None };
    let mut rotation = None;
    if has(ROTATES) {
        let (ends_ms, since_ms, secrets) = (reader.u64()?, reader.u64()?, decode_secrets(&mut reader)?);
        let mut replaced = None;
        if has(ROTATED) {
            let (secrets, nonce) = (decode_secrets(&mut reader)?, array(&mut reader)?);
            replaced = Some(ReplacedSecrets { secrets, nonce });
        }
        rotation = Some(Box::new(Rotation { ends_ms, secrets, since_ms, replaced }));
    }
    let mut device = None;
    if has(DEVICE) {
        let len = reader.u8()?;
        device = Some(std::str::from_utf8(reader.take(len.into())?).ok()?.into());
    }
    reader.end()?;
    is_known.then_some(Session { id, uid, created_ms, expires_ms, used_ms, device, rotation })
}

fn decode_secrets(reader: &mut Reader<'_>) -> Option<SessionSecrets> {
    let (access, access_expires_ms) = (array(reader)?, reader.u64()?);
    Some(SessionSecrets { access, access_expires_ms, refresh: array(reader)? })
}

fn array(reader: &mut Reader<'_>) -> Option<[u8; 32]> {
    reader.take(32)?.try_into().ok()
}

/// `uid !created id`, the key of a place in the list of a user's sessions.
pub fn session_of_user_key(uid: Uid, at: SessionCursor) -> [u8; 49] {
    let mut key = [0; 49];
    key[..9].copy_from_slice(&user_key(SESSION_OF_USER, uid));
    key[9..17].copy_from_slice(&(!at.created_ms).to_be_bytes());
    key[17..].copy_from_slice(&at.id);
    key
}

/// Reads the key of a place in the list of a user's sessions.
pub fn parse_session_of_user_key(key: &[u8]) -> Option<(Uid, SessionCursor)> {
    let uid = parse_uid(key.get(1..9)?)?;
    let created_ms = !u64::from_be_bytes(key.get(9..17)?.try_into().ok()?);
    Some((uid, SessionCursor { created_ms, id: key.get(17..)?.try_into().ok()? }))
}

keys! {
    /// `expires id`, the key of the end of a session.
    session_end_key, parse_session_end_key = [SESSION_END] (expires_ms: u64, id: [u8; 32]);
}
