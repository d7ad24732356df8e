//! Sessions of end users.

use crate::BoxFuture;
use guanxi_model::{Refresh, Refreshed, Result, Session, SessionCursor, SessionKey, SessionPage, Uid};

/// The sessions of end users: who is logged in.
///
/// There are millions: no backend holds them all in memory, and nothing lists them all. A question names a user, or
/// the shard of one, so one shard is asked. What is acknowledged is durable. A session that has expired by the
/// backend's clock is as good as gone, swept or not: not found, not listed, not revoked.
pub trait Sessions: Send + Sync {
    /// Stores a session. One of this id that stands already is left as it is, so that a repeat changes nothing.
    ///
    /// When the user has [`SESSIONS_PER_USER_MAX`](guanxi_model::limits::SESSIONS_PER_USER_MAX) sessions, one that can
    /// be refreshed takes the place of the one of its kind that was used least recently (the earlier begun, then the
    /// lower id, of two), which is returned: it has ended.
    ///
    /// # Errors
    /// `LimitReached` when the user has so many, and none may go for this one; `AlreadyExists` when the id is that of a
    /// session of another user.
    fn put(&self, session: Session) -> BoxFuture<'_, Result<Option<Session>>>;

    /// Returns the session that a secret lets in, if its user is of the shard that is named. A refresh secret lets
    /// nobody in.
    ///
    /// # Errors
    /// When the backend cannot be asked: then it is not known whether the session is valid.
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>>;

    /// Changes the secrets of a session for new ones, in one commit; `None` when there is no valid session of this id
    /// in the shard, or it cannot be refreshed.
    ///
    /// The secret that was changed last may be given again for
    /// [`REFRESH_REPEAT_MS`](guanxi_model::limits::REFRESH_REPEAT_MS), which changes nothing. Any other secret ends the
    /// session: only who has had one knows its id from a secret, so it was replaced before, and two have it.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn refresh(&self, refresh: Refresh) -> BoxFuture<'_, Result<Option<Refreshed>>>;

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

    /// Ends a session of a user; `false` when the user has none of this id.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn revoke(&self, uid: Uid, id: [u8; 32]) -> BoxFuture<'_, Result<bool>>;

    /// Ends all sessions of a user at once, and returns how many there were.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn revoke_all(&self, uid: Uid) -> BoxFuture<'_, Result<u64>>;

    /// Removes what is left of expired sessions, the earliest first: `max` at most, and no more than
    /// [`SESSION_SWEEP_MAX`](guanxi_model::limits::SESSION_SWEEP_MAX). Returns how many; fewer than asked for are
    /// all that there were.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>>;
}
