//! Sessions of operators. They are in memory: a restart ends them, and each process of a cluster has its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_rim::Operator;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::limits::{SESSION_IDLE, SESSION_LIFE, SESSIONS_MAX, STREAMS_PER_SESSION_MAX};

/// A secret as it is kept: its SHA-256.
type Hash = [u8; 32];

/// A session, as a request finds it.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The operator who signed in.
    pub(crate) operator: Operator,
    /// The token that every form carries.
    pub(crate) csrf: Arc<str>,
    /// A permit for each live stream.
    pub(crate) streams: Arc<tokio::sync::Semaphore>,
    key: Hash,
}

struct Kept {
    session: Session,
    begun: Instant,
    used: Instant,
}

impl Kept {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.begun) >= SESSION_LIFE || now.duration_since(self.used) >= SESSION_IDLE
    }
}

/// The sessions of a process.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Hash, Kept>>);

impl Sessions {
    /// Begins a session, and returns it with the secret of its cookie. The random bits are for that, and for the token of its
    /// forms.
    pub(crate) fn begin(&self, operator: Operator, random: [[u8; 32]; 2], now: Instant) -> (Session, String) {
        let [secret, csrf] = random.map(|bits| URL_SAFE_NO_PAD.encode(bits));
        let key = hash(&secret);
        let streams = Arc::new(tokio::sync::Semaphore::new(STREAMS_PER_SESSION_MAX));
        let session = Session { operator, csrf: csrf.into(), streams, key };
        let mut kept = self.kept();
        kept.retain(|_, other| !other.is_over(now));
        if kept.len() >= SESSIONS_MAX
            && let Some(oldest) = kept.iter().min_by_key(|(_, other)| other.used).map(|(key, _)| *key)
        {
            kept.remove(&oldest);
        }
        kept.insert(key, Kept { session: session.clone(), begun: now, used: now });
        (session, secret)
    }

    /// Returns the session of a cookie's secret, and notes that it is used.
    pub(crate) fn find(&self, secret: &str, now: Instant) -> Option<Session> {
        let key = hash(secret);
        let mut kept = self.kept();
        let found = kept.get_mut(&key)?;
        if found.is_over(now) {
            kept.remove(&key);
            return None;
        }
        found.used = now;
        Some(found.session.clone())
    }

    /// Returns whether a session has not ended. It does not count as a use, so that a page that is left open ends its session.
    pub(crate) fn lasts(&self, session: &Session, now: Instant) -> bool {
        self.kept().get(&session.key).is_some_and(|found| !found.is_over(now))
    }

    /// Ends a session.
    pub(crate) fn end(&self, session: &Session) {
        self.kept().remove(&session.key);
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<Hash, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a form has the token of its session.
pub(crate) fn is_same(ours: &str, given: &str) -> bool {
    ours.as_bytes().ct_eq(given.as_bytes()).into()
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Begins a session, the one of a number.
    fn begin(sessions: &Sessions, number: u64, now: Instant) -> (Session, String) {
        let bits = hash(&number.to_string());
        sessions.begin(Operator::anybody(), [bits, bits], now)
    }

    #[test]
    fn a_session_ends_by_age_by_rest_and_by_hand() {
        let (sessions, begun) = (Sessions::default(), Instant::now());
        let (_, secret) = begin(&sessions, 1, begun);
        let idle = SESSION_IDLE / 2;
        let mut now = begun;
        while now + idle < begun + SESSION_LIFE {
            now += idle;
            assert!(sessions.find(&secret, now).is_some());
        }
        assert!(sessions.find(&secret, begun + SESSION_LIFE).is_none(), "it was used, and is over");
        let (session, secret) = begin(&sessions, 2, begun);
        assert!(sessions.lasts(&session, begun + idle));
        assert!(
            sessions.find(&secret, begun + SESSION_IDLE).is_none(),
            "to look whether it lasts is no use of it"
        );
        let (session, secret) = begin(&sessions, 2, begun);
        sessions.end(&session);
        assert!(sessions.find(&secret, begun).is_none());
        assert!(sessions.find("", begun).is_none());
    }

    #[test]
    fn there_are_so_many_sessions_and_the_one_that_rests_longest_goes_first() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let secrets: Vec<String> =
            (0..SESSIONS_MAX as u64).map(|n| begin(&sessions, n, now + Duration::from_millis(n)).1).collect();
        let later = now + Duration::from_mins(1);
        assert!(sessions.find(&secrets[0], later).is_some());
        begin(&sessions, u64::MAX, later);
        assert!(sessions.find(&secrets[0], later).is_some());
        assert!(sessions.find(&secrets[1], later).is_none());
        assert!(sessions.find(&secrets[2], later).is_some());
    }
}
