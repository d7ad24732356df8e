//! Sessions of people who logged in: begun, refreshed, listed and ended.
//!
//! A login has two secrets. Calls carry the access secret, for an hour. Before that hour ends, the client exchanges the
//! refresh secret for a new pair; each refresh secret works once. The session keeps its id meanwhile, which is what its user
//! sees and ends.
//!
//! Replaced secrets stay valid for 30 seconds. Calls under way and other tabs keep their access secret that long. A client
//! that lost the answer may repeat the refresh in this time, and gets the same answer. A replaced refresh secret that comes
//! later has been stolen, from its owner or by it: the session ends, and its user logs in again.

mod meters;
mod secrets;

#[cfg(test)]
mod tests;

pub use secrets::{SecretText, session_key};

use crate::Random;
use guanxi_model::{
    Clock, Error, Login, Reason, Refresh, Refreshed, Result, Rotation, Session, SessionCommand,
    SessionCursor, SessionPage, SessionSecrets, Uid,
};
use guanxi_ports::{SessionWrites as _, Sessions};
use meters::SessionMeters;
use secrets::{RefreshText, SecretPair, first_pair, next_pair, sha256};
use std::sync::Arc;

/// How long calls may carry an access secret, in milliseconds: an hour, since one that leaks cannot be told from its
/// owner's.
pub const SESSION_ACCESS_MS_DEFAULT: u64 = 3_600 * 1_000;

/// How long a session stands without a refresh, in milliseconds: 30 days, after which a device is taken for lost.
pub const SESSION_IDLE_MS_DEFAULT: u64 = 30 * 24 * 3_600 * 1_000;

/// How long a session stands at most, in milliseconds: 180 days; then its user proves who it is once more.
pub const SESSION_WHOLE_MS_DEFAULT: u64 = 180 * 24 * 3_600 * 1_000;

/// How long sessions and their secrets are good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionTerms {
    /// How long calls may carry an access secret, in milliseconds.
    pub access_ms: u64,
    /// How long a session stands without a refresh, in milliseconds.
    pub idle_ms: u64,
    /// How long a session stands at most, in milliseconds.
    pub whole_ms: u64,
}

impl Default for SessionTerms {
    fn default() -> Self {
        Self {
            access_ms: SESSION_ACCESS_MS_DEFAULT,
            idle_ms: SESSION_IDLE_MS_DEFAULT,
            whole_ms: SESSION_WHOLE_MS_DEFAULT,
        }
    }
}

/// The secrets that a client gets when it logs in or refreshes. No other caller gets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedSession {
    /// The session, as it is stored.
    pub session: Session,
    /// The secret that calls carry.
    pub access: SecretText,
    /// From when on they may not, in Unix milliseconds.
    pub access_expires_ms: u64,
    /// The secret that is exchanged for a new pair.
    pub refresh: SecretText,
}

/// Begins, refreshes and ends the sessions of logins. Cheap to clone.
#[derive(Clone)]
pub struct SessionCenter {
    sessions: Arc<dyn Sessions>,
    clock: Arc<dyn Clock>,
    random: Random,
    terms: SessionTerms,
    meters: Arc<SessionMeters>,
}

crate::opaque_debug!(SessionCenter { terms });

impl SessionCenter {
    /// A center over the sessions of a backend.
    pub fn new(
        sessions: Arc<dyn Sessions>,
        clock: Arc<dyn Clock>,
        random: Random,
        terms: SessionTerms,
    ) -> Self {
        Self { sessions, clock, random, terms, meters: Arc::default() }
    }

    /// The port of sessions, through which every end of a session is written.
    pub(in crate::user) fn port(&self) -> Arc<dyn Sessions> {
        self.sessions.clone()
    }

