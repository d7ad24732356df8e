//! Views of posts, what feeds read of them, and writes that happen once.

use super::{World, draft, for_whom, old_post, reply, text, u};
use guanxi_model::limits::{POST_TEXT_CHARS_MAX, READ_BYTES_MAX};
use guanxi_model::post::PostCommand;
use guanxi_model::{
    Command, EventAt, FanoutMode, FanoutPolicy, HistoryId, Position, PostId, Reason, RequestKey, Visibility,
    Write,
};
use guanxi_ports::AuthorHead;
use std::time::Duration;

/// A view says the same after every later write.
pub async fn a_view_of_posts_stands_still(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let kept = world.post(draft(1, "kept")).await;
    let other = world.post(draft(1, "other")).await;
    assert_eq!(world.like(2, kept).await, Ok(true));
    let view = world.view().await;
    // A part of the view begins at the first question about its shard.
    view.counts(&[u(1), u(2), u(3)]).await.unwrap();
    let ids = [kept, other];
    let before = (view.posts(&ids).await, view.stats(&ids).await, view.shown(Some(u(2)), &ids).await);
    assert_eq!(world.edit(1, kept, text("edited")).await, Ok(true));
    assert_eq!(world.delete(1, other).await, Ok(true));
    assert_eq!(world.unlike(2, kept).await, Ok(true));
    let new = world.post(reply(3, kept)).await;
    let old = world.import_posts(&[old_post(1, "old", 1_500_000_000_000)]).await[0].id.unwrap();
    world.build("2->1").await;
    assert_eq!((view.posts(&ids).await, view.stats(&ids).await, view.shown(Some(u(2)), &ids).await), before);
    assert_eq!(view.headers(&[new, old]).await.unwrap(), [None, None]);
    assert_eq!(view.posts(&[new, old]).await.unwrap(), [None, None]);
    assert_eq!(super::posts_world::whole_outbox(&*view, u(1), 5).await, [other, kept]);
    assert_eq!(view.revisions(kept, None, 5).await.unwrap(), []);
    assert_eq!(view.viewer_relations(u(2)).await.unwrap().follow(u(1)), None);
    assert_eq!(view.follow(&[u(2)], u(1)).await.unwrap(), [false]);
    let head = view.heads(&[u(1)]).await.unwrap()[0];
    let made = view.headers(&[other]).await.unwrap()[0].and_then(|header| header.event);
    let knows = made.is_some_and(|made| !made.is_after(head.last));
    assert!(head.last_id >= Some(other) && knows, "never older than the view: {head:?}");
    assert_eq!(world.outbox(1, 1).await, [other, kept, old].map(PostId::get));
}

/// One call for posts answers bodies up to a limit, however many it is asked for.
pub async fn a_call_answers_bodies_up_to_a_limit(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let long = "\u{1f600}".repeat(POST_TEXT_CHARS_MAX as usize);
    let (large, small) = (world.post(draft(1, &long)).await, world.post(draft(1, "small")).await);
    let fit = READ_BYTES_MAX.div_ceil(long.len());
    let mut ids = vec![large; fit + 9];
    ids[0] = small;
    let view = world.view().await;
    let posts = view.posts(&ids).await.unwrap();
    assert_eq!(posts.len(), fit + 1, "the last one is whole");
    let found: Vec<PostId> = posts.iter().flatten().map(|post| post.header.id).collect();
    assert_eq!(found, ids[..=fit]);
    assert_eq!(view.posts(&ids[fit + 1..]).await.unwrap().len(), ids.len() - fit - 1);
}

