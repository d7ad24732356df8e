//! What a shard has done, and what follows from that, comes to stand in it and in others.

use super::step::{LogMarks, MeetingStep, StepResult};
use guanxi_model::{Error, EventAt, Gene, Logs, Position, Reason, Result};
use std::collections::BTreeSet;

/// How often what follows goes from one shard to the other.
const WAYS_MAX: usize = 4;

/// Which step is under way.
#[derive(Clone, Copy, Debug)]
enum State {
    /// The others take in what the shard has done.
    Told,
    /// The others are asked where their logs stand.
    Asked,
    /// The shard takes in what they have done.
    TakenIn,
    /// The shard is asked where its log stands.
    Compared,
    /// The others take in what followed from that, for the last time.
    Last,
}

/// The way of an effect to other shards and back, until nothing new follows.
#[derive(Debug)]
pub(super) struct Settling {
    own: Gene,
    others: BTreeSet<Gene>,
    /// The last event of the own log that the others are to have.
    seq: u64,
    position: Position,
    ways: usize,
    state: State,
}

/// The next step, or where all of it stands.
#[derive(Debug)]
pub(super) enum Settled {
    Step(MeetingStep),
    At(Position),
}

impl Settling {
    /// What a shard has done up to an event of its log. `written` is a position of the same history. Returns the first step, too.
    pub(super) fn begin(
        (own, seq): (Gene, u64),
        others: BTreeSet<Gene>,
        written: &Position,
    ) -> (Self, MeetingStep) {
        let position = acted(written, (own, seq));
        let settling = Self { own, others, seq, position, ways: 0, state: State::Told };
        let step = settling.tell();
        (settling, step)
    }

    /// Takes in the result of the last step.
    ///
    /// # Errors
    /// When the result is of another step.
    pub(super) fn next(&mut self, result: StepResult) -> Result<Settled> {
        match (self.state, result) {
            (State::Told, StepResult::Reached) => Ok(self.ask(State::Asked, self.others.clone())),
            (State::Asked, StepResult::Heads(heads)) => {
                for mark in &heads {
                    self.position.join(&acted(&self.position, (*mark.0, *mark.1)));
                }
                self.state = State::TakenIn;
                Ok(Settled::Step(MeetingStep::Reach(BTreeSet::from([self.own]), heads)))
            }
            (State::TakenIn, StepResult::Reached) => {
                Ok(self.ask(State::Compared, BTreeSet::from([self.own])))
            }
            (State::Compared, StepResult::Heads(heads)) => {
                self.compare(heads.get(&self.own).copied().ok_or_else(unexpected)?);
                Ok(Settled::Step(self.tell()))
            }
            (State::Last, StepResult::Reached) => Ok(Settled::At(self.position.clone())),
            _ => Err(unexpected()),
        }
    }

    fn ask(&mut self, state: State, genes: BTreeSet<Gene>) -> Settled {
        self.state = state;
        Settled::Step(MeetingStep::Heads(genes))
    }

    /// What the others have done may have changed the shard: that is for the others again.
    fn compare(&mut self, seq: u64) {
        self.ways += 2;
        let has_moved = seq > self.position.in_log(Logs::PerGene.of_gene(self.own)).seq();
        (self.seq, self.state) = (seq, State::Last);
        if has_moved {
            self.position.join(&acted(&self.position, (self.own, seq)));
            if self.ways < WAYS_MAX {
                self.state = State::Told;
            }
        }
    }

    fn tell(&self) -> MeetingStep {
        MeetingStep::Reach(self.others.clone(), LogMarks::from([(self.own, self.seq)]))
    }
}

/// What was done up to an event of a log, in the history of a position.
fn acted(of: &Position, (gene, seq): (Gene, u64)) -> Position {
    Position::acted(of.history(), Logs::PerGene, EventAt::new(Logs::PerGene.of_gene(gene), seq))
}

fn unexpected() -> Error {
    Error::with_detail(Reason::Internal, "a step has the result of another one")
}
