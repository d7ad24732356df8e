//! What is over is removed, and nothing else.

use crate::pair::{Pair, WallClock, act, assert_clean, list, log_of, open, options, u};
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, HouseReport};
use guanxi_model::{Clock, List, Logs, ManualClock, Op, PairCommand, Position, Reason, RequestKey, Write};
use guanxi_ports::{Facts as _, Log as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const DAY_MS: u64 = 24 * 3_600 * 1_000;

async fn sql(pair: &Pair, sql: &str) -> u64 {
    let mut changed = 0;
    for n in 0..2 {
        changed += pair.client(n).await.execute(sql, &[]).await.unwrap();
    }
    changed
}

async fn number(pair: &Pair, sql: &str) -> i64 {
    let mut sum = 0;
    for n in 0..2 {
        sum += pair.client(n).await.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
    }
    sum
}

fn follow(subject: u64, object: u64, id: &str) -> Write {
    let request = RequestKey { actor: u(subject), id: id.into(), fingerprint: object };
    Write::of(PairCommand { op: Op::Follow, subject: u(subject), object: u(object) }).under(Some(request))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_and_batches_are_forgotten_when_they_are_over() {
    let pair = Pair::new().await;
    let clock = Arc::new(ManualClock::new(WallClock.now_ms()));
    let opened = async || {
        let options = options(CarryMode::Log, false);
        ClusterStore::open(&databases(&pair.direct()), options, clock.clone()).await.unwrap()
    };
    let (store, other) = (opened().await, opened().await);
    for subject in 0..40 {
        store.apply(follow(100 + subject, 300, "one")).await.unwrap();
    }
    assert_eq!(store.keep_house().await.unwrap(), HouseReport::default(), "nothing is over");
    clock.advance(DAY_MS / 2);
    for subject in 0..40 {
        store.apply(follow(100 + subject, 400, "two")).await.unwrap();
    }
    clock.advance(DAY_MS / 2 + 120_000);
    assert_eq!(other.keep_house().await.unwrap(), HouseReport::default(), "another process keeps house");
    let mut report = store.keep_house().await.unwrap();
    report.events = 0;
    assert_eq!(report, HouseReport { answers: 40, ..HouseReport::default() });
    assert_eq!(number(&pair, "select count(*) from gx.answer").await, 40);
    // What is not over is repeated, and what is over is done anew.
    let repeated = store.apply(follow(100, 400, "two")).await.unwrap();
    assert_eq!(repeated.pair().unwrap().result, Ok(true));
    let anew = store.apply(follow(100, 300, "one")).await.unwrap();
    assert_eq!(anew.pair().unwrap().result, Ok(false));
    // The one who kept house is gone: another one does when it was not heard of for a while.
    sql(&pair, "update gx.housekeeper set until = now() - interval '1 second'").await;
    drop(store);
    clock.advance(DAY_MS);
    assert_eq!(other.keep_house().await.unwrap().answers, 40);
}

async fn events_after(store: &ClusterStore, uid: u64, seq: u64) -> guanxi_model::Result<Vec<u64>> {
    let log = Logs::PerGene.of(u(uid));
    let history = store.head().await.unwrap().history();
    let after = Position::seen(history, Logs::PerGene, guanxi_model::EventAt::new(log, seq));
    let read = store.read(log, &after, 1_000).await?;
    Ok(read.events.iter().map(|event| event.at.seq()).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_are_trimmed_once_every_database_has_applied_them() {
    let pair = Pair::new().await;
    let options = ClusterOptions { log_events_max: 30, ..options(CarryMode::Log, false) };
    let store = open(&pair.lines, options).await;
    for object in 0..50 {
        act(&store, Op::Follow, 2, 1_001 + 2 * object).await.unwrap();
    }
    let kept = "select count(*) from gx.log where gene = 2";
    assert_eq!(store.keep_house().await.unwrap().events, 0, "nobody has applied them");
    store.settle().await.unwrap();
    assert_eq!(store.keep_house().await.unwrap().events, 20);
    assert_eq!(number(&pair, kept).await, 30);
    assert_eq!(events_after(&store, 2, 20).await.unwrap(), (21..=50).collect::<Vec<_>>());
    assert_eq!(events_after(&store, 2, 19).await.unwrap_err().reason, Reason::Trimmed);
    // By age: every event that was written days ago, but not those that are not applied yet.
    sql(&pair, "update gx.log set written_at = now() - interval '30 days' where seq <= 40").await;
    assert_eq!(log_of_len(&store, 2).await, 30);
    assert!(store.keep_house().await.unwrap().events >= 10);
    assert_eq!(number(&pair, kept).await, 10);
    assert_eq!(events_after(&store, 2, 39).await.unwrap_err().reason, Reason::Trimmed);
    assert_eq!(events_after(&store, 2, 40).await.unwrap(), (41..=50).collect::<Vec<_>>());
    // While a database is away nothing is trimmed that it may need.
    for object in 0..40 {
        act(&store, Op::Follow, 2, 3_001 + 2 * object).await.unwrap();
    }
    pair.proxies[1].faults.is_down.store(true, Ordering::Relaxed);
    let _away = store.keep_house().await;
    assert_eq!(number(&pair, kept).await, 40, "what it has not applied");
    pair.proxies[1].faults.is_down.store(false, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(700)).await;
    store.settle().await.unwrap();
    store.keep_house().await.unwrap();
    assert_eq!(number(&pair, kept).await, 30);
    assert_eq!(list(&store, 3_001, List::Followers, None).await, [2].into());
    assert_clean(&store).await;
}

async fn log_of_len(store: &ClusterStore, uid: u64) -> usize {
    events_after(store, uid, 20).await.unwrap().len().max(log_of(store, uid + 1).await.len())
}

/// As after somebody has removed events by hand before they were applied.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_was_trimmed_too_far_is_made_up_for_from_facts() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, false)).await;
    act(&store, Op::Follow, 5, 2).await.unwrap();
    store.settle().await.unwrap();
    for object in 0..20 {
        act(&store, Op::Follow, 2, 1_001 + 2 * object).await.unwrap();
    }
    act(&store, Op::Follow, 4, 1_001).await.unwrap();
    sql(&pair, "delete from gx.log where gene = 2 and seq <= 15").await;
    sql(&pair, "update gx.shard set first_seq = 16 where gene = 2").await;
    store.settle().await.unwrap();
    assert_eq!(list(&store, 1_001, List::Followers, None).await, [4].into(), "its event is gone");
    assert_eq!(list(&store, 1_001 + 2 * 19, List::Followers, None).await, [2].into(), "others are applied");
    assert_eq!(store.keep_house().await.unwrap().rebuilt, 2, "for each database");
    for object in 0..20 {
        assert!(list(&store, 1_001 + 2 * object, List::Followers, None).await.contains(&2), "{object}");
    }
    assert_clean(&store).await;
    assert_eq!(store.keep_house().await.unwrap().rebuilt, 0);
}
