//! What is done apart from batches: the writes of shards whose rows others hold, such as a stopped process, or an operator
//! in a session. They wait here, so that the writes of other shards do not wait with them.

use super::size::BatchSize;
use super::tries::{BatchTries, answer};
use super::{LaneJob, Store, WAITING_MAX, overloaded};
use guanxi_model::Gene;
use guanxi_postgres::Fault;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// After which time a write that waits for its shard is not tried once more. Each try waits for 300 ms.
const TRIED_UNTIL: Duration = Duration::from_millis(900);

/// How long it waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// The writes to a database that wait for shards which others hold.
pub(super) struct Apart {
    queue: mpsc::UnboundedSender<LaneJob>,
    waiting: Arc<ApartCounts>,
    /// What tries them. It ends with this.
    _task: JoinSet<()>,
}

/// How many writes wait for each shard, which bounds them.
#[derive(Debug, Default)]
struct ApartCounts(Mutex<BTreeMap<Gene, usize>>);

impl ApartCounts {
    fn get(&self) -> MutexGuard<'_, BTreeMap<Gene, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes one that is answered.
    fn answered(&self, gene: Gene) {
        let mut counts = self.get();
        if let Some(count) = counts.get_mut(&gene) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&gene);
            }
        }
    }
}

impl Apart {
    /// Starts what tries them.
    pub(super) fn start(shared: Store, tries: BatchTries) -> Self {
        let (queue, jobs) = mpsc::unbounded_channel();
        let (waiting, mut task) = (Arc::<ApartCounts>::default(), JoinSet::new());
        task.spawn(work(shared, tries.apart(), jobs, waiting.clone()));
        Self { queue, waiting, _task: task }
    }

    /// Returns whether writes wait for a shard: later ones wait with them.
    pub(super) fn has(&self, gene: Gene) -> bool {
        self.waiting.get().contains_key(&gene)
    }

    /// Takes a write; refuses it when too many wait.
    pub(super) fn take(&self, job: LaneJob) {
        let mut counts = self.waiting.get();
        if counts.values().sum::<usize>() >= WAITING_MAX {
            drop(job.reply.send(Err(overloaded())));
            return;
        }
        *counts.entry(job.home).or_default() += 1;
        drop(counts);
        // What tries them ends with this alone.
        let _sent = self.queue.send(job);
    }
}

/// Tries what waits, until the store is closed.
async fn work(
    shared: Store,
    tries: BatchTries,
    mut jobs: mpsc::UnboundedReceiver<LaneJob>,
    counts: Arc<ApartCounts>,
) {
    let mut waiting = Vec::new();
    loop {
        if waiting.is_empty() {
            let Some(first) = jobs.recv().await else { return };
            waiting.push(first);
        }
        while let Ok(job) = jobs.try_recv() {
            waiting.push(job);
        }
        let Some(shared) = shared.upgrade() else { return };
        let mut size = BatchSize::default();
        let (batch, rest): (Vec<LaneJob>, Vec<LaneJob>) =
            waiting.into_iter().partition(|job| size.admits(job));
        let genes: Vec<Gene> = batch.iter().map(|job| job.home).collect();
        let mut left = Vec::new();
        answer(&shared, tries, batch, &|| (), &mut |job| left.push(job)).await;
        let (late, again): (Vec<LaneJob>, Vec<LaneJob>) =
            left.into_iter().partition(|job| job.since.elapsed() >= TRIED_UNTIL);
        for job in late {
            let held = Fault::Locked("others hold the row of its shard".to_owned());
            job.answer(&shared, Err(held.told()));
        }
        let mut answered = genes;
        for job in &again {
            answered.extract_if(.., |gene| *gene == job.home).next();
        }
        answered.into_iter().for_each(|gene| counts.answered(gene));
        let is_held = !again.is_empty();
        // Those that came later are tried first.
        waiting = rest;
        waiting.extend(again);
        drop(shared);
        if is_held {
            sleep(PAUSE).await;
        }
    }
}
