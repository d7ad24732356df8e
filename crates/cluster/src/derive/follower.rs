//! Following the logs: whatever was committed is applied, whoever wrote it and whether or not that one lives.

use super::{Marks, reservations};
use crate::store::ClusterCore;
use guanxi_model::{Gene, Result};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the follower rests after a database could not be asked.
const REST: Duration = Duration::from_millis(250);

/// How often it is looked for reservations that nobody comes back to.
const RELEASE_EVERY: Duration = Duration::from_secs(10);

/// Has the logs of a database looked at, and what all logs have applied to it, until the store is closed. Each database has a
/// follower of its own, so that one that is away holds up no other.
pub(crate) async fn follow_logs(shared: Weak<ClusterCore>, database: usize, every: Duration) {
    let mut released = Instant::now();
    loop {
        sleep(every).await;
        let Some(shared) = shared.upgrade() else { return };
        if released.elapsed() >= RELEASE_EVERY {
            reservations::release(&shared, database).await;
            released = Instant::now();
        }
        let looked = shared.heads_of(database).await;
        if let Err(fault) = &looked {
            tracing::debug!(database, ?fault, "the heads of its logs cannot be read");
        }
        if looked.is_err() || carry(&shared, database).await.is_err() {
            sleep(REST).await;
        }
    }
}

/// Applies logs to a database up to where they are known to have come.
async fn carry(shared: &Arc<ClusterCore>, database: usize) -> Result<()> {
    let appliers = shared.appliers()?;
    let applied = appliers.applied(database);
    let heads = (0..=u8::MAX).map(|gene| (Gene(gene), shared.head(Gene(gene))));
    let behind: Marks = heads.filter(|(source, seq)| applied.get(*source) < *seq).collect();
    if behind.is_empty() { Ok(()) } else { appliers.reach(database, behind).await }
}
