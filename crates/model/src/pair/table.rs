//! The rows of the pair state machine.

use super::{Effect, Op, PairState, Verdict};

/// A row: the first one of an operation whose condition fits decides.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The operation of a on b.
    pub op: Op,
    /// The condition.
    pub when: When,
    /// What follows.
    pub then: Verdict,
}

/// A condition on the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always: the last row of an operation.
    Otherwise,
    /// a follows b.
    Follows,
    /// a does not follow b.
    NotFollows,
    /// b does not follow a.
    NotFollowed,
    /// Either side blocks the other.
    EitherBlocks,
    /// a blocks b.
    Blocks,
    /// a does not block b.
    NotBlocks,
    /// a mutes b.
    Mutes,
    /// a does not mute b.
    NotMutes,
    /// a has reached the limit that guards the operation.
    AtLimit,
}

impl When {
    /// Whether a state meets the condition.
    pub const fn fits(self, state: &PairState, at_limit: bool) -> bool {
        match self {
            Self::Otherwise => true,
            Self::Follows => state.forward.follows,
            Self::NotFollows => !state.forward.follows,
            Self::NotFollowed => !state.backward.follows,
            Self::EitherBlocks => state.blocked(),
            Self::Blocks => state.forward.blocks,
            Self::NotBlocks => !state.forward.blocks,
            Self::Mutes => state.forward.mutes,
            Self::NotMutes => !state.forward.mutes,
            Self::AtLimit => at_limit,
        }
    }
}

const fn row(op: Op, when: When, then: Verdict) -> Rule {
    Rule { op, when, then }
}

/// The whole table. A block is refused before a limit is: it says more, and the limit may change by itself.
pub const RULES: &[Rule] = &[
    row(Op::Follow, When::EitherBlocks, Verdict::Blocked),
    row(Op::Follow, When::Follows, Verdict::Unchanged),
    row(Op::Follow, When::AtLimit, Verdict::AtLimit),
    row(Op::Follow, When::Otherwise, Verdict::Change(&[Effect::Follow])),
    row(Op::Unfollow, When::NotFollows, Verdict::Unchanged),
    row(Op::Unfollow, When::Otherwise, Verdict::Change(&[Effect::Unfollow])),
    row(Op::RemoveFollower, When::NotFollowed, Verdict::Unchanged),
    row(Op::RemoveFollower, When::Otherwise, Verdict::Change(&[Effect::UnfollowBack])),
    row(Op::Block, When::Blocks, Verdict::Unchanged),
    row(Op::Block, When::AtLimit, Verdict::AtLimit),
    row(
        Op::Block,
        When::Otherwise,
        Verdict::Change(&[Effect::Block, Effect::Unfollow, Effect::UnfollowBack]),
    ),
    row(Op::Unblock, When::NotBlocks, Verdict::Unchanged),
    row(Op::Unblock, When::Otherwise, Verdict::Change(&[Effect::Unblock])),
    row(Op::Mute, When::Mutes, Verdict::Unchanged),
    row(Op::Mute, When::AtLimit, Verdict::AtLimit),
    row(Op::Mute, When::Otherwise, Verdict::Change(&[Effect::Mute])),
    row(Op::Unmute, When::NotMutes, Verdict::Unchanged),
    row(Op::Unmute, When::Otherwise, Verdict::Change(&[Effect::Unmute])),
];
