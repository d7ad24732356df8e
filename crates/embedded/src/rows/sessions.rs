//! Stored sessions: read, written and removed with the rows that list them.

use crate::engine::{EngineError, RowBatch, Snapshot, Table};
use crate::layout::{
    SESSION_END, SESSION_OF_USER, decode_session, encode_session, parse_session_end_key,
    parse_session_of_user_key, session_end_key, session_key, session_of_user_key, user_key,
};
use guanxi_model::{Session, SessionCursor, Uid};
use std::ops::Bound;

fn damaged(what: &str) -> EngineError {
    EngineError::Damaged(format!("{what} cannot be decoded"))
}

/// The session of an id, expired or not.
pub(crate) fn stored_session(snapshot: &Snapshot, id: [u8; 32]) -> Result<Option<Session>, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, &session_key(id))? else { return Ok(None) };
    decode_session(id, &bytes).map(Some).ok_or_else(|| damaged("a session"))
}

/// The places of a user's sessions after one, in the order of the list, expired ones too.
pub(crate) fn places_of_user(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<SessionCursor>,
) -> impl Iterator<Item = Result<SessionCursor, EngineError>> + use<> {
    let from = after.map(|after| session_of_user_key(uid, after));
    let start = user_key(SESSION_OF_USER, uid);
    let mut end = start;
    // No uid has its top bit set, so the next number is a key, too.
    end[1..].copy_from_slice(&(uid.get() + 1).to_be_bytes());
    let lower = from.as_ref().map_or(Bound::Included(&start[..]), |from| Bound::Excluded(&from[..]));
    snapshot.range(Table::Records, lower, Bound::Excluded(&end[..])).map(|row| {
        let (key, _) = row?;
        Ok(parse_session_of_user_key(&key).ok_or_else(|| damaged("a place of a session"))?.1)
    })
}

/// The ids of sessions that have expired at a time, the earliest first.
pub(crate) fn expired(
    snapshot: &Snapshot,
    now_ms: u64,
) -> impl Iterator<Item = Result<[u8; 32], EngineError>> + use<> {
    let end = session_end_key(now_ms, [u8::MAX; 32]);
    snapshot.range(Table::Records, Bound::Included(&[SESSION_END]), Bound::Included(&end)).map(|row| {
        let (key, _) = row?;
        Ok(parse_session_end_key(&key).ok_or_else(|| damaged("the end of a session"))?.1)
    })
}

/// Writes a session with the rows that list it.
pub(crate) fn put_session(batch: &mut RowBatch, session: &Session) {
    put_session_alone(batch, session);
    batch.put(Table::Records, &session_of_user_key(session.uid, session.cursor()), &[]);
    if let Some(expires_ms) = session.expires_ms {
        batch.put(Table::Records, &session_end_key(expires_ms, session.id), &[]);
    }
}

/// Writes a session whose place and end are as they were.
pub(crate) fn put_session_alone(batch: &mut RowBatch, session: &Session) {
    batch.put(Table::Records, &session_key(session.id), &encode_session(session));
}

/// Writes a session in the place of itself as it was before: only its end may have moved.
pub(crate) fn replace_session(batch: &mut RowBatch, before: &Session, session: &Session) {
    if let Some(expires_ms) = before.expires_ms.filter(|_| before.expires_ms != session.expires_ms) {
        batch.remove(Table::Records, &session_end_key(expires_ms, before.id));
    }
    put_session(batch, session);
}

/// Removes a session with the rows that list it.
pub(crate) fn remove_session(batch: &mut RowBatch, session: &Session) {
    batch.remove(Table::Records, &session_key(session.id));
    batch.remove(Table::Records, &session_of_user_key(session.uid, session.cursor()));
    if let Some(expires_ms) = session.expires_ms {
        batch.remove(Table::Records, &session_end_key(expires_ms, session.id));
    }
}
