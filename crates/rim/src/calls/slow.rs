//! Calls that took long.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Slow calls that are logged in a second: when all are slow, their log must not be what slows them. The counter has
/// them all.
const LOGGED_PER_SECOND_MAX: u32 = 100;

/// Tells which calls are slow, and counts them.
#[derive(Debug)]
pub struct SlowCalls {
    after: Duration,
    /// When the second began, and how many were logged in it.
    logged: Mutex<(Instant, u32)>,
    counted: metrics::Counter,
}

impl SlowCalls {
    /// Calls that take longer than `after`. The exporter must be installed by now.
    pub fn after(after: Duration) -> Self {
        metrics::describe_counter!("guanxi_slow_calls_total", "Calls that took longer than slow_call_ms.");
        let counted = metrics::counter!("guanxi_slow_calls_total");
        Self { after, logged: Mutex::new((Instant::now(), 0)), counted }
    }

    /// Returns whether a call is slow, and there is room in the log for it.
    pub(super) fn is_slow(&self, took: Duration) -> bool {
        if took <= self.after {
            return false;
        }
        self.counted.increment(1);
        let mut logged = self.logged.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if logged.0.elapsed() >= Duration::from_secs(1) {
            *logged = (Instant::now(), 0);
        }
        logged.1 += 1;
        logged.1 <= LOGGED_PER_SECOND_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_calls_are_those_beyond_the_bound_and_a_flood_of_them_is_cut() {
        let slow = SlowCalls::after(Duration::from_millis(5));
        assert!(!slow.is_slow(Duration::from_millis(5)));
        let told = (0..1_000).filter(|_| slow.is_slow(Duration::from_millis(6))).count();
        assert!((100..=200).contains(&told), "{told}");
    }
}
