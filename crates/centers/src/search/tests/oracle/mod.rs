//! What searches show while everything goes on, against a look at every post and user: nothing is shown wrongly, and nothing
//! is missing that the index had seen. The index stops, is late, crashes and is built anew meanwhile; posts come and change
//! between the pages of a search.
//!
//! Each history is drawn from a seed. Those with a bug put in on purpose must be found out.

mod bugs;
mod mutants;
mod people;
mod posts;
mod run;

pub(super) use bugs::Bug;

/// How much is done in a history.
#[derive(Clone, Copy, Debug)]
struct Length {
    steps: u64,
    /// Searches after each step.
    searches: u64,
}

/// What a history came to.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    searches: u64,
    /// What they showed, each compared with the facts.
    hits: u64,
    /// Searches of an index that had not taken in every event.
    late: u64,
    /// Searches that something happened in between the pages of.
    between: u64,
    stopped: u64,
    crashed: u64,
    rebuilt: u64,
    repeated: u64,
}

impl Tally {
    /// Counts one of the steps of [`Indexed::step`](super::indexed::Indexed::step), beyond which nothing is taken in.
    fn step(&mut self, step: u64) {
        match step {
            10 => self.repeated += 1,
            11 => self.crashed += 1,
            12 => self.rebuilt += 1,
            15.. => self.stopped += 1,
            _ => {}
        }
    }

    fn add(&mut self, other: Self) {
        let Self { searches, hits, late, between, stopped, crashed, rebuilt, repeated } = other;
        self.searches += searches;
        self.hits += hits;
        self.late += late;
        self.between += between;
        self.stopped += stopped;
        self.crashed += crashed;
        self.rebuilt += rebuilt;
        self.repeated += repeated;
    }
}
