//! How the clock of this process stands to that of the first database: times of what it writes are never far from those of others.

use crate::serving::CLOCK_SKEW_MS_MAX;
use guanxi_model::{Clock, Error, Reason, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// A look at both clocks.
#[derive(Clone, Copy, Debug)]
struct ClockLook {
    /// By how many milliseconds the database's was ahead of ours.
    ahead_ms: i64,
    /// What ours said then, and when that was: if the two go on otherwise, our clock was set.
    own_ms: u64,
    at: Instant,
}

/// What is known of our clock; nothing before the first look, as in a process that does not serve.
pub(crate) struct ClockWatch {
    clock: Arc<dyn Clock>,
    look: Mutex<Option<ClockLook>>,
    /// Whether it was said that it is wrong.
    is_told: AtomicBool,
}

impl ClockWatch {
    /// Nothing is known.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, look: Mutex::default(), is_told: AtomicBool::new(false) }
    }

    /// Takes in a look, which ended just now, when our clock said so much.
    pub(crate) fn note(&self, ahead_ms: i64, own_ms: u64) {
        *self.look() = Some(ClockLook { ahead_ms, own_ms, at: Instant::now() });
        metrics::gauge!("guanxi_clock_ahead_seconds").set(ahead_ms as f64 / 1_000.0);
        self.is_right();
    }

    /// Returns by how many milliseconds the database's clock is ahead of ours now.
    fn ahead_ms(&self) -> i64 {
        let Some(look) = *self.look() else { return 0 };
        let went = self.clock.now_ms().cast_signed().saturating_sub(look.own_ms.cast_signed());
        let passed = i64::try_from(look.at.elapsed().as_millis()).unwrap_or(i64::MAX);
        look.ahead_ms.saturating_sub(went.saturating_sub(passed))
    }

    /// Returns what is wrong, with what to do.
    pub(crate) fn problem(&self) -> Option<String> {
        let ahead = self.ahead_ms();
        (ahead.unsigned_abs() > CLOCK_SKEW_MS_MAX).then(|| {
            format!(
                "the first database's clock is {ahead} ms ahead of ours, and {CLOCK_SKEW_MS_MAX} ms are allowed: synchronize both"
            )
        })
    }

    /// Returns whether our clock is right, as far as is known. Says it once whenever that changes.
    pub(crate) fn is_right(&self) -> bool {
        let problem = self.problem();
        let was_told = self.is_told.swap(problem.is_some(), Ordering::AcqRel);
        match &problem {
            Some(problem) if !was_told => tracing::warn!("{problem}; this process refuses writes until then"),
            None if was_told => tracing::info!("our clock is right again: this process takes writes"),
            _ => {}
        }
        problem.is_none()
    }

    /// Checks that our clock is right.
    ///
    /// # Errors
    /// `CLOCK_WRONG`.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_right() { Ok(()) } else { Err(Error::new(Reason::ClockWrong)) }
    }

    fn look(&self) -> MutexGuard<'_, Option<ClockLook>> {
        self.look.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ManualClock;
    use std::time::Duration;

    /// Lets both go on.
    async fn pass(clock: &ManualClock, ms: u64) {
        clock.advance(ms);
        tokio::time::advance(Duration::from_millis(ms)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_set_is_noticed_at_once() {
        let clock = Arc::new(ManualClock::new(1_000_000));
        let watch = ClockWatch::new(clock.clone());
        clock.advance(10_000);
        assert_eq!(watch.check(), Ok(()), "nothing is known");
        watch.note(-400, clock.now_ms());
        pass(&clock, 60_000).await;
        assert!(watch.is_right());
        clock.advance(200);
        assert_eq!(watch.check(), Err(Error::new(Reason::ClockWrong)));
        assert!(watch.problem().unwrap().contains("is -600 ms ahead"), "{:?}", watch.problem());
        tokio::time::advance(Duration::from_millis(200)).await;
        assert!(watch.is_right(), "it was put right");
        watch.note(501, clock.now_ms());
        assert!(!watch.is_right());
        watch.note(500, clock.now_ms());
        assert!(watch.is_right());
    }
}
