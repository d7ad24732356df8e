//! Sessions: one map by id.

use super::MemoryStore;
use super::state::{Commit, Maps};
use guanxi_model::event::UserChange;
use guanxi_model::{
    NewSession, Reason, Refreshed, Result, Session, SessionCommand, SessionCursor, SessionKey,
    SessionOutcome, SessionPage, Uid,
};
use guanxi_ports::{BoxFuture, Sessions};
use std::future::ready;

impl Maps {
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
                    if let Some(ended) = before.filter(|_| is_reused) {
                        self.log_user(ended.uid, UserChange::SessionEnded, commit);
                        outcome.ended.push(ended);
                    }
                }
                Ok(matches!(outcome.refreshed, Some(Refreshed::New(_) | Refreshed::Reused(_))))
            }
            SessionCommand::End { uid, id } => {
                outcome.ended.extend(self.sessions.end(*uid, *id, now_ms));
                if !outcome.ended.is_empty() {
                    self.log_user(*uid, UserChange::SessionEnded, commit);
                }
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
        for ended in ended.iter() {
            self.log_user(ended.uid, UserChange::SessionEnded, commit);
        }
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