/// A head rises with everything but edits, and says when something below the newest changed.
pub async fn heads_rise_with_their_outboxes(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let head = || async { world.view().await.heads(&[u(1), u(2)]).await.unwrap()[0] };
    let beginning = world.origin.of(u(1));
    assert_eq!(head().await, AuthorHead { last_id: None, last: beginning, changed: beginning });
    let first = world.post(draft(1, "first")).await;
    let created = world.last().of(u(1));
    assert_eq!(head().await, AuthorHead { last_id: Some(first), last: created, changed: beginning });
    world.post(draft(2, "of another")).await;
    assert_eq!(world.like(2, first).await, Ok(true));
    assert_eq!(world.edit(1, first, text("edited")).await, Ok(true));
    assert_eq!(head().await.last, created);
    for step in 0..5 {
        match step {
            0 => assert_eq!(world.edit(1, first, for_whom(Visibility::Friends)).await, Ok(true)),
            1 => assert_eq!(world.edit(1, first, for_whom(Visibility::Public)).await, Ok(true)),
            2 => assert_eq!(world.delete(1, first).await, Ok(true)),
            3 => assert_eq!(world.restore(1, first).await, Ok(true)),
            _ => drop(world.import_posts(&[old_post(1, "old", 1_500_000_000_000)]).await),
        }
        let at = world.last().of(u(1));
        let wanted = AuthorHead { last_id: Some(first), last: at, changed: at };
        assert_eq!(head().await, wanted, "step {step}");
    }
}

/// The place where the posts begin that an author created does not move for any imports around them.
pub async fn created_posts_begin_at_the_first(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let begin = || async { world.view().await.created_from(&[u(1), u(2)]).await.unwrap() };
    assert_eq!(begin().await, [None, None]);
    world.import_posts(&[old_post(1, "old", 1_500_000_000_000)]).await;
    assert_eq!(begin().await, [None, None]);
    let first = world.post(draft(1, "first")).await;
    assert_eq!(begin().await, [Some(first), None]);
    world.post(draft(1, "second")).await;
    world.import_posts(&[old_post(1, "older", 1_400_000_000_000)]).await;
    assert_eq!(world.delete(1, first).await, Ok(true));
    let other = world.post(draft(2, "of another")).await;
    assert_eq!(begin().await, [Some(first), Some(other)]);
}

/// A viewer's relations have another version whenever they change, for every cause, and say where that stands.
pub async fn audiences_change_with_a_version(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let relations = || async { world.view().await.viewer_relations(u(1)).await.unwrap() };
    let mut versions = vec![relations().await.version()];
    let mut changed = relations().await.changed();
    // 2 follows back, stops, is removed; 3 blocks 1, which cuts its follow.
    for step in
        ["1->2", "2->1", "2-/1", "2->1", "1-r2", "1-m2", "1-u2", "1->3", "3-x1", "1-x4", "1-o4", "1-/2"]
    {
        world.build(step).await;
        let (version, at) = (relations().await.version(), relations().await.changed());
        assert!(!versions.contains(&version), "{step}: {version:?} after {versions:?}");
        assert!(at.is_after(changed), "{step}: {at:?} after {changed:?}");
        assert!(
            !at.is_after(world.backend.log.head().await.unwrap().of(u(1))),
            "{step}: {at:?} is in the log"
        );
        versions.push(version);
        changed = at;
    }
}

/// A read at the position of a post sees it; positions ahead and of other histories are refused.
pub async fn posts_are_read_at_their_position(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let written = world.post_act(PostCommand::Create(draft(1, "text"))).await;
    assert_eq!(world.read_post(written.id.unwrap()).await.body.text, "text");
    let position = world.last();
    let at = async |position: &Position| world.backend.store.view(Some(position)).await;
    let other = Position::acted(HistoryId(position.history().0 + 1), position.logs(), position.of(u(1)));
    assert_eq!(at(&other).await.err().map(|error| error.reason), Some(Reason::TokenFromOtherHistory));
    let ahead = world.next(2);
    assert_eq!(at(&ahead).await.err().map(|error| error.reason), Some(Reason::TokenAhead));
    let (view, id) = tokio::join!(at(&ahead), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        world.post(draft(2, "awaited")).await
    });
    assert!(view.unwrap().headers(&[id]).await.unwrap()[0].is_some(), "the view waited for it");
}

