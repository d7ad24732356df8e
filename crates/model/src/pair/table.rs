//! The rows of the pair state machine.

use super::{Effect, Op, PairInputs, PairState, RequestKind, Verdict};

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

/// A condition on the pair, and on what a plan knows beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always: the last row of an operation.
    Otherwise,
    /// a follows b.
    Follows,
    /// b follows a.
    Followed,
    /// b does not follow a.
    NotFollowed,
    /// Each follows the other.
    Mutual,
    /// They do not both follow each other.
    NotMutual,
    /// Either side blocks the other.
    EitherBlocks,
    /// a blocks b.
    Blocks,
    /// a does not block b.
    NotBlocks,
    /// a mutes b, on the terms that are asked for.
    Mutes,
    /// a does not mute b.
    NotMutes,
    /// a does not mute b, and has reached the limit of mutes.
    MutesAtLimit,
    /// a has asked b.
    Asks(RequestKind),
    /// a has not asked b.
    NotAsks(RequestKind),
    /// b has asked a.
    Asked(RequestKind),
    /// b has not asked a.
    NotAsked(RequestKind),
    /// b has asked to follow a, who follows b: once a approves b, they are friends.
    AskedFollowByFollowed,
    /// b is locked, has not asked to be friends, and a has asked already.
    AwaitsApproval,
    /// b is locked, has not asked to be friends, and rejected a not long ago.
    MustWait,
    /// b is locked, and has not asked to be friends.
    MustAsk,
    /// a is locked again.
    Locked,
    /// b rejected a not long ago.
    Cooling,
    /// Its time is not over.
    NotDue,
    /// a has reached the limit of follows, and has no place for b yet.
    NoPlace,
    /// a has reached the limit that guards the operation.
    AtLimit,
}

impl When {
    /// Returns whether a state meets the condition.
    pub fn fits(self, state: &PairState, inputs: &PairInputs) -> bool {
        let friend_asked = state.backward.asks == Some(Friend);
        let must_ask = inputs.is_locked && !friend_asked;
        match self {
            Self::Otherwise => true,
            Self::Follows => state.forward.follows,
            Self::Followed => state.backward.follows,
            Self::NotFollowed => !state.backward.follows,
            Self::Mutual => state.mutual(),
            Self::NotMutual => !state.mutual(),
            Self::EitherBlocks => state.blocked(),
            Self::Blocks => state.forward.blocks,
            Self::NotBlocks => !state.forward.blocks,
            Self::Mutes => state.forward.mutes && !inputs.has_new_terms,
            Self::NotMutes => !state.forward.mutes,
            Self::MutesAtLimit => !state.forward.mutes && inputs.at_limit.is_some(),
            Self::Asks(kind) => state.forward.asks == Some(kind),
            Self::NotAsks(kind) => state.forward.asks != Some(kind),
            Self::Asked(kind) => state.backward.asks == Some(kind),
            Self::NotAsked(kind) => state.backward.asks != Some(kind),
            Self::AskedFollowByFollowed => {
                state.backward.asks == Some(RequestKind::Follow) && state.forward.follows
            }
            Self::AwaitsApproval => must_ask && state.forward.asks.is_some(),
            Self::MustWait => must_ask && inputs.cooling.is_some(),
            Self::MustAsk => must_ask,
            Self::Locked => inputs.is_locked,
            Self::Cooling => inputs.cooling.is_some(),
            Self::NotDue => !inputs.is_due,
            Self::NoPlace => inputs.at_limit.is_some() && !state.forward.has_place(),
            Self::AtLimit => inputs.at_limit.is_some(),
        }
    }
}

const fn row(op: Op, when: When, then: Verdict) -> Rule {
    Rule { op, when, then }
}

use Effect::{
    Ask, Block, EndRequest, EndRequestBack, Follow, FollowBack, Mute, Unblock, Unfollow, UnfollowBack, Unmute,
};
use RequestKind::{Follow as ToFollow, Friend};
use Verdict::{Change, Unchanged};

