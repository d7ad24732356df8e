//! Sessions of end users.

use crate::id::{Gene, Uid};

/// Where a session is found: the shard of its user, which the secret names, and the SHA-256 of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The logical shard of its user, so that one shard is asked.
    pub gene: Gene,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
}

/// An end user who is logged in: never the secret itself, only its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// Whose it is.
    pub uid: Uid,
    /// When it began, in Unix milliseconds.
    pub created_ms: u64,
    /// From when on it is no longer valid, in Unix milliseconds; without it, it is valid until it is revoked.
    pub expires_ms: Option<u64>,
    /// When it was last known to be used, in Unix milliseconds. It is noted about once an hour, see
    /// [`SESSION_USE_EVERY_MS`](crate::limits::SESSION_USE_EVERY_MS).
    pub used_ms: u64,
}

impl Session {
    /// Returns where it is found.
    pub const fn key(&self) -> SessionKey {
        SessionKey { gene: self.uid.gene(), hash: self.hash }
    }

    /// Returns whether it is valid at a time.
    pub fn is_live(&self, now_ms: u64) -> bool {
        self.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms)
    }

    /// Returns its place in the list of its user's sessions.
    pub const fn cursor(&self) -> SessionCursor {
        SessionCursor { created_ms: self.created_ms, hash: self.hash }
    }
}

/// A place in the list of a user's sessions, which has the newest first; it stays valid when the session is gone.
///
/// It does not order itself: sessions come by `created_ms` from high to low, those of one millisecond by `hash`
/// from low to high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionCursor {
    /// When the session at this place began, in Unix milliseconds.
    pub created_ms: u64,
    /// SHA-256 of its secret.
    pub hash: [u8; 32],
}

/// A page of a user's sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions, newest first.
    pub sessions: Vec<Session>,
    /// Where the next page begins; absent when the list has ended.
    pub next: Option<SessionCursor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_valid_until_it_expires() {
        let uid = Uid::new(0x1234).unwrap();
        let session = Session { hash: [1; 32], uid, created_ms: 1, expires_ms: Some(9), used_ms: 1 };
        assert!(session.is_live(8) && !session.is_live(9));
        assert!(Session { expires_ms: None, ..session.clone() }.is_live(u64::MAX));
        assert_eq!(session.key(), SessionKey { gene: Gene(0x34), hash: [1; 32] });
    }
}
