//! What interactions count, as an operator has set it.

use super::{InteractionKind, Score};

/// What one interaction of each kind counts; 0 is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InteractionWeights {
    /// A visit.
    pub visit: u32,
    /// A message.
    pub message: u32,
    /// A like.
    pub like: u32,
    /// A reply.
    pub reply: u32,
    /// A repost or quote.
    pub repost: u32,
}

impl Default for InteractionWeights {
    fn default() -> Self {
        Self { visit: 1, message: 10, like: 3, reply: 8, repost: 6 }
    }
}

/// How interactions become scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffinityTerms {
    /// What each counts.
    pub weights: InteractionWeights,
    /// In which time it counts half, in milliseconds; not 0.
    pub half_life_ms: u64,
}

impl Default for AffinityTerms {
    fn default() -> Self {
        Self {
            weights: InteractionWeights::default(),
            half_life_ms: u64::from(Self::HALF_LIFE_DAYS) * 86_400_000,
        }
    }
}

impl AffinityTerms {
    /// In which time a score halves unless it is set, in days.
    pub const HALF_LIFE_DAYS: u32 = 7;

    /// Returns what some interactions of one kind count, all at one time.
    pub fn score(&self, kind: InteractionKind, count: u32, at_ms: u64) -> Score {
        let InteractionWeights { visit, message, like, reply, repost } = self.weights;
        let weight = match kind {
            InteractionKind::Visit => visit,
            InteractionKind::Message => message,
            InteractionKind::Like => like,
            InteractionKind::Reply => reply,
            InteractionKind::Repost => repost,
        };
        Score::of(u64::from(weight) * u64::from(count), at_ms, self.half_life_ms)
    }
}
