//! Sessions: one map by id.

use super::MemoryStore;
use super::state::{Commit, State};
use guanxi_model::event::UserChange;
use guanxi_model::limits::{SESSION_PAGE_MAX, SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{
    NewSession, Reason, Refresh, Refreshed, Result, Session, SessionCommand, SessionCursor, SessionKey,
    SessionOutcome, SessionPage, Uid,
};
use guanxi_ports::{BoxFuture, Sessions};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::ready;

/// All sessions by id, expired ones until they are swept.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionMap(BTreeMap<[u8; 32], Session>);

/// The order of a user's list: newest first.
const fn order(cursor: &SessionCursor) -> (Reverse<u64>, [u8; 32]) {
    (Reverse(cursor.created_ms), cursor.id)
}

impl SessionMap {
    fn live(&self, uid: Uid, now_ms: u64) -> Vec<&Session> {
        self.0.values().filter(|session| session.uid == uid && session.is_live(now_ms)).collect()
    }

    fn begin(&mut self, session: Session, now_ms: u64, ended: &mut Vec<Session>) -> Result<bool, Reason> {
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

    /// Ends a session of a user that is live.
    fn end(&mut self, uid: Uid, id: [u8; 32], now_ms: u64) -> Option<Session> {
        let own = self.0.get(&id).is_some_and(|session| session.uid == uid && session.is_live(now_ms));
        if own { self.0.remove(&id) } else { None }
    }

    /// Ends all sessions of a user. Returns those that were live.
    fn end_all(&mut self, uid: Uid, now_ms: u64) -> Vec<Session> {
        let live = self.live(uid, now_ms).into_iter().cloned().collect();
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

impl State {
    pub(super) fn session_command(
        &mut self,
        command: &SessionCommand,
        commit: &mut Commit<'_>,
    ) -> SessionOutcome {
        let now_ms = commit.now_ms;
        let mut outcome = SessionOutcome { result: Ok(false), ended: Vec::new(), refreshed: None };
        outcome.result = match command {
            SessionCommand::Begin(new) => self.begin_session(new, commit, &mut outcome.ended),
            SessionCommand::Refresh(refresh) => {
                let known = self.sessions.standing(refresh.key, now_ms);
                if known.is_some_and(|known| !self.user(known.uid).standing().is_gone()) {
                    let before = known.cloned();
                    outcome.refreshed = self.sessions.refresh(refresh, now_ms);
                    let is_reused = matches!(outcome.refreshed, Some(Refreshed::Reused(_)));
                    outcome.ended.extend(before.filter(|_| is_reused));
                }
                Ok(matches!(outcome.refreshed, Some(Refreshed::New(_) | Refreshed::Reused(_))))
            }
            SessionCommand::End { uid, id } => {
                outcome.ended.extend(self.sessions.end(*uid, *id, now_ms));
                Ok(!outcome.ended.is_empty())
            }
            SessionCommand::SignOut { uid } if self.is_deleted(*uid) => Err(Reason::UserDeleted),
            SessionCommand::SignOut { uid } => {
                self.log_user(*uid, UserChange::SignedOut, commit);
                outcome.ended = self.end_sessions(*uid, now_ms);
                Ok(true)
            }
        };
        outcome
    }

    fn begin_session(
        &mut self,
        new: &NewSession,
        commit: &mut Commit<'_>,
        ended: &mut Vec<Session>,
    ) -> Result<bool, Reason> {
        let NewSession { session, login } = new;
        let user = self.user(session.uid);
        match login {
            Some(login) => {
                if let Some(reason) = user.takedown {
                    return Err(Reason::UserTakenDown { reason });
                }
                if let Some(reason) = user.standing().refusal() {
                    return Err(reason);
                }
                if self.users.passwords.get(&session.uid) != Some(&login.stored) {
                    return Err(Reason::LoginFailed);
                }
            }
            None if user.status.is_deleted() => return Err(Reason::UserDeleted),
            None => {}
        }
        let begun = self.sessions.begin(session.clone(), commit.now_ms, ended)?;
        if let Some(login) = login.as_ref().filter(|_| begun) {
            if let Some(renewed) = &login.renewed {
                self.users.passwords.insert(session.uid, renewed.clone());
            }
            let user = self.users.users.entry(session.uid).or_insert(user);
            if user.login_day < Some(login.day) {
                user.login_day = Some(login.day);
                self.log_user(session.uid, UserChange::LoggedIn, commit);
            }
        }
        Ok(begun)
    }

    /// Ends all sessions of a user. Returns those that were live.
    pub(super) fn end_sessions(&mut self, uid: Uid, now_ms: u64) -> Vec<Session> {
        self.sessions.end_all(uid, now_ms)
    }
}

impl Sessions for MemoryStore {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(ready(Ok(self.shared.now().sessions.find(key, self.shared.now_ms()).cloned())))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        Box::pin(ready(Ok(self.shared.now().sessions.list(uid, after, max, self.shared.now_ms()))))
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.shared.with_sessions(|sessions, now_ms| sessions.note_use(key, at_ms, now_ms));
            Ok(())
        })
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move { Ok(self.shared.with_sessions(|sessions, now_ms| sessions.sweep(max, now_ms))) })
    }
}
