//! When a call is repeated, and after which pause.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::call::CallKind;
use crate::error::CallError;

/// How often and how late calls are repeated.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Tries of one call, the first one included.
    pub tries: u32,
    /// The longest pause before the second try; it doubles for each further one.
    pub first_pause: Duration,
    /// The longest pause of all. A server that asks for a longer one is not asked again.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 5, first_pause: Duration::from_millis(100), longest_pause: Duration::from_secs(5) }
    }
}

impl RetryPolicy {
    /// Returns the pause before another try after so many, if there is to be one. `random` is spread over 64 bits.
    pub(crate) fn pause(&self, tried: u32, error: &CallError, random: u64) -> Option<Duration> {
        if tried >= self.tries {
            return None;
        }
        self.pause_for_ever(tried, error, random)
    }

    /// The same of a stream, which is opened again however often it breaks.
    pub(crate) fn pause_for_ever(&self, tried: u32, error: &CallError, random: u64) -> Option<Duration> {
        let doubled = self.first_pause.saturating_mul(1 << tried.saturating_sub(1).min(16));
        // All of it random, so that clients that broke off at once do not come back at once.
        let pause = doubled.min(self.longest_pause).mul_f64(random as f64 / u64::MAX as f64);
        let pause = error.retry_after.map_or(pause, |asked| asked + pause / 4);
        (pause <= self.longest_pause.mul_f64(1.25)).then_some(pause)
    }
}

/// Returns whether a call that failed may be repeated without doing something twice.
pub(crate) fn may_repeat(kind: CallKind, has_id: bool, error: &CallError) -> bool {
    error.is_refusal() || (error.is_unavailable() && (kind == CallKind::Read || has_id))
}

/// A function without arguments that a client asks.
type Asked = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What a client asks of the machine that it runs on.
#[derive(Clone)]
pub struct Surroundings {
    /// The time, in Unix milliseconds.
    pub now_ms: Asked,
    /// 64 random bits, for pauses and for the ids of requests: those of two clients must not be the same.
    pub random: Asked,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Surroundings")
    }
}

impl Surroundings {
    /// Asks these functions.
    pub fn new(
        now_ms: impl Fn() -> u64 + Send + Sync + 'static,
        random: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Self {
        Self { now_ms: Arc::new(now_ms), random: Arc::new(random) }
    }

    /// Returns an id for a request: 128 bits in hex digits.
    pub(crate) fn request_id(&self) -> String {
        format!("{:016x}{:016x}", (self.random)(), (self.random)())
    }
}
