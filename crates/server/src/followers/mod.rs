//! The followers of the logs of a served store in this process: the fan-out, the streams, and the search index. In a process
//! without an index, a client asks the indexes of other processes.

mod fanout;
mod replicas;
mod search;
mod streams;

pub use search::SEARCH_DIR;

use crate::config::{ProcessRole, Settings};
use crate::failure::Outcome;
use crate::ports::StorePorts;
use crate::store::OpenStore;
use fanout::FanoutTask;
use guanxi_centers::Centers;
use guanxi_ports::SearchUpkeep;
use replicas::{AskedReplicas, IndexListener};
use search::Searching;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use streams::StreamTask;

/// The followers of the logs of any ports: the fan-out where there are inboxes, and the reader for open streams.
pub struct PortFollowers {
    fanout: Option<FanoutTask>,
    streams: StreamTask,
}

impl PortFollowers {
    /// Starts them. The fan-out runs on a thread of its own, the reader on a task of this runtime.
    pub async fn start(ports: &StorePorts, centers: &Centers, has_inboxes: bool) -> Outcome<Self> {
        let (feed, ports) = (centers.feed.clone(), ports.of_centers());
        let fanout = if has_inboxes {
            Some(FanoutTask::start(feed, ports.inbox.clone(), ports.clock.clone()).await?)
        } else {
            None
        };
        Ok(Self { fanout, streams: StreamTask::start(centers.hub.clone()) })
    }

    /// Ends both, even if one of them fails.
    pub async fn end(self) -> Outcome {
        let streams = self.streams.end().await;
        let fanout = match self.fanout {
            Some(fanout) => fanout.end().await,
            None => Ok(()),
        };
        streams.and(fanout)
    }
}

/// The followers that run.
pub(crate) struct Followers {
    of_ports: PortFollowers,
    indexes: Indexes,
}

/// The indexes that searches ask.
enum Indexes {
    /// Nothing: they are refused.
    None,
    /// Our own, which others may ask, too.
    Own(Searching, Option<IndexListener>),
    /// The indexes of other processes.
    Others(AskedReplicas),
}

impl Followers {
    /// Starts them; searches of `centers` ask the index from now on.
    pub(crate) async fn start(
        opened: &OpenStore,
        centers: &mut Centers,
        dir: &Path,
        settings: &Settings,
    ) -> Outcome<Self> {
        let of_ports = PortFollowers::start(opened.ports(), centers, opened.has_inboxes()).await?;
        let indexes = Indexes::start(opened, dir, settings).await?;
        match (&indexes, opened) {
            (Indexes::Own(searching, _), _) => centers.search = searching.center(),
            (Indexes::Others(asked), OpenStore::Cluster(cluster)) => centers.search = asked.center(cluster),
            _ => {}
        }
        Ok(Self { of_ports, indexes })
    }

    /// Returns the port through which operators ask the search indexes; `None` where searches are refused.
    pub(crate) fn search(&self) -> Option<Arc<dyn SearchUpkeep>> {
        match &self.indexes {
            Indexes::None => None,
            Indexes::Own(searching, _) => Some(searching.upkeep()),
            Indexes::Others(asked) => Some(asked.upkeep()),
        }
    }

    /// Ends all followers, even if one of them fails.
    pub(crate) async fn end(self) -> Outcome {
        let of_ports = self.of_ports.end().await;
        of_ports.and(self.indexes.end().await)
    }
}

impl Indexes {
    async fn start(opened: &OpenStore, dir: &Path, settings: &Settings) -> Outcome<Self> {
        let ports = opened.ports().of_centers();
        let own = match index_place(opened, dir, settings) {
            Some(place) => {
                // Also while a database of a cluster is away, whose logs cannot tell it.
                let history = match opened {
                    OpenStore::Directory(_) => ports.log.head().await?.history(),
                    OpenStore::Cluster(cluster) => cluster.store().history(),
                };
                let log = (ports.log.clone(), history);
                Searching::start(ports.store.clone(), log, &place, settings).await?
            }
            None => None,
        };
        Ok(match (own, opened) {
            (Some(searching), OpenStore::Cluster(cluster)) => {
                let listener = IndexListener::start(cluster, &searching, settings).await;
                match listener {
                    Ok(listener) => Self::Own(searching, listener),
                    Err(failure) => return searching.end().await.and(Err(failure)),
                }
            }
            (Some(searching), OpenStore::Directory(_)) => Self::Own(searching, None),
            (None, OpenStore::Cluster(cluster)) if settings.search && settings.has_role(ProcessRole::Api) => {
                Self::Others(AskedReplicas::start(cluster)?)
            }
            (None, _) => Self::None,
        })
    }

    async fn end(self) -> Outcome {
        let Self::Own(searching, listener) = self else { return Ok(()) };
        let listener = match listener {
            Some(listener) => listener.end().await,
            None => Ok(()),
        };
        listener.and(searching.end().await)
    }
}

/// Where this process keeps indexes of search, if it does.
fn index_place(opened: &OpenStore, dir: &Path, settings: &Settings) -> Option<PathBuf> {
    match opened {
        OpenStore::Directory(_) => settings.search.then(|| dir.join(SEARCH_DIR)),
        OpenStore::Cluster(_) => {
            let place = settings.index_place();
            if place.is_none() && settings.search && settings.has_role(ProcessRole::Index) {
                tracing::info!("this process keeps no index of search: no `index_dir` says where");
            }
            place.map(Path::to_owned)
        }
    }
}