    /// Makes a session of a user who has proved who they are, on a device that they may name. It stands once it
    /// is written.
    ///
    /// # Errors
    /// `TOO_LONG`, `INVALID_FIELD` for the device.
    pub(in crate::user) fn issue(&self, uid: Uid, device: Option<&str>) -> Result<IssuedSession> {
        let device = device.filter(|device| !device.is_empty());
        device.map_or(Ok(()), Session::check_device)?;
        let now_ms = self.clock.now_ms();
        let (id, pair) = first_pair(uid, || (self.random)());
        let SessionTerms { access_ms, idle_ms, whole_ms } = self.terms;
        let ends_ms = now_ms.saturating_add(whole_ms);
        let secrets = SessionSecrets {
            access: sha256(pair.access.as_str()),
            access_expires_ms: now_ms.saturating_add(access_ms),
            refresh: sha256(pair.refresh.as_str()),
        };
        let session = Session {
            expires_ms: Some(now_ms.saturating_add(idle_ms).min(ends_ms)),
            device: device.map(Into::into),
            rotation: Some(Box::new(Rotation { ends_ms, secrets, since_ms: now_ms, replaced: None })),
            ..Session::lone(uid, id, now_ms)
        };
        Ok(issued(session, pair))
    }

    /// Begins a session of a user who has proved otherwise than by a password who they are, on a device that they may name.
    ///
    /// A user who has the largest allowed number of sessions loses the login that was used least recently.
    ///
    /// # Errors
    /// `TOO_LONG`, `INVALID_FIELD` for the device; `USER_DELETED`; `LIMIT_REACHED` when the user has nothing but operators'
    /// tokens, as many as may be; that of the store.
    pub async fn begin(&self, uid: Uid, device: Option<&str>) -> Result<IssuedSession> {
        let issued = self.issue(uid, device)?;
        self.sessions.put(issued.session.clone()).await?;
        Ok(issued)
    }

    /// Begins a session with what its login has proved, if that still holds.
    ///
    /// # Errors
    /// As [`Self::begin`]; `LOGIN_FAILED` when the user has another hash now; `USER_DEACTIVATED`.
    pub(in crate::user) async fn log_in(&self, session: Session, login: Login) -> Result<()> {
        self.sessions.command(SessionCommand::login(session, login)).await.map(drop)
    }

    /// Changes a refresh secret for a new pair. Repeated within 30 seconds it answers the same pair.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when there is no such session, or no more; `REFRESH_REUSED` when the secret was changed before,
    /// which ends the session; that of the store.
    pub async fn refresh(&self, text: &str) -> Result<IssuedSession> {
        let unknown = || {
            self.meters.unknown.increment(1);
            Error::new(Reason::Unauthenticated)
        };
        let given = RefreshText::parse(text).ok_or_else(unknown)?;
        let nonce = (self.random)();
        let pair = next_pair(&given, nonce);
        let refresh = Refresh {
            key: given.key(),
            nonce,
            access: sha256(pair.access.as_str()),
            refresh: sha256(pair.refresh.as_str()),
            access_ms: self.terms.access_ms,
            idle_ms: self.terms.idle_ms,
        };
        match self.sessions.refresh(refresh).await? {
            Some(Refreshed::New(session)) => {
                self.meters.new.increment(1);
                Ok(issued(session, pair))
            }
            Some(Refreshed::Again(session)) => {
                self.meters.again.increment(1);
                let replaced = session.rotation.as_ref().and_then(|rotation| rotation.replaced);
                let pair = next_pair(&given, replaced.ok_or_else(unknown)?.nonce);
                Ok(issued(session, pair))
            }
            Some(Refreshed::Reused(uid)) => {
                self.meters.reused.increment(1);
                tracing::warn!(uid = uid.get(), "a refresh token came twice: its session has ended");
                Err(Error::new(Reason::RefreshReused))
            }
            None => Err(unknown()),
        }
    }

    /// Lists the sessions of a user, newest first.
    ///
    /// # Errors
    /// That of the store.
    pub async fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> Result<SessionPage> {
        self.sessions.list(uid, after, max).await
    }

    /// Ends a session of a user; `false` when the user has none of this id.
    ///
    /// # Errors
    /// That of the store.
    pub async fn revoke(&self, uid: Uid, id: [u8; 32]) -> Result<bool> {
        self.sessions.revoke(uid, id).await
    }
}

/// Returns the session and secrets for the owner of a session.
fn issued(session: Session, pair: SecretPair) -> IssuedSession {
    let SecretPair { access, refresh } = pair;
    let access_expires_ms = session.access_ends_ms(sha256(access.as_str())).unwrap_or(u64::MAX);
    IssuedSession { session, access, access_expires_ms, refresh }
}
