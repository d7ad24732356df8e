//! A write about users of different shards, step by step: what requests and friendships take.
//!
//! A caller does one step after the other, and says what each came to. If it is cut off between two steps, the logs continue the
//! steps that were done, and a repetition under the request id comes to the same answer.

mod settle;
mod step;

pub use step::{LogMarks, MeetingStep, StepResult};

use crate::batch::{ShardAnswer, ShardNext, ShardWork};
use crate::cells::Asking;
use crate::meet::{FinishWork, OtherShards, is_tried_again, looks_at_the_other, pair_of};
use guanxi_model::{Error, Gene, Logs, Op, PairCommand, Position, Reason, Result, Write};
use settle::{Settled, Settling};
use std::collections::BTreeSet;

/// Which step is under way.
#[derive(Debug)]
enum State {
    New,
    Recalled,
    Asked,
    Looked,
    Planned,
    Reserved(Asking),
    Sent(Asking),
    TakenBack,
    Decided(Result<bool, Reason>, Option<Asking>),
    Finished(Position),
    Stands(ShardAnswer),
    Sealed(ShardAnswer),
    Over,
}

/// A write about users of different shards: of one command, or of many that answer requests to follow.
#[derive(Debug)]
pub struct Meeting {
    write: Write,
    /// Where it is planned.
    own: Gene,
    others: OtherShards,
    /// The command, if it is one.
    command: Option<PairCommand>,
    tries: usize,
    state: State,
    /// What a shard has done, as long as it does not stand in all others that it is about.
    settling: Option<Settling>,
    is_committed: bool,
}

impl Meeting {
    /// One of one command.
    ///
    /// # Errors
    /// When the command is about no pair.
    pub fn of_one(write: Write) -> Result<Self> {
        let command = pair_of(&write).ok_or_else(unexpected)?;
        let (own, other) = (command.subject.gene(), command.object.gene());
        let all: BTreeSet<Gene> = [other].into_iter().filter(|other| *other != own).collect();
        let looked_at = if looks_at_the_other(command.op) { all.clone() } else { BTreeSet::new() };
        Ok(Self::new(write, own, OtherShards { all, looked_at }, Some(command)))
    }

    /// One of many answers to requests to follow, which one commit of the shard gives that was asked.
    pub fn of_answers(write: Write, own: Gene) -> Self {
        let others = OtherShards::of(&write, own);
        Self::new(write, own, others, None)
    }

    const fn new(write: Write, own: Gene, others: OtherShards, command: Option<PairCommand>) -> Self {
        Self { write, own, others, command, tries: 0, state: State::New, settling: None, is_committed: false }
    }

    /// Returns whether facts of the write are durable, so that it completes by itself although a step fails.
    pub const fn is_committed(&self) -> bool {
        self.is_committed
    }

    /// Takes in what the last step came to, and returns the next one.
    ///
    /// # Errors
    /// `SHARD_UNAVAILABLE` when a reservation is too old to become a request; when the result is of another step.
    pub fn next(&mut self, result: StepResult) -> Result<MeetingStep> {
        if let Some(settling) = &mut self.settling {
            return match settling.next(result)? {
                Settled::Step(step) => Ok(step),
                Settled::At(position) => self.settled(position),
            };
        }
        match (std::mem::replace(&mut self.state, State::Over), result) {
            (State::New, StepResult::Begun) => Ok(self.begin()),
            (State::Recalled, StepResult::Answer(known)) => match known.planned.repeated {
                Some(_) => Ok(done(known)),
                None => self.take_back(),
            },
            (State::Asked, StepResult::Heads(heads)) => {
                self.state = State::Looked;
                Ok(MeetingStep::Reach(BTreeSet::from([self.own]), heads))
            }
            (State::Looked, StepResult::Reached) => Ok(self.plan()),
            (State::Planned, StepResult::Answer(answer)) => self.planned(answer),
            (State::Reserved(asking), StepResult::Reached) => {
                self.state = State::Sent(asking.clone());
                Ok(MeetingStep::Work(self.other()?, ShardWork::Ask(asking, self.write.request.clone())))
            }
            (State::Sent(asking), StepResult::Answer(first)) => self.decided(&first, Some(asking)),
            (State::TakenBack, StepResult::Answer(first)) => self.decided(&first, None),
            (State::Finished(position), StepResult::Answer(mut answer)) => {
                answer.position.join(&position);
                Ok(done(answer))
            }
            (State::Sealed(answer), StepResult::Answer(_)) => Ok(done(answer)),
            _ => Err(unexpected()),
        }
    }

    /// What was done stands in all shards that it is about.
    fn settled(&mut self, position: Position) -> Result<MeetingStep> {
        self.settling = None;
        match std::mem::replace(&mut self.state, State::Over) {
            State::Decided(result, asking) => {
                if asking.is_none() && !self.cancels() && is_tried_again(&result, self.tries) {
                    return Ok(self.look());
                }
                self.finish((result, position), asking.as_ref())
            }
            State::Stands(answer) => Ok(self.seal(answer, &position)),
            _ => Err(unexpected()),
        }
    }

