//! When a rejection is forgotten: the rejected comes to follow the rejecter, or accepts its friend request.

use super::{Need, World, u};
use guanxi_model::limits::REQUEST_COOLDOWN_MS;
use guanxi_model::{Command, ImportEdge, MuteTerms, Op, Reason, RequestKind, Write};
use guanxi_ports::Walk;

/// How a user comes to follow another, who is locked and has rejected it.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The other asks to be friends, and is accepted.
    Accepts,
    /// The other asks to be friends, and so does the user.
    AsksToo,
    /// The other lets everybody follow.
    Follows,
    /// The follow stood elsewhere.
    IsImported,
    /// It asks again after the time, and is approved.
    IsApproved,
    /// It asks again after the time, and the other unlocks itself.
    IsLet,
    /// It asks again after the time, and the other wants to be friends.
    IsAsked,
    /// It follows already, and accepts the other, who wants to be friends.
    BecomesFriend,
}

const WAYS: [Way; 8] = [
    Way::Accepts,
    Way::AsksToo,
    Way::Follows,
    Way::IsImported,
    Way::IsApproved,
    Way::IsLet,
    Way::IsAsked,
    Way::BecomesFriend,
];

impl Way {
    /// Whether the time of the rejection has to be over before.
    const fn comes_later(self) -> bool {
        matches!(self, Self::IsApproved | Self::IsLet | Self::IsAsked)
    }
}

impl World {
    /// `a`, whom `b` has rejected, comes to follow it, and no longer does.
    async fn check_way(&self, way: Way, a: u64, b: u64) {
        if matches!(way, Way::IsLet) && self.lacks_quietly(Need::Ends) {
            return;
        }
        self.come_to_follow(way, a, b).await;
        if !self.lacks_quietly(Need::Ends) {
            let left = self.view().await.rejections(u(b), Walk::new(None, 9)).await.unwrap();
            assert_eq!(left, [], "{way:?} {a} {b}");
        }
        assert_eq!(self.result(Op::Unfollow, a, b).await, Ok(true));
        assert!(!self.is_rejected(b, a).await, "{way:?}: {a} may ask {b} again");
        self.reject(b, a).await;
    }

    /// A user asks another to be friends, and is rejected.
    async fn reject(&self, owner: u64, other: u64) {
        assert_eq!(self.ask(other, owner, None).await, Ok(true));
        assert_eq!(self.result(Op::RejectFriendRequest, owner, other).await, Ok(true));
        assert!(self.is_rejected(owner, other).await, "{other} by {owner}");
    }

    async fn is_rejected(&self, owner: u64, other: u64) -> bool {
        let until_ms = self.now_ms() + REQUEST_COOLDOWN_MS;
        match self.ask(other, owner, None).await {
            Err(reason) => {
                assert_eq!(reason, Reason::RequestRejected { until_ms });
                true
            }
            Ok(asks) => {
                assert!(asks);
                assert_eq!(self.result(Op::CancelFriendRequest, other, owner).await, Ok(true));
                false
            }
        }
    }

    /// `a` comes to follow `b` after it was rejected. Nothing waits between them afterwards.
    async fn come_to_follow(&self, way: Way, a: u64, b: u64) {
        let done = Ok(true);
        match way {
            Way::Accepts | Way::AsksToo | Way::BecomesFriend => {
                assert_eq!(self.ask(b, a, None).await, done);
                let answer = if matches!(way, Way::AsksToo) {
                    self.ask(a, b, None).await
                } else {
                    self.result(Op::AcceptFriendRequest, a, b).await
                };
                assert_eq!(answer, done);
            }
            Way::Follows => {
                self.lock(b, false).await;
                assert_eq!(self.result(Op::Follow, a, b).await, done);
                self.lock(b, true).await;
            }
            Way::IsImported => {
                let edges =
                    vec![ImportEdge { subject: u(a), object: u(b), at: None, terms: MuteTerms::default() }];
                let applied = self.write(Write::of(Command::ImportEdges { edges, revive: true })).await;
                assert_eq!(applied.outcomes[0].result(), done);
            }
            Way::IsApproved | Way::IsLet | Way::IsAsked => {
                assert_eq!(self.result(Op::Follow, a, b).await, done);
                assert_eq!(self.relation(a, b).await.requested, Some(RequestKind::Follow));
                self.let_follow(way, a, b).await;
            }
        }
        let relation = self.relation(a, b).await;
        assert!(relation.following_since.is_some(), "{way:?}: {relation:?}");
        assert_eq!((relation.requested, relation.requested_by), (None, None), "{way:?}");
    }

    async fn let_follow(&self, way: Way, a: u64, b: u64) {
        match way {
            Way::IsLet => {
                self.lock(b, false).await;
                assert_eq!(self.result(Op::ApproveUnlocked, b, a).await, Ok(true));
                self.lock(b, true).await;
            }
            Way::IsAsked => {
                assert_eq!(self.ask(b, a, None).await, Ok(true));
                assert_eq!(self.result(Op::CancelFriendRequest, b, a).await, Ok(true));
            }
            _ => assert_eq!(self.result(Op::ApproveFollow, b, a).await, Ok(true)),
        }
    }
}

/// However a user comes to follow a user that has rejected it, it may ask again once it follows no more; and a later rejection
/// stays.
pub async fn a_rejection_ends_with_the_follow_of_the_rejected(world: &World) {
    // Of one shard and of two.
    let pairs = |n: u64| [(n, 0x20 + n), (0x0100 + n, 0x0200 + n)];
    let ways: Vec<(u64, Way)> = (1..).zip(WAYS).collect();
    for (n, way) in &ways {
        for (a, b) in pairs(*n) {
            let follows = matches!(way, Way::BecomesFriend);
            world.lock(b, !follows).await;
            if follows {
                assert_eq!(world.result(Op::Follow, a, b).await, Ok(true));
            }
            world.reject(b, a).await;
        }
    }
    let (later, at_once): (Vec<_>, Vec<_>) = ways.into_iter().partition(|(_, way)| way.comes_later());
    for (n, way) in at_once {
        for (a, b) in pairs(n) {
            world.check_way(way, a, b).await;
        }
    }
    world.clock().advance(REQUEST_COOLDOWN_MS);
    for (n, way) in later {
        for (a, b) in pairs(n) {
            world.check_way(way, a, b).await;
        }
    }
    world.verify().await;
}

/// A user that is rejected while it follows stays rejected, whether or not it goes on following.
pub async fn a_rejection_of_a_follower_stands(world: &World) {
    for (a, b) in [(1, 2), (0x0103, 0x0203)] {
        assert_eq!(world.result(Op::Follow, a, b).await, Ok(true));
        world.reject(b, a).await;
        assert_eq!(world.result(Op::Follow, a, b).await, Ok(false), "it follows");
        assert!(world.is_rejected(b, a).await);
        assert_eq!(world.result(Op::RemoveFollower, b, a).await, Ok(true));
        assert!(world.is_rejected(b, a).await);
        // Of the two only the rejecter comes to follow.
        assert_eq!(world.result(Op::Follow, b, a).await, Ok(true));
        assert!(world.is_rejected(b, a).await);
    }
    world.verify().await;
}
