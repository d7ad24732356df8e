//! Batches: one commit, in order, one outcome each.

use super::posts_world::draft;
use super::{Need, World, follow, u};
use guanxi_model::limits::{BATCH_MAX, FOLLOW_LIMIT_MAX};
use guanxi_model::post::PostCommand;
use guanxi_model::{
    Command, ImportCursor, ImportEdge, Op, Outcome, PairCommand, PostId, Reason, RelationState, RequestKey,
    Stamp, Write,
};

/// Each command sees what those before it did, and has its own outcome.
pub async fn a_batch_is_applied_in_order(world: &World) {
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let command = |op, a, b| PairCommand { op, subject: u(a), object: u(b) };
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
    world.settle([1]).await;
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
    let write = Write::all(commands.clone());
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
    let answer = world.write(Write::default()).await;
    assert_eq!(answer.outcomes, []);
    // No user acted: of many logs it names none.
    let (last, uid) = (world.last(), u(1));
    assert!(last.covers(&answer.position));
    assert!(!answer.position.names(uid) || answer.position.of(uid) == last.of(uid));
}

/// Commands of every domain stand in one commit, in order, each with its outcome; a repeat is answered from the first.
pub async fn commands_of_several_domains_are_one_commit(world: &World) {
    if world.lacks(Need::MixedBatches) || world.lacks_posts() {
        return;
    }
    let before = world.last();
    let post = PostCommand::Create(draft(1, "text"));
    let edge = ImportEdge::new(u(3), u(1), Some(Stamp::from_ms(5)));
    let commands = vec![
        follow(1, 2).into(),
        post.into(),
        Command::FollowLimit { uid: u(1), limit: Some(1) },
        follow(1, 3).into(),
        Command::ImportEdges { edges: vec![edge, edge], revive: false },
        Command::MarkSeen { uid: u(2), seen: before.clone() },
        PostCommand::Like { uid: u(2), id: PostId::MIN }.into(),
    ];
    let request = Some(RequestKey { actor: u(1), id: "mixed".into(), fingerprint: 1 });
    let cursor = Some(ImportCursor { job: "mixed".into(), from: 0, to: 7 });
    let write = Write { commands, request, cursor, unknown_at: None };
    let first = world.write(write.clone()).await;
    let results: Vec<_> = first.outcomes.iter().map(Outcome::result).collect();
    let (limited, missing) = (Err(Reason::LimitReached { limit: 1 }), Err(Reason::PostNotFound));
    assert_eq!(results, [Ok(true), Ok(true), Ok(true), limited, Ok(true), Ok(false), Ok(true), missing]);
    assert_eq!(world.events_since(&before).await.len(), 4, "one event per change");
    assert_eq!(world.view().await.import_position("mixed").await.unwrap(), Some(7));
    assert_eq!(world.write(write).await, first, "the whole answer is remembered");
    // Of many logs it names those of the actors, who are all that wrote here.
    let last = world.last();
    assert!(last.covers(&first.position));
    assert_eq!(first.position.event_count(), last.event_count(), "nothing came after it");
}

/// What is wrong with one command as a whole request refuses the write before anything of it is done.
pub async fn a_write_that_is_refused_changes_nothing(world: &World) {
    if world.lacks(Need::MixedBatches) || world.lacks_posts() {
        return;
    }
    world.build("1->2").await;
    let before = world.last();
    let ahead = Command::MarkSeen { uid: u(1), seen: world.next(1) };
    let high = Command::FollowLimit { uid: u(1), limit: Some(FOLLOW_LIMIT_MAX + 1) };
    let wrong = [(ahead, Reason::TokenAhead), (high, Reason::InvalidField { field: "limit" })];
    for (wrong, reason) in wrong {
        let write = Write::all([follow(2, 1).into(), wrong]);
        assert_eq!(world.try_write(write).await, Err(reason));
    }
    let elsewhere = Some(ImportCursor { job: "job".into(), from: 3, to: 4 });
    let refused = world.try_write(Write::of(follow(2, 1)).at(elsewhere)).await;
    assert_eq!(refused, Err(Reason::ImportPositionMismatch { position: 0 }));
    assert_eq!(world.events_since(&before).await, []);
    assert!(world.relation(2, 1).await.following_since.is_none());
}
