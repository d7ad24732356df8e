//! Tasks that wait for logs hear that they have moved: in the same process at once, in other processes by a notification. It is
//! sent after the commit on another connection, because notifications inside transactions make all commits wait for each other. A
//! notification may be lost, as behind a pooler of transactions: followers of logs look at them now and then anyway.

use crate::store::ClusterCore;
use guanxi_postgres::{Fault, listen};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

/// The least time between two notifications of a process: what is written meanwhile goes with the next.
const TELL_GAP: Duration = Duration::from_millis(10);

/// The pause after a notification failed, and after listening ended.
const REST: Duration = Duration::from_secs(1);

/// What is known of the logs of one database having moved.
#[derive(Debug, Default)]
pub(crate) struct LogWake {
    /// Another process said so.
    heard: Notify,
    /// This process has written.
    wrote: Notify,
    /// Changes when a head of theirs is known to have moved.
    moved: watch::Sender<u64>,
}

impl LogWake {
    /// Completes when another process has said that they moved.
    pub(super) async fn heard(&self) {
        self.heard.notified().await;
    }

    /// Changes whenever one of them is known to have moved.
    pub(crate) fn moved(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// One of them is known to have moved.
    pub(crate) fn note_moved(&self) {
        self.moved.send_modify(|times| *times = times.wrapping_add(1));
    }

    /// This process has written to one of them.
    pub(crate) fn note_wrote(&self) {
        self.wrote.notify_one();
    }
}

/// Tells other processes when this one has written to logs of a database, until the store is closed.
pub(crate) async fn tell_others(shared: Weak<ClusterCore>, database: usize) {
    let Some(wake) = shared.upgrade().map(|shared| shared.wakes[database].clone()) else { return };
    loop {
        wake.wrote.notified().await;
        let Some(shared) = shared.upgrade() else { return };
        let told = tell(&shared, database).await;
        drop(shared);
        if let Err(fault) = &told {
            tracing::debug!(database, ?fault, "other processes cannot be told");
        }
        sleep(if told.is_ok() { TELL_GAP } else { REST }).await;
    }
}

/// Nothing is lost with a notification, so that its commit need not be durable.
async fn tell(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    let text = format!("begin; set local synchronous_commit = off; notify gx, '{}'; commit", shared.process);
    shared.served[database].asks.take().await?.run(&text).await
}

/// Hears what other processes tell of the logs of a database, until the store is closed; nothing behind a pooler, which gives no
/// notification to whom it is for.
pub(crate) async fn hear_others(shared: Weak<ClusterCore>, database: usize) {
    loop {
        let Some(core) = shared.upgrade() else { return };
        if core.databases().all()[database].is_pooled() {
            return;
        }
        let (named, wake) = (core.databases().all()[database].clone(), core.wakes[database].clone());
        let own = core.process.to_string();
        drop(core);
        let heard = move |payload: &str| {
            if payload != own {
                wake.heard.notify_one();
            }
        };
        if let Err(fault) = listen(&named, heard).await {
            tracing::debug!(database, ?fault, "its notifications are not heard");
        }
        sleep(REST).await;
    }
}
