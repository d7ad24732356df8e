//! What follows the logs of a served store in this process: the fan-out, the streams, and the search index.

use super::fanout::Fanout;
use super::opened::ServedStore;
use super::search::{SEARCH_DIR, Searching};
use super::streams::Streams;
use crate::config::{ProcessRole, Settings};
use crate::failure::Outcome;
use guanxi_centers::Centers;
use guanxi_ports::SearchUpkeep;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Those that run.
pub(super) struct Followers {
    fanout: Option<Fanout>,
    searching: Option<Searching>,
    streams: Streams,
}

impl Followers {
    /// Starts them; searches of `centers` ask the index from now on.
    pub(super) async fn start(
        opened: &ServedStore,
        centers: &mut Centers,
        dir: &Path,
        settings: &Settings,
    ) -> Outcome<Self> {
        let stored = opened.stored();
        let fanout = if opened.has_inboxes() {
            Some(Fanout::start(centers.feed.clone(), stored.inbox()).await?)
        } else {
            None
        };
        let searching = match index_place(opened, dir, settings) {
            Some(place) => Searching::start(stored.posts(), stored.log(), &place, settings).await?,
            None => None,
        };
        if let Some(searching) = &searching {
            centers.search = searching.center();
        }
        Ok(Self { fanout, searching, streams: Streams::start(centers.hub.clone()) })
    }

    /// What operators ask of the search indexes; none where they are not kept.
    pub(super) fn search(&self) -> Option<Arc<dyn SearchUpkeep>> {
        self.searching.as_ref().map(Searching::upkeep)
    }

    /// Ends them all, whatever one of them says.
    pub(super) async fn end(self) -> Outcome {
        let streams = self.streams.end().await;
        let searching = match self.searching {
            Some(searching) => searching.end().await,
            None => Ok(()),
        };
        let fanout = match self.fanout {
            Some(fanout) => fanout.end().await,
            None => Ok(()),
        };
        streams.and(searching).and(fanout)
    }
}

/// Where this process keeps indexes of search, if it does.
fn index_place(opened: &ServedStore, dir: &Path, settings: &Settings) -> Option<PathBuf> {
    match opened {
        ServedStore::Directory(_) => settings.search.then(|| dir.join(SEARCH_DIR)),
        ServedStore::Cluster(_) => {
            let place = settings.index_place();
            if place.is_none() && settings.search && settings.has_role(ProcessRole::Index) {
                tracing::info!("this process keeps no index of search: no `index_dir` says where");
            }
            place.map(Path::to_owned)
        }
    }
}