/// Under a request id a write happens once, refused or not; the ids are those of relations, too.
pub async fn post_requests_happen_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let create = || PostCommand::Create(draft(1, "once"));
    let first = world.post_request("a", create()).await.unwrap();
    let before = world.last();
    assert_eq!(world.post_request("a", create()).await, Ok(first.clone()));
    assert_eq!(world.events_since(&before).await, []);
    let other = PostCommand::Create(draft(1, "other"));
    assert_eq!(world.post_request("a", other).await, Err(Reason::IdempotencyMismatch));
    assert_eq!(world.request("a", &[super::follow(1, 2)]).await, Err(Reason::IdempotencyMismatch));
    world.request("b", &[super::follow(1, 2)]).await.unwrap();
    assert_eq!(world.post_request("b", create()).await, Err(Reason::IdempotencyMismatch));
    let id = first.clone().post().unwrap().id.unwrap();
    let like = || PostCommand::Like { uid: u(3), id };
    assert_eq!(world.delete(1, id).await, Ok(true));
    let refused = Err(Reason::PostDeleted);
    assert_eq!(world.post_request("c", like()).await.unwrap().outcomes[0].result(), refused);
    assert_eq!(world.restore(1, id).await, Ok(true));
    assert_eq!(world.post_request("c", like()).await.unwrap().outcomes[0].result(), refused);
    assert_eq!(world.post_request("d", like()).await.unwrap().outcomes[0].result(), Ok(true));
}

/// Racing writers with one request id write once; with none, each writes a post of its own.
pub async fn racing_writers_get_posts_of_their_own(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let racers = (0..24_u64).map(|n| {
        let posts = world.backend.store.clone();
        let request = (n < 8).then(|| RequestKey { actor: u(1), id: "race".into(), fingerprint: 1 });
        let author = if n < 8 { 1 } else { n };
        let command = PostCommand::Create(draft(author, "text"));
        tokio::spawn(async move { posts.apply(Write::of(command).under(request)).await.unwrap() })
    });
    let mut ids = Vec::new();
    for racer in racers.collect::<Vec<_>>() {
        let answer = racer.await.unwrap();
        world.saw(&answer.position);
        ids.push(answer.clone().post().unwrap().id.unwrap());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), world.events_since(&world.origin).await.len()), (17, 17));
}

/// The mark of what was seen only rises, and never passes the log.
pub async fn the_seen_mark_only_rises(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let mut positions = vec![world.origin.clone()];
    for step in ["1->2", "1->3", "1->4"] {
        world.build(step).await;
        positions.push(world.last());
    }
    let seen = |uid| async move { world.view().await.seen(u(uid)).await.unwrap().of(u(1)) };
    assert_eq!(seen(1).await, EventAt::beginning(world.origin.of(u(1)).log()));
    for (marked, wanted) in [(2, 2), (1, 2), (3, 3), (0, 3)] {
        assert_eq!(world.mark_seen(1, &positions[marked]).await, Ok(()));
        assert_eq!(seen(1).await, positions[wanted].of(u(1)));
    }
    assert_eq!(world.mark_seen(1, &world.next(1)).await, Err(Reason::TokenAhead));
    assert_eq!(seen(2).await, EventAt::beginning(world.origin.of(u(1)).log()));
    assert_eq!(world.events_since(&world.origin).await.len(), 3, "there is no event of it");
}

/// The policy of pushes is the default until one is set, and is checked.
pub async fn the_policy_is_kept(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let policy = || async { world.view().await.fanout_policy().await.unwrap() };
    assert_eq!(policy().await, FanoutPolicy::default());
    let hybrid = FanoutPolicy {
        mode: FanoutMode::Hybrid,
        celebrity_followers: 9,
        inbox_cap: 7,
        ..FanoutPolicy::default()
    };
    world.write(Write::of(Command::FanoutPolicy(hybrid))).await;
    assert_eq!(policy().await, hybrid);
    let bad = Write::of(Command::FanoutPolicy(FanoutPolicy { inbox_cap: 0, ..hybrid }));
    assert_eq!(world.try_write(bad).await, Err(Reason::InvalidField { field: "inbox_cap" }));
    assert_eq!(policy().await, hybrid);
    assert_eq!(world.events_since(&world.origin).await, []);
}
