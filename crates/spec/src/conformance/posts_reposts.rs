//! Plain reposts, of which a user has one at a time, and quotes, which are posts of their own.

use super::{START_MS, World, draft, for_whom, image, old_post, reply, repost, text, u};
use guanxi_model::event::PostChange;
use guanxi_model::post::{Draft, Edit, ImportPost, Kind, PostCommand};
use guanxi_model::{Change, PostId, Reason, Visibility};

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

fn quote(author: u64, of: PostId) -> Draft {
    Draft { repost_of: Some(of), ..draft(author, "a quote") }
}

/// Creates a plain repost again, which must answer the one that stands and log nothing.
async fn stands(world: &World, again: Draft, standing: PostId) {
    let before = world.last();
    let outcome = world.post_act(PostCommand::Create(again)).await;
    assert_eq!((outcome.result, outcome.id, outcome.revision), (Ok(false), Some(standing), 1));
    assert_eq!(world.events_since(&before).await, []);
}

/// A second plain repost is the first, until that is undone or deleted.
pub async fn a_plain_repost_stands_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    assert!(!world.reposted(2, original).await);
    let first = world.post(repost(2, original)).await;
    stands(world, repost(2, original), first).await;
    stands(world, repost(2, first), first).await;
    stands(world, Draft { visibility: Visibility::Friends, ..repost(2, original) }, first).await;
    let others = world.post(repost(3, first)).await;
    assert!(others != first && world.reposted(2, original).await && world.reposted(3, original).await);
    assert!(!world.reposted(2, first).await && !world.reposted(1, original).await);
    assert_eq!(world.stats(original).await, (0, 0, 2));
    assert_eq!(world.undo_repost(2, original).await, Ok(true));
    let event = world.last_change().await;
    let deleted = Change::Post { id: first, kind: PostChange::Deleted };
    assert_eq!((event.subject, event.change), (u(2), deleted));
    assert_eq!(world.undo_repost(2, original).await, Ok(false), "twice is once");
    assert!(!world.reposted(2, original).await && world.reposted(3, original).await);
    assert_eq!(world.stats(original).await, (0, 0, 1));
    let second = world.post(repost(2, original)).await;
    assert!(second > first, "a new one, at the top");
    assert_eq!(world.delete(2, second).await, Ok(true));
    assert!(!world.reposted(2, original).await);
    let third = world.post(repost(2, original)).await;
    assert!(third > second);
    assert_eq!(world.undo_repost(2, others).await, Ok(true), "a repost stands for its original");
    assert_eq!(world.undo_repost(9, PostId::new(5).unwrap()).await, Err(Reason::PostNotFound));
    assert_eq!(world.stats(original).await, (0, 0, 1));
}

/// A deleted plain repost comes back, unless another stands by then.
pub async fn a_repost_is_restored_unless_another_stands(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let first = world.post(repost(2, original)).await;
    assert_eq!(world.undo_repost(2, original).await, Ok(true));
    assert_eq!(world.restore(2, first).await, Ok(true));
    assert!(world.reposted(2, original).await);
    stands(world, repost(2, original), first).await;
    assert_eq!(world.delete(2, first).await, Ok(true));
    let second = world.post(repost(2, original)).await;
    let before = world.last();
    let outcome = world.post_act(PostCommand::Restore { author: u(2), id: first }).await;
    assert_eq!((outcome.result, outcome.id), (Ok(false), Some(second)));
    assert_eq!(world.restore(2, second).await, Ok(false));
    assert_eq!(world.restore(3, first).await, Err(Reason::PostForbidden));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.stats(original).await, (0, 0, 1));
    assert_eq!(world.undo_repost(2, original).await, Ok(true));
    assert_eq!(world.restore(2, first).await, Ok(true));
    assert_eq!(world.stats(original).await, (0, 0, 1));
}

/// A repost is undone for every state of its original, and whether or not its user can still see it.
pub async fn a_repost_is_undone_in_any_case(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let [blocked, narrowed, deleted] =
        [world.post(draft(1, "a")).await, world.post(draft(3, "b")).await, world.post(draft(3, "c")).await];
    for id in [blocked, narrowed, deleted] {
        world.post(repost(2, id)).await;
    }
    world.build("1-x2").await;
    assert_eq!(world.edit(3, narrowed, for_whom(Visibility::Friends)).await, Ok(true));
    assert_eq!(world.delete(3, deleted).await, Ok(true));
    for id in [blocked, narrowed, deleted] {
        assert_eq!(world.undo_repost(2, id).await, Ok(true));
        assert_eq!(world.undo_repost(2, id).await, Ok(false));
    }
}

