//! Sessions of end users.

use crate::{BoxFuture, Facts};
use guanxi_model::{
    Error, Refresh, Refreshed, Result, Session, SessionCommand, SessionCursor, SessionKey, SessionOutcome,
    SessionPage, Uid, Write,
};

/// The sessions of end users: who is logged in.
///
/// There are millions: no backend holds them all in memory, and nothing lists them all. A question names a user, or
/// the shard of one, so one shard is asked. A session that has expired by the backend's clock is as good as gone, swept or
/// not: not found, not listed, not ended.
///
/// What begins, changes or ends sessions is a write like any other: a [`SessionCommand`], a new password, a status. It goes
/// through this port, so that wrappers which keep sessions in memory are told.
pub trait Sessions: Facts {
    /// Returns the session that a secret lets in, if its user is of the shard that is named. A refresh secret lets no
    /// caller in.
    ///
    /// # Errors
    /// When the backend cannot be asked: then it is not known whether the session is valid.
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>>;

    /// Returns the sessions of a user after a place, newest first: `max` at most, and no more than
    /// [`SESSION_PAGE_MAX`](guanxi_model::limits::SESSION_PAGE_MAX).
    ///
    /// # Errors
    /// When the backend cannot be asked.
    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>>;

    /// Notes that a session was used at a time, if that is later than what is noted and the secret lets in. One that is
    /// gone stays gone.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>>;

    /// Removes what is left of expired sessions, the earliest first: `max` at most, and no more than
    /// [`SESSION_SWEEP_MAX`](guanxi_model::limits::SESSION_SWEEP_MAX). Returns how many; fewer than asked for are
    /// all that there were.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>>;
}

/// Single commands, each in a write of its own.
pub trait SessionWrites: Sessions {
    /// Does one command; a refusal is an error.
    ///
    /// # Errors
    /// The refusal; that of the store.
    fn command(&self, command: SessionCommand) -> BoxFuture<'_, Result<SessionOutcome>> {
        Box::pin(async move {
            let outcome = self.apply(Write::of(command)).await?.session()?;
            outcome.result.clone().map_err(Error::new)?;
            Ok(outcome)
        })
    }

    /// Begins a session without a login. Returns the one that has ended for it, if the user had too many.
    ///
    /// # Errors
    /// As [`SessionCommand::Begin`] says; that of the store.
    fn put(&self, session: Session) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(async move { Ok(self.command(SessionCommand::begin(session)).await?.ended.pop()) })
    }

    /// Changes the secrets of a session for new ones; `None` without a valid session of this id that can be refreshed.
    ///
    /// # Errors
    /// That of the store.
    fn refresh(&self, refresh: Refresh) -> BoxFuture<'_, Result<Option<Refreshed>>> {
        Box::pin(async move { Ok(self.command(SessionCommand::Refresh(Box::new(refresh))).await?.refreshed) })
    }

    /// Ends a session of a user; `false` when the user has none of this id.
    ///
    /// # Errors
    /// That of the store.
    fn revoke(&self, uid: Uid, id: [u8; 32]) -> BoxFuture<'_, Result<bool>> {
        Box::pin(
            async move { self.command(SessionCommand::End { uid, id }).await?.result.map_err(Error::new) },
        )
    }

    /// Signs a user out everywhere, and returns how many sessions there were.
    ///
    /// # Errors
    /// `USER_DELETED`; that of the store.
    fn revoke_all(&self, uid: Uid) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move { Ok(self.command(SessionCommand::SignOut { uid }).await?.ended.len() as u64) })
    }
}

impl<S: Sessions + ?Sized> SessionWrites for S {}
