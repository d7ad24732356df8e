//! The machine's clock: the only place that reads wall-clock time.

use guanxi_model::Clock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everything else takes as a parameter"
    )]
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 reads as 1970; the hybrid clock of the store goes on from its last stamp anyway.
        since.map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }
}
