//! Search indexes between the processes of a cluster: answering for ours, and asking those of others.

use super::search::Searching;
use crate::bind::bind;
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::secret::random;
use crate::store::Cluster;
use guanxi_api::{IndexSeal, ReplicaSearch, serve_index};
use guanxi_centers::search::SearchCenter;
use guanxi_model::Clock;
use guanxi_ports::SearchUpkeep;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The listener that answers other processes.
pub(super) struct IndexListener {
    stop: watch::Sender<bool>,
    task: JoinHandle<io::Result<()>>,
}

impl IndexListener {
    /// Begins to answer where the settings say, if they do, and tells the others where that is.
    pub(super) async fn start(
        cluster: &Cluster,
        searching: &Searching,
        settings: &Settings,
    ) -> Outcome<Option<Self>> {
        let Some(listen) = &settings.index_listen else { return Ok(None) };
        let listener = bind("index-listen", listen).await?;
        let address = told(settings, listener.local_addr()?);
        let (stop, mut stopped) = watch::channel(false);
        let (parts, seal) = (searching.parts(), seal(cluster));
        let task = tokio::spawn(async move {
            let stop = async {
                // A sender that is gone counts as a word to stop, too.
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            serve_index(listener, parts, seal, stop).await
        });
        tracing::info!(%address, "other processes may ask the search index");
        if let Err(error) = cluster.store().tell_of_index(searching.telling(address)).await {
            tracing::warn!(%error, "other processes were not told of the search index; they are told later");
        }
        Ok(Some(Self { stop, task }))
    }

    /// Ends, once those are answered who wait.
    pub(super) async fn end(self) -> Outcome {
        self.stop.send_replace(true);
        let ended =
            self.task.await.map_err(|_| io::Error::other("the listener of the search index panicked"))?;
        ended.map_err(Failure::from)
    }
}

/// Returns the address that other processes are told: that of the settings, or that of the listener.
fn told(settings: &Settings, bound: SocketAddr) -> String {
    settings.index_address.clone().unwrap_or_else(|| bound.to_string())
}

/// The credential of all processes of a cluster follows from the secret in its first database.
fn seal(cluster: &Cluster) -> IndexSeal {
    IndexSeal::new(cluster.store().data_key(), Arc::new(SystemClock))
}

/// Indexes of other processes, which this one asks.
pub(super) struct AskedReplicas {
    search: ReplicaSearch,
    task: JoinHandle<()>,
}

impl AskedReplicas {
    /// Begins to look who keeps indexes.
    pub(super) fn start(cluster: &Cluster) -> Outcome<Self> {
        // Without any random bytes, all processes prefer the same replica.
        let seed = u64::from_le_bytes(random().unwrap_or_default());
        let search = ReplicaSearch::new(cluster.store().clone(), seal(cluster), seed)?;
        let following = search.clone();
        Ok(Self { search, task: tokio::spawn(async move { following.follow().await }) })
    }

    /// Returns the center that searches them.
    pub(super) fn center(&self, cluster: &Cluster) -> SearchCenter {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        SearchCenter::new(
            cluster.ports().of_centers().store.clone(),
            self.search.posts(),
            self.search.users(),
            &clock,
        )
    }

    /// Returns the port through which operators ask them.
    pub(super) fn upkeep(&self) -> Arc<dyn SearchUpkeep> {
        self.search.upkeep()
    }
}

impl Drop for AskedReplicas {
    fn drop(&mut self) {
        self.task.abort();
    }
}
