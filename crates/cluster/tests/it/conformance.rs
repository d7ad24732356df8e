//! The cluster passes the suite that the in-memory backend specifies.

use crate::dumps::{copy_logs, dumped, restore};
use crate::shelf::{Lent, Shape};
use crate::world::databases;
use guanxi_cluster::{ClusterOptions, ClusterStore};
use guanxi_model::plan::FactLimits;
use guanxi_spec::conformance::{Backend, Need, Reopen, Settings};
use std::sync::Arc;
use std::time::Duration;

fn open(lines: Vec<String>, settings: Settings) -> guanxi_ports::BoxFuture<'static, Backend> {
    Box::pin(opened(lines, settings))
}

async fn opened(lines: Vec<String>, settings: Settings) -> Backend {
    let limits = FactLimits {
        follows: settings.follow_limit,
        blocks: settings.block_limit,
        mutes: settings.mute_limit,
    };
    let options = ClusterOptions {
        limits,
        carrying: Shape::of_environment().carrying,
        memory: Shape::of_environment().memory,
        log_events_max: settings.log_events_max,
        apply_every: Some(Duration::from_millis(50)),
        ..ClusterOptions::default()
    };
    let store = ClusterStore::open(&databases(&lines), options, settings.clock.clone()).await.unwrap();
    let store = Arc::new(store);
    let mut cannot = vec![
        (Need::OneOrder, "there is a log for each gene"),
        (Need::OneView, "a view begins for each shard by itself"),
        (Need::NoLag, "what follows in another shard is carried there"),
        (Need::MixedBatches, "a commit is of one shard"),
    ];
    if Shape::of_environment().restores {
        cannot.push((Need::SamePlaces, "a dump has one place for each remembered answer"));
    }
    let uids = settings.uids;
    let reopen = {
        let (lines, settings) = (lines.clone(), settings.clone());
        move || {
            if Shape::of_environment().restores { restored(lines, settings) } else { open(lines, settings) }
        }
    };
    let reopen: Reopen = Box::new(reopen);
    let backend = Backend {
        store: store.clone(),
        log: store.clone(),
        credentials: store.clone(),
        sessions: Some(store.clone()),
        ended: Some(store.clone()),
        upkeep: store,
        cannot,
        reopen: Some(reopen),
        // What is restored is another cluster, of rows of its own.
        keeps_rows_elsewhere: !Shape::of_environment().restores,
        guard: None,
    };
    backend.checking(uids)
}

/// What is reopened is another cluster, filled from a dump of the first: all that the suite knows of that is true of this.
fn restored(lines: Vec<String>, settings: Settings) -> guanxi_ports::BoxFuture<'static, Backend> {
    Box::pin(async move {
        let (history, runtime) = (settings.history, tokio::runtime::Handle::current());
        let lent = tokio::task::spawn_blocking(move || runtime.block_on(Lent::take(history)));
        let lent = lent.await.unwrap();
        let store = opened(lines.clone(), settings.clone()).await;
        let (dump, _) = dumped(store.upkeep.clone()).await;
        drop(store);
        restore(&lent.lines, dump).await.unwrap();
        // A log begins anew with a restore. These are of one history, so that what was written before may stand there, too.
        copy_logs(&lines, &lent.lines).await;
        let backend = opened(lent.lines.clone(), settings).await;
        Backend { guard: Some(Box::new(lent)), ..backend }
    })
}

async fn make(settings: Settings) -> Backend {
    let lent = Lent::take(settings.history).await;
    let backend = open(lent.lines.clone(), settings).await;
    Backend { guard: Some(Box::new(lent)), ..backend }
}

guanxi_spec::conformance_suite!(make);
