//! Limits hold for the net effect, inside the commit.

use super::{Need, World, follow, u};
use guanxi_model::limits::FOLLOW_LIMIT_MAX;
use guanxi_model::{Change, Command, List, Op, PairCommand, Reason, Relation, RelationState, Write};

fn fill(op: Op, subject: u64, count: u32) -> Vec<PairCommand> {
    (0..u64::from(count)).map(|n| PairCommand { op, subject: u(subject), object: u(1_000 + n) }).collect()
}

/// The default follow limit lets exactly so many through, and a refusal changes nothing.
pub async fn the_follow_limit_refuses_the_next_follow(world: &World) {
    let limit = world.settings.follow_limit;
    world.change(&fill(Op::Follow, 1, limit)).await;
    let before = world.last();
    let refused = world.act(Op::Follow, 1, 5).await;
    assert_eq!(refused.result, Err(Reason::LimitReached { limit }));
    assert_eq!(refused.relation, Relation::default());
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.counts(1).await.following, limit);
    assert_eq!(world.result(Op::Follow, 1, 1_000).await, Ok(false), "what stands is no new follow");
    assert_eq!(world.result(Op::Follow, 5, 1).await, Ok(true), "being followed has no limit");
    assert_eq!(world.result(Op::Follow, 2, 5).await, Ok(true), "the limit is each user's own");
    world.build("1-/1000 1->5").await;
    assert_eq!(world.result(Op::Follow, 1, 6).await, Err(Reason::LimitReached { limit }));
}

/// A follow that the other side ends makes room, too.
pub async fn removed_and_blocked_follows_make_room(world: &World) {
    let limit = world.settings.follow_limit;
    world.change(&fill(Op::Follow, 1, limit)).await;
    world.build("1000-r1 1->5 1001-x1 1->6 1-x1002 1->7").await;
    assert_eq!(world.result(Op::Follow, 1, 8).await, Err(Reason::LimitReached { limit }));
}

/// A user's own limit goes above and below the default, and back to it.
pub async fn a_users_own_limit_replaces_the_default(world: &World) {
    let default = world.settings.follow_limit;
    world.set_limit(1, Some(default + 2)).await;
    let limit = world.view().await.follow_limit(u(1)).await.unwrap();
    assert_eq!((limit.effective, limit.own), (default + 2, Some(default + 2)));
    world.change(&fill(Op::Follow, 1, default + 2)).await;
    assert_eq!(world.result(Op::Follow, 1, 5).await, Err(Reason::LimitReached { limit: default + 2 }));
    // Lowered: present follows stay, and nothing new comes in until there is room again.
    world.set_limit(1, Some(2)).await;
    assert_eq!(world.counts(1).await.following, default + 2);
    world.build("1-/1000").await;
    assert_eq!(world.result(Op::Follow, 1, 1_000).await, Err(Reason::LimitReached { limit: 2 }));
    world.set_limit(1, None).await;
    let limit = world.view().await.follow_limit(u(1)).await.unwrap();
    assert_eq!((limit.effective, limit.own), (default, None));
    assert_eq!(world.result(Op::Follow, 1, 1_000).await, Err(Reason::LimitReached { limit: default }));
    world.set_limit(2, Some(0)).await;
    assert_eq!(world.result(Op::Follow, 2, 3).await, Err(Reason::LimitReached { limit: 0 }));
}

/// A limit set is an event; one that is set already, or unset already, is none.
pub async fn setting_a_limit_is_logged_once(world: &World) {
    for limit in [None, Some(5), Some(5), Some(6), None, None, Some(0)] {
        world.set_limit(7, limit).await;
    }
    let events = world.events_since(&world.origin).await;
    let changes: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    assert_eq!(changes, [Some(5), Some(6), None, Some(0)].map(|limit| (u(7), Change::FollowLimit(limit))));
}

/// The highest limit is accepted, and the next is refused.
pub async fn a_limit_beyond_the_highest_is_refused(world: &World) {
    world.set_limit(1, Some(FOLLOW_LIMIT_MAX)).await;
    let before = world.last();
    let write = Write::of(Command::FollowLimit { uid: u(1), limit: Some(FOLLOW_LIMIT_MAX + 1) });
    assert_eq!(world.try_write(write).await, Err(Reason::InvalidField { field: "limit" }));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.view().await.follow_limit(u(1)).await.unwrap().own, Some(FOLLOW_LIMIT_MAX));
}

