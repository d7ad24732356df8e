//! A lane at work: what waits is taken together, tried until it is settled, and answered.

use super::apart::Apart;
use super::size::BatchSize;
use super::tries::{BatchTries, answer};
use super::{LaneJob, Store};
use crate::postgres::Fault;
use crate::store::ClusterCore;
use guanxi_model::Gene;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

/// A lane of one database.
pub(super) struct LaneTask {
    shared: Store,
    jobs: mpsc::Receiver<LaneJob>,
    tries: BatchTries,
    /// The batch at work, and one whose outcome is not known for long. They end with the lane.
    running: JoinSet<()>,
    /// The shards of the batch whose outcome is not known.
    unknown: BTreeSet<Gene>,
    /// The writes of shards that others hold.
    apart: Arc<Apart>,
}

impl LaneTask {
    /// A lane without anything to do.
    pub(super) fn new(shared: Store, tries: BatchTries, jobs: mpsc::Receiver<LaneJob>) -> Self {
        let apart = Arc::new(Apart::start(shared.clone(), tries));
        Self { shared, jobs, tries, running: JoinSet::new(), unknown: BTreeSet::new(), apart }
    }

    /// Works until the store is closed.
    pub(super) async fn run(mut self) {
        let mut next = None;
        loop {
            let first = match next.take() {
                Some(job) => job,
                None => match self.jobs.recv().await {
                    Some(job) => job,
                    None => return,
                },
            };
            let Some(shared) = self.shared.upgrade() else { return };
            if self.running.try_join_next().is_some() {
                self.unknown.clear();
            }
            let (batch, rest) = self.take(first);
            next = rest;
            let batch = self.left_to_batches(batch);
            if !batch.is_empty() {
                self.answered(shared, batch).await;
            }
        }
    }

    /// Takes what waits, and what did not fit any more.
    fn take(&mut self, first: LaneJob) -> (Vec<LaneJob>, Option<LaneJob>) {
        let mut size = BatchSize::default();
        size.admits(&first);
        let mut batch = vec![first];
        while let Ok(job) = self.jobs.try_recv() {
            if !size.admits(&job) {
                return (batch, Some(job));
            }
            batch.push(job);
        }
        (batch, None)
    }

    /// Refuses what concerns shards of which the outcome of a commit is not known, and has what concerns those that others hold
    /// wait apart. Returns the rest.
    fn left_to_batches(&self, jobs: Vec<LaneJob>) -> Vec<LaneJob> {
        let mut batch = Vec::new();
        for job in jobs {
            if self.unknown.contains(&job.home) {
                let error = Fault::Again("nobody knows what came of a commit to this shard".to_owned());
                drop(job.reply.send(Err(error.told())));
            } else if self.apart.has(job.home) {
                self.apart.take(job);
            } else {
                batch.push(job);
            }
        }
        batch
    }

    /// Has a batch answered. If its outcome is not known for long, it goes on beside later ones.
    async fn answered(&mut self, shared: Arc<ClusterCore>, batch: Vec<LaneJob>) {
        let (genes, hangs) = (batch.iter().map(|job| job.home).collect(), Arc::new(Notify::new()));
        let (tries, apart, hang) = (self.tries, self.apart.clone(), hangs.clone());
        let all = async move { answer(&shared, tries, batch, &hang, &mut |job| apart.take(job)).await };
        let current = self.running.spawn(all).id();
        loop {
            tokio::select! {
                Some(ended) = self.running.join_next_with_id() => match ended {
                    Ok((id, ())) if id == current => return,
                    Err(error) if error.id() == current => return,
                    _ => self.unknown.clear(),
                },
                () = hangs.notified(), if self.unknown.is_empty() => {
                    self.unknown = genes;
                    return;
                }
            }
        }
    }
}
