//! The writes to one database that wait for a batch, in the order in which they came.

use super::LaneJob;
use super::size::BatchSize;
use guanxi_model::Gene;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tokio::time::Instant;

/// Writes that wait. No two batches at once are about one shard, so what comes for the shard of a batch waits for that batch.
#[derive(Default)]
pub(super) struct WaitingJobs {
    /// Those of other shards.
    ready: VecDeque<LaneJob>,
    /// How many commands these have.
    commands: usize,
    /// Those of each shard that a batch is about.
    behind: BTreeMap<Gene, VecDeque<LaneJob>>,
    /// How many wait in all.
    len: usize,
}

impl WaitingJobs {
    /// Adds a write that came.
    pub(super) fn push(&mut self, job: LaneJob) {
        self.len += 1;
        self.sort_in(job);
    }

    fn sort_in(&mut self, job: LaneJob) {
        if let Some(behind) = self.behind.get_mut(&job.home) {
            behind.push_back(job);
        } else {
            self.commands += job.work.commands();
            self.ready.push_back(job);
        }
    }

    /// How many wait.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// How many commands a batch could take now.
    pub(super) const fn commands(&self) -> usize {
        self.commands
    }

    /// Since when the first waits that a batch could take now.
    pub(super) fn since(&self) -> Option<Instant> {
        self.ready.front().map(|job| job.since)
    }

    /// Takes as many for a batch as it has room for.
    pub(super) fn take(&mut self) -> Vec<LaneJob> {
        let (mut size, mut batch) = (BatchSize::default(), Vec::new());
        while let Some(job) = self.ready.pop_front_if(|job| size.admits(job)) {
            self.behind.entry(job.home).or_default();
            batch.push(job);
        }
        self.len -= batch.len();
        self.commands = 0;
        std::mem::take(&mut self.ready).into_iter().for_each(|job| self.sort_in(job));
        batch
    }

    /// Takes those that wait for a batch which is about a shard.
    pub(super) fn take_behind(&mut self, gene: Gene) -> VecDeque<LaneJob> {
        let taken = self.behind.get_mut(&gene).map(std::mem::take).unwrap_or_default();
        self.len -= taken.len();
        taken
    }

    /// Notes that a batch about some shards has ended. What waited for it goes before what came for other shards.
    pub(super) fn ended(&mut self, genes: &BTreeSet<Gene>) {
        for gene in genes {
            for job in self.behind.remove(gene).into_iter().flatten().rev() {
                self.commands += job.work.commands();
                self.ready.push_front(job);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Uid;
    use guanxi_shard::batch::ShardWork;
    use tokio::sync::oneshot;

    /// A write of a shard; its number is told by its pair.
    fn job(gene: u8, number: u64) -> LaneJob {
        let uid = Uid::new(number << 8 | u64::from(gene)).unwrap();
        let (reply, _) = oneshot::channel();
        LaneJob { home: Gene(gene), work: ShardWork::Release((uid, uid), None), since: Instant::now(), reply }
    }

    fn told(jobs: impl IntoIterator<Item = LaneJob>) -> Vec<(u8, u64)> {
        let number = |job: &LaneJob| match job.work {
            ShardWork::Release((uid, _), _) => uid.get() >> 8,
            _ => 0,
        };
        jobs.into_iter().map(|job| (job.home.0, number(&job))).collect()
    }

    /// Batches begin and end at random, and writes come. No two batches at once are about one shard, the writes of a shard are taken
    /// in order, and each is taken once.
    #[test]
    fn writes_of_a_shard_are_taken_in_order_by_one_batch_at_once() {
        for seed in 0..200_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut below = |n: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % n
            };
            let genes = 1 + below(100);
            let (mut waiting, mut at_work, mut last) = (WaitingJobs::default(), Vec::new(), BTreeMap::new());
            let (mut came, mut taken) = (0, 0);
            for step in 0..600 {
                match below(4) {
                    0 if step < 400 && waiting.commands() > 0 => {
                        let batch = told(waiting.take());
                        let shards: BTreeSet<Gene> = batch.iter().map(|(gene, _)| Gene(*gene)).collect();
                        assert!(!batch.is_empty() && at_work.iter().all(|other| shards.is_disjoint(other)));
                        for (gene, number) in batch {
                            assert!(last.insert(gene, number).is_none_or(|last| last < number), "in order");
                            taken += 1;
                        }
                        at_work.push(shards);
                    }
                    1 if !at_work.is_empty() => {
                        let place = usize::try_from(below(at_work.len() as u64)).unwrap();
                        waiting.ended(&at_work.swap_remove(place));
                    }
                    _ if step < 400 => {
                        came += 1;
                        waiting.push(job(u8::try_from(below(genes)).unwrap(), came));
                    }
                    _ => {}
                }
            }
            at_work.iter().for_each(|shards| waiting.ended(shards));
            while waiting.commands() > 0 {
                let batch = told(waiting.take());
                taken += batch.len() as u64;
                waiting.ended(&batch.iter().map(|(gene, _)| Gene(*gene)).collect());
            }
            assert_eq!((taken, waiting.len()), (came, 0), "seed {seed}");
        }
    }

    #[test]
    fn what_waits_for_a_batch_can_be_refused() {
        let mut waiting = WaitingJobs::default();
        waiting.push(job(1, 1));
        drop(waiting.take());
        [(1, 2), (2, 3), (1, 4)].into_iter().for_each(|(gene, number)| waiting.push(job(gene, number)));
        assert_eq!(told(waiting.take_behind(Gene(1))), [(1, 2), (1, 4)]);
        assert_eq!(told(waiting.take()), [(2, 3)]);
        assert_eq!(waiting.len(), 0);
    }
}