    fn begin(&mut self) -> MeetingStep {
        if !self.cancels() {
            return self.look();
        }
        match (&self.write.request, self.command) {
            (Some(request), _) => {
                self.state = State::Recalled;
                MeetingStep::Work(self.own, ShardWork::Recall(request.clone()))
            }
            (None, Some(command)) => self.take_back_of(command),
            (None, None) => self.look(),
        }
    }

    /// Returns whether it only takes a request back.
    fn cancels(&self) -> bool {
        !self.others.all.is_empty()
            && self.command.is_some_and(|command| command.op == Op::CancelFriendRequest)
    }

    /// The shard of the other user.
    fn other(&self) -> Result<Gene> {
        self.command.map(|command| command.object.gene()).ok_or_else(unexpected)
    }

    /// The effect of an operation may depend on what the others have done before.
    fn look(&mut self) -> MeetingStep {
        if self.others.looked_at.is_empty() {
            return self.plan();
        }
        self.state = State::Asked;
        MeetingStep::Heads(self.others.looked_at.clone())
    }

    fn plan(&mut self) -> MeetingStep {
        self.tries += 1;
        self.state = State::Planned;
        MeetingStep::Work(self.own, ShardWork::Meet(self.write.clone()))
    }

    fn planned(&mut self, answer: ShardAnswer) -> Result<MeetingStep> {
        if self.command.is_none() {
            return Ok(self.stand(answer));
        }
        if self.others.all.is_empty() {
            return Ok(done(answer));
        }
        match answer.next() {
            ShardNext::TakeBack => self.take_back(),
            ShardNext::Ask(asking) => {
                self.state = State::Reserved(asking);
                let marks = LogMarks::from([(self.own, seq_of(&answer, self.own))]);
                Ok(MeetingStep::Reach(BTreeSet::from([self.other()?]), marks))
            }
            ShardNext::Stand => Ok(self.stand(answer)),
        }
    }

    fn take_back(&mut self) -> Result<MeetingStep> {
        self.command.map(|command| self.take_back_of(command)).ok_or_else(unexpected)
    }

    fn take_back_of(&mut self, command: PairCommand) -> MeetingStep {
        self.state = State::TakenBack;
        let work = ShardWork::TakeBack(command, self.write.request.clone());
        MeetingStep::Work(command.object.gene(), work)
    }

    /// The other's shard has decided.
    fn decided(&mut self, first: &ShardAnswer, asking: Option<Asking>) -> Result<MeetingStep> {
        let (other, result) = (self.other()?, first.result().ok_or_else(unexpected)?);
        if asking.is_some() && result == Err(Reason::SHARD_UNAVAILABLE) {
            return Err(Error::new(Reason::SHARD_UNAVAILABLE));
        }
        self.is_committed = result == Ok(true);
        self.state = State::Decided(result, asking);
        let others = BTreeSet::from([self.own]);
        let (settling, step) = Settling::begin((other, seq_of(first, other)), others, &first.position);
        self.settling = Some(settling);
        Ok(step)
    }

    fn finish(
        &mut self,
        (result, position): (Result<bool, Reason>, Position),
        asking: Option<&Asking>,
    ) -> Result<MeetingStep> {
        let command = self.command.ok_or_else(unexpected)?;
        let work = FinishWork::of((self.write.clone(), command), (result, position.clone()), asking);
        self.state = State::Finished(position);
        Ok(MeetingStep::Work(self.own, ShardWork::Finish(Box::new(work))))
    }

    /// The shard of the actor has done it: it is to stand in all others that it is about.
    fn stand(&mut self, answer: ShardAnswer) -> MeetingStep {
        if answer.is_sealed() {
            return done(answer);
        }
        let done = (self.own, seq_of(&answer, self.own));
        let (settling, step) = Settling::begin(done, self.others.all.clone(), &answer.position);
        (self.is_committed, self.settling) = (true, Some(settling));
        self.state = State::Stands(answer);
        step
    }

    fn seal(&mut self, mut answer: ShardAnswer, position: &Position) -> MeetingStep {
        if let Some(known) = answer.planned.repeated.take() {
            answer.position = known;
        }
        answer.position.join(position);
        let Some(request) = self.write.request.clone() else { return done(answer) };
        let work = ShardWork::Seal(request, answer.position.clone());
        self.state = State::Sealed(answer);
        MeetingStep::Work(self.own, work)
    }
}

fn done(answer: ShardAnswer) -> MeetingStep {
    MeetingStep::Done(Box::new(answer))
}

/// Where the log of a shard stood with an answer.
fn seq_of(answer: &ShardAnswer, gene: Gene) -> u64 {
    answer.position.in_log(Logs::PerGene.of_gene(gene)).seq()
}

/// The error of a step that has no answer, or another one.
fn unexpected() -> Error {
    Error::with_detail(Reason::Internal, "a write has no answer")
}
