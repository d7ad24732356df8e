//! Planning writes of sessions, over committed rows plus what the group under way has changed.

use crate::engine::{EngineError, RowBatch, Snapshot};
use crate::rows::sessions::{
    expired, places_of_user, put_session, put_session_alone, remove_session, stored_session,
};
use guanxi_model::limits::{SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{Error, Reason, Result, Session, SessionKey, Uid};
use std::collections::BTreeMap;

/// What callers ask. Each answers how many sessions it changed.
pub(crate) enum SessionWrite {
    /// Store one.
    Put(Session),
    /// Note that one was used at a time, in Unix milliseconds.
    NoteUse(SessionKey, u64),
    /// End one of a user.
    Revoke(Uid, [u8; 32]),
    /// End all of a user.
    RevokeAll(Uid),
    /// Remove at most so many that have expired.
    Sweep(usize),
}

/// The sessions of a group under way.
pub(super) struct GroupSessions {
    committed: Snapshot,
    now_ms: u64,
    /// What the group has written, and `None` for what it has removed.
    changed: BTreeMap<[u8; 32], Option<Session>>,
}

impl GroupSessions {
    /// Sessions as the last group left them.
    pub(super) fn new(committed: Snapshot, now_ms: u64) -> Self {
        Self { committed, now_ms, changed: BTreeMap::new() }
    }

    /// Plans one write. The outer error is of the store, the inner one a refusal.
    pub(super) fn plan(
        &mut self,
        write: SessionWrite,
        batch: &mut RowBatch,
    ) -> Result<Result<u64>, EngineError> {
        Ok(Ok(match write {
            SessionWrite::Put(session) => return self.put(session, batch),
            SessionWrite::NoteUse(key, at_ms) => self.note_use(key, at_ms, batch)?,
            SessionWrite::Revoke(uid, hash) => self.revoke(uid, hash, batch)?,
            SessionWrite::RevokeAll(uid) => self.revoke_all(uid, batch)?,
            SessionWrite::Sweep(max) => self.sweep(max, batch)?,
        }))
    }

    fn put(&mut self, session: Session, batch: &mut RowBatch) -> Result<Result<u64>, EngineError> {
        if let Some(known) = self.get(session.hash)? {
            let own = known.uid == session.uid;
            return Ok(if own { Ok(0) } else { Err(Error::new(Reason::AlreadyExists)) });
        }
        let now_ms = self.now_ms;
        let live = self.of_user(session.uid)?.iter().filter(|session| session.is_live(now_ms)).count();
        if live >= SESSIONS_PER_USER_MAX as usize {
            return Ok(Err(Error::new(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX })));
        }
        put_session(batch, &session);
        self.changed.insert(session.hash, Some(session));
        Ok(Ok(1))
    }

    fn note_use(&mut self, key: SessionKey, at_ms: u64, batch: &mut RowBatch) -> Result<u64, EngineError> {
        let found = self.live(key.hash)?.filter(|found| found.key() == key && found.used_ms < at_ms);
        let Some(session) = found else { return Ok(0) };
        let session = Session { used_ms: at_ms, ..session };
        put_session_alone(batch, &session);
        self.changed.insert(key.hash, Some(session));
        Ok(1)
    }

    fn revoke(&mut self, uid: Uid, hash: [u8; 32], batch: &mut RowBatch) -> Result<u64, EngineError> {
        let Some(session) = self.live(hash)?.filter(|session| session.uid == uid) else { return Ok(0) };
        self.remove(&session, batch);
        Ok(1)
    }

    fn revoke_all(&mut self, uid: Uid, batch: &mut RowBatch) -> Result<u64, EngineError> {
        let sessions = self.of_user(uid)?;
        sessions.iter().for_each(|session| self.remove(session, batch));
        Ok(sessions.iter().filter(|session| session.is_live(self.now_ms)).count() as u64)
    }

    fn sweep(&mut self, max: usize, batch: &mut RowBatch) -> Result<u64, EngineError> {
        let max = max.min(SESSION_SWEEP_MAX as usize);
        let hashes: Vec<[u8; 32]> =
            expired(&self.committed, self.now_ms).take(max).collect::<Result<_, _>>()?;
        let mut swept = 0;
        for hash in hashes {
            // One that the group has removed or replaced is gone already.
            if let Some(session) = self.get(hash)?.filter(|session| !session.is_live(self.now_ms)) {
                self.remove(&session, batch);
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn remove(&mut self, session: &Session, batch: &mut RowBatch) {
        remove_session(batch, session);
        self.changed.insert(session.hash, None);
    }

    /// The session of a hash as of now in the group, expired or not.
    fn get(&self, hash: [u8; 32]) -> Result<Option<Session>, EngineError> {
        self.changed
            .get(&hash)
            .map_or_else(|| stored_session(&self.committed, hash), |known| Ok(known.clone()))
    }

    fn live(&self, hash: [u8; 32]) -> Result<Option<Session>, EngineError> {
        Ok(self.get(hash)?.filter(|session| session.is_live(self.now_ms)))
    }

    /// The sessions of a user as of now in the group, expired ones too.
    fn of_user(&self, uid: Uid) -> Result<Vec<Session>, EngineError> {
        let mut sessions: Vec<Session> =
            self.changed.values().flatten().filter(|session| session.uid == uid).cloned().collect();
        for place in places_of_user(&self.committed, uid, None) {
            let hash = place?.hash;
            if !self.changed.contains_key(&hash) {
                sessions.extend(stored_session(&self.committed, hash)?);
            }
        }
        Ok(sessions)
    }
}
