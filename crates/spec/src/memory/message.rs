//! What one shard sends to another.

use guanxi_model::event::PairChange;
use guanxi_model::post::Kind;
use guanxi_model::{Change, Event, Op, PostHeader, PostId, Uid};

/// What is sent to the shard of another user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Derivation {
    /// The event in the shard of the actor.
    pub fact: Event,
    /// The other user that it concerns.
    pub other: Uid,
    /// The post of the event, as it is since.
    pub post: Option<PostHeader>,
}

/// What a shard knows of the fact of a user of another shard. The first of each is of the shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DerivedRow {
    Follower(Uid, Uid),
    BlockedBy(Uid, Uid),
    MutedBy(Uid, Uid),
    /// What the first has asked of the second.
    Sent(Uid, Uid),
    Liker(PostId, Uid),
    /// What a post answers or shares, and that post.
    Reference(PostId, PostId),
}

impl Derivation {
    /// Returns the row that it is about; `None` for an event that concerns no other user.
    pub(super) fn row(&self) -> Option<DerivedRow> {
        let subject = self.fact.subject;
        Some(match self.fact.change {
            Change::Pair { object, kind, .. } => match kind {
                PairChange::Followed { .. } | PairChange::Unfollowed => DerivedRow::Follower(object, subject),
                PairChange::Blocked { .. } | PairChange::Unblocked => DerivedRow::BlockedBy(object, subject),
                PairChange::Muted { .. } | PairChange::Unmuted => DerivedRow::MutedBy(object, subject),
                PairChange::Requested { .. } | PairChange::RequestEnded { .. } => {
                    DerivedRow::Sent(object, subject)
                }
            },
            Change::Liked { id, .. } | Change::Unliked { id, .. } => DerivedRow::Liker(id, subject),
            Change::Post { id, .. } => DerivedRow::Reference(original(self.post?.kind)?, id),
            Change::FollowLimit(_) | Change::User(_) | Change::Interacted | Change::Group { .. } => {
                return None;
            }
        })
    }

    /// Returns whether it stands in both shards before its write is answered, however everything else is carried:
    /// what parts two users holds from its acknowledgement on, and so does what they have agreed on.
    pub(super) const fn is_privacy(&self) -> bool {
        let Change::Pair { kind, cause, .. } = self.fact.change else { return false };
        let is_request = matches!(kind, PairChange::Requested { .. } | PairChange::RequestEnded { .. });
        let stands_at_once = matches!(
            cause,
            Op::Block
                | Op::Unblock
                | Op::RemoveFollower
                | Op::RemoveFriend
                | Op::SendFriendRequest
                | Op::AcceptFriendRequest
                | Op::ApproveFollow
                | Op::ApproveUnlocked
        );
        is_request || stands_at_once
    }
}

/// Returns what a post of a kind is about.
pub(super) const fn original(kind: Kind) -> Option<PostId> {
    match kind {
        Kind::Post => None,
        Kind::Reply { to, .. } => Some(to),
        Kind::Repost { of, .. } | Kind::Quote { of, .. } => Some(of),
    }
}
