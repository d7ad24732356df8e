//! Tables whose rows are updated all the time: new versions stand beside old ones, and the heads of all logs are read promptly while
//! a dump keeps every version that was there.

use crate::world::{World, databases, laid_out};
use futures_util::future::join_all;
use guanxi_cluster::{ClusterOptions, ClusterStore};
use guanxi_model::{ManualClock, Op, PairCommand, RequestKey, Uid, Write};
use guanxi_ports::Facts as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a look at all heads reads: a statement of the program.
const HEADS: &str = "select gene, seq, epoch from gx.shard";

/// The longest that a look may take at the rate below: a look every 50 ms and one more after each commit are to cost little beside
/// the commits.
const LOOK_MAX: Duration = Duration::from_millis(5);

/// Commits a second beside the snapshot. A look costs 30 µs for each thousand versions that the snapshot keeps, so that it takes 5 ms
/// after 160,000 commits.
const COMMITS_PER_SECOND: u64 = 1_000;

#[tokio::test]
async fn heads_are_read_promptly_while_a_snapshot_keeps_old_versions() {
    let seconds = std::env::var("GUANXI_DUMP_SECONDS").map_or(3, |seconds| seconds.parse().unwrap());
    let world = World::new();
    let lines = world.make(&["dumped"]).await;
    laid_out(&lines).await;
    let dump = world.client("dumped").await;
    dump.batch_execute("begin isolation level repeatable read read only; select count(*) from gx.shard")
        .await
        .unwrap();
    let (writer, reader) = (world.client("dumped").await, world.client("dumped").await);
    let write =
        writer.prepare("update gx.shard set seq = seq + 1, stamp = stamp + 1 where gene = $1").await.unwrap();
    writer.batch_execute("set synchronous_commit = off").await.unwrap();
    let begun = Instant::now();
    for commit in 0..seconds * COMMITS_PER_SECOND {
        let gene = i16::try_from(commit * 37 % 256).unwrap();
        writer.execute(&write, &[&gene]).await.unwrap();
        let due = begun + Duration::from_millis(commit * 1_000 / COMMITS_PER_SECOND);
        tokio::time::sleep_until(due.into()).await;
    }
    let look = reader.prepare(HEADS).await.unwrap();
    let mut took = Vec::new();
    for _ in 0..21 {
        let begun = Instant::now();
        assert_eq!(reader.query(&look, &[]).await.unwrap().len(), 256);
        took.push(begun.elapsed());
    }
    took.sort();
    // Old versions make each look slow, and a busy machine some of them.
    let quartile = took[took.len() / 4];
    println!("after {seconds} s a look takes {quartile:?}");
    assert!(quartile <= LOOK_MAX, "{took:?}");
    dump.batch_execute("rollback").await.unwrap();
}

/// Of all updates of a table the share that changed no index.
async fn hot_share(world: &World, table: &str) -> (i64, f64) {
    let client = world.client("busy").await;
    let question = "select n_tup_upd, n_tup_hot_upd::float8 / greatest(n_tup_upd, 1) from pg_stat_user_tables \
        where schemaname = 'gx' and relname = $1";
    let row = client.query_one(question, &[&table]).await.unwrap();
    (row.get(0), row.get(1))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_every_commit_updates_change_no_index() {
    let world = World::new();
    let lines = world.make(&["busy"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = ClusterStore::open(&databases(&lines), ClusterOptions::default(), clock).await.unwrap();
    let uid = |n: u64| Uid::new(n).unwrap();
    for commit in 0..600 {
        // Each user follows twenty others.
        let (subject, object) = (uid(1 + commit / 20), uid(1_000 + commit));
        store.apply(Write::of(PairCommand { op: Op::Follow, subject, object })).await.unwrap();
    }
    drop(store);
    // A connection tells what it did when it ends.
    tokio::time::sleep(Duration::from_secs(2)).await;
    for table in ["shard", "user_state"] {
        let (updates, share) = hot_share(&world, table).await;
        println!("{table}: {updates} updates, {share:.2} of them beside the old version");
        assert!(updates > 100 && share > 0.9, "{table}: {updates} updates, {share:.2}");
    }
}

/// Rows that were read by going over whole tables that grow.
async fn rows_gone_over(world: &World) -> i64 {
    // A connection that is idle for a second tells what it did.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let question = "select sum(seq_tup_read)::bigint from pg_stat_user_tables \
        where schemaname = 'gx' and relname in ('answer', 'follow', 'fan', 'user_state', 'log')";
    world.client("small").await.query_one(question, &[]).await.unwrap().get(0)
}

/// Tables that somebody has analysed while they had a few rows are read by their indexes soon after they have grown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_of_a_table_with_few_rows_is_not_kept() {
    let world = World::new();
    let lines = world.make(&["small"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = ClusterStore::open(&databases(&lines), ClusterOptions::default(), clock).await.unwrap();
    let follow = async |n: u64| {
        let (subject, object) = (Uid::new(1 + n / 100).unwrap(), Uid::new(100_000 + n).unwrap());
        let request = Some(RequestKey { actor: subject, id: format!("request {n}").into(), fingerprint: n });
        let command = PairCommand { op: Op::Follow, subject, object };
        store.apply(Write { request, ..Write::of(command) }).await.unwrap();
    };
    follow(0).await;
    world.client("small").await.batch_execute("vacuum analyze").await.unwrap();
    // Plans are made now.
    let begun = Instant::now();
    let mut n = 1;
    while begun.elapsed() < Duration::from_secs(11) {
        join_all((n..n + 40).map(&follow)).await;
        n += 40;
    }
    // Each connection plans anew when it is next used, and may tell ten seconds later what it did before.
    let (grown, mut before) = (n, rows_gone_over(&world).await);
    assert!(grown > 1_000 && before > i64::try_from(grown).unwrap(), "tables were small: {grown}, {before}");
    let mut later = Vec::new();
    while later.last().is_none_or(|rows| *rows >= 1_000) {
        assert!(later.len() < 8, "40 follows each go over whole tables of {grown} rows: {later:?}");
        for n in n..n + 40 {
            follow(n).await;
        }
        n += 40;
        let rows = rows_gone_over(&world).await;
        later.push(rows - before);
        before = rows;
    }
    println!("{grown} follows went over {before} rows, and 40 more, again and again, over {later:?}");
}
