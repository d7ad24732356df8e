//! Batches at work in a database: what waits is taken together, tried until it is settled, and answered.
//!
//! While a batch is at work, what comes waits for the next one, which grows. A second one begins beside it only where enough waits to
//! fill it, or a write has waited for long. For 64 callers, two batches of thirty writes at once took three quarters of the processor time of
//! four batches of fifteen, and answered a third more calls a second.

use super::apart::Apart;
use super::tries::{BatchTries, answer};
use super::waiting::WaitingJobs;
use super::{LANES, LaneJob, Store, WAITING_MAX};
use crate::store::ClusterCore;
use guanxi_model::Gene;
use guanxi_postgres::Fault;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinSet};
use tokio::time::sleep_until;

/// When a batch begins beside one other, beside two and beside three: so many commands wait, or the first of them has waited for so
/// long.
const BESIDE: [(usize, Duration); LANES - 1] =
    [(32, Duration::from_millis(10)), (128, Duration::from_millis(50)), (256, Duration::from_millis(100))];

/// The batches of one database, of shards or of settings.
pub(super) struct BatchTask {
    shared: Store,
    jobs: mpsc::Receiver<LaneJob>,
    tries: BatchTries,
    waiting: WaitingJobs,
    /// The batches at work. They end with this.
    running: JoinSet<()>,
    at_work: HashMap<Id, BatchAtWork>,
    /// A shard of each batch whose outcome is not known for long.
    hanging: (mpsc::UnboundedSender<Gene>, mpsc::UnboundedReceiver<Gene>),
    /// The writes of shards that others hold.
    apart: Arc<Apart>,
}

/// A batch at work.
struct BatchAtWork {
    genes: BTreeSet<Gene>,
    /// Whether its outcome is not known for long: then what concerns the same shards is refused, and others do not wait for it.
    hangs: bool,
}

impl BatchTask {
    /// Without anything to do.
    pub(super) fn new(shared: Store, tries: BatchTries, jobs: mpsc::Receiver<LaneJob>) -> Self {
        Self {
            apart: Arc::new(Apart::start(shared.clone(), tries)),
            shared,
            jobs,
            tries,
            waiting: WaitingJobs::default(),
            running: JoinSet::new(),
            at_work: HashMap::new(),
            hanging: mpsc::unbounded_channel(),
        }
    }

    /// Works until the store is closed.
    pub(super) async fn run(mut self) {
        loop {
            while let Ok(job) = self.jobs.try_recv() {
                self.came(job);
                if self.is_full() {
                    break;
                }
            }
            let beside = self.lanes().checked_sub(1).and_then(|others| BESIDE.get(others));
            let begins_at = self.waiting.since().zip(beside).map(|(since, (_, waits))| since + *waits);
            if self.begins() {
                let Some(shared) = self.shared.upgrade() else { return };
                self.begin(shared);
                continue;
            }
            tokio::select! {
                job = self.jobs.recv(), if !self.is_full() => match job {
                    Some(job) => self.came(job),
                    None => return,
                },
                Some(ended) = self.running.join_next_with_id() => {
                    let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                    if let Some(batch) = self.at_work.remove(&id) {
                        self.waiting.ended(&batch.genes);
                    }
                }
                Some(gene) = self.hanging.1.recv() => self.hangs(gene),
                () = sleep_until(begins_at.unwrap_or_else(tokio::time::Instant::now)), if begins_at.is_some() => {}
            }
        }
    }

    /// Whether it takes no more writes for now.
    fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING_MAX
    }

    /// How many batches others wait for.
    fn lanes(&self) -> usize {
        self.at_work.values().filter(|batch| !batch.hangs).count()
    }

    /// Whether a batch is to begin.
    fn begins(&self) -> bool {
        let Some(since) = self.waiting.since() else { return false };
        let Some(others) = self.lanes().checked_sub(1) else { return true };
        let is_due = |(commands, waits): &(usize, Duration)| {
            self.waiting.commands() >= *commands || since.elapsed() >= *waits
        };
        BESIDE.get(others).is_some_and(is_due)
    }

    /// Takes in a write; refuses it where the outcome of a commit to its shard is not known.
    fn came(&mut self, job: LaneJob) {
        if self.at_work.values().any(|batch| batch.hangs && batch.genes.contains(&job.home)) {
            refuse(job);
        } else {
            self.waiting.push(job);
        }
    }

    /// Notes that the outcome of a batch is not known for long.
    fn hangs(&mut self, gene: Gene) {
        let hanging = self.at_work.values().filter(|batch| batch.hangs).count();
        let batch = self.at_work.values_mut().find(|batch| batch.genes.contains(&gene));
        let Some(batch) = batch.filter(|_| hanging < LANES) else { return };
        batch.hangs = true;
        for gene in &batch.genes {
            self.waiting.take_behind(*gene).into_iter().for_each(refuse);
        }
    }

    /// Begins a batch. What concerns shards that others hold waits apart.
    fn begin(&mut self, shared: Arc<ClusterCore>) {
        let batch = self.waiting.take();
        let genes: BTreeSet<Gene> = batch.iter().map(|job| job.home).collect();
        let (held, batch): (Vec<_>, Vec<_>) = batch.into_iter().partition(|job| self.apart.has(job.home));
        held.into_iter().for_each(|job| self.apart.take(job));
        let (tries, apart, hanging) = (self.tries, self.apart.clone(), self.hanging.0.clone());
        let first = genes.first().copied();
        let all = async move {
            // Its receiver is there as long as this task.
            let hangs = || first.into_iter().for_each(|gene| hanging.send(gene).unwrap_or_default());
            answer(&shared, tries, batch, &hangs, &mut |job| apart.take(job)).await;
        };
        let id = self.running.spawn(all).id();
        self.at_work.insert(id, BatchAtWork { genes, hangs: false });
    }
}

/// Refuses a write to a shard of which the outcome of a commit is not known.
fn refuse(job: LaneJob) {
    let error = Fault::Again("nobody knows what came of a commit to this shard".to_owned());
    // No caller waits any more for a job that was given up.
    drop(job.reply.send(Err(error.told())));
}
