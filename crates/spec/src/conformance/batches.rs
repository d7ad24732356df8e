//! Batches: one commit, in order, one outcome each.

use super::{Need, World, follow, u};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Command, Op, Reason, RelationState, Write};

/// Each command sees what those before it did, and has its own outcome.
pub async fn a_batch_is_applied_in_order(world: &World) {
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let command = |op, a, b| Command { op, subject: u(a), object: u(b) };
    let outcomes = world
        .batch(&[
            follow(1, 2),
            follow(1, 2),
            follow(2, 1),
            command(Op::Block, 3, 1),
            follow(1, 3),
            command(Op::Unblock, 3, 1),
            follow(1, 3),
            command(Op::RemoveFollower, 3, 1),
            follow(4, 4),
            command(Op::Mute, 1, 3),
            command(Op::Unfollow, 1, 2),
        ])
        .await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    let (yes, no) = (Ok(true), Ok(false));
    assert_eq!(results[..4], [yes.clone(), no, yes.clone(), yes.clone()]);
    assert_eq!(results[4..8], [Err(Reason::Blocked), yes.clone(), yes.clone(), yes.clone()]);
    assert_eq!(results[8..], [Err(Reason::SelfRelation), yes.clone(), yes]);
    // Each outcome carries the relation as of then.
    let expected = [
        RelationState::Following,
        RelationState::Mutual,
        RelationState::None,
        RelationState::Following,
        RelationState::None,
        RelationState::FollowedBy,
    ];
    let states: Vec<_> = [0, 2, 4, 6, 7, 10].iter().map(|n| outcomes[*n].relation.state()).collect();
    assert_eq!(states, expected);
    assert!(outcomes[4].relation.blocked_by && !outcomes[6].relation.blocked_by);
}

/// A batch of follows of one subject, with repeats, refusals and oneself among them.
pub async fn follows_of_one_subject_each_have_an_outcome(world: &World) {
    world.build("3-x1 1->4 5->1").await;
    let outcomes = world.batch(&[2, 3, 4, 2, 1, 5].map(|object| follow(1, object))).await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    let expected =
        [Ok(true), Err(Reason::Blocked), Ok(false), Ok(false), Err(Reason::SelfRelation), Ok(true)];
    assert_eq!(results, expected);
    assert_eq!(outcomes[5].relation.state(), RelationState::Mutual);
    assert!(outcomes[1].relation.blocked_by);
    assert_eq!(outcomes[0].relation, outcomes[3].relation);
}

/// The largest batch is accepted; one more command is refused as a whole.
pub async fn a_batch_beyond_the_largest_is_refused(world: &World) {
    world.set_limit(1, Some(2_000)).await;
    let commands: Vec<_> = (0..=u64::from(BATCH_MAX)).map(|n| follow(1, 10 + n)).collect();
    let before = world.last();
    let write = Write::Commands { commands: commands.clone(), request: None };
    assert_eq!(world.try_write(write).await, Err(Reason::BatchTooLarge { limit: BATCH_MAX }));
    assert_eq!(world.events_since(&before).await, []);
    let outcomes = world.batch(&commands[1..]).await;
    assert!(outcomes.iter().all(|outcome| outcome.result == Ok(true)));
    assert_eq!(world.counts(1).await.following, BATCH_MAX);
}

/// An empty batch does nothing, and still answers where the store stands.
pub async fn an_empty_batch_answers_the_head(world: &World) {
    if world.lacks(Need::MixedBatches) {
        return;
    }
    world.build("1->2").await;
    let answer = world.write(Write::Commands { commands: Vec::new(), request: None }).await;
    assert_eq!(answer.outcomes, []);
    // Nobody acted: of many logs it names none.
    let (last, uid) = (world.last(), u(1));
    assert!(last.covers(&answer.position));
    assert!(!answer.position.names(uid) || answer.position.of(uid) == last.of(uid));
}
