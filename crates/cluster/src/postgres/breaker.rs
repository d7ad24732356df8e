//! Whether a database is worth asking: a caller that asks an unreachable one is told so at once, instead of waiting
//! for it.

use super::fault::Fault;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a database that could not be reached, or did not answer, is left alone. Then one of the waiting callers is let
/// through to see whether it is back, and after as long another one.
const AWAY: Duration = Duration::from_millis(500);

/// What all connections of a process to one database know of it.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    /// The time until which no question is sent, while the database is away.
    until: Mutex<Option<Instant>>,
    /// How often it was found away: connections of before are not used again.
    times: AtomicU64,
}

impl Breaker {
    /// Lets somebody ask.
    ///
    /// # Errors
    /// When the database was found away a moment ago.
    pub(crate) fn pass(&self) -> Result<(), Fault> {
        let mut until = self.until();
        match *until {
            Some(end) if Instant::now() < end => {
                Err(Fault::Away("it could not be reached a moment ago".to_owned()))
            }
            Some(_) => {
                *until = Some(Instant::now() + AWAY);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The database is away.
    pub(super) fn note_away(&self) {
        *self.until() = Some(Instant::now() + AWAY);
        self.times.fetch_add(1, Ordering::AcqRel);
    }

    /// The database has answered.
    pub(super) fn note_there(&self) {
        *self.until() = None;
    }

    /// Returns how often it was found away so far.
    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::Acquire)
    }

    fn until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn of_those_who_ask_one_at_a_time_looks_whether_it_is_back() {
        let breaker = Breaker::default();
        assert!(breaker.pass().is_ok() && breaker.pass().is_ok());
        breaker.note_away();
        assert!(breaker.pass().is_err());
        for _ in 0..3 {
            tokio::time::advance(AWAY).await;
            assert!(breaker.pass().is_ok(), "one looks");
            assert!(breaker.pass().is_err(), "the others are told at once");
        }
        breaker.note_there();
        assert!(breaker.pass().is_ok() && breaker.pass().is_ok());
        assert_eq!(breaker.times(), 1);
    }
}
