//! What holds between the shards of users, and on one machine as well.

use super::{Need, World, draft, u};
use guanxi_model::event::{Change, Event};
use guanxi_model::post::PostCommand;
use guanxi_model::{List, Op, Page, Position, RelationState, Uid};

/// A block, its end and a removal hold on both sides for everybody from their answer on, without any token.
pub async fn what_parts_two_users_stands_at_its_answer(world: &World) {
    for (n, op) in [Op::Block, Op::RemoveFollower, Op::Unblock].into_iter().enumerate() {
        let (a, b) = (100 + 2 * n as u64, 101 + 2 * n as u64);
        world.build(&format!("{b}->{a}")).await;
        if op == Op::Unblock {
            world.build(&format!("{a}-x{b}")).await;
        }
        assert_eq!(world.result(op, a, b).await, Ok(true));
        let view = world.backend.store.view(None).await.unwrap();
        let there = view.relations(u(b), &[u(a)]).await.unwrap()[0];
        let here = view.relations(u(a), &[u(b)]).await.unwrap()[0];
        assert_eq!((there.state(), here.state()), (RelationState::None, RelationState::None), "{op:?}");
        assert_eq!((there.blocked_by, here.blocking), (op == Op::Block, op == Op::Block), "{op:?}");
        for (of, list) in [(a, List::Followers), (b, List::Following)] {
            assert_eq!(view.list(u(of), list, Page::first()).await.unwrap().items, [], "{op:?}: {list:?}");
        }
        if !world.lacks_outboxes() {
            let view = world.backend.store.view(None).await.unwrap();
            assert_eq!(view.blocked_by(u(b), &[u(a)]).await.unwrap(), [op == Op::Block], "{op:?}");
        }
    }
}

/// With a log for each gene, what a user did to another is told in the other's log, too, once, and names the fact; with
/// one log for all it is told once.
pub async fn a_log_tells_what_others_did_to_its_users(world: &World) {
    let posts = !world.lacks_posts();
    for step in ["1->2", "2->1", "1-m2", "1-/2", "1->2", "2-r1", "1-x2", "1-o2", "3->1"] {
        world.build(step).await;
        world.settle(1..=3).await;
    }
    if posts {
        let original = world.post(draft(1, "original")).await;
        let reply = world.post(super::reply(2, original)).await;
        for command in [
            PostCommand::Like { uid: u(3), id: original },
            PostCommand::Unlike { uid: u(3), id: original },
            PostCommand::Delete { author: u(2), id: reply },
            PostCommand::Restore { author: u(2), id: reply },
        ] {
            assert_eq!(world.post_act(command).await.result, Ok(true));
            world.settle(1..=3).await;
        }
    }
    world.settle(1..=3).await;
    let told = log_of(world, 1).await;
    let facts = world.events_since(&world.origin).await;
    let concerns = |fact: &&Event| fact.subject != u(1) && whom(fact) == Some(u(1));
    let by_others: Vec<&Event> = facts.iter().filter(concerns).collect();
    assert_eq!(by_others.len(), if posts { 8 } else { 3 }, "{by_others:?}");
    for fact in by_others {
        let same = |event: &&Event| event.version == fact.version;
        let echoes: Vec<_> = told.iter().filter(same).map(|event| (event.subject, event.echo)).collect();
        let echo = (world.origin.of(u(1)).log() != fact.at.log()).then_some(fact.at);
        assert_eq!(echoes, [(fact.subject, echo)], "{fact:?}");
    }
}

/// Everything in the log of a user.
async fn log_of(world: &World, uid: u64) -> Vec<Event> {
    let log = world.origin.of(u(uid)).log();
    world.backend.log.read(log, &world.origin, 1_000).await.unwrap().events
}

/// Returns the user that an event of another user concerns here: replies are all to user 1.
fn whom(event: &Event) -> Option<Uid> {
    match event.change {
        Change::Pair { object, .. } => Some(object),
        Change::Liked { author, .. } | Change::Unliked { author, .. } => Some(author),
        Change::Post { .. } => Some(u(1)),
        Change::FollowLimit(_) | Change::User(_) | Change::Interacted | Change::Group { .. } => None,
    }
}

/// A view that told a viewer's relations as they were before a change is not confirmed, unless the whole view is of
/// before it. A view that told nothing of them is.
pub async fn an_overtaken_answer_is_not_confirmed(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    world.build("1->2").await;
    for (n, step) in (10..).zip(["3-x1", "3-o1", "2-x1", "1-m4", "1->5"]) {
        let (told, untold) = (world.view().await, world.view().await);
        told.viewer_relations(u(1)).await.unwrap();
        assert!(told.confirm(u(1)).await.unwrap());
        world.build(&format!("{step} 4->{n}")).await;
        // Where a view begins for each shard by itself, it is of before and of after the change now.
        told.standings(&[u(4)]).await.unwrap();
        let is_of_after = told.position().of(u(4)) == world.last().of(u(4));
        let (is_of_one_moment, confirms) = (!world.lacks(Need::OneView), told.confirm(u(1)).await.unwrap());
        assert!(!(is_of_after && (is_of_one_moment || confirms)), "{step}");
        assert!(confirms || !is_of_one_moment, "{step}");
        assert!(told.confirm(u(9)).await.unwrap(), "nobody asked of them");
        assert!(untold.confirm(u(1)).await.unwrap(), "{step}");
    }
}

/// A view says of each user what held at some moment after it was asked for, and the position says which.
pub async fn a_part_of_a_view_begins_at_its_first_question(world: &World) {
    if world.lacks(Need::PinnedViews) {
        return;
    }
    world.build("1->3").await;
    let view = world.view().await;
    let following = async |uid: u64| view.counts(&[u(uid)]).await.unwrap()[0].following;
    assert_eq!(following(1).await, 1);
    world.build("1->4 2->4").await;
    let (first, second) = (following(1).await, following(2).await);
    // Shards that are read at one moment begin together.
    let begins_later = u32::from(world.lacks(Need::OneView));
    assert!(first == 1 && second <= begins_later, "{first} {second}");
    world.build("2->5").await;
    assert_eq!((following(2).await, following(1).await), (second, first), "each stands still");
    let sees = |position: &Position, uid: u64| position.of(u(uid)) == world.last().of(u(uid));
    assert!(!sees(&view.position(), 1) && !sees(&view.position(), 2));
}
