//! A row that another session holds, such as that of a stopped process, stops what needs it, and nothing else of its database.

use crate::pair::{Pair, act, assert_clean, eventually, list, median, open, options};
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::{List, Op, Reason};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio_postgres::Client;

/// The gene whose row is held, which is of the first database.
const HELD: u64 = 2;

/// Users of that gene.
const ITS_USERS: [u64; 4] = [HELD, HELD + 256, HELD + 512, HELD + 768];

/// Users of other genes of the same database: of the same lane, and of others.
const OTHERS: [u64; 4] = [HELD + 4, HELD + 8, HELD + 2, HELD + 256 + 12];

/// A session that holds the row of the shard until it is told to end its transaction.
async fn hold(pair: &Pair) -> Client {
    let client = pair.client(0).await;
    let sql = format!("begin; select from gx.shard where gene = {HELD} for update");
    client.batch_execute(&sql).await.unwrap();
    client
}

/// A user of the held shard writes until it is told to end. Returns how long each refusal took.
async fn refused(store: &ClusterStore, subject: u64, ends: &AtomicBool) -> Vec<Duration> {
    let mut took = Vec::new();
    for object in (subject + 1_000..).step_by(2) {
        let began = Instant::now();
        let error = act(store, Op::Follow, subject, object).await.unwrap_err();
        assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE, "{error}");
        took.push(began.elapsed());
        if ends.load(Ordering::Acquire) {
            break;
        }
    }
    took
}

/// Users of other shards write. Returns how long each write took.
async fn write_on(store: &ClusterStore, first: u64) -> Vec<Duration> {
    let mut took = Vec::new();
    for n in 0..12 {
        for subject in OTHERS {
            let began = Instant::now();
            let (changed, at) = act(store, Op::Follow, subject, first + 2 * n).await.unwrap();
            assert!(changed);
            took.push(began.elapsed());
            assert!(list(store, subject, List::Following, Some(&at)).await.contains(&(first + 2 * n)));
        }
    }
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_other_shards_go_on_while_the_row_of_one_is_held() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, HELD, 100).await.unwrap();
    let (holder, ends) = (hold(&pair).await, Arc::new(AtomicBool::new(false)));
    let waiting: Vec<_> = ITS_USERS
        .map(|subject| {
            let (store, ends) = (store.clone(), ends.clone());
            tokio::spawn(async move { refused(&store, subject, &ends).await })
        })
        .into();
    let took = write_on(&store, 2_100).await;
    ends.store(true, Ordering::Release);
    let mut tried = Vec::new();
    for task in waiting {
        tried.extend(task.await.unwrap());
    }
    println!("{:?} each meanwhile, {:?} until a refusal", median(&took), median(&tried));
    assert!(median(&took) < median(&tried) / 2, "others do not wait with it: {took:?}, {tried:?}");
    holder.batch_execute("rollback").await.unwrap();
    for subject in ITS_USERS {
        eventually(async || act(&store, Op::Follow, subject, 3_100).await.is_ok()).await;
    }
    store.settle().await.unwrap();
    assert_clean(&store).await;
}

/// A row that is held for a moment costs its writes that moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_waits_for_a_row_that_is_let_go_soon() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    for n in 0..3 {
        let holder = hold(&pair).await;
        let waiting: Vec<_> = ITS_USERS
            .map(|subject| {
                let store = store.clone();
                tokio::spawn(async move { act(&store, Op::Follow, subject, 4_100 + 2 * n).await })
            })
            .into();
        tokio::time::sleep(Duration::from_millis(250)).await;
        holder.batch_execute("rollback").await.unwrap();
        for write in waiting {
            assert!(write.await.unwrap().unwrap().0, "it was done once the row was free");
        }
    }
    store.settle().await.unwrap();
    assert_clean(&store).await;
}
