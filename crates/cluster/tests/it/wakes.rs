//! How soon what one process writes stands in the other shard, when another process follows the logs.

use crate::pair::{Pair, act, list, open, options, within};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::{List, Op};
use std::time::Duration;

async fn converge(writer: &ClusterStore, follower: &ClusterStore, from: u64) -> Vec<Duration> {
    let mut took = Vec::new();
    for n in 0..20 {
        let (a, b) = (from + 2 * n, from + 1_001 + 2 * n);
        act(writer, Op::Follow, a, b).await.unwrap();
        let arrives = async || list(follower, b, List::Followers, None).await.contains(&a);
        took.push(within(Duration::from_secs(5), arrives).await);
        tokio::time::sleep(Duration::from_millis(n % 7)).await;
    }
    took.sort_unstable();
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_wakes_whoever_follows_the_logs() {
    let pair = Pair::new().await;
    let (often, seldom) = (Duration::from_millis(50), Duration::from_secs(2));
    let mut medians = Vec::new();
    // Who looks so seldom has heard of what comes sooner.
    for (from, notifies, every) in [(10_000, true, seldom), (20_000, true, often), (30_000, false, often)] {
        let of = |apply_every| ClusterOptions { apply_every, notifies, ..options(CarryMode::Log, false) };
        let writer = open(&pair.direct(), of(None)).await;
        let follower = open(&pair.direct(), of(Some(every))).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let took = converge(&writer, &follower, from).await;
        println!("notified {notifies}, looks every {every:?}: median {:?}, worst {:?}", took[10], took[19]);
        medians.push(took[10]);
    }
    println!(
        "with notifications it takes {:.2} of the time that looking alone takes",
        medians[1].as_secs_f64() / medians[2].as_secs_f64()
    );
    assert!(medians[0] < seldom / 2, "it was heard of: {medians:?}");
}
