//! The steps of a meeting, and their results.

use crate::batch::{ShardAnswer, ShardWork};
use guanxi_model::Gene;
use std::collections::{BTreeMap, BTreeSet};

/// Up to which event of each log.
pub type LogMarks = BTreeMap<Gene, u64>;

/// What is to be done next.
#[derive(Debug)]
pub enum MeetingStep {
    /// The databases of shards are asked where the logs of these stand.
    Heads(BTreeSet<Gene>),
    /// Shards take in what others have done up to events of their logs.
    Reach(BTreeSet<Gene>, LogMarks),
    /// A piece of work in a shard.
    Work(Gene, ShardWork),
    /// Nothing: this is the answer.
    Done(Box<ShardAnswer>),
}

/// The result of a step.
#[derive(Debug)]
pub enum StepResult {
    /// There was none yet.
    Begun,
    /// Where the logs stand.
    Heads(LogMarks),
    /// The shards have taken in what they were to.
    Reached,
    /// The answer to the work.
    Answer(ShardAnswer),
}
