//! What follows the logs of a served store in this process: the fan-out, the streams, and the search index.

use super::fanout::Fanout;
use super::opened::ServedStore;
use super::search::Searching;
use super::streams::Streams;
use crate::config::Settings;
use crate::failure::Outcome;
use guanxi_centers::Centers;
use guanxi_ports::SearchUpkeep;
use std::path::Path;
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
        let searching = if settings.search && matches!(opened, ServedStore::Directory(_)) {
            Searching::start(stored.posts(), stored.log(), dir, settings).await?
        } else {
            None
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
