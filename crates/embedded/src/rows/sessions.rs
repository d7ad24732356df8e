//! Stored sessions: read, written and removed with the rows that list them.

use super::{decoded, record};
use crate::engine::{EngineError, EngineResult, RowBatch, Snapshot, Table};
use crate::layout::{
    SESSION_END, SESSION_OF_USER, decode_session, encode_session, parse_session_end_key,
    parse_session_of_user_key, session_end_key, session_key, session_of_user_key, user_key,
};
use guanxi_model::{Session, SessionCursor, Uid};
use std::ops::Bound;

/// The session of an id, expired or not.
pub(crate) fn stored_session(snapshot: &Snapshot, id: [u8; 32]) -> EngineResult<Option<Session>> {
    record(snapshot, &session_key(id), |bytes| decode_session(id, bytes), format_args!("a session"))
}

/// The places of a user's sessions after one, in the order of the list, expired ones too.
pub(crate) fn places_of_user(
    snapshot: &Snapshot,
    uid: Uid,
    after: Option<SessionCursor>,
) -> impl Iterator<Item = EngineResult<SessionCursor>> + use<> {
    let after = after.map(|after| session_of_user_key(uid, after));
    let rows = snapshot.prefix_after(Table::Records, &user_key(SESSION_OF_USER, uid), after);
    decoded(rows, |key, _| Some(parse_session_of_user_key(key)?.1), || "a place of a session".to_owned())
}

/// The ids of sessions that have expired at a time, the earliest first.
pub(crate) fn expired(
    snapshot: &Snapshot,
    now_ms: u64,
) -> impl Iterator<Item = Result<[u8; 32], EngineError>> + use<> {
    let end = session_end_key(now_ms, [u8::MAX; 32]);
    let rows = snapshot.range(Table::Records, Bound::Included(&[SESSION_END]), Bound::Included(&end));
    decoded(rows, |key, _| Some(parse_session_end_key(key)?.1), || "the end of a session".to_owned())
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
