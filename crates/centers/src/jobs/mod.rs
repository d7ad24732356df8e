//! Jobs: the work of a server beside calls, done piece by piece.
//!
//! A job keeps no state of its own. It works by ordinary commands with ordinary events, which the planner applies only if they are
//! due at that moment: a request that was accepted, a mute that was renewed or an account that was locked again meanwhile is left
//! alone. So a process that dies leaves nothing behind, and two processes side by side come to the same result.
//!
//! | job | work |
//! |---|---|
//! | [`Erasure`] | removes the rows of deleted users, and erases the users when the time has come |
//! | [`Retention`] | purges deleted posts, forgets removed follows and entries of the audit log |
//! | [`ClaimSweep`] | mends claims of contacts that a dead process left half done |
//! | [`Expiry`] | ends requests, rejections and mutes when their time is over |
//! | [`Unlock`] | approves the followers who wait for an account that has unlocked itself |
//! | [`SessionSweep`] | removes expired sessions |
//!
//! [`all`] is the list of them. [`AffinityCenter::count`](crate::affinity::AffinityCenter::count) is no job: it follows the logs.

mod claims;
mod erasure;
mod expiry;
mod meters;
mod retention;
mod sessions;
mod sweep;
#[cfg(test)]
mod tests;
mod unlock;

pub use claims::ClaimSweep;
pub use erasure::{Erasure, ErasureParts};
pub use expiry::Expiry;
pub use retention::{KeptFor, Retention};
pub use sessions::SessionSweep;
pub use unlock::Unlock;

use crate::Ports;
use guanxi_model::Result;
use guanxi_ports::{BoxFuture, Credentials, Sessions};
use std::sync::Arc;
use std::time::Duration;

/// Rows of one piece of [`Expiry`] and [`Unlock`]: as many as share a commit without holding up others.
const ROWS_AT_ONCE: u8 = 64;

/// The pause between two pieces, so that other writes go between them: 64 rows every 10 ms are at most 6,400 rows a second.
const PIECE_PAUSE: Duration = Duration::from_millis(10);

/// Which processes do a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobScope {
    /// One process of a store at a time; in a cluster the process that holds the lease.
    OnePerStore,
    /// Each process for itself.
    EachProcess,
}

/// How a job is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobTerms {
    /// The name, for logs.
    pub name: &'static str,
    /// What a failed piece means to operators.
    pub problem: &'static str,
    /// How long the job rests when there is nothing to do.
    pub look_every: Duration,
    /// How long it rests between two pieces.
    pub piece_pause: Duration,
    /// Which processes do it.
    pub scope: JobScope,
}

impl JobTerms {
    /// The terms of a job that one process of a store does, with the usual pause between two pieces.
    const fn one_per_store(name: &'static str, problem: &'static str, look_every: Duration) -> Self {
        Self { name, problem, look_every, piece_pause: PIECE_PAUSE, scope: JobScope::OnePerStore }
    }
}

/// Work that is done piece by piece.
pub trait BackgroundJob: Send {
    /// Returns how the job is run.
    fn terms(&self) -> JobTerms;

    /// Does one piece. Returns whether there was anything to do.
    ///
    /// # Errors
    /// Those of the store. The next piece goes on where this one was, or behind it.
    fn step(&mut self) -> BoxFuture<'_, Result<bool>>;
}

/// What the jobs of a store work on.
#[derive(Clone)]
pub struct JobParts {
    /// The store, the logs and the time. Writes about uids that no caller may name any more are not refused here: a job removes
    /// what such users left, too.
    pub ports: Ports,
    /// Tokens that operators gave to end users, as they are stored.
    pub credentials: Arc<dyn Credentials>,
    /// The sessions of end users.
    pub sessions: Arc<dyn Sessions>,
    /// For how long things are kept.
    pub kept: KeptFor,
}

/// Returns every job, in any order.
pub fn all(parts: JobParts) -> Vec<Box<dyn BackgroundJob>> {
    let JobParts { ports: Ports { store, log, clock, .. }, credentials, sessions, kept } = parts;
    let erasure = ErasureParts { store: store.clone(), credentials, log, clock: clock.clone() };
    vec![
        Box::new(Erasure::new(erasure)),
        Box::new(Retention::new(store.clone(), clock.clone(), kept)),
        Box::new(ClaimSweep::new(store.clone(), clock.clone())),
        Box::new(Expiry::new(store.clone(), clock)),
        Box::new(Unlock::new(store)),
        Box::new(SessionSweep::new(sessions)),
    ]
}
