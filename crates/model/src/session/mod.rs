//! Sessions of end users: what is stored of one, and what a refresh does to it.

mod write;

pub use write::{Login, NewSession, SessionCommand, SessionOutcome};

use crate::error::{Error, Reason, Result};
use crate::id::{Gene, Uid};
use crate::limits::{DEVICE_LEN_MAX, REFRESH_REPEAT_MS};

/// Where a session is found, and by which of its secrets: never the secrets themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The logical shard of its user, so that only this shard is asked.
    pub gene: Gene,
    /// Which session; see [`Session::id`].
    pub id: [u8; 32],
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
}

impl SessionKey {
    /// The key of a session that has one secret for good.
    pub const fn lone(gene: Gene, hash: [u8; 32]) -> Self {
        Self { gene, id: hash, hash }
    }
}

/// An end user who is logged in: never a secret itself, only its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// Names it for as long as it stands, and is no secret. Of a session that is refreshed it is the SHA-256 of what all
    /// its secrets share; of one that has one secret for good it is the SHA-256 of that.
    pub id: [u8; 32],
    /// Its user.
    pub uid: Uid,
    /// When it began, in Unix milliseconds.
    pub created_ms: u64,
    /// From when on it is no longer valid, in Unix milliseconds; without it, it is valid until it is revoked.
    pub expires_ms: Option<u64>,
    /// When it was last known to be used, in Unix milliseconds. It is noted at each refresh, and about once an hour, see
    /// [`SESSION_USE_EVERY_MS`](crate::limits::SESSION_USE_EVERY_MS).
    pub used_ms: u64,
    /// What its user calls the device, if anything.
    pub device: Option<Box<str>>,
    /// The secrets of one that is refreshed. Without them it has one secret for good: a token that an operator made.
    pub rotation: Option<Box<Rotation>>,
}

/// The secrets of a session that is refreshed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rotation {
    /// Beyond when no refresh prolongs it, in Unix milliseconds.
    pub ends_ms: u64,
    /// The secrets in force.
    pub secrets: SessionSecrets,
    /// The time since when these are in force, in Unix milliseconds.
    pub since_ms: u64,
    /// Those before, once it was refreshed.
    pub replaced: Option<ReplacedSecrets>,
}

/// SHA-256 of a pair of secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionSecrets {
    /// Of the one that calls carry.
    pub access: [u8; 32],
    /// From when on calls may no longer carry it, in Unix milliseconds.
    pub access_expires_ms: u64,
    /// Of the one that is changed for a new pair.
    pub refresh: [u8; 32],
}

/// Secrets that a refresh has replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplacedSecrets {
    /// They.
    pub secrets: SessionSecrets,
    /// The number from which the secrets in force were made, together with the refresh secret that they replaced.
    /// That secret is stored nowhere. A caller that has it can be given the same secrets again; the nonce alone tells
    /// nothing.
    pub nonce: [u8; 32],
}

/// What is asked of a session when it is refreshed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refresh {
    /// The session, and the hash of the refresh secret that was given.
    pub key: SessionKey,
    /// From what the new secrets were made, together with that secret.
    pub nonce: [u8; 32],
    /// SHA-256 of the new secret that calls carry.
    pub access: [u8; 32],
    /// SHA-256 of the new refresh secret.
    pub refresh: [u8; 32],
    /// How long calls may carry the new one, in milliseconds.
    pub access_ms: u64,
    /// How long the session stands unless it is refreshed again, in milliseconds.
    pub idle_ms: u64,
}

/// The outcome of a refresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// The new secrets are in force.
    New(Session),
    /// The same secret was given shortly before, and its answer stands: the secrets in force were made from its nonce.
    Again(Session),
    /// The secret was replaced before: somebody else has it, so the session of this user has ended.
    Reused(Uid),
}

impl Session {
    /// Returns a new session that has one secret for good, and that was not used yet.
    pub const fn lone(uid: Uid, hash: [u8; 32], created_ms: u64) -> Self {
        let (expires_ms, used_ms) = (None, created_ms);
        Self { id: hash, uid, created_ms, expires_ms, used_ms, device: None, rotation: None }
    }

    /// Returns where it is found by one of its secrets.
    pub const fn key(&self, hash: [u8; 32]) -> SessionKey {
        SessionKey { gene: self.uid.gene(), id: self.id, hash }
    }

