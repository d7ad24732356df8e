//! A home starts over for what its reader could see, and for nothing else.

use super::*;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Position, Write};
use guanxi_ports::Facts as _;

impl World {
    /// Whether a poll of a viewer since a position starts over.
    async fn resets(&self, viewer: u64, since: &Position) -> bool {
        self.feed.poll(u(viewer), since.clone(), 50).await.unwrap().reset
    }

    async fn readdress(&self, author: u64, id: PostId, visibility: Visibility) {
        let edit =
            Edit { text: None, attachments: None, visibility: Some(visibility), expected_revision: None };
        self.posts.update(u(author), id, edit, None).await.unwrap();
    }
}

/// 1 follows 2 and is no friend of it; 3 and 2 are friends.
async fn world() -> World {
    let world = World::new(FanoutPolicy::default()).await;
    for (a, b) in [(1, 2), (3, 2), (2, 3)] {
        world.act(Op::Follow, a, b).await;
    }
    world
}

#[tokio::test]
async fn what_was_never_for_a_reader_starts_nothing_over() {
    let world = world().await;
    let hidden = world.write(2, None, None, Visibility::Friends).await;
    let mut since = world.feed.log.head().await.unwrap();
    let (mut stranger, mut friend) = (Vec::new(), Vec::new());
    for step in 0..4 {
        match step % 2 {
            0 => drop(world.posts.delete(u(2), hidden, None).await.unwrap()),
            _ => drop(world.posts.restore(u(2), hidden, None).await.unwrap()),
        }
        stranger.push(world.resets(1, &since).await);
        friend.push(world.resets(3, &since).await);
        since = world.feed.log.head().await.unwrap();
    }
    assert_eq!((stranger, friend), (vec![false; 4], vec![true; 4]));
}

#[tokio::test]
async fn what_a_reader_sees_or_saw_starts_over() {
    let world = world().await;
    let post = world.post(2).await;
    let hidden = world.write(2, None, None, Visibility::Friends).await;
    let since = world.feed.log.head().await.unwrap();
    assert!(!world.resets(1, &since).await);
    world.readdress(2, post, Visibility::Friends).await;
    assert!(world.resets(1, &since).await, "it saw it");
    world.posts.delete(u(2), post, None).await.unwrap();
    assert!(world.resets(1, &since).await, "as it was at the position");
    let later = world.feed.log.head().await.unwrap();
    world.readdress(2, hidden, Visibility::Public).await;
    assert!(world.resets(1, &later).await, "it sees it now");
    let last = world.feed.log.head().await.unwrap();
    for _ in 0..20 {
        let one = world.write(2, None, None, Visibility::Friends).await;
        world.posts.delete(u(2), one, None).await.unwrap();
    }
    assert!(world.resets(1, &last).await, "of too many changes nobody knows which they were");
}

/// Has an author go and come back.
async fn go_and_come(world: &World, since: &Position) {
    for status in [UserStatus::Deactivated, UserStatus::Active] {
        world.store.apply(Write::of(UserCommand::SetStatus { uid: u(2), status })).await.unwrap();
        assert!(world.resets(1, since).await);
    }
}

#[tokio::test]
async fn an_author_who_goes_or_comes_starts_over() {
    let world = world().await;
    world.post(2).await;
    let since = world.feed.log.head().await.unwrap();
    go_and_come(&world, &since).await;
}

#[tokio::test]
async fn what_changed_last_is_not_forgotten_for_what_changed_first() {
    let (world, mut hidden) = (world().await, Vec::new());
    for _ in 0..17 {
        hidden.push(world.write(2, None, None, Visibility::Friends).await);
    }
    for id in &hidden[..16] {
        world.posts.delete(u(2), *id, None).await.unwrap();
    }
    let since = world.feed.log.head().await.unwrap();
    go_and_come(&world, &since).await;
    // One more than is told apart: the oldest, of before the position, is not any more.
    world.posts.delete(u(2), hidden[16], None).await.unwrap();
    assert!(world.resets(1, &since).await);
}

#[tokio::test]
async fn a_poll_judges_a_bounded_number_of_posts() {
    let world = World::new(FanoutPolicy::default()).await;
    let mut hidden = Vec::new();
    for author in 2..67 {
        world.act(Op::Follow, 1, author).await;
        hidden.push((author, world.write(author, None, None, Visibility::Friends).await));
    }
    let since = world.feed.log.head().await.unwrap();
    for (author, id) in &hidden[..64] {
        world.posts.delete(u(*author), *id, None).await.unwrap();
    }
    assert!(!world.resets(1, &since).await);
    let (author, id) = hidden[64];
    world.posts.delete(u(author), id, None).await.unwrap();
    assert!(world.resets(1, &since).await, "who was away for long starts over");
}
