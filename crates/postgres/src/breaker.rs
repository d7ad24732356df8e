//! Whether a database may be asked: a caller that asks one that may not is told so at once, instead of waiting for it.
//!
//! Callers find a database away, and the task that watches it (`store/admission.rs`) looks at it and opens it again. So no caller
//! meets a database that has come back as another one than it was.

use crate::fault::Fault;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Why nothing is asked of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shut {
    /// It cannot be reached, or does not answer.
    Away(String),
    /// It can be reached, and is not the part of the cluster that it has to be.
    Unfit(String),
    /// It lost its newest commits.
    Lost(String),
}

impl Shut {
    /// Returns what is wrong, with what to do.
    pub fn problem(&self) -> &str {
        match self {
            Self::Away(problem) | Self::Unfit(problem) | Self::Lost(problem) => problem,
        }
    }
}

/// How often it is said at most that a server refuses connections.
const CROWDED_SAID_EVERY: Duration = Duration::from_secs(10);

/// What all connections of a process to one database know of it.
#[derive(Debug, Default)]
pub struct Breaker {
    shut: RwLock<Option<Shut>>,
    /// How often it was shut: connections of before are not used again.
    times: AtomicU64,
    /// A caller has found it away, or worse.
    found: Notify,
    /// When it answered last.
    heard: Mutex<Option<Instant>>,
    /// When it was last said that it has no connection left, and how many it refused since.
    crowded: Mutex<(Option<Instant>, u64)>,
}

impl Breaker {
    /// Lets somebody ask.
    ///
    /// # Errors
    /// When the database is shut.
    pub fn pass(&self) -> Result<(), Fault> {
        match self.why() {
            None => Ok(()),
            Some(Shut::Away(problem) | Shut::Unfit(problem)) => Err(Fault::Away(problem)),
            Some(Shut::Lost(problem)) => Err(Fault::Lost(problem)),
        }
    }

    /// Returns why it is shut, if it is.
    pub fn why(&self) -> Option<Shut> {
        self.shut.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A caller has found that it cannot be asked, or must not be. What it is shut for already stays.
    pub fn note(&self, why: Shut) {
        if self.why().is_none() {
            self.shut(why);
        }
        self.found.notify_one();
    }

    /// It has answered.
    pub(crate) fn note_heard(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns when it answered any question last.
    pub(crate) fn heard(&self) -> Option<Instant> {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when a caller has found something since this was waited for last.
    pub async fn found(&self) {
        self.found.notified().await;
    }

    /// Shuts it. Returns why it was shut before, if it was.
    pub fn shut(&self, why: Shut) -> Option<Shut> {
        self.times.fetch_add(1, Ordering::AcqRel);
        self.set(Some(why))
    }

    /// Opens it. Returns why it was shut, if it was.
    pub fn open(&self) -> Option<Shut> {
        self.set(None)
    }

    fn set(&self, shut: Option<Shut>) -> Option<Shut> {
        std::mem::replace(&mut *self.shut.write().unwrap_or_else(PoisonError::into_inner), shut)
    }

    /// It has no connection left for somebody. That is said now and then.
    pub(crate) fn note_crowded(&self, database: &str, problem: &str) {
        let mut crowded = self.crowded.lock().unwrap_or_else(PoisonError::into_inner);
        crowded.1 += 1;
        if crowded.0.is_none_or(|said| said.elapsed() >= CROWDED_SAID_EVERY) {
            let refused = crowded.1;
            *crowded = (Some(Instant::now()), 0);
            drop(crowded);
            tracing::warn!(
                database,
                problem,
                refused,
                "the server refuses connections: `guanxi config check` says how many it should let in"
            );
        }
    }

    /// Returns how often it was shut so far.
    pub(crate) fn times(&self) -> u64 {
        self.times.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_asked_of_a_database_that_was_found_away_until_it_is_opened() {
        let breaker = Breaker::default();
        assert!(breaker.pass().is_ok() && breaker.pass().is_ok());
        let gone = |problem: &str| Shut::Away(problem.to_owned());
        breaker.note(gone("gone"));
        breaker.note(gone("still gone"));
        breaker.found().await;
        for _ in 0..3 {
            assert!(matches!(breaker.pass(), Err(Fault::Away(problem)) if problem == "gone"));
        }
        assert_eq!(breaker.times(), 1);
        breaker.shut(Shut::Unfit("another one".to_owned()));
        breaker.note(gone("gone"));
        assert_eq!(breaker.open(), Some(Shut::Unfit("another one".to_owned())), "it stays what it is");
        assert!(breaker.pass().is_ok());
    }
}
