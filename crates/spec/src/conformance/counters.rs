//! Counters are exact.

use super::model_check::client_ops;
use super::views::check_agreement;
use super::{Rng, World, u};
use guanxi_model::{Counts, List, Op, PairCommand};

/// After random operations every counter is the length of its list.
pub async fn counters_are_lengths_of_lists(world: &World) {
    let mut rng = Rng::new(7);
    for _ in 0..400 {
        let (a, b) = (1 + rng.below(8), 1 + rng.below(8));
        // Follows outweigh, so that there is something to count.
        let op = if rng.below(2) == 0 { Op::Follow } else { *rng.pick(&client_ops()) };
        world.act(op, a, b).await;
    }
    check_agreement(&*world.view().await).await;
    for uid in 1..=8 {
        assert_eq!(world.counts(uid).await.followers, world.walk(uid, List::Followers, 2).await.len() as u64);
    }
}

/// A batch of counters keeps its order; strangers count nothing.
pub async fn batches_of_counters_keep_their_order(world: &World) {
    world.build("1<->2 3->1 1-x4 1-m5 1-m3").await;
    let counts = world.view().await.counts(&[3, 99, 1, 2, 1].map(u)).await.unwrap();
    let one = Counts { following: 1, followers: 2, friends: 1, blocks: 1, mutes: 2 };
    let two = Counts { following: 1, followers: 1, friends: 1, blocks: 0, mutes: 0 };
    let three = Counts { following: 1, ..Counts::default() };
    assert_eq!(counts, [three, Counts::default(), one, two, one]);
    assert_eq!(world.counts(4).await, Counts::default(), "being blocked is not counted");
}

/// A popular user's followers are counted exactly, through joins, leaves and blocks.
pub async fn followers_are_counted_beyond_a_page(world: &World) {
    world.import((100..3_100).map(|n| (n, 1, n))).await;
    assert_eq!(world.counts(1).await.followers, 3_000);
    let leave = (100..140).map(|n| PairCommand { op: Op::Unfollow, subject: u(n), object: u(1) });
    world.change(&leave.collect::<Vec<_>>()).await;
    world.build("1-r200 1-x201 202-x1 50->1").await;
    assert_eq!(world.counts(1).await.followers, 3_000 - 40 - 3 + 1);
    assert_eq!(world.walk(1, List::Followers, 1_000).await.len(), 3_000 - 40 - 3 + 1);
}
