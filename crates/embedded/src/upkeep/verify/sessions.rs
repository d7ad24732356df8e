//! Sessions: each has its place in its user's list, and its end if it has one; no place or end is of nothing.

use super::findings::{Readable, Unmatched};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    SESSION, SESSION_END, SESSION_OF_USER, decode_session, parse_session_end_key, parse_session_key,
    parse_session_of_user_key, session_end_key, session_key, session_of_user_key,
};
use guanxi_model::Session;

/// Returns what a record of a session is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    Some(match key.first() {
        Some(&SESSION) => ("session", session(key, value).is_some()),
        Some(&SESSION_OF_USER) => {
            ("place of a session", parse_session_of_user_key(key).is_some() && value.is_empty())
        }
        Some(&SESSION_END) => ("end of a session", parse_session_end_key(key).is_some() && value.is_empty()),
        _ => return None,
    })
}

/// Returns what is wrong with a readable row of a session, if its other rows do not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    let found = match key.first() {
        Some(&SESSION) => {
            return session(key, value).map_or(Ok(None), |session| unlisted(snapshot, &session));
        }
        Some(&SESSION_OF_USER) => parse_session_of_user_key(key).map(|(_, place)| place.id),
        Some(&SESSION_END) => parse_session_end_key(key).map(|(_, id)| id),
        _ => return Ok(None),
    };
    let Some(id) = found else { return Ok(None) };
    let stored = snapshot.get(Table::Records, &session_key(id))?;
    // One that cannot be decoded is named by itself.
    let listed =
        stored.is_some_and(|value| decode_session(id, &value).is_none_or(|found| lists(&found, key)));
    Ok((!listed).then_some("place or end of a session that there is not"))
}

/// Returns whether a key is that of a session's place or end.
fn lists(session: &Session, key: &[u8]) -> bool {
    let end = session.expires_ms.map(|expires_ms| session_end_key(expires_ms, session.id));
    key == session_of_user_key(session.uid, session.cursor()) || end.is_some_and(|end| key == end)
}

/// Returns what of a session's rows is missing.
fn unlisted(snapshot: &Snapshot, session: &Session) -> EngineResult<Option<&'static str>> {
    if !snapshot.contains(Table::Records, &session_of_user_key(session.uid, session.cursor()))? {
        return Ok(Some("session that its user's list lacks"));
    }
    let Some(expires_ms) = session.expires_ms else { return Ok(None) };
    let ends = snapshot.contains(Table::Records, &session_end_key(expires_ms, session.id))?;
    Ok((!ends).then_some("session that would never be swept"))
}

fn session(key: &[u8], value: &[u8]) -> Option<Session> {
    decode_session(parse_session_key(key)?, value)
}
