//! Time as a parameter.

use std::sync::atomic::{AtomicU64, Ordering};

/// Milliseconds of a day.
pub const DAY_MS: u64 = 24 * 3_600 * 1_000;

/// A source of wall-clock time.
///
/// The only implementation that reads the machine's clock lives in the server's wiring; tests and simulations
/// own a [`ManualClock`].
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01 UTC. It may jump in either direction; code that needs an order uses
    /// [`Hlc`](crate::Hlc).
    fn now_ms(&self) -> u64;
}

/// A clock that moves only when told.
#[derive(Debug)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that stands at `now_ms`.
    pub const fn new(now_ms: u64) -> Self {
        Self(AtomicU64::new(now_ms))
    }

    /// Sets the time, forwards or backwards.
    pub fn set(&self, now_ms: u64) {
        self.0.store(now_ms, Ordering::Relaxed);
    }

    /// Moves the time forward.
    pub fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