/// The whole table. A block is refused before a limit is: it says more, and the limit may change by itself.
///
/// Requests end before what fulfils them begins, so that a log never tells of a request between friends.
pub const RULES: &[Rule] = &[
    row(Op::Follow, When::EitherBlocks, Verdict::Blocked),
    row(Op::Follow, When::Follows, Unchanged),
    row(Op::Follow, When::AwaitsApproval, Unchanged),
    row(Op::Follow, When::MustWait, Verdict::Cooling),
    row(Op::Follow, When::NoPlace, Verdict::AtLimit),
    row(Op::Follow, When::MustAsk, Change(&[Ask(ToFollow)])),
    row(
        Op::Follow,
        When::Followed,
        Change(&[EndRequest(ToFollow), EndRequest(Friend), EndRequestBack(Friend), Follow]),
    ),
    row(Op::Follow, When::Otherwise, Change(&[EndRequest(ToFollow), Follow])),
    row(Op::Unfollow, When::Follows, Change(&[Unfollow])),
    row(Op::Unfollow, When::Asks(ToFollow), Change(&[EndRequest(ToFollow)])),
    row(Op::Unfollow, When::Otherwise, Unchanged),
    row(Op::RemoveFollower, When::NotFollowed, Unchanged),
    row(Op::RemoveFollower, When::Otherwise, Change(&[UnfollowBack])),
    row(Op::Block, When::Blocks, Unchanged),
    row(Op::Block, When::AtLimit, Verdict::AtLimit),
    row(
        Op::Block,
        When::Otherwise,
        Change(&[
            Block,
            Unfollow,
            UnfollowBack,
            EndRequest(ToFollow),
            EndRequest(Friend),
            EndRequestBack(ToFollow),
            EndRequestBack(Friend),
        ]),
    ),
    row(Op::Unblock, When::NotBlocks, Unchanged),
    row(Op::Unblock, When::Otherwise, Change(&[Unblock])),
    row(Op::Mute, When::Mutes, Unchanged),
    row(Op::Mute, When::MutesAtLimit, Verdict::AtLimit),
    row(Op::Mute, When::Otherwise, Change(&[Mute])),
    row(Op::Unmute, When::NotMutes, Unchanged),
    row(Op::Unmute, When::Otherwise, Change(&[Unmute])),
    row(Op::ExpireMute, When::NotMutes, Unchanged),
    row(Op::ExpireMute, When::NotDue, Unchanged),
    row(Op::ExpireMute, When::Otherwise, Change(&[Unmute])),
    row(Op::SendFriendRequest, When::EitherBlocks, Verdict::Blocked),
    row(Op::SendFriendRequest, When::Mutual, Unchanged),
    row(Op::SendFriendRequest, When::Asks(Friend), Unchanged),
    row(Op::SendFriendRequest, When::NoPlace, Verdict::AtLimit),
    row(
        Op::SendFriendRequest,
        When::Asked(Friend),
        Change(&[EndRequestBack(Friend), EndRequest(ToFollow), Follow, FollowBack]),
    ),
    row(Op::SendFriendRequest, When::AskedFollowByFollowed, Change(&[EndRequestBack(ToFollow), FollowBack])),
    row(Op::SendFriendRequest, When::Cooling, Verdict::Cooling),
    row(
        Op::SendFriendRequest,
        When::Asked(ToFollow),
        Change(&[EndRequestBack(ToFollow), FollowBack, EndRequest(ToFollow), Ask(Friend)]),
    ),
    row(Op::SendFriendRequest, When::Otherwise, Change(&[EndRequest(ToFollow), Ask(Friend)])),
    row(Op::AcceptFriendRequest, When::NotAsked(Friend), Unchanged),
    row(Op::AcceptFriendRequest, When::NoPlace, Verdict::AtLimit),
    row(
        Op::AcceptFriendRequest,
        When::Otherwise,
        Change(&[EndRequestBack(Friend), EndRequest(ToFollow), FollowBack, Follow]),
    ),
    row(Op::RejectFriendRequest, When::NotAsked(Friend), Unchanged),
    row(Op::RejectFriendRequest, When::Otherwise, Change(&[EndRequestBack(Friend)])),
    row(Op::CancelFriendRequest, When::NotAsks(Friend), Unchanged),
    row(Op::CancelFriendRequest, When::Otherwise, Change(&[EndRequest(Friend)])),
    row(Op::RemoveFriend, When::NotMutual, Unchanged),
    row(Op::RemoveFriend, When::Otherwise, Change(&[Unfollow, UnfollowBack])),
    row(Op::ApproveFollow, When::NotAsked(ToFollow), Unchanged),
    row(Op::ApproveFollow, When::Otherwise, Change(&[EndRequestBack(ToFollow), FollowBack])),
    row(Op::ApproveUnlocked, When::NotAsked(ToFollow), Unchanged),
    row(Op::ApproveUnlocked, When::Locked, Unchanged),
    row(Op::ApproveUnlocked, When::Otherwise, Change(&[EndRequestBack(ToFollow), FollowBack])),
    row(Op::RejectFollow, When::NotAsked(ToFollow), Unchanged),
    row(Op::RejectFollow, When::Otherwise, Change(&[EndRequestBack(ToFollow)])),
    row(Op::ExpireRequest, When::NotDue, Unchanged),
    row(Op::ExpireRequest, When::Asked(Friend), Change(&[EndRequestBack(Friend)])),
    row(Op::ExpireRequest, When::Asked(ToFollow), Change(&[EndRequestBack(ToFollow)])),
    row(Op::ExpireRequest, When::Otherwise, Unchanged),
];
