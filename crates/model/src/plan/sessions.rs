//! Sessions: begun, refreshed and ended.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::Reason;
use crate::event::UserChange;
use crate::id::Uid;
use crate::limits::SESSIONS_PER_USER_MAX;
use crate::session::{Login, NewSession, Refresh, Refreshed, Session, SessionCommand, SessionOutcome};
use crate::user::User;

impl<S: State> Planner<'_, S> {
    /// Plans one operation on sessions.
    pub(super) fn session_command(&mut self, command: SessionCommand) -> Planning<SessionOutcome, S> {
        let mut outcome = SessionOutcome { result: Ok(false), ended: Vec::new(), refreshed: None };
        let decided = match command {
            SessionCommand::Begin(new) => self.begin_session(*new, &mut outcome),
            SessionCommand::Refresh(refresh) => self.refresh_session(&refresh, &mut outcome),
            SessionCommand::End { uid, id } => self.end_session(uid, id, &mut outcome),
            SessionCommand::SignOut { uid } => self.sign_out(uid, &mut outcome),
        };
        outcome.result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        Ok(outcome)
    }

    fn begin_session(&mut self, new: NewSession, outcome: &mut SessionOutcome) -> Deciding<bool, S> {
        let NewSession { session, login } = new;
        let uid = session.uid;
        match &login {
            Some(login) => self.check_login(uid, login)?,
            None => self.check_not_deleted(uid)?,
        }
        if let Some(known) = failed(self.state.session(uid.gene(), session.id))? {
            return if known.uid == uid { Ok(false) } else { Err(Reason::AlreadyExists.into()) };
        }
        let mut live = failed(self.state.sessions(uid))?;
        live.retain(|session| session.is_live(self.now_ms));
        if live.len() >= SESSIONS_PER_USER_MAX as usize {
            let both_rotate = |old: &Session| old.rotation.is_some() && session.rotation.is_some();
            let oldest = live.into_iter().filter(both_rotate);
            let oldest = oldest.min_by_key(|old| (old.used_ms, old.created_ms, old.id));
            let oldest = oldest.ok_or(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX })?;
            failed(self.end_one(oldest, outcome))?;
        }
        failed(self.state.put_session(session))?;
        if let Some(login) = login {
            self.note_login(uid, &login)?;
        }
        Ok(true)
    }

    /// Checks that a login still stands: the user is active, and its password the one that was verified.
    fn check_login(&mut self, uid: Uid, login: &Login) -> Deciding<(), S> {
        self.check_not_taken_down(uid)?;
        self.check_is_there(uid)?;
        let stored = failed(self.state.password(uid))?;
        if stored.as_ref() == Some(&login.stored) { Ok(()) } else { Err(Reason::LoginFailed.into()) }
    }

    /// Keeps the day of a login, and its password as it is hashed today.
    fn note_login(&mut self, uid: Uid, login: &Login) -> Deciding<(), S> {
        if let Some(renewed) = &login.renewed {
            failed(self.state.put_password(uid, renewed))?;
        }
        let user = failed(self.user_or_unknown(uid))?;
        if user.login_day.is_none_or(|last| last < login.day) {
            failed(self.state.put_user(User { login_day: Some(login.day), ..user }))?;
            failed(self.log_user(uid, UserChange::LoggedIn))?;
        }
        Ok(())
    }

    fn refresh_session(&mut self, refresh: &Refresh, outcome: &mut SessionOutcome) -> Deciding<bool, S> {
        let key = refresh.key;
        let known = failed(self.state.session(key.gene, key.id))?;
        let is_valid = |known: &Session| known.uid.gene() == key.gene && known.is_live(self.now_ms);
        let Some(before) = known.filter(is_valid) else { return Ok(false) };
        if failed(self.state.standing(before.uid))?.refusal().is_some() {
            return Ok(false);
        }
        outcome.refreshed = before.refreshed(refresh, self.now_ms);
        match &outcome.refreshed {
            Some(Refreshed::New(session)) => failed(self.state.put_session(session.clone()))?,
            Some(Refreshed::Reused(_)) => failed(self.end_one(before, outcome))?,
            Some(Refreshed::Again(_)) | None => return Ok(false),
        }
        Ok(true)
    }

    fn end_session(&mut self, uid: Uid, id: [u8; 32], outcome: &mut SessionOutcome) -> Deciding<bool, S> {
        let known = failed(self.state.session(uid.gene(), id))?;
        let own = known.filter(|known| known.uid == uid && known.is_live(self.now_ms));
        let Some(session) = own else { return Ok(false) };
        failed(self.end_one(session, outcome))?;
        Ok(true)
    }

    /// Ends one session of a user. The event tells other processes, which may have the session in memory.
    fn end_one(&mut self, session: Session, outcome: &mut SessionOutcome) -> Planning<(), S> {
        self.state.remove_session(&session)?;
        self.log_user(session.uid, UserChange::SessionEnded)?;
        outcome.ended.push(session);
        Ok(())
    }

    /// Of a deleted user nothing is valid any more, for ever.
    fn sign_out(&mut self, uid: Uid, outcome: &mut SessionOutcome) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        failed(self.log_user(uid, UserChange::SignedOut))?;
        outcome.ended = failed(self.end_sessions(uid))?;
        Ok(true)
    }

    /// Ends all sessions of a user. Returns those that were valid.
    pub(super) fn end_sessions(&mut self, uid: Uid) -> Planning<Vec<Session>, S> {
        let mut sessions = self.state.sessions(uid)?;
        for session in &sessions {
            self.state.remove_session(session)?;
        }
        sessions.retain(|session| session.is_live(self.now_ms));
        sessions.sort_unstable_by_key(|session| session.id);
        Ok(sessions)
    }
}