    /// Returns whether it is valid at a time.
    pub fn is_live(&self, now_ms: u64) -> bool {
        self.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms)
    }

    /// Returns whether a secret lets its holder in at a time.
    pub fn lets_in(&self, hash: [u8; 32], now_ms: u64) -> bool {
        let known = self.rotation.is_some() || hash == self.id;
        known && self.access_ends_ms(hash).is_none_or(|ends_ms| now_ms < ends_ms)
    }

    /// Returns from when on a secret no longer lets its holder in, in Unix milliseconds: at once if it is none of those
    /// that calls carry, and when it is revoked if there is no such time.
    ///
    /// What a refresh has replaced lets in for [`REFRESH_REPEAT_MS`] more, so that calls under way and other tabs of a
    /// browser need not wait for it.
    pub fn access_ends_ms(&self, hash: [u8; 32]) -> Option<u64> {
        let Some(rotation) = &self.rotation else { return self.expires_ms };
        let Rotation { secrets, since_ms, replaced, .. } = &**rotation;
        let own = if hash == secrets.access {
            secrets.access_expires_ms
        } else {
            replaced.filter(|replaced| hash == replaced.secrets.access).map_or(0, |replaced| {
                replaced.secrets.access_expires_ms.min(since_ms.saturating_add(REFRESH_REPEAT_MS))
            })
        };
        Some(self.expires_ms.map_or(own, |expires_ms| own.min(expires_ms)))
    }

    /// Returns the result of a refresh of a live session; `None` if it has one secret for good.
    pub fn refreshed(&self, refresh: &Refresh, now_ms: u64) -> Option<Refreshed> {
        let rotation = self.rotation.as_deref()?;
        let hash = refresh.key.hash;
        let repeats = |replaced: &ReplacedSecrets| {
            hash == replaced.secrets.refresh && now_ms < rotation.since_ms.saturating_add(REFRESH_REPEAT_MS)
        };
        Some(if hash == rotation.secrets.refresh {
            Refreshed::New(self.rotated(rotation, refresh, now_ms))
        } else if rotation.replaced.as_ref().is_some_and(repeats) {
            Refreshed::Again(self.clone())
        } else {
            Refreshed::Reused(self.uid)
        })
    }

    fn rotated(&self, rotation: &Rotation, refresh: &Refresh, now_ms: u64) -> Self {
        let ends_ms = rotation.ends_ms;
        let secrets = SessionSecrets {
            access: refresh.access,
            access_expires_ms: now_ms.saturating_add(refresh.access_ms),
            refresh: refresh.refresh,
        };
        let replaced = Some(ReplacedSecrets { secrets: rotation.secrets, nonce: refresh.nonce });
        Self {
            expires_ms: Some(now_ms.saturating_add(refresh.idle_ms).min(ends_ms)),
            used_ms: self.used_ms.max(now_ms),
            rotation: Some(Box::new(Rotation { ends_ms, secrets, since_ms: now_ms, replaced })),
            ..self.clone()
        }
    }

    /// Checks what a user calls a device.
    ///
    /// # Errors
    /// `TOO_LONG`; `INVALID_FIELD` for control characters, which would mislead the reader of a list.
    pub fn check_device(device: &str) -> Result<()> {
        if device.len() > DEVICE_LEN_MAX as usize {
            return Err(Error::new(Reason::TooLong { field: "device", limit: DEVICE_LEN_MAX }));
        }
        if device.chars().any(char::is_control) {
            return Err(Error::new(Reason::InvalidField { field: "device" }));
        }
        Ok(())
    }

    /// Returns its place in the list of its user's sessions.
    pub const fn cursor(&self) -> SessionCursor {
        SessionCursor { created_ms: self.created_ms, id: self.id }
    }
}

