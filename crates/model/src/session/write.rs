//! Operations on sessions, and their outcomes.

use super::{Refresh, Refreshed, Session};
use crate::error::Reason;
use crate::id::{Gene, Uid};
use crate::user::PasswordHash;

/// One operation on the sessions of a user. A new password, deactivation and deletion end all of them, too, each in its own
/// commit. There is no event of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SessionCommand {
    /// Begins a session. One of this id that stands already is left as it is, so that a repeat changes nothing; of another
    /// user it is refused with `ALREADY_EXISTS`, and for a deleted user with `USER_DELETED`.
    ///
    /// Of a user with [`SESSIONS_PER_USER_MAX`](crate::limits::SESSIONS_PER_USER_MAX) sessions, one that can be refreshed takes
    /// the place of the one of its kind that was used least recently (of two the one that began earlier, then the lower id).
    /// Without one it is refused with `LIMIT_REACHED`.
    Begin(Box<NewSession>),
    /// Changes the secrets of a session for new ones.
    ///
    /// The secret that was changed last may be given again for [`REFRESH_REPEAT_MS`](crate::limits::REFRESH_REPEAT_MS), which
    /// changes nothing. Any other secret ends the session: it was replaced before, so two have it. A user that is not active
    /// has no session.
    Refresh(Box<Refresh>),
    /// Ends a session of a user; a no-op when the user has none of this id.
    End {
        /// The user.
        uid: Uid,
        /// Which.
        id: [u8; 32],
    },
    /// Signs a user out everywhere, also one without an account: its sessions end, and what others have issued to it by now.
    /// Of a user who is deleted it is refused with `USER_DELETED`.
    SignOut {
        /// The user.
        uid: Uid,
    },
}

/// A session to begin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewSession {
    /// The session.
    pub session: Session,
    /// What a login has proved, if it begins by one.
    pub login: Option<Login>,
}

/// What a login has proved, and what is noted with its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Login {
    /// The hash that the password was verified against: the session begins while this is the user's, otherwise it is refused
    /// with `LOGIN_FAILED`. A user that is not active is refused with `USER_DEACTIVATED` or `USER_DELETED`.
    pub stored: PasswordHash,
    /// The same password, hashed anew, to be kept instead.
    pub renewed: Option<PasswordHash>,
    /// The day, in days since 1970-01-01 UTC, which is noted as that of the last login. It only rises.
    pub day: u32,
}

/// The outcome of an operation on sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOutcome {
    /// Whether sessions changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// The valid sessions that have ended by it, by their ids.
    pub ended: Vec<Session>,
    /// The outcome of a refresh; `None` without a valid session that can be refreshed.
    pub refreshed: Option<Refreshed>,
}

impl SessionCommand {
    /// Begins a session without a login: an operator's token.
    pub fn begin(session: Session) -> Self {
        Self::Begin(Box::new(NewSession { session, login: None }))
    }

    /// Begins a session by a login.
    pub fn login(session: Session, login: Login) -> Self {
        Self::Begin(Box::new(NewSession { session, login: Some(login) }))
    }

    /// Returns the logical shard of the user.
    pub fn gene(&self) -> Gene {
        match self {
            Self::Begin(new) => new.session.uid.gene(),
            Self::Refresh(refresh) => refresh.key.gene,
            Self::End { uid, .. } | Self::SignOut { uid } => uid.gene(),
        }
    }

    /// Returns whose sessions it is about, which a refresh does not say.
    pub fn uid(&self) -> Option<Uid> {
        match self {
            Self::Begin(new) => Some(new.session.uid),
            Self::Refresh(_) => None,
            Self::End { uid, .. } | Self::SignOut { uid } => Some(*uid),
        }
    }
}
