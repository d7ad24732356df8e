//! What is deleted and kept for a time: it is found by when that was, and what came later is left alone.

use super::posts_world::{draft, old_post, repost, text};
use super::{Need, World, u};
use guanxi_model::post::{Body, ImportPost, PURGING_MS, PostCommand};
use guanxi_model::{Command, PostId, Reason, Stamp, Uid, Write};
use guanxi_ports::ExportEdge;
use guanxi_ports::Walk;

impl World {
    /// Posts that are deleted and can be restored, in pages of a size.
    async fn deleted_posts(&self, max: usize) -> Vec<(u64, PostId)> {
        let view = self.view().await;
        let mut all: Vec<(u64, PostId)> = Vec::new();
        loop {
            let some = view.deleted_posts(Walk::new(all.last().copied(), max)).await.unwrap();
            assert!(some.len() <= max);
            all.extend(&some);
            if some.len() < max {
                return all;
            }
        }
    }

    /// Removed follows of everybody that do not stand again, in pages of a size.
    async fn removed_pairs(&self, max: usize) -> Vec<ExportEdge> {
        let view = self.view().await;
        let mut all: Vec<ExportEdge> = Vec::new();
        loop {
            let after = all.last().map(|edge| (edge.subject, edge.object));
            let some = view.all_removed_follows(Walk::new(after, max)).await.unwrap();
            assert!(some.len() <= max);
            all.extend(&some);
            if some.len() < max {
                break;
            }
        }
        let mut removed = Vec::new();
        for edge in all {
            if view.relations(edge.subject, &[edge.object]).await.unwrap()[0].following_since.is_none() {
                removed.push(edge);
            }
        }
        removed
    }

    async fn purge_until(&self, author: u64, id: PostId, until: u64) -> Result<bool, Reason> {
        let purge = PostCommand::Purge { author: u(author), id, deleted_until: Some(until) };
        self.post_act(purge).await.result
    }

    async fn drop_until(&self, pairs: &[(u64, u64)], until: Stamp) {
        let pairs: Vec<(Uid, Uid)> = pairs.iter().map(|(a, b)| (u(*a), u(*b))).collect();
        self.write(Write::of(Command::DropTombstones { pairs, until: Some(until) })).await;
    }
}

fn lacks(world: &World) -> bool {
    world.lacks(Need::Traces) || world.lacks_posts()
}

/// Deleted posts are found in the order in which they were deleted, each with that time, for as long as they can be restored.
pub async fn deleted_posts_are_found_by_time(world: &World) {
    if lacks(world) {
        return;
    }
    let mut posts = Vec::new();
    for author in [1, 2, 3, 1] {
        posts.push(world.post(draft(author, "text")).await);
    }
    let reposted = world.post(repost(4, posts[0])).await;
    assert_eq!(world.deleted_posts(9).await, []);
    let mut deleted = Vec::new();
    for (author, id) in [(3, posts[2]), (1, posts[0]), (2, posts[1])] {
        world.clock().advance(10);
        assert_eq!(world.delete(author, id).await, Ok(true));
        deleted.push((world.now_ms(), id));
    }
    // Deleted again is not deleted later; a repost that is taken back is deleted, too.
    world.clock().advance(10);
    assert_eq!(world.delete(3, posts[2]).await, Ok(false));
    world.post_act(PostCommand::UndoRepost { uid: u(4), id: posts[0] }).await;
    deleted.push((world.now_ms(), reposted));
    // Of what was imported as deleted nothing is here.
    let gone = ImportPost { deleted: true, ..old_post(5, "gone", 1_000_000_000_000) };
    world.import_posts(&[ImportPost { body: Body::default(), ..gone }]).await;
    for max in [1, 3, 4, 9] {
        assert_eq!(world.deleted_posts(max).await, deleted, "in pages of {max}");
    }
    if !world.lacks_outboxes() {
        assert_eq!(world.read_post(posts[0]).await.deleted_ms, Some(deleted[1].0));
    }
    // What comes back is deleted no more, and if it is again, since then.
    world.clock().advance(10);
    assert_eq!(world.restore(3, posts[2]).await, Ok(true));
    assert_eq!(world.deleted_posts(9).await, deleted[1..]);
    assert_eq!(world.edit(3, posts[2], text("edited")).await, Ok(true));
    assert_eq!(world.delete(3, posts[2]).await, Ok(true));
    deleted.push((world.now_ms(), posts[2]));
    assert_eq!(world.deleted_posts(9).await, deleted[1..]);
    // What is purged cannot come back.
    let purge = PostCommand::Purge { author: u(1), id: posts[0], deleted_until: None };
    assert_eq!(world.post_act(purge).await.result, Ok(true));
    let purge = PostCommand::Purge { author: u(1), id: posts[3], deleted_until: None };
    assert_eq!(world.post_act(purge).await.result, Ok(true), "one that was not deleted");
    let (first, second) = (posts[0].min(posts[3]), posts[0].max(posts[3]));
    let purging = [(PURGING_MS, first), (PURGING_MS, second)];
    assert_eq!(world.deleted_posts(9).await, [&purging[..], &deleted[2..]].concat());
}

