//! Following the logs: every committed event is applied, for any writer, dead or alive.

use super::Marks;
use super::wakes::LogWake;
use crate::store::ClusterCore;
use crate::tail::look;
use guanxi_model::Result;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a follower rests after a database could not be asked.
const REST: Duration = Duration::from_millis(250);

/// The least time between two transactions that apply events: what comes meanwhile goes together.
const GAP_MIN: Duration = Duration::from_millis(5);

/// The most.
const GAP_MAX: Duration = Duration::from_millis(50);

/// How many times as long as it took to apply events a follower rests, so that many go together when there is much to do.
const GAP_TIMES: u32 = 4;

/// Has the logs of a database looked at, every so often and when somebody tells that one has moved, until the store is closed.
pub(crate) async fn look_at_logs(shared: Weak<ClusterCore>, source: usize, every: Duration) {
    let Some(wake) = wake(&shared, source) else { return };
    let mut is_behind = false;
    loop {
        if !is_behind {
            let _told = timeout(every, wake.heard()).await;
        }
        let Some(shared) = shared.upgrade() else { return };
        let looked = look(&shared, source).await;
        drop(shared);
        is_behind = looked.as_ref().is_ok_and(|looked| looked.is_behind);
        if let Err(fault) = &looked {
            tracing::debug!(database = source, ?fault, "the heads of its logs cannot be read");
            sleep(REST).await;
        }
    }
}

/// Has the logs of a database applied to another whenever they are known to have moved, until the store is closed. Each two
/// databases have a follower of their own, so that one that is away holds up no other.
pub(crate) async fn carry_logs(shared: Weak<ClusterCore>, (source, target): (usize, usize)) {
    let Some(wake) = wake(&shared, source) else { return };
    let mut moved = wake.moved();
    drop(wake);
    // What was written before is looked at, too.
    moved.mark_changed();
    while moved.changed().await.is_ok() {
        loop {
            let Some(shared) = shared.upgrade() else { return };
            let began = Instant::now();
            let carried = carry(&shared, source, target).await;
            drop(shared);
            let gap = (began.elapsed() * GAP_TIMES).clamp(GAP_MIN, GAP_MAX);
            sleep(match carried {
                Ok(true) => gap,
                // Rows that others hold are looked at again, also when no log moves.
                Ok(false) => GAP_MAX,
                Err(_) => REST,
            })
            .await;
            if carried == Ok(true) {
                break;
            }
        }
    }
}

fn wake(shared: &Weak<ClusterCore>, database: usize) -> Option<Arc<LogWake>> {
    shared.upgrade().map(|shared| shared.wakes[database].clone())
}

/// Applies the logs of a database to another up to where they are known to have come. What this process has just written is not
/// looked at first: the table has it sooner. Returns whether no shard is behind.
async fn carry(shared: &Arc<ClusterCore>, source: usize, target: usize) -> Result<bool> {
    let appliers = shared.appliers()?;
    let applied = appliers.applied(target);
    let heads = shared.map().genes(source).map(|gene| (gene, shared.head(gene))).collect::<Marks>();
    let behind: Marks = heads.into_iter().filter(|(gene, seq)| applied.get(*gene) < *seq).collect();
    if behind.is_empty() { Ok(true) } else { appliers.carry(target, behind).await }
}
