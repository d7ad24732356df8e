//! Affinity: how much a user has to do with others, of late. It is hidden: only a service with that right sees a score, and
//! a score only orders what is shown.

mod score;
mod terms;

pub use score::Score;
pub use terms::{AffinityTerms, InteractionWeights};

use crate::id::Uid;
use std::cmp::Reverse;

crate::kinds! {
    /// What a user did about another.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum InteractionKind {
        /// It looked at the other's profile.
        Visit,
        /// It wrote the other a message.
        Message,
        /// It liked a post of the other.
        Like,
        /// It answered a post of the other.
        Reply,
        /// It reposted or quoted a post of the other.
        Repost,
    }
}

/// The score of a user with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Affinity {
    /// The other.
    pub uid: Uid,
    /// The score.
    pub score: Score,
}

impl Affinity {
    /// Returns where it stands in a list: the highest score first, and of two that are equal the lower uid.
    pub const fn rank(&self) -> (Reverse<Score>, Uid) {
        (Reverse(self.score), self.uid)
    }
}

/// The scores of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affinities {
    /// In which time a score halves, in milliseconds; 0 if there is none.
    pub half_life_ms: u64,
    /// Each of the others once; at most [`AFFINITIES_MAX`](crate::limits::AFFINITIES_MAX).
    pub all: Vec<Affinity>,
}

impl Affinities {
    /// Sorts them, the highest score first.
    #[must_use]
    pub fn ranked(mut self) -> Self {
        self.all.sort_unstable_by_key(Affinity::rank);
        self
    }
}

/// Adds to the scores of a user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffinityCommand {
    /// The user that has the scores.
    pub actor: Uid,
    /// In which time they halve, in milliseconds; not 0.
    pub half_life_ms: u64,
    /// With whom, and how much.
    pub additions: Vec<(Uid, Score)>,
    /// Whether it is told here for the first time, so that there is an event of it; otherwise it follows from other events.
    pub is_fact: bool,
}

impl AffinityCommand {
    /// Takes scores back: all with some users.
    pub fn forget(actor: Uid, uids: impl IntoIterator<Item = Uid>) -> Self {
        let additions = uids.into_iter().map(|uid| (uid, Score::NONE)).collect();
        Self { actor, half_life_ms: 0, additions, is_fact: false }
    }
}
