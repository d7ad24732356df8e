//! Sessions: one map by id.

use super::MemoryStore;
use guanxi_model::limits::{SESSION_PAGE_MAX, SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{
    Error, Reason, Refresh, Refreshed, Result, Session, SessionCursor, SessionKey, SessionPage, Uid,
};
use guanxi_ports::{BoxFuture, Sessions};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::ready;

/// All sessions by id, expired ones until they are swept.
#[derive(Default)]
pub(super) struct SessionMap(BTreeMap<[u8; 32], Session>);

/// The order of a user's list: newest first.
const fn order(cursor: &SessionCursor) -> (Reverse<u64>, [u8; 32]) {
    (Reverse(cursor.created_ms), cursor.id)
}

impl SessionMap {
    fn live(&self, uid: Uid, now_ms: u64) -> Vec<&Session> {
        self.0.values().filter(|session| session.uid == uid && session.is_live(now_ms)).collect()
    }

    fn put(&mut self, session: Session, now_ms: u64) -> Result<Option<Session>> {
        if let Some(known) = self.0.get(&session.id) {
            let own = known.uid == session.uid;
            return if own { Ok(None) } else { Err(Error::new(Reason::AlreadyExists)) };
        }
        let live = self.live(session.uid, now_ms);
        let mut replaced = None;
        if live.len() >= SESSIONS_PER_USER_MAX as usize {
            let oldest = live
                .into_iter()
                .filter(|old| old.rotation.is_some() && session.rotation.is_some())
                .min_by_key(|old| (old.used_ms, old.created_ms, old.id));
            let full = Error::new(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX });
            let id = oldest.ok_or(full)?.id;
            replaced = self.0.remove(&id);
        }
        self.0.insert(session.id, session);
        Ok(replaced)
    }

    /// The live session of an id, in the shard of its user.
    fn standing(&self, key: SessionKey, now_ms: u64) -> Option<&Session> {
        self.0.get(&key.id).filter(|session| session.uid.gene() == key.gene && session.is_live(now_ms))
    }

    fn find(&self, key: SessionKey, now_ms: u64) -> Option<&Session> {
        self.standing(key, now_ms).filter(|session| session.lets_in(key.hash, now_ms))
    }

    fn refresh(&mut self, refresh: &Refresh, now_ms: u64) -> Option<Refreshed> {
        let refreshed = self.standing(refresh.key, now_ms)?.refreshed(refresh, now_ms)?;
        match &refreshed {
            Refreshed::New(session) => drop(self.0.insert(session.id, session.clone())),
            Refreshed::Again(_) => {}
            Refreshed::Reused(_) => drop(self.0.remove(&refresh.key.id)),
        }
        Some(refreshed)
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
            && let Some(session) = self.0.get_mut(&key.id)
        {
            session.used_ms = session.used_ms.max(at_ms);
        }
    }

    fn revoke(&mut self, uid: Uid, id: [u8; 32], now_ms: u64) -> bool {
        let own = self.0.get(&id).is_some_and(|session| session.uid == uid && session.is_live(now_ms));
        own && self.0.remove(&id).is_some()
    }

    fn revoke_all(&mut self, uid: Uid, now_ms: u64) -> u64 {
        let live = self.live(uid, now_ms).len() as u64;
        self.0.retain(|_, session| session.uid != uid);
        live
    }

    fn sweep(&mut self, max: usize, now_ms: u64) -> usize {
        let mut expired: Vec<_> = self.0.values().filter(|session| !session.is_live(now_ms)).collect();
        expired.sort_by_key(|session| (session.expires_ms, session.id));
        let max = max.min(SESSION_SWEEP_MAX as usize);
        let swept: Vec<[u8; 32]> = expired.into_iter().take(max).map(|session| session.id).collect();
        swept.iter().filter(|id| self.0.remove(*id).is_some()).count()
    }
}

impl MemoryStore {
    fn with_sessions<T>(&self, act: impl FnOnce(&mut SessionMap, u64) -> T) -> T {
        let now_ms = self.shared.now_ms();
        act(&mut self.shared.lock().sessions, now_ms)
    }
}

impl Sessions for MemoryStore {
    fn put(&self, session: Session) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(async move { self.with_sessions(|sessions, now_ms| sessions.put(session, now_ms)) })
    }

    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(ready(Ok(self.with_sessions(|sessions, now_ms| sessions.find(key, now_ms).cloned()))))
    }

    fn refresh(&self, refresh: Refresh) -> BoxFuture<'_, Result<Option<Refreshed>>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.refresh(&refresh, now_ms))) })
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

    fn revoke(&self, uid: Uid, id: [u8; 32]) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.revoke(uid, id, now_ms))) })
    }

    fn revoke_all(&self, uid: Uid) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.revoke_all(uid, now_ms))) })
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move { Ok(self.with_sessions(|sessions, now_ms| sessions.sweep(max, now_ms))) })
    }
}