/// A purged post is among the deleted ones, before all others, until it is noted that its likes are gone; nothing but that
/// takes it away, and of that there is no event.
pub async fn a_purge_is_under_way_until_it_is_noted(world: &World) {
    if lacks(world) {
        return;
    }
    let (liked, other) = (world.post(draft(1, "liked")).await, world.post(draft(1, "other")).await);
    assert_eq!(world.like(2, liked).await, Ok(true));
    assert_eq!(world.delete(1, other).await, Ok(true));
    let deleted = (world.now_ms(), other);
    let end = async |author, id| world.post_act(PostCommand::EndPurge { author: u(author), id }).await.result;
    assert_eq!([end(1, liked).await, end(1, other).await], [Ok(false), Ok(false)]);
    let purge = PostCommand::Purge { author: u(1), id: liked, deleted_until: None };
    assert_eq!(world.post_act(purge.clone()).await.result, Ok(true));
    assert_eq!(world.unlike(2, liked).await, Ok(true));
    assert_eq!(world.post_act(purge).await.result, Ok(false));
    assert_eq!(world.deleted_posts(1).await, [(PURGING_MS, liked), deleted]);
    let before = world.last();
    assert_eq!(end(2, liked).await, Err(Reason::PostForbidden));
    assert_eq!([end(1, liked).await, end(1, liked).await], [Ok(true), Ok(false)]);
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.deleted_posts(9).await, [deleted]);
    assert_eq!(world.restore(1, liked).await, Err(Reason::PostDeleted));
}

/// A purge of what was deleted until a time leaves alone what was deleted later, came back, or never was.
pub async fn what_was_deleted_later_is_not_purged(world: &World) {
    if lacks(world) {
        return;
    }
    let (first, second) = (world.post(draft(1, "first")).await, world.post(draft(1, "second")).await);
    assert_eq!(world.purge_until(1, first, u64::MAX).await, Ok(false), "it is not deleted");
    assert_eq!(world.delete(1, first).await, Ok(true));
    let at = world.now_ms();
    assert_eq!(world.purge_until(1, first, at - 1).await, Ok(false));
    assert_eq!(world.purge_until(2, first, at).await, Err(Reason::PostForbidden));
    assert_eq!(world.restore(1, first).await, Ok(true));
    assert_eq!(world.purge_until(1, first, u64::MAX).await, Ok(false), "it has come back");
    world.clock().advance(1);
    assert_eq!(world.delete(1, first).await, Ok(true));
    assert_eq!(world.purge_until(1, first, at).await, Ok(false), "it went again, later");
    assert_eq!(world.delete(1, second).await, Ok(true));
    assert_eq!(world.purge_until(1, first, at + 1).await, Ok(true));
    assert_eq!(world.purge_until(1, first, u64::MAX).await, Ok(false));
    assert_eq!(world.restore(1, first).await, Err(Reason::PostDeleted));
    assert_eq!(world.deleted_posts(9).await, [(PURGING_MS, first), (at + 1, second)]);
    assert_eq!(world.restore(1, second).await, Ok(true));
}

/// Removed follows of everybody are found by who and whom, each with the time of that, and are forgotten if that was no later
/// than a time.
pub async fn removed_follows_are_forgotten_until_a_time(world: &World) {
    if world.lacks(Need::Traces) {
        return;
    }
    world.build("1->2 1->3 2->1 4->2 5->1").await;
    let mut removed = Vec::new();
    for (subject, object) in [(4, 2), (1, 3), (1, 2), (2, 1)] {
        world.clock().advance(10);
        world.build(&format!("{subject}-/{object}")).await;
        let at = world.last_change().await.version;
        removed.push(ExportEdge::new(u(subject), u(object), at));
    }
    let [of_4, of_1_to_3, of_1_to_2, of_2] = removed[..] else { panic!("four") };
    for max in [1, 3, 9] {
        assert_eq!(world.removed_pairs(max).await, [of_1_to_2, of_1_to_3, of_2, of_4]);
    }
    // The follow of 5 stands, and so does that of 1 to 3 again; 4 has left later than it was looked at.
    world.build("1->3").await;
    assert_eq!(world.removed_pairs(1).await, [of_1_to_2, of_2, of_4]);
    world.build("4->2 4-/2").await;
    let before = world.last();
    world.drop_until(&[(4, 2), (1, 2), (1, 3), (2, 1), (5, 1), (7, 8)], of_1_to_2.at).await;
    assert_eq!(world.events_since(&before).await, []);
    let left = world.removed_pairs(9).await;
    assert_eq!(
        left.iter().map(|edge| (edge.subject, edge.object)).collect::<Vec<_>>(),
        [(u(2), u(1)), (u(4), u(2))]
    );
    assert!(
        world.relation(1, 3).await.following_since.is_some()
            && world.relation(5, 1).await.following_since.is_some()
    );
    world.build("1-/3").await;
    assert_eq!(world.removed_pairs(9).await.len(), 3, "removed again");
}
