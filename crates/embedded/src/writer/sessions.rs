//! Planning writes of sessions, over committed rows plus what the group under way has changed.

use crate::engine::{EngineError, RowBatch, Snapshot};
use crate::rows::sessions::{
    expired, places_of_user, put_session, put_session_alone, remove_session, replace_session, stored_session,
};
use guanxi_model::limits::{SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{Error, Reason, Refresh, Refreshed, Result, Session, SessionKey, Uid};
use std::collections::BTreeMap;

/// What callers ask.
pub(crate) enum SessionWrite {
    /// Store one.
    Put(Session),
    /// Change the secrets of one.
    Refresh(Box<Refresh>),
    /// Note that one was used at a time, in Unix milliseconds.
    NoteUse(SessionKey, u64),
    /// End one of a user.
    Revoke(Uid, [u8; 32]),
    /// End all of a user.
    RevokeAll(Uid),
    /// Remove at most so many that have expired.
    Sweep(usize),
}

/// What a write of sessions has done.
#[derive(Default)]
pub(crate) struct SessionChange {
    /// How many it changed.
    pub changed: u64,
    /// What had to go for one that was stored.
    pub replaced: Option<Session>,
    /// What became of a refresh.
    pub refreshed: Option<Refreshed>,
}

impl From<u64> for SessionChange {
    fn from(changed: u64) -> Self {
        Self { changed, ..Self::default() }
    }
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
    ) -> Result<Result<SessionChange>, EngineError> {
        let changed = match write {
            SessionWrite::Put(session) => return self.put(session, batch),
            SessionWrite::Refresh(refresh) => return self.refresh(&refresh, batch).map(Ok),
            SessionWrite::NoteUse(key, at_ms) => self.note_use(key, at_ms, batch)?,
            SessionWrite::Revoke(uid, id) => self.revoke(uid, id, batch)?,
            SessionWrite::RevokeAll(uid) => self.revoke_all(uid, batch)?,
            SessionWrite::Sweep(max) => self.sweep(max, batch)?,
        };
        Ok(Ok(changed.into()))
    }

    fn put(&mut self, session: Session, batch: &mut RowBatch) -> Result<Result<SessionChange>, EngineError> {
        if let Some(known) = self.get(session.id)? {
            let own = known.uid == session.uid;
            return Ok(if own { Ok(0.into()) } else { Err(Error::new(Reason::AlreadyExists)) });
        }
        let mut own = self.of_user(session.uid)?;
        own.retain(|session| session.is_live(self.now_ms));
        let mut change = SessionChange::from(1);
        if own.len() >= SESSIONS_PER_USER_MAX as usize {
            own.retain(|old| old.rotation.is_some() && session.rotation.is_some());
            let oldest = own.into_iter().min_by_key(|old| (old.used_ms, old.created_ms, old.id));
            let Some(oldest) = oldest else {
                return Ok(Err(Error::new(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX })));
            };
            self.remove(&oldest, batch);
            change.replaced = Some(oldest);
        }
        put_session(batch, &session);
        self.changed.insert(session.id, Some(session));
        Ok(Ok(change))
    }

    fn refresh(&mut self, refresh: &Refresh, batch: &mut RowBatch) -> Result<SessionChange, EngineError> {
        let found = self.live(refresh.key.id)?.filter(|found| found.uid.gene() == refresh.key.gene);
        let Some(before) = found else { return Ok(0.into()) };
        let refreshed = before.refreshed(refresh, self.now_ms);
        match &refreshed {
            Some(Refreshed::New(session)) => {
                replace_session(batch, &before, session);
                self.changed.insert(session.id, Some(session.clone()));
            }
            Some(Refreshed::Reused(_)) => self.remove(&before, batch),
            Some(Refreshed::Again(_)) | None => {}
        }
        Ok(SessionChange { refreshed, ..SessionChange::default() })
    }

    fn note_use(&mut self, key: SessionKey, at_ms: u64, batch: &mut RowBatch) -> Result<u64, EngineError> {
        let lets_in = |found: &Session| found.uid.gene() == key.gene && found.lets_in(key.hash, self.now_ms);
        let found = self.get(key.id)?.filter(|found| lets_in(found) && found.used_ms < at_ms);
        let Some(session) = found else { return Ok(0) };
        let session = Session { used_ms: at_ms, ..session };
        put_session_alone(batch, &session);
        self.changed.insert(key.id, Some(session));
        Ok(1)
    }

    fn revoke(&mut self, uid: Uid, id: [u8; 32], batch: &mut RowBatch) -> Result<u64, EngineError> {
        let Some(session) = self.live(id)?.filter(|session| session.uid == uid) else { return Ok(0) };
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
        let ids: Vec<[u8; 32]> = expired(&self.committed, self.now_ms).take(max).collect::<Result<_, _>>()?;
        let mut swept = 0;
        for id in ids {
            // One that the group has removed or replaced is gone already.
            if let Some(session) = self.get(id)?.filter(|session| !session.is_live(self.now_ms)) {
                self.remove(&session, batch);
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn remove(&mut self, session: &Session, batch: &mut RowBatch) {
        remove_session(batch, session);
        self.changed.insert(session.id, None);
    }

    /// The session of a hash as of now in the group, expired or not.
    fn get(&self, hash: [u8; 32]) -> Result<Option<Session>, EngineError> {
        self.changed
            .get(&hash)
            .map_or_else(|| stored_session(&self.committed, hash), |known| Ok(known.clone()))
    }

    fn live(&self, id: [u8; 32]) -> Result<Option<Session>, EngineError> {
        Ok(self.get(id)?.filter(|session| session.is_live(self.now_ms)))
    }

    /// The sessions of a user as of now in the group, expired ones too.
    fn of_user(&self, uid: Uid) -> Result<Vec<Session>, EngineError> {
        let mut sessions: Vec<Session> =
            self.changed.values().flatten().filter(|session| session.uid == uid).cloned().collect();
        for place in places_of_user(&self.committed, uid, None) {
            let id = place?.id;
            if !self.changed.contains_key(&id) {
                sessions.extend(stored_session(&self.committed, id)?);
            }
        }
        Ok(sessions)
    }
}
