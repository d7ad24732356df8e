//! A row that another session holds, such as that of a stopped process, stops what needs it, and nothing else of its database.

use crate::pair::{Pair, act, assert_clean, carry_modes, eventually, list, median, open, options, u};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, RepairCheck, RepairTerms};
use guanxi_model::error::WRITE_COMMITTED;
use guanxi_model::{List, Op, Page, Reason};
use guanxi_ports::Store as _;
use std::collections::{BTreeMap, BTreeSet};
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

/// How many shards of both databases wait for events of how many logs.
async fn waiting(pair: &Pair) -> i64 {
    let mut count = 0;
    for n in 0..2 {
        let row = pair.client(n).await.query_one("select count(*) from gx.held", &[]).await.unwrap();
        count += row.get::<_, i64>(0);
    }
    count
}

/// How many sessions of processes both databases have.
async fn sessions(pair: &Pair) -> i64 {
    let sql = "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'guanxi'";
    let mut count = 0;
    for n in 0..2 {
        count += pair.client(n).await.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
    }
    count
}

/// How long it takes until a follow of users of the first database by users of the second has arrived: the middle one of some.
async fn arrivals(store: &ClusterStore, first: u64) -> Duration {
    let mut took = Vec::new();
    for (n, object) in (0..12).zip(OTHERS.iter().cycle()) {
        let subject = first + 2 * n;
        act(store, Op::Follow, subject, *object).await.unwrap();
        took.push(
            eventually(async || list(store, *object, List::Followers, None).await.contains(&subject)).await,
        );
    }
    median(&took)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_follows_in_other_shards_goes_on_while_the_row_of_one_is_held() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 3, HELD + 512).await.unwrap();
    let before = arrivals(&store, 7_001).await;
    store.settle().await.unwrap();
    let holder = hold(&pair).await;
    // Of other logs of both databases, to the held shard.
    for subject in [3, 6] {
        act(&store, Op::Follow, subject, HELD).await.unwrap();
    }
    eventually(async || waiting(&pair).await == 2).await;
    // Later ones of the same logs wait behind these.
    act(&store, Op::Unfollow, 3, HELD + 512).await.unwrap();
    let (_, token) = act(&store, Op::Follow, 3, OTHERS[1]).await.unwrap();
    let during = arrivals(&store, 8_001).await;
    println!("followers arrived after {before:?}, and {during:?} while the row was held");
    assert!(during < before * 10 + Duration::from_millis(100), "{before:?}, {during:?}");
    // A token holds for every shard but the one that is behind.
    for other in OTHERS {
        let is_there = list(&store, other, List::Followers, Some(&token)).await.contains(&3);
        assert_eq!(is_there, other == OTHERS[1]);
    }
    let view = store.view(Some(&token)).await.unwrap();
    let error = view.list(u(HELD), List::Followers, Page::first()).await.unwrap_err();
    assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE, "never without what its holder did");
    drop(view);
    assert!(!store.is_applied(u(3), token.of(u(3))).await.unwrap());
    assert!(list(&store, HELD, List::Followers, None).await.is_empty());
    assert_eq!(list(&store, HELD + 512, List::Followers, None).await, [3].into());
    // What has to stand in two other shards does, and a block of a user of the held one completes by itself.
    assert!(act(&store, Op::Block, 3, OTHERS[2]).await.unwrap().0);
    let error = act(&store, Op::Block, 3, HELD + 768).await.unwrap_err();
    assert_eq!(error.reason, Reason::ShardUnavailable { write: WRITE_COMMITTED });
    holder.batch_execute("rollback").await.unwrap();
    eventually(async || waiting(&pair).await == 0).await;
    assert_eq!(list(&store, HELD, List::Followers, Some(&token)).await, [3, 6].into());
    assert!(list(&store, HELD + 512, List::Followers, None).await.is_empty());
    let view = store.view(None).await.unwrap();
    assert!(view.relations(u(HELD + 768), &[u(3)]).await.unwrap()[0].blocked_by, "it was completed");
    drop(view);
    assert!(store.is_applied(u(3), token.of(u(3))).await.unwrap());
    store.settle().await.unwrap();
    assert_clean(&store).await;
}

