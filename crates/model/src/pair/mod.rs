//! The pair state machine: what an operation of `a` on `b` does to the two facts a->b and b->a.
//!
//! It is one total, pure function driven by one table ([`RULES`]); every backend, the model in the tests and the
//! printed documentation use the same rows. A fact is written by its owner's shard alone, so [`Effect`]s name the
//! direction they change.
//!
//! Follow requests and friend requests join the table together with locked accounts; until then no operation
//! could reach such a state.

mod doc;
mod ops;
mod table;

pub use doc::markdown;
pub use ops::{GuardedCount, Op};
pub use table::{RULES, Rule, When};

use crate::error::Reason;

/// What the owner of one direction has said about the other user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Direction {
    /// An active follow.
    pub follows: bool,
    /// A block: while either side has one, both follows are refused.
    pub blocks: bool,
    /// A mute; never seen by the other side, and changes no edge.
    pub mutes: bool,
}

/// Both directions of a pair, seen from the one who acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairState {
    /// The fact of the actor about the other.
    pub forward: Direction,
    /// The fact of the other about the actor.
    pub backward: Direction,
}

impl PairState {
    /// Whether either side blocks the other.
    pub const fn blocked(&self) -> bool {
        self.forward.blocks || self.backward.blocks
    }

    /// Whether both follow each other.
    pub const fn mutual(&self) -> bool {
        self.forward.follows && self.backward.follows
    }

    /// A state that operations can reach: whoever blocks or is blocked neither follows nor is followed.
    pub const fn reachable(&self) -> bool {
        !(self.blocked() && (self.forward.follows || self.backward.follows))
    }

    /// The same pair seen from the other side.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self { forward: self.backward, backward: self.forward }
    }

    /// Every state, reachable or not: 64.
    pub fn all() -> impl Iterator<Item = Self> {
        let direction =
            |bits: u8| Direction { follows: bits & 1 != 0, blocks: bits & 2 != 0, mutes: bits & 4 != 0 };
        (0..64_u8).map(move |bits| Self { forward: direction(bits & 7), backward: direction(bits >> 3) })
    }
}

/// One change that an operation makes, in the order of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// a->b becomes an active follow.
    Follow,
    /// a->b ends.
    Unfollow,
    /// b->a ends.
    UnfollowBack,
    /// a blocks b.
    Block,
    /// a no longer blocks b.
    Unblock,
    /// a mutes b.
    Mute,
    /// a no longer mutes b.
    Unmute,
}

impl Effect {
    /// The state after this change.
    #[must_use]
    pub const fn apply(self, mut state: PairState) -> PairState {
        match self {
            Self::Follow => state.forward.follows = true,
            Self::Unfollow => state.forward.follows = false,
            Self::UnfollowBack => state.backward.follows = false,
            Self::Block => state.forward.blocks = true,
            Self::Unblock => state.forward.blocks = false,
            Self::Mute => state.forward.mutes = true,
            Self::Unmute => state.forward.mutes = false,
        }
        state
    }
}

/// What the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// State changes by these effects, of which those that change nothing are left out by [`decide`].
    Change(&'static [Effect]),
    /// Nothing to do: answered with `changed: false`.
    Unchanged,
    /// Refused because one side blocks the other.
    Blocked,
    /// Refused because the actor is at the limit that guards this operation.
    AtLimit,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The state afterwards.
    pub state: PairState,
    /// The changes, in order; empty if nothing changes.
    pub effects: Vec<Effect>,
    /// Whether state changed, or why not allowed.
    pub result: Result<bool, Reason>,
}

/// Decides an operation. `at_limit` carries the limit if the actor has reached the one of [`Op::guard`].
pub fn decide(state: PairState, op: Op, at_limit: Option<u32>) -> Decision {
    let refused = |reason| Decision { state, effects: Vec::new(), result: Err(reason) };
    match verdict(state, op, at_limit.is_some()) {
        Verdict::Unchanged => Decision { state, effects: Vec::new(), result: Ok(false) },
        Verdict::Blocked => refused(Reason::Blocked),
        Verdict::AtLimit => refused(Reason::LimitReached { limit: at_limit.unwrap_or_default() }),
        Verdict::Change(effects) => {
            let mut decision =
                Decision { state, effects: Vec::with_capacity(effects.len()), result: Ok(true) };
            for effect in effects {
                let next = effect.apply(decision.state);
                if next != decision.state {
                    decision.state = next;
                    decision.effects.push(*effect);
                }
            }
            decision
        }
    }
}

/// The first rule that fits; the table is total, which a test proves.
fn verdict(state: PairState, op: Op, at_limit: bool) -> Verdict {
    RULES
        .iter()
        .find(|rule| rule.op == op && rule.when.fits(&state, at_limit))
        .map_or(Verdict::Unchanged, |rule| rule.then)
}

#[cfg(test)]
mod tests;
