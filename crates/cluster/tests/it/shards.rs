//! What an operator is shown of shards and databases, while all is well and while a database is away.

use crate::pair::{Pair, act, eventually, open, options};
use guanxi_cluster::{CarryMode, ClusterOptions, ServingAs, ServingRoles};
use guanxi_model::Op;
use guanxi_ports::shards::{SeenState, ShardReport};
use guanxi_ports::{Log as _, Shards as _};
use std::sync::atomic::Ordering;

fn behind(report: &ShardReport) -> Vec<Option<u64>> {
    report.databases.iter().map(|database| database.behind).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_gene_has_its_database_and_each_database_tells_how_far_it_is() {
    let pair = Pair::new().await;
    // It applies nothing unless a caller asks for that.
    let roles = ServingRoles { api: true, worker: false, repair: false, index: false };
    let serving = Some(ServingAs { roles, program: "1.2.3", host: "here", pid: 7 });
    let idle = open(&pair.direct(), ClusterOptions { serving, ..options(CarryMode::Log, false) }).await;
    for (subject, object) in [(1, 2), (2, 1), (3, 2), (4, 3)] {
        act(&idle, Op::Follow, subject, object).await.unwrap();
    }
    let report = idle.shards().await.unwrap();
    assert!(report.is_of_cluster);
    assert_eq!(
        report.shards.iter().map(|shard| shard.gene.0).collect::<Vec<_>>(),
        (0..=255).collect::<Vec<_>>()
    );
    let home = |gene: u8| report.shards[usize::from(gene)].database;
    assert!(home(1) != home(2) && report.databases.len() == 2, "both have genes");
    assert!(report.databases.iter().all(|database| database.answered_in.is_some()), "{report:?}");
    assert!(report.shards.iter().all(|shard| shard.epoch == 1 && shard.state == Some(SeenState::Open)));
    let events: u64 = report.shards.iter().filter_map(|shard| shard.events).sum();
    assert_eq!(events, idle.head().await.unwrap().event_count());
    assert!(behind(&report).iter().all(|late| late.is_some_and(|late| late > 0)), "{report:?}");
    let process = &report.processes[..];
    assert_eq!((process.len(), process[0].program.as_str(), process[0].roles.len()), (1, "1.2.3", 1));
    assert_eq!((process[0].host.as_str(), process[0].pid), ("here", 7));
    // Another process applies them.
    let worker = open(&pair.direct(), options(CarryMode::Log, true)).await;
    eventually(async || behind(&idle.shards().await.unwrap()) == [Some(0); 2]).await;
    drop(worker);
    pair.client(0)
        .await
        .batch_execute("update meta.shard set state = 'moving' where gene = 7")
        .await
        .unwrap();
    let moving = idle.shards().await.unwrap().shards;
    let moving: Vec<u8> =
        moving.iter().filter(|it| it.state == Some(SeenState::Moving)).map(|it| it.gene.0).collect();
    assert_eq!(moving, [7]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_is_said_to_be() {
    for away in [0, 1] {
        let pair = Pair::new().await;
        let store = open(&pair.lines, options(CarryMode::Log, true)).await;
        act(&store, Op::Follow, 1, 2).await.unwrap();
        pair.proxies[away].faults.is_silent.store(true, Ordering::Relaxed);
        let report = store.shards().await.unwrap();
        for (place, database) in report.databases.iter().enumerate() {
            let is_there = place != away;
            assert_eq!(
                (database.answered_in.is_some(), database.behind.is_some()),
                (is_there, is_there),
                "{report:?}"
            );
        }
        for shard in &report.shards {
            assert_eq!(shard.events.is_some(), shard.database != away, "{shard:?}");
            // The first database has the map.
            assert_eq!(shard.state.is_some(), away == 1, "{shard:?}");
        }
        assert!(report.shards.iter().any(|shard| shard.database == away), "the map is known all the same");
        // A store that is closed waits for what it has asked.
        pair.proxies[away].faults.is_silent.store(false, Ordering::Relaxed);
    }
}