/// A place in the list of a user's sessions, which has the newest first; it stays valid when the session is gone.
///
/// It does not order itself: sessions come by `created_ms` from high to low, those of one millisecond by `id` from low
/// to high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionCursor {
    /// When the session at this place began, in Unix milliseconds.
    pub created_ms: u64,
    /// Which it is.
    pub id: [u8; 32],
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

    fn lone(expires_ms: Option<u64>) -> Session {
        Session { expires_ms, ..Session::lone(Uid::new(0x1234).unwrap(), [1; 32], 1) }
    }

    /// Secrets whose hashes are `n` and `n + 100`.
    fn secrets(n: u8, access_expires_ms: u64) -> SessionSecrets {
        SessionSecrets { access: [n; 32], access_expires_ms, refresh: [n + 100; 32] }
    }

    /// A session that began at 0, whose first access secret is good for 1,000 s.
    fn rotating() -> Session {
        let rotation =
            Rotation { ends_ms: 9_000_000, secrets: secrets(1, 1_000_000), since_ms: 0, replaced: None };
        Session { id: [9; 32], rotation: Some(Box::new(rotation)), ..lone(Some(5_000_000)) }
    }

    /// Changes the refresh secret of the pair `old` for the pair `new`.
    fn refresh(old: u8, new: u8) -> Refresh {
        let secrets = secrets(new, 0);
        Refresh {
            key: rotating().key([old + 100; 32]),
            nonce: [new; 32],
            access: secrets.access,
            refresh: secrets.refresh,
            access_ms: 1_000_000,
            idle_ms: 5_000_000,
        }
    }

    fn new(refreshed: Option<Refreshed>) -> Session {
        let Some(Refreshed::New(session)) = refreshed else { panic!("{refreshed:?}") };
        session
    }

    #[test]
    fn a_session_of_one_secret_is_valid_until_it_expires() {
        let session = lone(Some(9));
        assert!(session.is_live(8) && !session.is_live(9));
        assert!(session.lets_in([1; 32], 8) && !session.lets_in([1; 32], 9) && !session.lets_in([2; 32], 8));
        assert!(lone(None).lets_in([1; 32], u64::MAX));
        assert_eq!((session.access_ends_ms([1; 32]), lone(None).access_ends_ms([1; 32])), (Some(9), None));
        assert_eq!(session.key([1; 32]), SessionKey::lone(Gene(0x34), [1; 32]));
        assert_eq!(session.refreshed(&refresh(1, 2), 5), None);
    }

    #[test]
    fn a_refresh_replaces_both_secrets_and_prolongs_the_session() {
        let first = rotating();
        assert!(first.lets_in([1; 32], 999_999) && !first.lets_in([1; 32], 1_000_000));
        assert!(!first.lets_in([101; 32], 0), "a refresh secret is none that calls carry");
        assert!(!first.lets_in([9; 32], 0), "nor is the name of the session");
        let second = new(first.refreshed(&refresh(1, 2), 400_000));
        assert_eq!((second.id, second.created_ms), (first.id, first.created_ms));
        assert_eq!((second.expires_ms, second.used_ms), (Some(5_400_000), 400_000));
        assert_eq!(second.access_ends_ms([2; 32]), Some(1_400_000));
        let third = new(second.refreshed(&refresh(2, 3), 5_000_000));
        assert_eq!(third.expires_ms, Some(9_000_000), "never beyond its end");
        assert_eq!(new(third.refreshed(&refresh(3, 4), 8_500_000)).access_ends_ms([4; 32]), Some(9_000_000));
    }

    #[test]
    fn what_was_replaced_lets_in_and_is_answered_again_for_a_while() {
        let second = new(rotating().refreshed(&refresh(1, 2), 400_000));
        let last = 400_000 + REFRESH_REPEAT_MS - 1;
        assert!(second.lets_in([1; 32], last) && !second.lets_in([1; 32], last + 1));
        // Another nonce was drawn for the repeat: the stored one tells what the first answer was.
        assert_eq!(second.refreshed(&refresh(1, 7), last), Some(Refreshed::Again(second.clone())));
        assert_eq!(second.rotation.as_ref().unwrap().replaced.unwrap().nonce, [2; 32]);
        assert_eq!(second.refreshed(&refresh(1, 7), last + 1), Some(Refreshed::Reused(second.uid)));
        // An access secret that was about to expire is not prolonged by being replaced.
        let late = new(rotating().refreshed(&refresh(1, 2), 999_990));
        assert!(late.lets_in([1; 32], 999_999) && !late.lets_in([1; 32], 1_000_000));
    }

    #[test]
    fn a_secret_from_before_the_last_is_stolen() {
        let second = new(rotating().refreshed(&refresh(1, 2), 400_000));
        let third = new(second.refreshed(&refresh(2, 3), 400_001));
        assert_eq!(third.refreshed(&refresh(1, 7), 400_002), Some(Refreshed::Reused(third.uid)));
        assert_eq!(third.refreshed(&refresh(2, 7), 400_002), Some(Refreshed::Again(third.clone())));
        assert!(!third.lets_in([1; 32], 400_002), "two before");
    }

    #[test]
    fn what_a_device_is_called_is_short_and_visible() {
        assert_eq!(Session::check_device("Li 的手机 📱"), Ok(()));
        assert_eq!(Session::check_device(&"x".repeat(DEVICE_LEN_MAX as usize)), Ok(()));
        let too_long = Session::check_device(&"x".repeat(DEVICE_LEN_MAX as usize + 1)).unwrap_err();
        assert_eq!(too_long.reason, Reason::TooLong { field: "device", limit: DEVICE_LEN_MAX });
        let hidden = Session::check_device("phone\u{7}").unwrap_err();
        assert_eq!(hidden.reason, Reason::InvalidField { field: "device" });
    }
}
