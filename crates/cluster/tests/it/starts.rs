//! Processes start while a database is away or goes away, and take it in when it comes: users of the others are served meanwhile.

use crate::pair::{Pair, WallClock, act, assert_clean, eventually, list, open, options, serving, u};
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::{List, Op, Page, Reason};
use guanxi_ports::{EndedUsers as _, Store as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::sleep;

fn served() -> ClusterOptions {
    ClusterOptions { serving: Some(serving("api,worker")), ..options(CarryMode::Log, true) }
}

async fn start(lines: &[String]) -> Result<ClusterStore, String> {
    let opened = ClusterStore::open(&databases(lines), served(), Arc::new(WallClock)).await;
    opened.map_err(|error| error.to_string())
}

/// Users of the first database are served; those of the second, who need the one that is away, are refused at once.
async fn serves_the_first_alone(store: &ClusterStore) {
    assert!(act(store, Op::Follow, 2, 4).await.unwrap().0);
    assert!(act(store, Op::Follow, 2, 3).await.unwrap().0, "a fact of the first database");
    // Without a token the list may be asked before an applier was there.
    eventually(async || list(store, 4, List::Followers, None).await == [2].into()).await;
    assert!(store.is_known(u(2)) && !store.is_known(u(3)), "when the others signed out is not known");
    let began = Instant::now();
    assert_eq!(act(store, Op::Follow, 3, 2).await.unwrap_err().reason, Reason::SHARD_UNAVAILABLE);
    let view = store.view(None).await.unwrap();
    let refused = view.list(u(3), List::Followers, Page::first()).await.unwrap_err();
    assert_eq!(refused.reason, Reason::SHARD_UNAVAILABLE);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert!(store.problems()[0].starts_with("database `b"), "{:?}", store.problems());
}

/// All users are served, and what was written meanwhile has arrived.
async fn takes_the_second_in(store: &ClusterStore) {
    eventually(async || act(store, Op::Follow, 3, 2).await.is_ok()).await;
    eventually(async || list(store, 3, List::Followers, None).await == [2].into()).await;
    eventually(async || store.is_known(u(3))).await;
    assert_eq!(store.problems(), [""; 0]);
    store.settle().await.unwrap();
    assert_clean(store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_starts_while_another_database_is_away() {
    let pair = Pair::new().await;
    let away = &pair.proxies[1].faults.is_down;
    away.store(true, Ordering::Relaxed);
    let store = start(&pair.lines).await.unwrap();
    serves_the_first_alone(&store).await;
    // One that only does some work needs all of them, and says which one is away.
    let named = databases(&pair.lines);
    let works = ClusterStore::open(&named, options(CarryMode::Log, false), Arc::new(WallClock));
    let refused = works.await.err().unwrap().to_string();
    assert!(refused.starts_with("database `b") && !refused.contains("Away("), "{refused}");
    away.store(false, Ordering::Relaxed);
    takes_the_second_in(&store).await;
    store.leave().await;
}

/// Whenever in the course of a start it goes away, the start comes to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_may_go_away_during_a_start() {
    let pair = Pair::new().await;
    for proxy in &pair.proxies {
        proxy.faults.late_ms.store(3, Ordering::Relaxed);
    }
    let away = &pair.proxies[1].faults.is_down;
    for n in 0..8_u64 {
        let (lines, after) = (pair.lines.clone(), Duration::from_millis(12 * n));
        let starts = tokio::spawn(async move { start(&lines).await });
        sleep(after).await;
        away.store(true, Ordering::Relaxed);
        let store = starts.await.unwrap().unwrap();
        assert!(act(&store, Op::Follow, 100 + 2 * n, 4).await.unwrap().0);
        let refused = async || act(&store, Op::Follow, 101 + 2 * n, 5).await.is_err();
        assert!(refused().await);
        away.store(false, Ordering::Relaxed);
        eventually(async || act(&store, Op::Follow, 101 + 2 * n, 7).await.is_ok()).await;
        store.leave().await;
    }
}

/// The first database has the map and the credentials: a start waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_waits_for_the_first_database() {
    let pair = Pair::new().await;
    let away = &pair.proxies[0].faults.is_down;
    away.store(true, Ordering::Relaxed);
    let lines = pair.lines.clone();
    let starts = tokio::spawn(async move { start(&lines).await });
    sleep(Duration::from_millis(700)).await;
    assert!(!starts.is_finished());
    away.store(false, Ordering::Relaxed);
    let store = starts.await.unwrap().unwrap();
    assert!(act(&store, Op::Follow, 2, 3).await.unwrap().0);
    store.leave().await;
}

/// What comes back is looked at as at a start: it is taken in when it is what it has to be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_comes_back_as_another_one_is_not_taken_in() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, served()).await;
    act(&store, Op::Follow, 3, 2).await.unwrap();
    let (away, hand) = (&pair.proxies[1].faults.is_down, pair.client(1).await);
    away.store(true, Ordering::Relaxed);
    eventually(async || !store.problems().is_empty()).await;
    hand.batch_execute("update gx.database set history = history + 1").await.unwrap();
    away.store(false, Ordering::Relaxed);
    eventually(async || store.problems().iter().any(|problem| problem.contains("of cluster"))).await;
    assert_eq!(act(&store, Op::Follow, 3, 4).await.unwrap_err().reason, Reason::SHARD_UNAVAILABLE);
    assert!(act(&store, Op::Follow, 2, 4).await.unwrap().0);
    hand.batch_execute("update gx.database set history = history - 1").await.unwrap();
    eventually(async || act(&store, Op::Follow, 3, 4).await.is_ok()).await;
    assert_eq!(store.problems(), [""; 0]);
    store.leave().await;
}
