//! The share of time that a check takes.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest rest at once: a check that is told to stop is not asleep for longer. What it owes beyond that it rests later.
const REST_MAX: Duration = Duration::from_mins(1);

/// Rests so long after each piece of work that the work is a share of all time.
#[derive(Debug)]
pub(super) struct CheckPace {
    share: f64,
    since: Instant,
    /// How long it has worked.
    pub busy: Duration,
    /// How long it has to rest.
    owed: Duration,
}

impl CheckPace {
    /// A share above 0 and up to 1.
    pub(super) fn new(share: f64) -> Self {
        Self { share, since: Instant::now(), busy: Duration::ZERO, owed: Duration::ZERO }
    }

    /// Rests after the work since the last rest.
    pub(super) async fn rest(&mut self) {
        let worked = self.since.elapsed();
        self.busy += worked;
        self.owed += worked.mul_f64((1.0 - self.share).max(0.0) / self.share);
        let began = Instant::now();
        let rest = self.owed.min(REST_MAX);
        if !rest.is_zero() {
            sleep(rest).await;
        }
        // A sleep that was longer than asked for is rest, too.
        self.since = Instant::now();
        self.owed = self.owed.saturating_sub(self.since - began);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    /// Works for so many milliseconds, piece by piece; returns how long that took with the rests.
    async fn worked(share: f64, pieces: &[u64]) -> Duration {
        let began = Instant::now();
        let mut pace = CheckPace::new(share);
        for piece in pieces {
            advance(Duration::from_millis(*piece)).await;
            pace.rest().await;
        }
        assert_eq!(pace.busy, Duration::from_millis(pieces.iter().sum()));
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn work_is_a_share_of_time() {
        let ms = Duration::from_millis;
        assert_eq!(worked(1.0, &[10, 30]).await, ms(40));
        for (share, all) in [(0.5, 80), (0.05, 800)] {
            let took = worked(share, &[10, 25, 5]).await;
            assert!((ms(all)..ms(all + 5)).contains(&took), "{share}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_owed_beyond_the_longest_rest_is_rested_later() {
        let took = worked(0.05, &[10_000, 1, 1, 1]).await;
        assert!(took > Duration::from_millis(10_003 * 20 - 1_000), "{took:?}");
        let at_once = worked(0.05, &[10_000]).await;
        assert_eq!(at_once, Duration::from_secs(10) + REST_MAX);
    }
}
