//! One look at the logs of a database.

use crate::postgres::{Fault, Statements};
use crate::rows::{gene, number};
use crate::store::ClusterCore;
use guanxi_model::Gene;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// The least time between the beginnings of two looks: who asks meanwhile waits for the second, with all others.
const GAP_MIN: Duration = Duration::from_millis(2);

const HEADS: &str = "select gene, seq, epoch from gx.shard";

/// Where logs stand.
type Heads = BTreeMap<Gene, u64>;

/// What a look told.
#[derive(Clone, Debug)]
pub(crate) struct Looked {
    /// Where the logs of the database stand that this process knows to be there.
    pub heads: Arc<Heads>,
    /// How long it took to ask.
    pub took: Duration,
}

/// The looks at the logs of one database.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// How many have begun.
    begun: AtomicU64,
    last: Mutex<LastLook>,
}

/// The last look that came to its end.
#[derive(Debug, Default)]
struct LastLook {
    /// When the last one began, whether it came to its end or not.
    began: Option<Instant>,
    /// Which one it was, and what it told.
    told: Option<(u64, Result<Looked, Fault>)>,
}

/// Returns where the logs of a database stand, by a look that begins after this was called. One caller looks, and all that came before
/// it began are told the same.
pub(crate) async fn look(shared: &Arc<ClusterCore>, database: usize) -> Result<Looked, Fault> {
    let tail = &shared.tails[database];
    shared.served[database].breaker.pass()?;
    let came = tail.begun.load(Ordering::Acquire);
    let mut last = tail.last.lock().await;
    if let Some((_, told)) = last.told.as_ref().filter(|(number, _)| *number > came) {
        return told.clone();
    }
    if let Some(began) = last.began {
        sleep_until(began + GAP_MIN).await;
    }
    let (number, began) = (tail.begun.fetch_add(1, Ordering::AcqRel) + 1, Instant::now());
    last.began = Some(began);
    // A caller that goes away here leaves the look to the next.
    let told = heads_of(shared, database).await;
    let told = told.map(|heads| Looked { heads: Arc::new(heads), took: began.elapsed() });
    last.told = Some((number, told.clone()));
    told
}

/// Asks where the logs of a database stand. A row that the map does not speak of is of before or after a move.
async fn heads_of(shared: &Arc<ClusterCore>, database: usize) -> Result<Heads, Fault> {
    let seen = shared.seen_heads();
    let rows = shared.served[database].asks.rows(&Statements::one(HEADS, Vec::new())).await?;
    let (map, mut heads) = (shared.map(), Heads::new());
    for row in &rows {
        let (gene, seq) = (gene(row, 0)?, number(row, 1));
        if row.get::<_, i64>(2) == map.epoch(gene) && map.database(gene) == database {
            if let Some(seen) = seen.get(&gene).filter(|seen| **seen > seq) {
                let log = gene.0;
                let lost =
                    format!("log {log:02x} ends with event {seq}, and this process has seen event {seen}");
                return Err(shared.note_lost(database, &lost));
            }
            heads.insert(gene, seq);
        }
    }
    if heads.len() < map.genes(database).count() {
        shared.reload_soon();
    }
    for (gene, seq) in &heads {
        shared.note_head(*gene, *seq);
    }
    Ok(heads)
}