/// Events that a shard waits for are not trimmed and are no difference; the first process that finds the row free applies them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_held_shard_waits_for_outlives_processes_and_trimming() {
    let pair = Pair::new().await;
    let few = ClusterOptions { log_events_max: 20, ..options(CarryMode::Log, true) };
    let store = open(&pair.direct(), few).await;
    let holder = hold(&pair).await;
    for (object, other) in (0..30).zip(OTHERS.iter().cycle()) {
        act(&store, Op::Follow, 3, HELD + 256 * object).await.unwrap();
        act(&store, Op::Follow, 3, other + 256 * (object + 1)).await.unwrap();
    }
    eventually(async || list(&store, OTHERS[1] + 256 * 30, List::Followers, None).await == [3].into()).await;
    assert_eq!(waiting(&pair).await, 1);
    store.keep_house().await.unwrap();
    let first = "select min(seq) from gx.log where gene = 3";
    let first: i64 = pair.client(1).await.query_one(first, &[]).await.unwrap().get(0);
    assert_eq!(first, 1, "what one shard waits for stays in the log");
    let report = store.repair(RepairCheck::Incremental, RepairTerms::default(), &mut |_| {}).await;
    assert!(report.is_err() || report.as_ref().is_ok_and(|it| it.differences_total == 0), "{report:?}");
    drop(store);
    // What the server still does for the first process would get the row.
    eventually(async || sessions(&pair).await == 0).await;
    holder.batch_execute("rollback").await.unwrap();
    let other = open(&pair.direct(), options(CarryMode::Log, false)).await;
    assert_eq!(waiting(&pair).await, 1, "it is known to the database");
    other.settle().await.unwrap();
    assert_eq!(waiting(&pair).await, 0);
    for object in 0..30 {
        assert_eq!(list(&other, HELD + 256 * object, List::Followers, None).await, [3].into());
    }
    assert_clean(&other).await;
}

/// Rows of several shards are held and let go all the while: everything arrives, in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_arrives_where_rows_are_held_now_and_then() {
    for carrying in carry_modes() {
        let pair = Pair::new().await;
        let stores = [
            open(&pair.direct(), options(carrying, true)).await,
            open(&pair.direct(), options(carrying, true)).await,
        ];
        let ends = Arc::new(AtomicBool::new(false));
        let clients = [pair.client(0).await, pair.client(1).await];
        let holders = clients.map(|client| {
            let ends = ends.clone();
            tokio::spawn(async move {
                let mut n = 0_u64;
                while !ends.load(Ordering::Acquire) {
                    let gene = n % 7;
                    let sql = format!("begin; set local lock_timeout = 50; select from gx.shard where gene in ({gene}, {}) for update", gene + 5);
                    let _held = client.batch_execute(&sql).await;
                    tokio::time::sleep(Duration::from_millis(70 + 60 * (n % 4))).await;
                    client.batch_execute("rollback").await.unwrap();
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    n += 1;
                }
            })
        });
        let writers = (0..6_u64).map(|n| {
            let store = stores[usize::try_from(n % 2).unwrap()].clone();
            tokio::spawn(async move {
                let mut following = BTreeSet::new();
                for step in 0..60 {
                    let object = 256 + (n + step * 5) % 12;
                    let is_new = !following.contains(&object);
                    let op = if is_new { Op::Follow } else { Op::Unfollow };
                    // A refused write is repeated until it is done.
                    while act(&store, op, n + 1, object).await.is_err() {}
                    if is_new {
                        following.insert(object)
                    } else {
                        following.remove(&object)
                    };
                }
                following
            })
        });
        let mut followers: BTreeMap<u64, BTreeSet<u64>> =
            (256..268).map(|of| (of, BTreeSet::new())).collect();
        for (n, writer) in (1..).zip(writers.collect::<Vec<_>>()) {
            let following = writer.await.unwrap();
            assert_eq!(list(&stores[0], n, List::Following, None).await, following, "{carrying:?}");
            for object in following {
                followers.entry(object).or_default().insert(n);
            }
        }
        ends.store(true, Ordering::Release);
        for holder in holders {
            holder.await.unwrap();
        }
        eventually(async || stores[0].settle().await.is_ok()).await;
        assert_eq!(waiting(&pair).await, 0);
        for (object, expected) in followers {
            assert_eq!(
                list(&stores[1], object, List::Followers, None).await,
                expected,
                "{carrying:?}: {object}"
            );
        }
        assert_clean(&stores[0]).await;
    }
}
