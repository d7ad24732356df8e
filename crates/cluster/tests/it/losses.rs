//! A database loses its newest commits: a copy from before takes its place.

use crate::pair::{Pair, WallClock, act, eventually, list, open, options, serving, u};
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, RepairCheck, RepairTerms, accept_loss, check};
use guanxi_model::{List, Op, Reason};
use guanxi_ports::{Log as _, Store as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn served() -> ClusterOptions {
    let losses_every = Duration::from_millis(100);
    ClusterOptions { serving: Some(serving("api,worker")), losses_every, ..options(CarryMode::Log, true) }
}

/// Kills the server of a database and has it start from a copy that was made before.
fn put_back(pair: &mut Pair, database: usize, copy: &tempfile::TempDir) {
    let world = pair.own_world(database);
    world.kill();
    world.put_back(copy);
    world.resume();
}

async fn reason_of(store: &ClusterStore, subject: u64) -> Option<Reason> {
    act(store, Op::Follow, subject, 1_000).await.err().map(|error| error.reason)
}

/// What others derived from the lost events is as the facts are, and new events arrive.
async fn is_well(store: &ClusterStore, subject: u64) {
    eventually(async || act(store, Op::Follow, subject, 20).await.is_ok()).await;
    act(store, Op::Follow, subject, 21).await.unwrap();
    // Whichever process keeps house.
    let is_mended = async || {
        let kept = store.keep_house().await;
        let found = store.repair(RepairCheck::Full, RepairTerms::default(), &mut |_| {}).await;
        kept.is_ok() && found.is_ok_and(|found| (found.differences_total, found.unsettled) == (0, 0))
    };
    eventually(is_mended).await;
    for object in [20, 21] {
        assert!(list(store, object, List::Followers, None).await.contains(&subject));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_lost_its_newest_commits_is_shut_until_that_is_accepted() {
    let mut pair = Pair::apart().await;
    let store = open(&pair.lines, served()).await;
    for (subject, object) in [(3, 2), (3, 4), (2, 3)] {
        act(&store, Op::Follow, subject, object).await.unwrap();
    }
    store.settle().await.unwrap();
    let copy = pair.own_world(1).copy();
    for (op, object) in [(Op::Follow, 6), (Op::Follow, 8), (Op::Unfollow, 2), (Op::Block, 10)] {
        eventually(async || act(&store, op, 3, object).await.is_ok()).await;
    }
    let (_, token) = act(&store, Op::Follow, 2, 5).await.unwrap();
    store.settle().await.unwrap();
    put_back(&mut pair, 1, &copy);

    // It is noticed by those who have seen it, and by those who start, from what others have applied.
    eventually(async || reason_of(&store, 3).await == Some(Reason::DatabaseLostWrites)).await;
    let other = open(&pair.lines, served()).await;
    for store in [&store, &other] {
        assert_eq!(reason_of(store, 3).await, Some(Reason::DatabaseLostWrites));
        assert!(act(store, Op::Unfollow, 2, 12).await.is_ok(), "others are served");
        let said = store.problems().concat();
        assert!(said.contains("database `b`: it lost its newest commits"), "{said}");
    }
    let report = check(&databases(&pair.lines), &WallClock).await;
    let said = report.databases[1].problems.concat();
    assert!(report.databases[0].problems.is_empty() && said.contains("accept-loss b"), "{report:?}");
    let named = databases(&pair.lines);
    let works = ClusterStore::open(&named, options(CarryMode::Log, false), Arc::new(WallClock));
    let refused = works.await.err().unwrap().to_string();
    assert!(refused.contains("it lost its newest commits: log 03 ends with event"), "{refused}");

    let error = accept_loss(&databases(&pair.lines), "c").await.unwrap_err().to_string();
    assert!(error.contains("there are a, b"), "{error}");
    let accepted = accept_loss(&databases(&pair.lines), "b").await.unwrap();
    assert_eq!((accepted.logs, accepted.logs_lost > 0), (128, true), "{accepted:?}");
    is_well(&store, 3).await;
    is_well(&other, 7).await;
    assert_eq!(list(&store, 2, List::Followers, None).await, [3].into(), "the end of it was lost");
    assert!(list(&store, 8, List::Followers, None).await.is_empty());
    assert_eq!(list(&store, 5, List::Followers, Some(&token)).await, [2].into(), "applied once more");
    assert!(check(&databases(&pair.lines), &WallClock).await.is_sound());
}

/// A log that was lost and written on has other events than those that others have applied: no new one is taken for one of them.
/// Here it is the first database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_was_written_on_since_is_found_by_versions() {
    let mut pair = Pair::apart().await;
    let store = open(&pair.lines, served()).await;
    act(&store, Op::Follow, 2, 3).await.unwrap();
    store.settle().await.unwrap();
    let copy = pair.own_world(0).copy();
    for object in [5, 7] {
        eventually(async || act(&store, Op::Follow, 2, object).await.is_ok()).await;
    }
    store.settle().await.unwrap();
    store.leave().await;
    drop(store);
    put_back(&mut pair, 0, &copy);

    // A process that cannot know it: nobody else is there who has seen the lost events.
    let away = &pair.proxies[1].faults.is_down;
    away.store(true, Ordering::Relaxed);
    let store = open(&pair.lines, served()).await;
    for object in [9, 11, 13, 15] {
        act(&store, Op::Follow, 2, object).await.unwrap();
    }
    away.store(false, Ordering::Relaxed);
    eventually(async || reason_of(&store, 2).await == Some(Reason::DatabaseLostWrites)).await;
    let said = store.problems().concat();
    assert!(said.contains("of log 02 is another one than database `b` has seen"), "{said}");
    assert!(act(&store, Op::Unfollow, 3, 5).await.is_ok(), "others are served");

    accept_loss(&databases(&pair.lines), "a").await.unwrap();
    is_well(&store, 2).await;
    for (object, followers) in [(5, None), (7, None), (9, Some(2)), (15, Some(2))] {
        let expected = followers.into_iter().collect();
        assert_eq!(list(&store, object, List::Followers, None).await, expected, "{object}");
    }
}

/// What applies events looks at the log by itself, between the looks at all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_not_applied_after_another_one_than_before() {
    let pair = Pair::new().await;
    let options = ClusterOptions { losses_every: Duration::from_hours(1), ..served() };
    let store = open(&pair.lines, options).await;
    act(&store, Op::Follow, 3, 2).await.unwrap();
    store.settle().await.unwrap();
    let hand = pair.client(1).await;
    let changed = hand.execute("update gx.log set version = version + 1 where gene = 3", &[]).await;
    assert_eq!(changed.unwrap(), 1);
    act(&store, Op::Follow, 3, 4).await.unwrap();
    eventually(async || store.problems().concat().contains("event 1 of log 03 is another one")).await;
    assert!(list(&store, 4, List::Followers, None).await.is_empty());
    hand.execute("update gx.log set version = version - 1 where gene = 3 and seq = 1", &[]).await.unwrap();
    eventually(async || list(&store, 4, List::Followers, None).await == [3].into()).await;
}

/// What a process keeps of a relation is of an event that its looks have not brought yet. If that is lost, the next look tells.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_was_only_read_is_missed() {
    let mut pair = Pair::apart().await;
    let writer = open(&pair.lines, options(CarryMode::Log, false)).await;
    act(&writer, Op::Follow, 3, 2).await.unwrap();
    // It looks at logs only when it is asked for what is new, and no other database has applied the event.
    let hour = Duration::from_hours(1);
    let seldom = ClusterOptions { apply_every: Some(hour), notifies: false, staleness: hour, ..served() };
    let reader = open(&pair.lines, ClusterOptions { losses_every: hour, ..seldom }).await;
    let follows = async |object: u64| {
        let told = reader.relations(u(3), &[u(object)], None).await;
        told.map(|(relations, _)| relations[0].following_since.is_some())
    };
    assert_eq!(follows(2).await, Ok(true));
    let copy = pair.own_world(1).copy();
    eventually(async || act(&writer, Op::Follow, 3, 4).await.is_ok()).await;
    eventually(async || follows(4).await == Ok(true)).await;
    put_back(&mut pair, 1, &copy);
    eventually(async || {
        let _looked = reader.head().await;
        follows(4).await.is_err_and(|error| error.reason == Reason::DatabaseLostWrites)
    })
    .await;
}
