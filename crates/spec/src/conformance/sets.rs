//! Known followers and mutual following: exact counts, and pages in the order of a following list.

use super::{Need, Rng, World, u};
use guanxi_model::{Edge, List, Page, PageStart, Reason};
use guanxi_ports::{KnownFollowers, RelationView};

/// What the answer must be, from the lists.
async fn expected(world: &World, viewer: u64, keep: &[u64]) -> Vec<Edge> {
    let following = world.walk(viewer, List::Following, 1_000).await;
    following.into_iter().filter(|edge| keep.contains(&edge.uid.get())).collect()
}

/// Walks pages of a counted answer; each says the same count.
async fn walk(size: i32, ask: impl AsyncFn(Page) -> KnownFollowers) -> (u32, Vec<Edge>) {
    let (mut walked, mut start) = (Vec::new(), PageStart::Newest);
    loop {
        let KnownFollowers { count, page } = ask(Page::new(start, size).unwrap()).await;
        walked.extend(&page.items);
        let Some(next) = page.next else { return (count, walked) };
        assert_eq!(page.items.len() as i32, size, "a page with a successor is full");
        assert_eq!(page.items.last(), Some(&next.0));
        start = PageStart::After(next);
    }
}

async fn check_known(world: &World, view: &dyn RelationView, viewer: u64, target: u64, size: i32) {
    let known = expected(world, viewer, &world.uids(target, List::Followers).await).await;
    let ask = async |page| view.known_followers(u(viewer), u(target), page, None).await.unwrap();
    assert_eq!(walk(size, ask).await, (known.len() as u32, known), "{viewer} knows followers of {target}");
}

async fn check_mutual(world: &World, view: &dyn RelationView, a: u64, b: u64, size: i32) {
    let mutual = expected(world, a, &world.uids(b, List::Following).await).await;
    let ask = async |page| view.mutual_following(u(a), u(b), page, None).await.unwrap();
    assert_eq!(walk(size, ask).await, (mutual.len() as u32, mutual), "{a} and {b}");
}

/// In a random world every pair's answers are what the lists say, at several page sizes.
pub async fn known_followers_and_mutual_following_are_exact(world: &World) {
    const USERS: u64 = 12;
    let mut rng = Rng::new(11);
    let mut edges = Vec::new();
    for a in 1..=USERS {
        edges.extend((1..=USERS).filter(|b| a != *b && rng.below(3) > 0).map(|b| (a, b)));
    }
    rng.shuffle(&mut edges);
    world.import(edges.into_iter().zip(1_000..).map(|((a, b), ms)| (a, b, ms))).await;
    world.build("1-x2 3-x1 13->14").await;
    let view = world.view().await;
    for a in 1..=USERS + 1 {
        for b in 1..=USERS + 1 {
            let size = 1 + rng.below(5) as i32;
            check_known(world, &*view, a, b, size).await;
            check_mutual(world, &*view, a, b, size).await;
        }
    }
}

/// The answer does not depend on which of the two sides is the larger one.
pub async fn known_followers_of_the_famous_and_of_the_obscure(world: &World) {
    // 1 follows 50 users; 2 is followed by 2,000, among them every fifth of those; 3 by two of them alone.
    world.import((0..50).map(|n| (1, 100 + n, n))).await;
    world.import((0..2_000).map(|n| (if n < 10 { 100 + 5 * n } else { 1_000 + n }, 2, n))).await;
    world.build("101->3 149->3 9->2 9->100").await;
    let view = world.view().await;
    for (viewer, target, count) in
        [(1, 2, 10), (1, 3, 2), (9, 2, 1), (9, 3, 0), (3, 2, 0), (1, 77, 0), (77, 1, 0)]
    {
        check_known(world, &*view, viewer, target, 4).await;
        let known = view.known_followers(u(viewer), u(target), Page::first(), None).await.unwrap();
        assert_eq!(known.count, count, "{viewer} {target}");
    }
    for (a, b) in [(1, 9), (9, 1), (1, 1_500), (1_500, 1_501), (100, 1_500), (77, 78), (1, 1)] {
        check_mutual(world, &*view, a, b, 1).await;
    }
}

/// A cursor of a counted answer outlives its row, too.
pub async fn cursors_into_known_followers_outlive_their_row(world: &World) {
    world.build("1->2 1->3 1->4 1->5 2->9 3->9 4->9 5->9 8->2 8->3 8->4 8->5").await;
    let first = Page::new(PageStart::Newest, 2).unwrap();
    let known = world.view().await.known_followers(u(1), u(9), first, None).await.unwrap();
    let mutual = world.view().await.mutual_following(u(1), u(8), first, None).await.unwrap();
    assert_eq!(known, mutual);
    let cursor = known.page.next.unwrap();
    assert_eq!(cursor.0.uid, u(4));
    world.build("1-/4").await;
    let rest = Page::new(PageStart::After(cursor), 2).unwrap();
    let view = world.view().await;
    for answer in [
        view.known_followers(u(1), u(9), rest, None).await.unwrap(),
        view.mutual_following(u(1), u(8), rest, None).await.unwrap(),
    ] {
        assert_eq!(answer.count, 3);
        assert_eq!(answer.page.items.iter().map(|edge| edge.uid.get()).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(answer.page.next, None);
    }
}

/// Both accept an offset: they are pages of a bounded list.
pub async fn counted_answers_accept_an_offset(world: &World) {
    if world.lacks(Need::OffsetsEverywhere) {
        return;
    }
    world.build("1->2 1->3 1->4 2->9 3->9 4->9 8->2 8->3 8->4").await;
    let view = world.view().await;
    for (skip, uids) in [(0, vec![4, 3]), (1, vec![3, 2]), (2, vec![2]), (3, vec![])] {
        let page = Page::new(PageStart::Offset(skip), 2).unwrap();
        for answer in [
            view.known_followers(u(1), u(9), page, None).await.unwrap(),
            view.mutual_following(u(1), u(8), page, None).await.unwrap(),
        ] {
            assert_eq!(answer.count, 3, "the count is of all");
            assert_eq!(answer.page.items.iter().map(|edge| edge.uid.get()).collect::<Vec<_>>(), uids);
            assert_eq!(answer.page.next.is_some(), skip == 0);
        }
    }
}

/// Blocked followers are not followers, so they are not known ones.
pub async fn a_block_ends_what_is_known(world: &World) {
    world.build("1->2 1->3 2->9 3->9").await;
    world.build("9-x2").await;
    let known = world.view().await.known_followers(u(1), u(9), Page::first(), None).await.unwrap();
    assert_eq!((known.count, known.page.items[0].uid), (1, u(3)));
    assert_eq!(world.result(guanxi_model::Op::Follow, 2, 9).await, Err(Reason::Blocked));
}
