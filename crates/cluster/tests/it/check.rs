//! What is wrong with the databases of a cluster is said before anything is served from them.

use crate::world::HISTORY;
use crate::world::{World, databases, laid_out, lay_out};
use guanxi_cluster::{CheckReport, ClusterOptions, ClusterStore, TABLES_VERSION, check};
use guanxi_model::{Clock, HistoryId, ManualClock};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

fn clock(ahead_ms: i64) -> ManualClock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    ManualClock::new(now.checked_add_signed(ahead_ms).unwrap())
}

/// Problems with the names of their databases.
fn said(report: &CheckReport) -> Vec<String> {
    let all = report.databases.iter();
    all.flat_map(|one| one.problems.iter().map(|problem| format!("{}: {problem}", one.database))).collect()
}

#[tokio::test]
async fn a_sound_cluster_has_no_problem() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let report = check(&databases(&lines), &clock(0)).await;
    assert!(report.is_sound(), "{:?}", said(&report));
    assert_eq!(report.map.unwrap().places.len(), 256);
    assert!(report.databases.iter().all(|one| !one.version.is_empty() && one.clock_ahead_ms.abs() < 500));
    assert!(clock(0).now_ms() > 0);
}

#[tokio::test]
async fn each_problem_is_said_with_its_database() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3", "d4", "empty", "theirs"]).await;
    laid_out(&lines[..2]).await;
    world
        .client("theirs")
        .await
        .batch_execute("create schema gx; create table gx.theirs (x int)")
        .await
        .unwrap();
    lay_out(&lines[2..4], HistoryId(3), 1).await.unwrap_err();
    let line = |name, database| world.line(name, database);
    for (lines, ahead_ms, wanted) in [
        (vec![line("d1", "empty"), line("d2", "d2")], 0, "d1: no cluster is laid out there"),
        (vec![line("d1", "d1"), line("d2", "empty")], 0, "d2: it is not laid out"),
        (vec![line("d1", "d1"), line("d2", "d4")], 0, "d2: it is not laid out"),
        (vec![line("d1", "theirs"), line("d2", "d2")], 0, "d1: it has a schema `gx` that is not ours"),
        (vec![line("d1", "d1"), line("d2", "theirs")], 0, "d2: it has a schema `gx` that is not ours"),
        (vec![line("d1", "d1"), line("d2", "d3")], 0, "d2: it is `d3` of cluster 0000000000000003"),
        (vec![line("d1", "d1"), line("d2", "d1")], 0, "d2: it is `d1`"),
        (vec![line("d1", "d1")], 0, "d1: the cluster is on d1, d2"),
        (vec![line("d1", "d1"), line("d2", "d9")], 0, "d2: db error: FATAL: database \"d9\" does not exist"),
        (vec![line("d3", "d3"), line("d4", "d4")], 0, "d3: laying it out did not end"),
        (vec![line("d3", "d3"), line("d4", "d4")], 0, "d4: it is not laid out"),
        (vec![line("d1", "d9"), line("d2", "d2")], 0, "d2: it was not looked at"),
        (vec![line("d1", "d1"), line("d2", "d2")], 2_000, "d1: its clock is -"),
        (vec![line("d1", "d1"), line("d2", "d2")], -2_000, "d2: its clock is "),
    ] {
        let report = check(&databases(&lines), &clock(ahead_ms)).await;
        let problems = said(&report);
        assert!(problems.iter().any(|problem| problem.starts_with(wanted)), "{wanted}: {problems:?}");
    }
}

/// What was noted as made, and is not there any more, is named.
#[tokio::test]
async fn what_was_dropped_by_hand_is_named() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    for (statement, wanted) in [
        (
            "alter table gx.user_state drop column asking",
            "they are not there: gx.user_state.asking: somebody",
        ),
        ("drop table gx.request", "they are not there: gx.request, gx.user_state.asking: somebody"),
        (
            "drop index gx.fan_gene_object_at_subject_idx",
            "1 indexes of gx.fan, gx.request, gx.user_state.asking: somebody",
        ),
        ("drop table gx.account cascade", "not there: gx.account, 1 indexes of gx.fan"),
    ] {
        world.client("d2").await.batch_execute(statement).await.unwrap();
        let report = check(&databases(&lines), &clock(0)).await;
        let problems = said(&report);
        assert!(problems.len() == 1 && problems[0].contains(wanted), "{statement}: {problems:?}");
        assert!(problems[0].starts_with("d2: "), "{problems:?}");
    }
}

/// Shards that are not as the map says are named: their users cannot be reached.
#[tokio::test]
async fn shards_that_are_not_as_the_map_says_are_named() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    for (statement, wanted) in [
        (
            "update gx.shard set writable = false where gene = 5",
            "1 genes cannot be reached: gx.shard says that gene 05",
        ),
        (
            "update gx.shard set epoch = 9 where gene = 7",
            "2 genes cannot be reached: gx.shard says that gene 05",
        ),
        (
            "delete from gx.shard where gene = 3",
            "3 genes cannot be reached: gx.shard has no row of gene 03; gx.shard says",
        ),
        ("delete from gx.shard where gene > 7", "and 124 more"),
    ] {
        world.client("d2").await.batch_execute(statement).await.unwrap();
        let report = check(&databases(&lines), &clock(0)).await;
        let problems = said(&report);
        assert!(problems.len() == 1 && problems[0].contains(wanted), "{statement}: {problems:?}");
        assert!(problems[0].starts_with("d2: users of "), "{problems:?}");
    }
}

