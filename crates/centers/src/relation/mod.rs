//! The relation center: follow, lists, checks, requests, blocks and mutes.
//!
//! [`RelationCenter`] is the public surface; writes are in [`write`], reads in [`read`], requests in [`requests`]. Each method takes
//! model types, checks what a request may contain, and asks the store once.

mod by_affinity;
mod changes;
mod hidden;
mod read;
mod requests;
mod suggestions;
mod write;

pub use by_affinity::{RankedList, RankedPlace};
pub use changes::Changes;
pub(crate) use changes::kinds_of_posts;
pub(crate) use read::hydrate;
pub use read::{Listed, ListedEdge, RelationsAt};
pub use requests::{ListedRequest, ListedRequests, UnseenRequests};
pub use suggestions::{Suggested, Suggestion, SuggestionAsk};
pub use write::{BatchWritten, Written};
pub(crate) use write::{check_batch, check_request};

use crate::HeavyWork;
use crate::log_readers::{Hub, Interest};
use guanxi_model::{Position, Result, Uid};
use guanxi_ports::Store;
use std::sync::Arc;

/// The relation center over a store and its logs. Cheap to clone.
#[derive(Clone)]
pub struct RelationCenter {
    store: Arc<dyn Store>,
    hub: Hub,
    heavy: HeavyWork,
}

impl RelationCenter {
    /// A center over a backend's ports, with the hub of the process.
    pub fn new(store: Arc<dyn Store>, hub: Hub) -> Self {
        Self { store, hub, heavy: HeavyWork::default() }
    }

    /// With places for heavy calls that others share.
    #[must_use]
    pub fn sharing(self, heavy: HeavyWork) -> Self {
        Self { heavy, ..self }
    }

    /// Returns the changes after a position, or from now on. If some users are given, changes that concern none of them wake
    /// no caller that waits for changes. Such changes are read all the same.
    ///
    /// # Errors
    /// When the log cannot tell its head.
    pub async fn changes(
        &self,
        after: Option<Position>,
        uids: Option<impl IntoIterator<Item = Uid>>,
    ) -> Result<Changes> {
        let log = self.hub.log().clone();
        let position = match after {
            Some(after) => after,
            None => log.head().await?,
        };
        let subscription = match uids {
            Some(uids) => self.hub.subscribe(uids.into_iter().map(Interest::User)).await?,
            None => self.hub.subscribe([Interest::Everything]).await?,
        };
        Ok(Changes::new(log, self.store.clone(), position, subscription))
    }
}

#[cfg(test)]
mod tests;
