//! Up to where a log is applied in the shards of a database.
//!
//! One mark passes with the effects on all shards. A shard whose rows another transaction holds stays behind it: the mark notes the
//! first event that this shard waits for, in the commit that passes over it. Later events of the log for that shard wait, too.

use guanxi_model::Gene;
use std::collections::{BTreeMap, BTreeSet};

/// Up to where a log is applied in a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliedMark {
    /// Its last event that is applied, but for shards that are behind.
    pub seq: u64,
    /// The version of that event.
    pub version: Option<i64>,
    /// By shard, the first event that it waits for.
    pub behind: BTreeMap<Gene, u64>,
}

/// The shards of a database to which logs are to be applied.
#[derive(Clone, Debug)]
pub enum Targets {
    /// All of them.
    All,
    /// Some of them.
    Shards(BTreeSet<Gene>),
    /// All of them whose rows no other session holds.
    Free,
}

impl Targets {
    /// One shard.
    pub fn one(gene: Gene) -> Self {
        Self::Shards(BTreeSet::from([gene]))
    }
}

/// Shards that are behind a mark, each with the first event that it waits for: those that a part of the log brings on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueShards(BTreeMap<Gene, u64>);

impl DueShards {
    /// Returns whether an event is to be applied to a shard.
    pub fn contains(&self, target: Gene, seq: u64) -> bool {
        self.0.get(&target).is_some_and(|from| seq >= *from)
    }

    /// Returns the first event that any of them waits for.
    pub fn first(&self) -> Option<u64> {
        self.0.values().min().copied()
    }
}

impl AppliedMark {
    /// Returns up to where the log is applied to every shard.
    pub fn whole(&self) -> u64 {
        self.behind.values().fold(self.seq, |whole, from| whole.min(from.saturating_sub(1)))
    }

    /// Returns up to where it is applied to some shards.
    pub fn to(&self, targets: &Targets) -> u64 {
        match targets {
            Targets::Free => self.seq,
            Targets::All => self.whole(),
            Targets::Shards(genes) => {
                let behind = genes.iter().filter_map(|gene| self.behind.get(gene));
                behind.fold(self.seq, |upto, from| upto.min(from.saturating_sub(1)))
            }
        }
    }

    /// Returns whether an event is the next for a shard: it is beyond the mark, and the shard is not behind.
    pub fn is_next(&self, target: Gene, seq: u64) -> bool {
        seq > self.seq && !self.behind.contains_key(&target)
    }

    /// Moves the mark to an event and its version, unless it has passed that already.
    pub const fn pass(&mut self, upto: u64, version: Option<i64>) {
        if upto > self.seq {
            (self.seq, self.version) = (upto, version);
        }
    }

    /// Leaves a shard behind, from an event on that the mark passes without it.
    pub fn hold(&mut self, target: Gene, seq: u64) {
        self.behind.entry(target).or_insert(seq);
    }

    /// Returns which of some shards a part of the log brings on that was read after an event. A shard that waits for an event before
    /// that part is not brought on: its part is read anew.
    pub fn due(&self, targets: &BTreeSet<Gene>, after: u64) -> DueShards {
        let is_due = |(target, from): &(&Gene, &u64)| targets.contains(target) && **from > after;
        DueShards(self.behind.iter().filter(is_due).map(|(target, from)| (*target, *from)).collect())
    }

    /// Moves shards on that a part of the log up to an event was applied to. A shard that comes to the mark is not behind any more.
    pub fn bring_on(&mut self, due: &DueShards, upto: u64) {
        for target in due.0.keys() {
            if upto >= self.seq {
                self.behind.remove(target);
            } else if let Some(from) = self.behind.get_mut(target) {
                *from = (*from).max(upto + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::random::Rng;

    /// Events of a log, each for one shard, and what commits have applied of them.
    struct World {
        random: Rng,
        log: Vec<Gene>,
        mark: AppliedMark,
        applied: BTreeMap<Gene, Vec<u64>>,
    }

    impl World {
        /// Events after one up to another.
        fn part(&self, after: u64, upto: u64) -> Vec<(Gene, u64)> {
            let seqs = 1..=self.log.len() as u64;
            let all = self.log.iter().copied().zip(seqs);
            all.filter(|(_, seq)| *seq > after && *seq <= upto).collect()
        }

        fn some(&mut self) -> BTreeSet<Gene> {
            let bits = self.random.below(16);
            (0..4).filter(|gene| bits >> gene & 1 == 1).map(Gene).collect()
        }

        fn apply(&mut self, events: &[(Gene, u64)]) {
            for (target, seq) in events {
                self.applied.entry(*target).or_default().push(*seq);
            }
        }

        /// Passes over the log, without the shards that others hold.
        fn next(&mut self, known: &AppliedMark, held: &BTreeSet<Gene>) {
            let upto = known.seq + self.random.below(4) as u64;
            let upto = upto.min(self.log.len() as u64).max(known.seq);
            let mut events = self.part(known.seq, upto);
            events.retain(|(target, seq)| self.mark.is_next(*target, *seq));
            self.mark.pass(upto, None);
            for (target, seq) in events.iter().filter(|(target, _)| held.contains(target)) {
                self.mark.hold(*target, *seq);
            }
            events.retain(|(target, _)| !held.contains(target));
            self.apply(&events);
        }

        /// Brings shards on that are behind.
        fn bring_on(&mut self, known: &AppliedMark, targets: &BTreeSet<Gene>) {
            let froms = known.behind.iter().filter(|(target, _)| targets.contains(target));
            let Some(after) = froms.map(|(_, from)| from - 1).min() else { return };
            let upto = (after + 1 + self.random.below(4) as u64).min(known.seq);
            let due = self.mark.due(targets, after);
            let mut events = self.part(after, upto);
            events.retain(|(target, seq)| due.contains(*target, *seq));
            self.mark.bring_on(&due, upto);
            self.apply(&events);
        }

        /// Each shard has its events once and in order, up to where the mark says.
        fn check(&self) {
            for target in (0..4).map(Gene) {
                let upto = self.mark.to(&Targets::one(target));
                let own = self.part(0, upto).into_iter().filter(|(gene, _)| *gene == target);
                let right: Vec<u64> = own.map(|(_, seq)| seq).collect();
                assert_eq!(self.applied.get(&target).cloned().unwrap_or_default(), right, "{:?}", self.mark);
                assert!(self.mark.whole() <= upto);
            }
        }
    }

    #[test]
    fn each_shard_gets_each_event_once_and_in_order() {
        for seed in 0..2_000 {
            let mut random = Rng::new(seed);
            let log = (0..24).map(|_| Gene(u8::try_from(random.below(4)).unwrap())).collect();
            let mut world = World { random, log, mark: AppliedMark::default(), applied: BTreeMap::new() };
            // What a pass has read may be older than the commits of others.
            let mut known = vec![AppliedMark::default()];
            for _ in 0..40 {
                let older = world.random.below(known.len().min(3));
                let read = known[known.len() - 1 - older].clone();
                let shards = world.some();
                if world.random.below(2) == 0 {
                    world.next(&read, &shards);
                } else {
                    world.bring_on(&read, &shards);
                }
                world.check();
                known.push(world.mark.clone());
            }
            while world.mark.whole() < world.log.len() as u64 {
                let read = world.mark.clone();
                world.next(&read, &BTreeSet::new());
                world.bring_on(&read, &(0..4).map(Gene).collect());
                world.check();
            }
        }
    }
}
