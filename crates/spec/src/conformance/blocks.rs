//! Blocks and mutes.

use super::{World, u};
use guanxi_model::{Counts, List, Op, Reason, Relation, RelationState};

/// A block cuts both follows at once, and both lists and counters say so.
pub async fn a_block_cuts_both_ways(world: &World) {
    world.build("1<->2 3->1 1->4 5->2").await;
    let outcome = world.act(Op::Block, 1, 2).await;
    assert_eq!(outcome.result, Ok(true));
    assert_eq!(outcome.relation, Relation { blocking: true, ..Relation::default() });
    assert_eq!(world.relation(2, 1).await, Relation { blocked_by: true, ..Relation::default() });
    for (uid, list, left) in [
        (1, List::Following, vec![4]),
        (1, List::Followers, vec![3]),
        (1, List::Friends, vec![]),
        (1, List::Blocks, vec![2]),
        (2, List::Following, vec![]),
        (2, List::Followers, vec![5]),
        (2, List::Friends, vec![]),
        (2, List::Blocks, vec![]),
    ] {
        assert_eq!(world.uids(uid, list).await, left, "{uid} {list:?}");
    }
    assert_eq!(world.counts(1).await, Counts { following: 1, followers: 1, friends: 0, blocks: 1, mutes: 0 });
    assert_eq!(world.counts(2).await, Counts { followers: 1, ..Counts::default() });
}

/// A block cuts the one follow there is, whichever side has it.
pub async fn a_block_cuts_a_one_sided_follow(world: &World) {
    world.build("1->2 3->4").await;
    world.build("1-x2 4-x3").await;
    for (a, b) in [(1, 2), (3, 4)] {
        assert_eq!(world.relation(a, b).await.state(), RelationState::None);
    }
}

/// While either blocks, follows are refused both ways; with two blocks, until both are gone.
pub async fn while_either_blocks_follows_are_refused_both_ways(world: &World) {
    let refused = async || {
        for (a, b) in [(1, 2), (2, 1)] {
            let outcome = world.act(Op::Follow, a, b).await;
            assert_eq!(outcome.result, Err(Reason::Blocked), "{a} {b}");
            assert_eq!(outcome.relation.state(), RelationState::None);
        }
    };
    world.build("1-x2").await;
    refused().await;
    world.build("2-x1").await;
    refused().await;
    let both = world.relation(1, 2).await;
    assert!(both.blocking && both.blocked_by);
    world.build("1-o2").await;
    refused().await;
    world.build("2-o1 1<->2").await;
    assert_eq!(world.relation(1, 2).await.state(), RelationState::Mutual);
}

/// Unblocking restores nothing.
pub async fn unblocking_restores_nothing(world: &World) {
    world.build("1<->2 1-x2 1-o2").await;
    assert_eq!(world.relation(1, 2).await, Relation::default());
    assert_eq!(world.relation(2, 1).await, Relation::default());
    assert_eq!(world.result(Op::Unfollow, 1, 2).await, Ok(false), "there is nothing to end");
    world.build("1->2").await;
    assert_eq!(world.uids(2, List::Followers).await, [1]);
}

/// A block by a user who does not follow still refuses the other, and no third user.
pub async fn a_block_concerns_one_pair_only(world: &World) {
    world.build("1-x2").await;
    world.build("2->3 3->2 1->3 3->1").await;
    assert_eq!(world.relation(2, 3).await.state(), RelationState::Mutual);
    assert_eq!(world.result(Op::Unblock, 2, 1).await, Ok(false), "only the blocker can unblock");
    assert!(world.relation(1, 2).await.blocking);
}

/// A mute changes no edge and no other user, and lives through follows, blocks and their ends.
pub async fn a_mute_changes_no_edge(world: &World) {
    world.build("1<->2").await;
    world.settle([1]).await;
    let before = (world.relation(2, 1).await, world.counts(2).await);
    let muted = world.act(Op::Mute, 1, 2).await;
    assert_eq!(muted.relation.state(), RelationState::Mutual);
    assert!(muted.relation.muting);
    assert_eq!((world.relation(2, 1).await, world.counts(2).await), before);
    world.build("1-/2 1->2 1-x2 1-o2").await;
    assert!(world.relation(1, 2).await.muting);
    assert_eq!(world.uids(1, List::Mutes).await, [2]);
    world.build("2->1 1-u2").await;
    assert_eq!(world.relation(1, 2).await.state(), RelationState::FollowedBy);
    assert_eq!(world.counts(1).await.mutes, 0);
}

/// The log names each cut, in order, with the block as its cause.
pub async fn a_block_is_logged_with_what_it_cut(world: &World) {
    use guanxi_model::Change;
    use guanxi_model::event::PairChange::{Blocked, Unblocked, Unfollowed};
    world.build("1<->2").await;
    let before = world.last();
    world.build("1-x2 1-o2").await;
    let events = world.events_since(&before).await;
    let said: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    let at = events[0].version;
    let change = |object, kind, cause| Change::Pair { object: u(object), kind, cause };
    assert_eq!(
        said,
        [
            (u(1), change(2, Blocked { at }, Op::Block)),
            (u(1), change(2, Unfollowed, Op::Block)),
            (u(2), change(1, Unfollowed, Op::Block)),
            (u(1), change(2, Unblocked, Op::Unblock)),
        ]
    );
}
