//! What the tests of jobs share: a store, a clock that they turn, and a job that works to its end.

use crate::jobs::BackgroundJob;
use guanxi_model::{Command, ManualClock, Op, PairCommand, Position, Reason, Result, Uid, Write};
use guanxi_ports::{Applied, Facts as _, Log as _};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;

/// When the clock starts.
pub(crate) const START_MS: u64 = 2_000_000_000_000;

/// An hour, in milliseconds.
pub(crate) const HOUR_MS: u64 = 3_600 * 1_000;

/// A day, in milliseconds.
pub(crate) const DAY_MS: u64 = 24 * HOUR_MS;

/// A user by number.
pub(crate) fn u(raw: u64) -> Uid {
    Uid::new(raw).unwrap()
}

/// A store, and the position of all that the test wrote.
pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) last: Position,
}

impl World {
    pub(crate) async fn of(options: Options) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), options));
        let last = store.head().await.unwrap();
        Self { store, clock, last }
    }

    pub(crate) async fn write(&mut self, command: impl Into<Command>) -> Applied {
        let applied = self.store.apply(Write::of(command)).await.unwrap();
        self.last.join(&applied.position);
        applied
    }

    pub(crate) async fn act(&mut self, op: Op, subject: u64, object: u64) -> Result<bool, Reason> {
        self.write(PairCommand { op, subject: u(subject), object: u(object) }).await.outcomes[0].result()
    }
}

/// Works until there is nothing to do; returns the number of pieces.
pub(crate) async fn work(job: &mut impl BackgroundJob) -> usize {
    for piece in 0..10_000 {
        if !job.step().await.unwrap() {
            return piece;
        }
    }
    panic!("the job has no end");
}