/// At the limit, a batch that first makes room may use it.
pub async fn limits_hold_for_the_net_effect_of_a_batch(world: &World) {
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let limit = world.settings.follow_limit;
    world.change(&fill(Op::Follow, 1, limit)).await;
    let unfollow = PairCommand { op: Op::Unfollow, subject: u(1), object: u(1_000) };
    let results = world.batch(&[follow(1, 5), unfollow, follow(1, 6), follow(1, 7), follow(1, 6)]).await;
    let results: Vec<_> = results.into_iter().map(|outcome| outcome.result).collect();
    let full = || Err(Reason::LimitReached { limit });
    assert_eq!(results, [full(), Ok(true), Ok(true), full(), Ok(false)]);
    assert_eq!(world.counts(1).await.following, limit);
}

/// A batch of follows that reaches the limit on its way lets exactly so many through, in order.
pub async fn a_batch_stops_at_the_limit(world: &World) {
    let limit = world.settings.follow_limit;
    let outcomes = world.batch(&fill(Op::Follow, 1, limit + 3)).await;
    let (through, refused) = outcomes.split_at(limit as usize);
    assert!(through.iter().all(|outcome| outcome.result == Ok(true)));
    assert!(refused.iter().all(|outcome| outcome.result == Err(Reason::LimitReached { limit })));
    assert!(refused.iter().all(|outcome| outcome.relation.state() == RelationState::None));
}

/// Blocks and mutes have limits of their own; a refused block cuts nothing.
pub async fn blocks_and_mutes_have_limits(world: &World) {
    let (blocks, mutes) = (world.settings.block_limit, world.settings.mute_limit);
    world.change(&fill(Op::Block, 1, blocks)).await;
    world.change(&fill(Op::Mute, 1, mutes)).await;
    world.build("1<->5").await;
    let before = world.last();
    assert_eq!(world.result(Op::Block, 1, 5).await, Err(Reason::LimitReached { limit: blocks }));
    assert_eq!(world.result(Op::Mute, 1, 5).await, Err(Reason::LimitReached { limit: mutes }));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.relation(1, 5).await.state(), RelationState::Mutual);
    assert_eq!(world.result(Op::Block, 1, 1_000).await, Ok(false));
    assert_eq!(world.result(Op::Mute, 1, 1_000).await, Ok(false));
    world.build("1-o1000 1-x5 1-u1001 1-m6").await;
    assert_eq!(world.uids(1, List::Blocks).await.len(), blocks as usize);
    assert_eq!(world.uids(1, List::Mutes).await.len(), mutes as usize);
}

/// A block is refused before a limit is: it says more.
pub async fn a_block_is_named_before_a_limit(world: &World) {
    world.set_limit(1, Some(0)).await;
    world.build("1-x2 3-x1").await;
    for object in [2, 3] {
        assert_eq!(world.result(Op::Follow, 1, object).await, Err(Reason::Blocked));
    }
    assert_eq!(world.result(Op::Follow, 1, 4).await, Err(Reason::LimitReached { limit: 0 }));
}

/// Writers that race for the last places get exactly those.
pub async fn racing_follows_never_pass_the_limit(world: &World) {
    let limit = world.settings.follow_limit;
    world.change(&fill(Op::Follow, 1, limit - 3)).await;
    let racers = (0..8).map(|n| {
        let graph = world.backend.store.clone();
        tokio::spawn(async move {
            let commands = vec![follow(1, 10 + n)];
            graph.apply(Write::all(commands)).await.unwrap()
        })
    });
    let mut through = 0;
    for racer in racers.collect::<Vec<_>>() {
        let answer = racer.await.unwrap();
        world.saw(&answer.position);
        match answer.outcomes[0].result() {
            Ok(changed) => through += u32::from(changed),
            Err(reason) => assert_eq!(reason, Reason::LimitReached { limit }),
        }
    }
    assert_eq!(through, 3);
    assert_eq!(world.counts(1).await.following, limit);
}
