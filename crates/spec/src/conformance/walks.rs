//! Walks through lists while others write.

use super::{Rng, World, follow, u};
use guanxi_model::{Edge, List, Op, Page, PageStart, PairCommand, Position, Write};
use guanxi_ports::Store;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Items that stay in the list during the walks, and items that come and go.
const STABLE: u64 = 120;
const MOVING: u64 = 40;
/// Whole walks that each case does, at growing page sizes.
const WALKS: i32 = 12;

/// A set of users around user 1; all of them are in the list at first.
fn stable() -> impl Iterator<Item = u64> {
    (0..STABLE).map(|n| 100 + 2 * n)
}

fn moving() -> impl Iterator<Item = u64> {
    (0..MOVING).map(|n| 101 + 6 * n)
}

/// Toggles a moving item in and out until told to stop, and then puts it back.
/// Returns where its writes stand.
async fn churn(
    graph: Arc<dyn Store>,
    toggles: Vec<[PairCommand; 2]>,
    stop: Arc<AtomicBool>,
    seed: u64,
    mut position: Position,
) -> Position {
    let mut rng = Rng::new(seed);
    while !stop.load(Ordering::Relaxed) {
        for command in rng.pick(&toggles) {
            let write = Write::all(vec![*command]);
            let answer = graph.apply(write).await.unwrap();
            position.join(&answer.position);
            assert_eq!(answer.outcomes[0].result(), Ok(true), "{command:?}");
            tokio::task::yield_now().await;
        }
    }
    position
}

/// Walks a list of user 1 again and again, each page on a view of its own, while the moving items come and go.
async fn walk_while(world: &World, list: List, toggle: impl Fn(u64) -> [PairCommand; 2]) {
    world.settle([1]).await;
    let stop = Arc::new(AtomicBool::new(false));
    let moving: Vec<u64> = moving().collect();
    // Writers own disjoint items, so that each of their writes changes something.
    let writers = moving.chunks(moving.len().div_ceil(3)).zip(1..).map(|(items, seed)| {
        let toggles = items.iter().map(|n| toggle(*n)).collect();
        tokio::spawn(churn(world.backend.store.clone(), toggles, stop.clone(), seed, world.last()))
    });
    let writers: Vec<_> = writers.collect();
    for walk in 1..=WALKS {
        let walked = walk_once(world, list, walk * 3).await;
        let uids: BTreeSet<u64> = walked.iter().map(|edge| edge.uid.get()).collect();
        assert_eq!(uids.len(), walked.len(), "nobody twice in {list:?}");
        assert!(stable().all(|n| uids.contains(&n)), "whoever stays is seen in {list:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        world.saw(&writer.await.unwrap());
    }
    assert_eq!(world.uids(1, list).await.len() as u64, STABLE + MOVING, "all are back");
}

async fn walk_once(world: &World, list: List, size: i32) -> Vec<Edge> {
    let mut walked: Vec<Edge> = Vec::new();
    let mut start = PageStart::Newest;
    loop {
        let view = world.backend.store.view(None).await.unwrap();
        let page = view.list(u(1), list, Page::new(start, size).unwrap()).await.unwrap();
        walked.extend(&page.items);
        assert!(page.next.is_none() || page.items.len() as i32 == size, "a page with a successor is full");
        let Some(next) = page.next else { break };
        start = PageStart::After(next);
        tokio::task::yield_now().await;
    }
    assert!(walked.is_sorted_by(|a, b| a > b), "newest first");
    walked
}

fn all() -> impl Iterator<Item = u64> {
    stable().chain(moving())
}

fn ops(first: Op, then: Op, subject: u64, object: u64) -> [PairCommand; 2] {
    [first, then].map(|op| PairCommand { op, subject: u(subject), object: u(object) })
}

/// What does not change during a walk through followers appears exactly once.
pub async fn a_walk_through_followers_under_writes(world: &World) {
    world.import(all().map(|n| (n, 1, n * 1_000 % 9_973))).await;
    walk_while(world, List::Followers, |n| ops(Op::Unfollow, Op::Follow, n, 1)).await;
}

/// What does not change during a walk through followings appears exactly once.
pub async fn a_walk_through_following_under_writes(world: &World) {
    world.set_limit(1, Some(1_000)).await;
    world.import(all().map(|n| (1, n, n * 1_000 % 9_973))).await;
    walk_while(world, List::Following, |n| ops(Op::Unfollow, Op::Follow, 1, n)).await;
}

/// What does not change during a walk through friends appears exactly once, whichever side ends a friendship.
pub async fn a_walk_through_friends_under_writes(world: &World) {
    world.set_limit(1, Some(1_000)).await;
    world.import(all().map(|n| (1, n, n * 1_000 % 9_973))).await;
    world.import(all().map(|n| (n, 1, n * 1_000 % 7_919))).await;
    walk_while(world, List::Friends, |n| {
        if n % 4 == 1 {
            ops(Op::Unfollow, Op::Follow, n, 1)
        } else {
            [PairCommand { op: Op::RemoveFollower, subject: u(n), object: u(1) }, follow(1, n)]
        }
    })
    .await;
}
