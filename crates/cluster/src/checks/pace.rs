//! The share of time that a check takes.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest rest at once.
const REST_MAX: Duration = Duration::from_mins(1);

/// Rests so long after each piece of work that the work is a share of all time.
#[derive(Debug)]
pub(super) struct CheckPace {
    share: f64,
    since: Instant,
}

impl CheckPace {
    /// A share above 0 and up to 1.
    pub(super) fn new(share: f64) -> Self {
        Self { share, since: Instant::now() }
    }

    /// Rests after the work since the last rest.
    pub(super) async fn rest(&mut self) {
        let rest = rest(self.since.elapsed(), self.share);
        if !rest.is_zero() {
            sleep(rest).await;
        }
        self.since = Instant::now();
    }
}

/// How long to rest after being busy for some time.
fn rest(busy: Duration, share: f64) -> Duration {
    busy.mul_f64((1.0 - share).max(0.0) / share).min(REST_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_a_share_of_time() {
        let ms = Duration::from_millis;
        assert_eq!(rest(ms(10), 1.0), Duration::ZERO);
        assert_eq!(rest(ms(10), 0.5), ms(10));
        assert_eq!(rest(ms(10), 0.05), ms(190));
        assert_eq!(rest(ms(1_000_000), 0.05), REST_MAX);
    }
}
