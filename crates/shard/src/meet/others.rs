//! Which other shards a write between two users is about.

use guanxi_model::{Command, Gene, Op, PairCommand, Reason, Result, Write};
use std::collections::BTreeSet;

/// How often a write is planned anew that met something else at the other user.
const TRIES: usize = 3;

/// The shards of the other users of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherShards {
    /// All of them. The write stands in each before it is answered.
    pub all: BTreeSet<Gene>,
    /// The shards whose events are taken in before the write is planned.
    pub looked_at: BTreeSet<Gene>,
}

impl OtherShards {
    /// Returns those of a write whose home is a shard.
    pub fn of(write: &Write, own: Gene) -> Self {
        let pairs = write.commands.iter().filter_map(|command| match command {
            Command::Pair(command) => Some(*command),
            _ => None,
        });
        let other = |command: PairCommand| Some(command.object.gene()).filter(|gene| *gene != own);
        Self {
            all: pairs.clone().filter_map(other).collect(),
            looked_at: pairs.filter(|command| looks_at_the_other(command.op)).filter_map(other).collect(),
        }
    }
}

/// Returns whether the effect of an operation depends on a fact of the other user that may arrive after its answer:
/// whether it follows.
pub const fn looks_at_the_other(op: Op) -> bool {
    !matches!(op, Op::RejectFriendRequest | Op::RejectFollow | Op::ExpireRequest)
}

/// Returns whether a write is planned anew that was to take a request back: it was approved meanwhile, so that what it began ends.
pub fn is_tried_again(taken_back: &Result<bool, Reason>, tries: usize) -> bool {
    *taken_back == Ok(false) && tries < TRIES
}
