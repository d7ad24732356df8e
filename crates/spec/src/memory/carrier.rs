//! What is under way between shards, and when it arrives.

use super::Carrying;
use super::message::Derivation;
use crate::conformance::Rng;
use guanxi_model::{EventAt, LogId, Logs, Position, Uid};

/// How many questions pass between two arrivals, by chance: often none, now and then as many as a whole visit of a
/// reader or a whole fan-out asks.
const QUIET: [u32; 6] = [0, 2, 8, 40, 200, 1_000];

/// The most that arrives together.
const BURST_MAX: u64 = 4;

/// What arrived is kept so far back, to arrive again.
const REPEATS_MAX: usize = 64;

/// One write of so many has an unknown outcome.
const UNKNOWN_ONE_OF: u64 = 8;

/// The fate of a write, as far as its caller hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Answered,
    /// It took place, and the answer was lost.
    AnswerLost,
    /// It never came.
    WriteLost,
}

/// The messages between shards.
#[derive(Debug)]
pub(super) struct Carrier {
    carrying: Carrying,
    logs: Logs,
    rng: Rng,
    /// Sent and not arrived, in the order of sending.
    waiting: Vec<Derivation>,
    /// What arrived last, so that it can arrive again.
    arrived: Vec<Derivation>,
    quiet: u32,
}

impl Carrier {
    pub(super) const fn new(carrying: Carrying, logs: Logs) -> Self {
        let rng = Rng::new(carrying.seed());
        Self { carrying, logs, rng, waiting: Vec::new(), arrived: Vec::new(), quiet: 0 }
    }

    pub(super) fn send(&mut self, sent: Vec<Derivation>) {
        self.waiting.extend(sent);
    }

    /// Returns the derivations that arrive now, by chance. Every question to the store calls this first.
    pub(super) fn due(&mut self) -> Vec<Derivation> {
        if self.quiet > 0 || self.waiting.is_empty() {
            self.quiet = self.quiet.saturating_sub(1);
            return Vec::new();
        }
        self.quiet = *self.rng.pick(&QUIET);
        let many = 1 + self.rng.below(BURST_MAX);
        (0..many).filter_map(|_| self.next()).collect()
    }

    fn next(&mut self) -> Option<Derivation> {
        if self.is_disordered() && !self.arrived.is_empty() && self.rng.below(4) == 0 {
            return Some(*self.rng.pick(&self.arrived));
        }
        let chosen =
            (!self.waiting.is_empty()).then(|| self.rng.below(self.waiting.len() as u64) as usize)?;
        let from = self.waiting[chosen].fact.at.log();
        let first = self.waiting.iter().position(|other| other.fact.at.log() == from)?;
        let next = self.waiting.remove(if self.is_disordered() { chosen } else { first });
        self.keep(next);
        Some(next)
    }

    /// Returns what the acts that a position names have sent to a shard: a reader applies by itself what has not
    /// arrived.
    pub(super) fn acted(&mut self, position: &Position, to: LogId) -> Vec<Derivation> {
        let logs = self.logs;
        let is_asked = |sent: &Derivation| {
            let at = sent.fact.at;
            let mut marks = position.marks();
            logs.of(sent.other) == to && marks.any(|(log, mark)| log == at.log() && at.seq() <= mark.acted)
        };
        self.take(is_asked)
    }

    /// Everything that is under way.
    pub(super) fn all(&mut self) -> Vec<Derivation> {
        self.take(|_| true)
    }

    fn take(&mut self, wanted: impl Fn(&Derivation) -> bool) -> Vec<Derivation> {
        let taken: Vec<Derivation> = self.waiting.extract_if(.., |sent| wanted(sent)).collect();
        taken.iter().for_each(|arrived| self.keep(*arrived));
        taken
    }

    fn keep(&mut self, arrived: Derivation) {
        if self.is_disordered() {
            if self.arrived.len() == REPEATS_MAX {
                self.arrived.remove(0);
            }
            self.arrived.push(arrived);
        }
    }

    /// Returns whether nothing of a user is under way that was sent up to an event of its log.
    pub(super) fn is_applied(&self, uid: Uid, at: EventAt) -> bool {
        !self.waiting.iter().any(|sent| sent.fact.subject == uid && !sent.fact.at.is_after(at))
    }

    /// Returns the fate of the next write that can be repeated safely.
    pub(super) fn fate(&mut self) -> Fate {
        if !self.is_disordered() || self.rng.below(UNKNOWN_ONE_OF) > 0 {
            return Fate::Answered;
        }
        *self.rng.pick(&[Fate::AnswerLost, Fate::WriteLost])
    }

    const fn is_disordered(&self) -> bool {
        matches!(self.carrying, Carrying::Disordered { .. })
    }
}
