//! The metrics of the threads that hash.

use guanxi_model::Clock;
use metrics::{Counter, Histogram, Unit, describe_counter, describe_histogram};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The metrics of operators, and the counts of tests.
pub(super) struct PasswordMeters {
    clock: Arc<dyn Clock>,
    wait: Histogram,
    run: Histogram,
    /// Refused, since the queue was full.
    pub refused: Counter,
    /// Not hashed, since their callers had left.
    pub left: Counter,
    /// Refused, since they could not have been hashed before their calls' deadlines.
    pub late: Counter,
    /// The mean time of the last hashes, in eighths of a millisecond.
    usual: AtomicU64,
    hashes: AtomicU64,
    work_kib: AtomicU64,
}

impl PasswordMeters {
    /// Meters by a clock, whose milliseconds are fine enough for what takes tens of them.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        describe_histogram!(
            "guanxi_password_wait_seconds",
            Unit::Seconds,
            "Time that a password waited for the threads that hash."
        );
        describe_histogram!("guanxi_password_hash_seconds", Unit::Seconds, "Time of one hash of a password.");
        describe_counter!(
            "guanxi_password_skipped_total",
            "Passwords that were not hashed, by cause: refused since the queue was full, or since their calls' deadlines were too near, or their callers had left."
        );
        let skipped =
            |cause: &'static str| metrics::counter!("guanxi_password_skipped_total", "cause" => cause);
        Self {
            clock,
            wait: metrics::histogram!("guanxi_password_wait_seconds"),
            run: metrics::histogram!("guanxi_password_hash_seconds"),
            refused: skipped("full"),
            left: skipped("left"),
            late: skipped("late"),
            usual: AtomicU64::new(0),
            hashes: AtomicU64::new(0),
            work_kib: AtomicU64::new(0),
        }
    }

    /// Returns the time.
    pub(super) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn since(&self, began_ms: u64) -> Duration {
        Duration::from_millis(self.now_ms().saturating_sub(began_ms))
    }

    /// Notes the end of a wait in the queue.
    pub(super) fn waited(&self, queued_ms: u64) {
        self.wait.record(self.since(queued_ms));
    }

    /// Notes a hash.
    pub(super) fn ran(&self, began_ms: u64, work_kib: u64) {
        let took = self.since(began_ms);
        self.run.record(took);
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let usual = self.usual.load(Ordering::Relaxed);
        // Two threads may write over each other: it is a mean.
        self.usual.store((usual - usual / 8).saturating_add(took_ms), Ordering::Relaxed);
        self.hashes.fetch_add(1, Ordering::Relaxed);
        self.work_kib.fetch_add(work_kib, Ordering::Relaxed);
    }

    /// Returns how many milliseconds a hash usually takes.
    pub(super) fn usual_ms(&self) -> u64 {
        self.usual.load(Ordering::Relaxed) / 8
    }

    /// Returns how many hashes were run, and the KiB that those of argon2 filled.
    pub(super) fn work(&self) -> (u64, u64) {
        (self.hashes.load(Ordering::Relaxed), self.work_kib.load(Ordering::Relaxed))
    }
}