/// A process serves from tables of its own version and the next, so that programs can be replaced one after the other.
#[tokio::test]
async fn processes_of_neighbouring_versions_serve_together() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let client = world.client("d1").await;
    let later = async |version: i32| {
        let note = format!("insert into gx.migration (version) values ({version})");
        client.batch_execute(&note).await.unwrap();
    };
    let (named, options) = (databases(&lines), ClusterOptions::default());
    let open = || ClusterStore::open(&named, options, Arc::new(clock(0)));
    later(TABLES_VERSION + 1).await;
    open().await.expect("the tables are those of the next version");
    assert_eq!(said(&check(&databases(&lines), &clock(0)).await), [""; 0]);
    // A process that is still at work when the tables go on is named, and has to end first.
    let behind = format!(
        "insert into gx.serving (process, tables_version, program, roles, clock_ahead_ms, host, pid, connections) \
         values (77, {}, '0.0.9', 'api', 900, 'there', 4711, 40)",
        TABLES_VERSION - 1
    );
    client.batch_execute(&behind).await.unwrap();
    let problems = said(&check(&databases(&lines), &clock(0)).await);
    assert!(
        problems[0].contains("process 77 (host there, pid 4711, guanxi 0.0.9, api, tables of version"),
        "{problems:?}"
    );
    assert!(problems[1].contains("is -900 ms ahead of the first database's"), "{problems:?}");
    later(TABLES_VERSION + 2).await;
    let error = open().await.err().unwrap().to_string();
    assert!(error.contains("run the newer program"), "{error}");
    // What was never made is made first.
    let missing = "delete from gx.migration";
    client.batch_execute(missing).await.unwrap();
    let error = open().await.err().unwrap().to_string();
    assert!(error.contains("run `guanxi cluster init` again"), "{error}");
    client.batch_execute("update gx.serving set tables_version = 3").await.unwrap();
    let error = lay_out(&lines, HISTORY, usize::MAX).await.unwrap_err().to_string();
    assert!(error.contains("end it, and start a newer program"), "{error}");
}

/// The notes of version 15, which had a schema for each group of genes.
const OLD_NOTES: &str = "alter table gx.database add column schemas smallint not null default 64; \
    alter table gx.database alter column schemas drop default; \
    alter table gx.migration drop constraint migration_pkey; \
    alter table gx.migration add column schema text not null default 'gx'; \
    update gx.migration set version = 15; \
    alter table meta.cluster add column schemas smallint not null default 64";

/// A cluster of the older layout is refused by `cluster init`, a start and a check, each with the way out, and nothing in it is
/// changed.
#[tokio::test]
async fn the_older_layout_is_refused_with_the_way_out() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    world.client("d1").await.batch_execute(OLD_NOTES).await.unwrap();
    let before = world.picture("d1").await;
    let opened = ClusterStore::open(&databases(&lines), ClusterOptions::default(), Arc::new(clock(0))).await;
    let refusals = [
        lay_out(&lines, HISTORY, usize::MAX).await.unwrap_err().to_string(),
        opened.err().unwrap().to_string(),
        said(&check(&databases(&lines), &clock(0)).await).join(" "),
    ];
    for refusal in refusals {
        assert!(refusal.contains("of version 15") && refusal.contains("guanxi restore"), "{refusal}");
    }
    assert_eq!(world.picture("d1").await, before);
}

/// Tables of a later program, and a server that is away, are told, too.
#[tokio::test]
async fn later_tables_are_left_to_the_later_program() {
    let mut world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let client = world.client("d1").await;
    client.batch_execute("insert into gx.migration (version) values (99)").await.unwrap();
    let problems = said(&check(&databases(&lines), &clock(0)).await);
    assert!(problems[0].contains("version 99, and this program serves from"), "{problems:?}");
    let error = lay_out(&lines, HistoryId(1), usize::MAX).await.unwrap_err().to_string();
    assert!(error.contains("run the newer program"), "{error}");
    world.server.process.kill();
    let problems = said(&check(&databases(&lines), &clock(0)).await);
    assert!(problems[0].starts_with("d1: error connecting to server"), "{problems:?}");
}

#[tokio::test]
async fn a_server_that_may_lose_writes_is_refused() {
    for (settings, wanted) in [
        ([("fsync", "off")], "fsync is off"),
        ([("synchronous_commit", "off")], "synchronous_commit is off"),
        ([("default_transaction_read_only", "on")], "it takes no writes"),
    ] {
        let world = World::with(&settings);
        let lines = world.make(&["d1"]).await;
        let error = lay_out(&lines, HistoryId(1), usize::MAX).await.unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert_eq!(world.picture("d1").await, [""; 0], "nothing is changed");
    }
}
