//! The pair state machine: what an operation of `a` on `b` does to the two facts a->b and b->a.
//!
//! It is one total, pure function driven by one table ([`RULES`]); every backend, the model in the tests and the
//! printed documentation use the same rows. A fact is written by its owner's shard alone, so [`Effect`]s name the
//! direction they change.
//!
//! A request is a fact in the shard of the receiver, which alone decides how it ends. Here it is a state of the sender. It
//! holds a place among the users that the sender may follow.

mod doc;
mod ops;
mod request;
mod table;

pub use doc::markdown;
pub use ops::{GuardedCount, Op};
pub use request::{
    MuteScope, MuteTerms, PairEnd, PairEndKind, PastRequest, RelationRequest, RequestDirection, RequestKind,
};
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
    /// A request of the owner to the other that waits.
    pub asks: Option<RequestKind>,
}

impl Direction {
    /// Returns whether it counts towards the owner's follow limit: a follow, or a request, which is to become one.
    pub const fn has_place(&self) -> bool {
        self.follows || self.asks.is_some()
    }

    fn end_request(&mut self, kind: RequestKind) {
        self.asks = self.asks.filter(|asked| *asked != kind);
    }
}

/// Both directions of a pair, seen from the actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairState {
    /// The fact of the actor about the other.
    pub forward: Direction,
    /// The fact of the other about the actor.
    pub backward: Direction,
}

impl PairState {
    /// Returns whether either side blocks the other.
    pub const fn blocked(&self) -> bool {
        self.forward.blocks || self.backward.blocks
    }

    /// Returns whether both follow each other.
    pub const fn mutual(&self) -> bool {
        self.forward.follows && self.backward.follows
    }

    /// Returns whether operations can reach the state. A user that blocks or is blocked neither follows nor asks, nor is
    /// followed or asked. No user asks for what it has. Where one of two asks to be friends, the other asks nothing, since
    /// that would have accepted the request.
    pub fn reachable(&self) -> bool {
        let (forward, backward) = (&self.forward, &self.backward);
        let asks = forward.asks.is_some() || backward.asks.is_some();
        let to_follow = |one: &Direction| one.asks == Some(RequestKind::Follow);
        let to_be_friends = |one: &Direction| one.asks == Some(RequestKind::Friend);
        let crossing = forward.asks.is_some() && backward.asks.is_some();
        !(self.blocked() && (forward.follows || backward.follows || asks))
            && !(self.mutual() && asks)
            && ![forward, backward].into_iter().any(|one| to_follow(one) && one.follows)
            && !(crossing && (to_be_friends(forward) || to_be_friends(backward)))
    }

    /// The same pair seen from the other side.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self { forward: self.backward, backward: self.forward }
    }

    /// Every state, reachable or not: 576.
    pub fn all() -> impl Iterator<Item = Self> {
        let asks = |n: u16| [None, Some(RequestKind::Follow), Some(RequestKind::Friend)][usize::from(n)];
        let direction = move |n: u16| Direction {
            follows: n & 1 != 0,
            blocks: n & 2 != 0,
            mutes: n & 4 != 0,
            asks: asks(n >> 3),
        };
        (0..576).map(move |n| Self { forward: direction(n % 24), backward: direction(n / 24) })
    }
}

/// What a decision asks beside the state of the pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairInputs {
    /// The limit that guards the operation, if the actor has reached it.
    pub at_limit: Option<u32>,
    /// The other is locked: no user begins to follow it without its approval.
    pub is_locked: bool,
    /// The other rejected the actor not long ago: until when it cannot be asked again, in Unix milliseconds.
    pub cooling: Option<u64>,
    /// A mute is asked for on other terms than those that stand.
    pub has_new_terms: bool,
    /// The time is over of what is to end by itself.
    pub is_due: bool,
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
    /// b->a becomes an active follow.
    FollowBack,
    /// a asks b.
    Ask(RequestKind),
    /// What a has asked of b no longer waits, if it was that.
    EndRequest(RequestKind),
    /// What b has asked of a no longer waits, if it was that.
    EndRequestBack(RequestKind),
}

impl Effect {
    /// Returns whether it brings a follow or a request between the two users, which asks both of them to be active.
    pub const fn joins(self) -> bool {
        matches!(self, Self::Follow | Self::FollowBack | Self::Ask(_))
    }

    /// Returns whether it begins something, as nothing does with a deleted user.
    pub const fn begins(self) -> bool {
        self.joins() || matches!(self, Self::Block | Self::Mute)
    }

    /// The state after this change.
    #[must_use]
    pub fn apply(self, mut state: PairState) -> PairState {
        match self {
            Self::Follow => state.forward.follows = true,
            Self::Unfollow => state.forward.follows = false,
            Self::UnfollowBack => state.backward.follows = false,
            Self::Block => state.forward.blocks = true,
            Self::Unblock => state.forward.blocks = false,
            Self::Mute => state.forward.mutes = true,
            Self::Unmute => state.forward.mutes = false,
            Self::FollowBack => state.backward.follows = true,
            Self::Ask(kind) => state.forward.asks = Some(kind),
            Self::EndRequest(kind) => state.forward.end_request(kind),
            Self::EndRequestBack(kind) => state.backward.end_request(kind),
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
    /// Refused because the other rejected the actor not long ago.
    Cooling,
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

/// Decides an operation.
pub fn decide(state: PairState, op: Op, inputs: &PairInputs) -> Decision {
    let refused = |reason| Decision { state, effects: Vec::new(), result: Err(reason) };
    match verdict(state, op, inputs) {
        Verdict::Unchanged => Decision { state, effects: Vec::new(), result: Ok(false) },
        Verdict::Blocked => refused(Reason::Blocked),
        Verdict::AtLimit => refused(Reason::LimitReached { limit: inputs.at_limit.unwrap_or_default() }),
        Verdict::Cooling => refused(Reason::RequestRejected { until_ms: inputs.cooling.unwrap_or_default() }),
        Verdict::Change(effects) => {
            let mut decision =
                Decision { state, effects: Vec::with_capacity(effects.len()), result: Ok(true) };
            for effect in effects {
                let next = effect.apply(decision.state);
                // New terms change a mute that stands.
                if next != decision.state || *effect == Effect::Mute {
                    decision.state = next;
                    decision.effects.push(*effect);
                }
            }
            decision
        }
    }
}

/// The first rule that fits; the table is total, which a test proves.
fn verdict(state: PairState, op: Op, inputs: &PairInputs) -> Verdict {
    RULES
        .iter()
        .find(|rule| rule.op == op && rule.when.fits(&state, inputs))
        .map_or(Verdict::Unchanged, |rule| rule.then)
}

#[cfg(test)]
mod tests;