/// A quote is liked, answered, reposted and quoted itself, any number of times, and does not need its original.
pub async fn a_quote_is_a_post_of_its_own(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("5-x1").await;
    let original = world.post(draft(1, "original")).await;
    let said = world.post(quote(2, original)).await;
    let again = world.post(quote(2, original)).await;
    let mut shows = repost(2, original);
    shows.body.attachments = vec![image("x")];
    let shows = world.post(shows).await;
    let to_original = Kind::Quote { of: original, author: u(1) };
    for id in [said, again, shows] {
        assert_eq!(world.item(id).await.kind, to_original);
    }
    assert!(!world.reposted(2, original).await, "a quote is no plain repost");
    assert_eq!(world.undo_repost(2, original).await, Ok(false));
    let shared = world.post(repost(3, said)).await;
    let nested = world.post(quote(4, shared)).await;
    let answer = world.post(reply(3, said)).await;
    assert_eq!(world.item(shared).await.kind, Kind::Repost { of: said, author: u(2) });
    assert_eq!(world.item(nested).await.kind, Kind::Quote { of: said, author: u(2) });
    assert_eq!(world.item(answer).await.kind, Kind::Reply { to: said, author: u(2) });
    assert_eq!((world.stats(original).await, world.stats(said).await), ((0, 0, 3), (0, 1, 2)));
    assert!(world.reposted(3, said).await && !world.reposted(3, original).await);
    // A user that does not see the original sees the quote.
    assert_eq!(world.like(5, said).await, Ok(true));
    assert_eq!(world.like(5, original).await, Err(Reason::PostForbidden));
    assert_eq!(world.delete(1, original).await, Ok(true));
    for id in [said, shared] {
        assert_eq!(world.like(6, id).await, Ok(true), "it stands without its original");
        world.post(reply(6, id)).await;
    }
    assert_eq!(world.delete(2, said).await, Ok(true));
    assert_eq!(world.like(6, nested).await, Ok(true));
    assert_eq!(world.like(7, shared).await, Err(Reason::PostDeleted));
    assert_eq!(world.restore(2, said).await, Ok(true));
    assert_eq!(world.stats(said).await, (2, 3, 2));
}

/// What is a plain repost stays one, and a quote goes on to say something.
pub async fn edits_make_no_repost_a_quote(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let (plain, said) = (world.post(repost(2, original)).await, world.post(quote(2, original)).await);
    let words = Err(Reason::InvalidField { field: "text" });
    assert_eq!(world.edit(2, plain, text("words")).await, words);
    let pictures = Edit { attachments: Some(vec![image("x")]), ..super::edit() };
    assert_eq!(world.edit(2, plain, pictures.clone()).await, words);
    assert_eq!(world.edit(2, plain, text("")).await, Ok(false));
    assert_eq!(world.edit(2, plain, for_whom(Visibility::Followers)).await, Ok(true));
    stands_after_edit(world, original, plain).await;
    assert_eq!(world.edit(2, said, text("")).await, Err(Reason::MissingField { field: "text" }));
    assert_eq!(world.edit(2, said, Edit { text: Some(String::new()), ..pictures }).await, Ok(true));
    assert_eq!(world.item(said).await.kind, Kind::Quote { of: original, author: u(1) });
}

async fn stands_after_edit(world: &World, original: PostId, plain: PostId) {
    let outcome = world.post_act(PostCommand::Create(repost(2, original))).await;
    assert_eq!((outcome.result, outcome.id, outcome.revision), (Ok(false), Some(plain), 2));
}

