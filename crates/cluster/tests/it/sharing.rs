//! Questions of many callers share a few connections, and a caller that goes away holds up no other.

use crate::pair::{Pair, act, open, options, u};
use futures_util::future::join_all;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, MemoryBytes};
use guanxi_model::{List, Op, Page};
use guanxi_ports::{ListAsk, Store as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Callers at once: more than a process has connections for reads.
const CALLERS: u64 = 48;

/// Connections of one process and one database that such questions share at most.
const SHARED_MAX: i64 = 4;

async fn without_memory(pair: &Pair) -> Arc<ClusterStore> {
    let of = ClusterOptions { memory: MemoryBytes::NONE, ..options(CarryMode::Log, true) };
    open(&pair.lines, of).await
}

async fn follows(store: &ClusterStore, subject: u64, object: u64) -> bool {
    let (found, _) = store.relations(u(subject), &[u(object)], None).await.unwrap();
    found[0].following_since.is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_at_once_share_connections_and_each_has_its_own_answer() {
    let pair = Pair::new().await;
    let store = without_memory(&pair).await;
    // Users of one database; each second one follows the user after it.
    let user = |n: u64| 2 + 2 * n;
    for n in (0..CALLERS).step_by(2) {
        act(&store, Op::Follow, user(n), user(n + 1)).await.unwrap();
    }
    assert!(follows(&store, user(0), user(1)).await);
    let client = pair.client(0).await;
    let connections = async || {
        let count = "select count(*) from pg_stat_activity where datname = current_database()";
        client.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };
    let before = connections().await;
    for proxy in &pair.proxies {
        proxy.faults.late_ms.store(50, Ordering::Relaxed);
    }
    let asked = join_all((0..CALLERS).map(|n| follows(&store, user(n), user(n + 1))));
    let mut asked = std::pin::pin!(asked);
    let mut most = before;
    let answers = loop {
        tokio::select! {
            answers = &mut asked => break answers,
            () = sleep(Duration::from_millis(10)) => most = most.max(connections().await),
        }
    };
    assert_eq!(answers, (0..CALLERS).map(|n| n % 2 == 0).collect::<Vec<_>>());
    // Tasks of the process may open one of their own meanwhile.
    assert!(most - before <= SHARED_MAX, "{before} connections became {most}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_holds_up_no_other() {
    let pair = Pair::new().await;
    let store = without_memory(&pair).await;
    act(&store, Op::Follow, 2, 4).await.unwrap();
    assert!(follows(&store, 2, 4).await);
    let client = pair.client(0).await;
    // A relation asks this table, and a list does not.
    client.batch_execute("begin; lock table gx.mute in access exclusive mode").await.unwrap();
    let waits = {
        let store = store.clone();
        tokio::spawn(async move { follows(&store, 2, 4).await })
    };
    sleep(Duration::from_millis(50)).await;
    let gone = timeout(Duration::from_millis(100), follows(&store, 2, 4)).await;
    assert!(gone.is_err(), "the table is locked");
    let ask = ListAsk { of: u(2), list: List::Following, page: Page::first(), subject: None };
    let listed = timeout(Duration::from_millis(500), store.list(ask, None)).await;
    let listed = listed.expect("it waits behind a question that no caller waits for").unwrap();
    assert_eq!(listed.page.items[0].uid, u(4));
    client.batch_execute("rollback").await.unwrap();
    assert!(waits.await.unwrap() && follows(&store, 2, 4).await);
}
