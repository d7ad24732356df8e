//! Sessions: one map by secret.

use super::MemoryStore;
use guanxi_model::limits::{SESSION_PAGE_MAX, SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{Error, Reason, Result, Session, SessionCursor, SessionKey, SessionPage, Uid};
use guanxi_ports::{BoxFuture, Sessions};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::ready;

/// All sessions by the hash of their secret, expired ones until they are swept.
#[derive(Default)]
pub(super) struct SessionMap(BTreeMap<[u8; 32], Session>);

/// The order of a user's list: newest first.
const fn order(cursor: &SessionCursor) -> (Reverse<u64>, [u8; 32]) {
    (Reverse(cursor.created_ms), cursor.hash)
}

impl SessionMap {
    fn live(&self, uid: Uid, now_ms: u64) -> Vec<&Session> {
        self.0.values().filter(|session| session.uid == uid && session.is_live(now_ms)).collect()
    }

    fn put(&mut self, session: Session, now_ms: u64) -> Result<()> {
        if let Some(known) = self.0.get(&session.hash) {
            let own = known.uid == session.uid;
            return if own { Ok(()) } else { Err(Error::new(Reason::AlreadyExists)) };
        }
        if self.live(session.uid, now_ms).len() >= SESSIONS_PER_USER_MAX as usize {
            return Err(Error::new(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX }));
        }
        self.0.insert(session.hash, session);
        Ok(())
    }

    fn find(&self, key: SessionKey, now_ms: u64) -> Option<&Session> {
        self.0.get(&key.hash).filter(|session| session.key() == key && session.is_live(now_ms))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize, now_ms: u64) -> SessionPage {
        let mut sessions: Vec<Session> = self.live(uid, now_ms).into_iter().cloned().collect();
        sessions.sort_by_key(|session| order(&session.cursor()));
        sessions.retain(|session| after.is_none_or(|after| order(&session.cursor()) > order(&after)));
        let max = max.min(SESSION_PAGE_MAX as usize);
        let more = sessions.len() > max;
        sessions.truncate(max);
        let next = sessions.last().filter(|_| more).map(Session::cursor);
        SessionPage { sessions, next }
    }

    fn note_use(&mut self, key: SessionKey, at_ms: u64, now_ms: u64) {
        if self.find(key, now_ms).is_some()
            && let Some(session) = self.0.get_mut(&key.hash)
        {
            session.used_ms = session.used_ms.max(at_ms);
        }
    }

    fn revoke(&mut self, uid: Uid, hash: [u8; 32], now_ms: u64) -> bool {
        let key = SessionKey { gene: uid.gene(), hash };
        let own = self.find(key, now_ms).is_some_and(|session| session.uid == uid);
        own && self.0.remove(&hash).is_some()
    }

    fn revoke_all(&mut self, uid: Uid, now_ms: u64) -> u64 {
        let live = self.live(uid, now_ms).len() as u64;
        self.0.retain(|_, session| session.uid != uid);
        live
    }

    fn sweep(&mut self, max: usize, now_ms: u64) -> usize {
        let mut expired: Vec<_> = self.0.values().filter(|session| !session.is_live(now_ms)).collect();
        expired.sort_by_key(|session| (session.expires_ms, session.hash));
        let max = max.min(SESSION_SWEEP_MAX as usize);
        let swept: Vec<[u8; 32]> = expired.into_iter().take(max).map(|session| session.hash).collect();
        swept.iter().filter(|hash| self.0.remove(*hash).is_some()).count()
    }
}

impl MemoryStore {
    fn with_sessions<T>(&self, act: impl FnOnce(&mut SessionMap, u64) -> T) -> T {
        let now_ms = self.shared.now_ms();
        act(&mut self.shared.lock().sessions, now_ms)
    }
}

impl Sessions for MemoryStore {
    fn put(&self, session: Session) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.with_sessions(|sessions, now_ms| sessions.put(session, now_ms)) })
    }

    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(ready(Ok(self.with_sessions(|sessions, now_ms| sessions.find(key, now_ms).cloned()))))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        let list = |sessions: &mut SessionMap, now_ms| sessions.list(uid, after, max, now_ms);
        Box::pin(ready(Ok(self.with_sessions(list))))
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.with_sessions(|sessions, now_ms| sessions.note_use(key, at_ms, now_ms));
            Ok(())
        })
    }

    fn revoke(&self, uid: Uid, hash: [u8; 32]) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.revoke(uid, hash, now_ms))) })
    }

    fn revoke_all(&self, uid: Uid) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.revoke_all(uid, now_ms))) })
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.sweep(max, now_ms))) })
    }
}
