//! How much goes into one batch.

use super::LaneJob;
use guanxi_model::Gene;
use std::collections::BTreeSet;

/// Commands of one batch.
const BATCH_COMMANDS_MAX: usize = 256;

/// Shards of one batch.
const BATCH_SHARDS_MAX: usize = 64;

/// How much a batch has.
#[derive(Debug, Default)]
pub(super) struct BatchSize {
    genes: BTreeSet<Gene>,
    commands: usize,
}

impl BatchSize {
    /// Returns whether it has room for one job more, which then has its place.
    pub(super) fn admits(&mut self, job: &LaneJob) -> bool {
        let commands = self.commands + job.work.commands();
        let genes = self.genes.len() + usize::from(!self.genes.contains(&job.home));
        let fits = self.commands == 0 || (commands <= BATCH_COMMANDS_MAX && genes <= BATCH_SHARDS_MAX);
        if fits {
            self.commands = commands;
            self.genes.insert(job.home);
        }
        fits
    }
}
