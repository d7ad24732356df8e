//! What a look found, taken in: memory is told of it before the ring has it.

use super::memory::Memory;
use super::ring::{GoesOn, LogState, Rewritten, Ring, RingEntry};
use guanxi_model::{Gene, LogId, Logs};
use std::collections::{BTreeMap, BTreeSet};

/// What a look at the logs of a database found.
#[derive(Clone, Debug)]
pub struct LookFound<E, T> {
    /// When it began.
    pub began: T,
    /// When its answer was there.
    pub told_by: T,
    /// Whether it asked for all shards, and not only for those that have changed.
    pub is_whole: bool,
    /// Of each log how its shard is, and its events from the last known one on.
    pub logs: BTreeMap<Gene, (LogState, Vec<E>)>,
}

impl<E: RingEntry, T: Copy + Ord> LookFound<E, T> {
    /// Takes it in. A shard that is not here any more, or that the caller's map of shards does not speak of, is of before or after
    /// a move, and its log is not known. The caller keeps readers of the ring out meanwhile: memory knows each event before a reader
    /// can see that the log has come so far.
    ///
    /// # Errors
    /// When a log has another event at a place than the one before. The other logs are taken in.
    pub fn take_in(
        &self,
        (ring, memory): (&mut Ring<E, T>, &Memory),
        is_here: impl Fn(Gene, &LogState) -> bool,
    ) -> Result<(), (Gene, Rewritten)> {
        let mut gone = BTreeSet::new();
        if self.is_whole {
            gone.extend(ring.logs().into_iter().filter(|log| !self.logs.contains_key(log)));
        }
        gone.extend(self.logs.iter().filter(|(log, (state, _))| !is_here(**log, state)).map(|(log, _)| *log));
        gone.iter().for_each(|log| ring.forget(*log));
        let (mut taken, mut unknown) = (Ok(()), BTreeSet::new());
        for (log, (state, events)) in self.logs.iter().filter(|(log, _)| !gone.contains(log)) {
            match ring.take_in(*log, *state, events) {
                Ok(GoesOn::By(new)) if memory.tell(*log, new) => {}
                Ok(GoesOn::By(_) | GoesOn::Anew) => drop(unknown.insert(*log)),
                Err(rewritten) => taken = taken.and(Err((*log, rewritten))),
            }
        }
        unknown.extend(gone);
        memory.forget_logs(&logs_of(unknown));
        if taken.is_ok() {
            ring.note_looked(self.began, self.told_by);
        }
        taken
    }
}

/// Forgets all that looks have found, with what memory holds of these logs: the database may be another one from now on.
pub fn forget_all<E: RingEntry, T: Copy + Ord>(ring: &mut Ring<E, T>, memory: &Memory) {
    memory.forget_logs(&logs_of(ring.logs()));
    ring.clear();
}

fn logs_of(genes: impl IntoIterator<Item = Gene>) -> BTreeSet<LogId> {
    genes.into_iter().map(|gene| Logs::PerGene.of_gene(gene)).collect()
}
