//! Sessions: one map by id.

use guanxi_model::limits::{SESSION_PAGE_MAX, SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{
    Reason, Refresh, Refreshed, Result, Session, SessionCursor, SessionKey, SessionPage, Uid,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// All sessions by id, expired ones until they are swept.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionMap(pub(crate) BTreeMap<[u8; 32], Session>);

/// The order of a user's list: newest first.
pub(crate) const fn order(cursor: &SessionCursor) -> (Reverse<u64>, [u8; 32]) {
    (Reverse(cursor.created_ms), cursor.id)
}

impl SessionMap {
    pub(crate) fn live(&self, uid: Uid, now_ms: u64) -> Vec<&Session> {
        self.0.values().filter(|session| session.uid == uid && session.is_live(now_ms)).collect()
    }

    pub(crate) fn begin(
        &mut self,
        session: Session,
        now_ms: u64,
        ended: &mut Vec<Session>,
    ) -> Result<bool, Reason> {
        if let Some(known) = self.0.get(&session.id) {
            return if known.uid == session.uid { Ok(false) } else { Err(Reason::AlreadyExists) };
        }
        let live = self.live(session.uid, now_ms);
        if live.len() >= SESSIONS_PER_USER_MAX as usize {
            let oldest = live
                .into_iter()
                .filter(|old| old.rotation.is_some() && session.rotation.is_some())
                .min_by_key(|old| (old.used_ms, old.created_ms, old.id));
            let id = oldest.ok_or(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX })?.id;
            ended.extend(self.0.remove(&id));
        }
        self.0.insert(session.id, session);
        Ok(true)
    }

    /// The live session of an id, in the shard of its user.
    pub(crate) fn standing(&self, key: SessionKey, now_ms: u64) -> Option<&Session> {
        self.0.get(&key.id).filter(|session| session.uid.gene() == key.gene && session.is_live(now_ms))
    }

    pub(crate) fn find(&self, key: SessionKey, now_ms: u64) -> Option<&Session> {
        self.standing(key, now_ms).filter(|session| session.lets_in(key.hash, now_ms))
    }

    pub(crate) fn refresh(&mut self, refresh: &Refresh, now_ms: u64) -> Option<Refreshed> {
        let refreshed = self.standing(refresh.key, now_ms)?.refreshed(refresh, now_ms)?;
        match &refreshed {
            Refreshed::New(session) => drop(self.0.insert(session.id, session.clone())),
            Refreshed::Again(_) => {}
            Refreshed::Reused(_) => drop(self.0.remove(&refresh.key.id)),
        }
        Some(refreshed)
    }

    pub(crate) fn list(
        &self,
        uid: Uid,
        after: Option<SessionCursor>,
        max: usize,
        now_ms: u64,
    ) -> SessionPage {
        let mut sessions: Vec<Session> = self.live(uid, now_ms).into_iter().cloned().collect();
        sessions.sort_by_key(|session| order(&session.cursor()));
        sessions.retain(|session| after.is_none_or(|after| order(&session.cursor()) > order(&after)));
        let max = max.min(SESSION_PAGE_MAX as usize);
        let more = sessions.len() > max;
        sessions.truncate(max);
        let next = sessions.last().filter(|_| more).map(Session::cursor);
        SessionPage { sessions, next }
    }

    pub(crate) fn note_use(&mut self, key: SessionKey, at_ms: u64, now_ms: u64) {
        if self.find(key, now_ms).is_some()
            && let Some(session) = self.0.get_mut(&key.id)
        {
            session.used_ms = session.used_ms.max(at_ms);
        }
    }

    /// Ends a session of a user that is live.
    pub(crate) fn end(&mut self, uid: Uid, id: [u8; 32], now_ms: u64) -> Option<Session> {
        let own = self.0.get(&id).is_some_and(|session| session.uid == uid && session.is_live(now_ms));
        if own { self.0.remove(&id) } else { None }
    }

    /// Ends all sessions of a user. Returns those that were live.
    pub(crate) fn end_all(&mut self, uid: Uid, now_ms: u64) -> Vec<Session> {
        let live = self.live(uid, now_ms).into_iter().cloned().collect();
        self.0.retain(|_, session| session.uid != uid);
        live
    }

    pub(crate) fn sweep(&mut self, max: usize, now_ms: u64) -> usize {
        let mut expired: Vec<_> = self.0.values().filter(|session| !session.is_live(now_ms)).collect();
        expired.sort_by_key(|session| (session.expires_ms, session.id));
        let max = max.min(SESSION_SWEEP_MAX as usize);
        let swept: Vec<[u8; 32]> = expired.into_iter().take(max).map(|session| session.id).collect();
        swept.iter().filter(|id| self.0.remove(*id).is_some()).count()
    }
}
