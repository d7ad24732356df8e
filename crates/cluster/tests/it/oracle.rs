//! Random histories of posts and homes on a cluster: each page, poll, stream and count is held against the definition of home.
//!
//! After each step of a history the homes of all its users are read, too. `GUANXI_TRACES` says how many histories are played,
//! `GUANXI_TRACES_FROM` from which seed on, and `GUANXI_CLUSTER` on which cluster.

use crate::shelf::{Lent, Shape};
use crate::world::databases;
use guanxi_cluster::{ClusterOptions, ClusterStore};
use guanxi_model::{Clock, FanoutMode, HistoryId, Result};
use guanxi_ports::BoxFuture;
use guanxi_sim::{Counts, Given, GivenPorts, generate, play_given};
use std::sync::Arc;
use std::time::Duration;

const TRACES: u64 = 12;

const HISTORY: HistoryId = HistoryId(0xfeed_0000_0000_0009);

/// Histories that are played at once.
const AT_ONCE: u64 = 4;

/// A cluster on which a process can start again.
struct Cluster(Vec<String>);

impl Given for Cluster {
    fn open(&self, clock: Arc<dyn Clock>) -> BoxFuture<'_, Result<GivenPorts>> {
        Box::pin(async {
            let Shape { carrying, memory, .. } = Shape::of_environment();
            let apply_every = Some(Duration::from_millis(20));
            let options = ClusterOptions { carrying, memory, apply_every, ..ClusterOptions::default() };
            let store = Arc::new(ClusterStore::open(&databases(&self.0), options, clock).await.unwrap());
            let (log, credentials, all) = (store.clone(), store.clone(), store.clone());
            let arrives = move || {
                let store = all.clone();
                Box::pin(async move { store.settle().await }) as BoxFuture<'static, Result<()>>
            };
            Ok(GivenPorts { store, log, credentials, arrives: Box::new(arrives) })
        })
    }
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Plays the history of a seed on a cluster without users.
fn play(seed: u64) -> Counts {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let lent = runtime.block_on(Lent::take(HISTORY));
    let given = Arc::new(Cluster(lent.lines.clone()));
    let played = runtime.block_on(play_given(&generate::trace(seed), FanoutMode::Pull, given));
    if let Some(failure) = played.failure {
        panic!("seed {seed}, step {}: {}", failure.step, failure.what);
    }
    played.counts
}

#[test]
fn homes_of_random_histories_are_exact() {
    let (from, traces) =
        (number("GUANXI_TRACES_FROM").unwrap_or(1), number("GUANXI_TRACES").unwrap_or(TRACES));
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        let lanes = (0..AT_ONCE).map(|lane| {
            scope.spawn(move || {
                let mut counts = Counts::default();
                for seed in (from..from + traces).filter(|seed| seed % AT_ONCE == lane) {
                    counts += play(seed);
                    if counts.played.is_multiple_of(100) {
                        eprintln!("lane {lane}: {counts:?}");
                    }
                }
                counts
            })
        });
        let lanes: Vec<_> = lanes.collect();
        lanes.into_iter().for_each(|lane| counts += lane.join().unwrap());
    });
    println!("{counts:?}");
    assert_eq!((counts.played, counts.missing, counts.repeated, counts.leaked), (traces, 0, 0, 0));
    assert!(counts.pages > 700 * traces && counts.items > 700 * traces, "homes are read: {counts:?}");
}
