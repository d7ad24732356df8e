//! That, and how soon, what one process writes stands in the other shard, when another process follows the logs.

use crate::pair::{Pair, act, eventually, list, median, open, options};
use futures_util::future::join_all;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::{List, Op};
use guanxi_ports::Log as _;
use std::time::Duration;
use tokio_postgres::Client;

async fn converge(writer: &ClusterStore, follower: &ClusterStore, from: u64) -> Vec<Duration> {
    // What comes before it listens is not told again: somebody writes until the first is there.
    let mut n = 0;
    let first = async || {
        act(writer, Op::Follow, from + 200 + 2 * n, from + 1).await.unwrap();
        n += 1;
        !list(follower, from + 1, List::Followers, None).await.is_empty()
    };
    eventually(first).await;
    let mut took = Vec::new();
    for n in 0..20 {
        let (a, b) = (from + 2 * n, from + 1_001 + 2 * n);
        act(writer, Op::Follow, a, b).await.unwrap();
        let arrives = async || list(follower, b, List::Followers, None).await.contains(&a);
        took.push(eventually(arrives).await);
        tokio::time::sleep(Duration::from_millis(n % 7)).await;
    }
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_wakes_whoever_follows_the_logs() {
    let pair = Pair::new().await;
    let (often, never) = (Duration::from_millis(50), Duration::from_hours(1));
    let mut medians = Vec::new();
    // Who never looks has heard of what comes.
    for (from, notifies, every) in [(10_000, true, never), (20_000, true, often), (30_000, false, often)] {
        let of = |apply_every| ClusterOptions { apply_every, notifies, ..options(CarryMode::Log, false) };
        let writer = open(&pair.direct(), of(None)).await;
        let follower = open(&pair.direct(), of(Some(every))).await;
        let took = converge(&writer, &follower, from).await;
        let (middle, worst) = (median(&took), took.iter().max());
        println!("notified {notifies}, looks every {every:?}: median {middle:?}, worst {worst:?}");
        medians.push(middle);
    }
    println!(
        "with notifications it takes {:.2} of the time that looking alone takes",
        medians[1].as_secs_f64() / medians[2].as_secs_f64()
    );
}

/// Transactions that a database has committed, as its statistics say.
async fn transactions(client: &Client) -> i64 {
    let asked = "select xact_commit from pg_stat_database where datname = current_database()";
    client.query_one(asked, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_that_wait_for_events_ask_no_database() {
    const WAITING: usize = 8;
    const SECONDS: u32 = 4;
    let pair = Pair::new().await;
    let store = open(&pair.direct(), ClusterOptions::default()).await;
    let head = store.head().await.unwrap();
    let client = pair.client(0).await;
    let before = transactions(&client).await;
    let waits =
        (0..WAITING).map(|_| tokio::time::timeout(Duration::from_secs(SECONDS.into()), store.wait(&head)));
    assert!(join_all(waits).await.iter().all(Result::is_err), "nothing happens that wakes them");
    let each_second = (transactions(&client).await - before) / i64::from(SECONDS);
    println!("{each_second} transactions a second");
    // Looks at the logs, at credentials and at what to clean up; each waiting task that looked by itself took fifty.
    assert!(each_second < 100, "{each_second} transactions a second");
    act(&store, Op::Follow, 1, 2).await.unwrap();
    store.wait(&head).await.unwrap();
}