/// An import makes no second plain repost, either; the source's name for it is remembered all the same.
pub async fn imported_reposts_stand_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let of = |n: u64, author, key: &str, words: &str| ImportPost {
        body: draft(author, words).body,
        repost_of: Some((u(1), "a".to_owned())),
        ..old_post(author, key, START_MS - 1_000 + n)
    };
    let posts = [
        old_post(1, "a", START_MS - 5_000),
        of(0, 2, "r", ""),
        of(1, 2, "again", ""),
        of(2, 2, "q", "a quote"),
        of(3, 2, "q again", "a quote"),
        of(4, 3, "r", ""),
    ];
    let outcomes = world.import_posts(&posts).await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    assert_eq!(results, [Ok(true), Ok(true), Ok(false), Ok(true), Ok(true), Ok(true)]);
    assert_eq!(outcomes[2].id, outcomes[1].id);
    let (original, first) = (outcomes[0].id.unwrap(), outcomes[1].id.unwrap());
    assert!(world.reposted(2, original).await);
    stands(world, repost(2, original), first).await;
    assert_eq!(world.undo_repost(2, original).await, Ok(true));
    let repeat = world.import_posts(&posts[2..3]).await.remove(0);
    assert_eq!((repeat.result, repeat.id), (Ok(false), Some(first)), "known by its name, and deleted since");
    assert_eq!(world.stats(original).await, (0, 0, 3));
}

/// A post has the time at which it was written, although its id may run ahead of the clock.
pub async fn a_post_has_the_time_of_the_clock(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let now = world.now_ms();
    world.clock().set(now + 3 * DAY_MS);
    let ahead = world.post(draft(1, "ahead")).await;
    world.clock().set(now);
    let after = world.post(draft(1, "after")).await;
    assert!(after > ahead, "ids rise all the same");
    let imported = world.import_posts(&[old_post(1, "old", now - DAY_MS)]).await.remove(0).id.unwrap();
    world.clock().set(now + 5_000);
    assert_eq!(world.edit(1, after, text("edited")).await, Ok(true));
    for (id, create_ms, update_ms) in [
        (ahead, now + 3 * DAY_MS, now + 3 * DAY_MS),
        (after, now, now + 5_000),
        (imported, now - DAY_MS, now - DAY_MS),
    ] {
        let post = world.read_post(id).await;
        assert_eq!((post.create_ms, post.update_ms), (create_ms, update_ms));
    }
    for deleted in [true, false] {
        let done = if deleted { world.delete(1, after).await } else { world.restore(1, after).await };
        assert_eq!(done, Ok(true));
    }
    assert_eq!(world.read_post(after).await.create_ms, now);
}

/// Present reposts and quotes of a post are listed newest first in pages of any size, of all authors; a walk goes on where they
/// come and go. An answer to it is no repost, and a share of a repost shares its original.
pub async fn reposts_are_walked_newest_first(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "text")).await;
    let other = world.post(draft(2, "text")).await;
    let mut made = Vec::new();
    for (user, text) in [(2, ""), (0x0102, "a quote"), (3, ""), (1, "of my own"), (4, ""), (3, "once more")] {
        world.clock().advance(1);
        made.push(world.post(Draft { repost_of: Some(id), ..draft(user, text) }).await);
        world.post(Draft { reply_to: Some(id), ..draft(user, "an answer") }).await;
    }
    world.clock().advance(1);
    made.push(world.post(repost(6, made[0])).await);
    world.post(repost(3, other)).await;
    made.reverse();
    world.settle([1]).await;
    for size in 1..=8 {
        assert_eq!(world.reposts_of(id, size).await, made, "in pages of {size}");
    }
    assert_eq!(world.reposts_of(made[1], 3).await, [], "of a quote");
    assert_eq!(world.reposts_of(made[6], 3).await, [], "what shares a repost shares its original");
    let [_, quote, of_4, own, ..] = made[..] else { panic!("{made:?}") };
    assert_eq!(world.delete(3, quote).await, Ok(true));
    assert_eq!(world.undo_repost(4, id).await, Ok(true));
    world.settle([1]).await;
    let below = world.view().await.reposts_of(id, Some(of_4), 2).await.unwrap();
    assert_eq!(below, [own, made[4]], "below one that is gone");
    let standing: Vec<PostId> = made.iter().copied().filter(|id| ![quote, of_4].contains(id)).collect();
    assert_eq!(world.reposts_of(id, 2).await, standing);
    assert_eq!(world.restore(3, quote).await, Ok(true));
    assert_eq!(world.delete(1, id).await, Ok(true));
    world.settle([1]).await;
    let standing: Vec<PostId> = made.iter().copied().filter(|id| *id != of_4).collect();
    assert_eq!(world.restore(1, id).await, Ok(true));
    assert_eq!(world.reposts_of(id, 3).await, standing, "whatever became of what they share");
    assert_eq!(world.stats(id).await.2, standing.len() as u64);
}
