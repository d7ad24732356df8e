//! The feed center: exact home timelines.
//!
//! A read takes four steps, each in its own place:
//!
//! 1. [`skeleton`] lists candidate ids newest first, from an inbox and from outboxes;
//! 2. [`hydrate`] looks up what the rules need;
//! 3. [`rules`] drops what the viewer does not see;
//! 4. [`present`] makes the answer.
//!
//! [`fanout`] pushes new items to inboxes, which only ever makes a skeleton cheaper: items of authors that an inbox does not
//! vouch for are pulled.

mod author_changes;
mod explain;
mod fanout;
mod group;
mod hydrate;
mod merge;
mod meters;
mod new_items;
mod news;
mod originals;
mod page;
mod present;
mod read;
mod rules;
mod sample;
mod scan;
mod skeleton;
mod stream;
mod verify;

pub use explain::{Explanation, Verdict};
pub use fanout::{FANOUT_REST, FanoutStatus, FanoutWorker, PostFanout};
pub use news::{HomeUpdates, Unread};
pub use page::{HomePage, Source};
pub use present::HomePosts;
pub use stream::HomeStream;
pub use verify::FeedReport;

use crate::HeavyWork;
use crate::log_readers::Hub;
use fanout::Fanout;
use guanxi_model::Clock;
use guanxi_ports::{Inbox, Log, Store};
use meters::FeedMeters;
use originals::OriginalChanges;
use std::sync::Arc;

/// The feed center over a backend. Cheap to clone.
#[derive(Clone)]
pub struct FeedCenter {
    store: Arc<dyn Store>,
    inbox: Arc<dyn Inbox>,
    log: Arc<dyn Log>,
    hub: Hub,
    clock: Arc<dyn Clock>,
    fanout: Arc<Fanout>,
    originals: Arc<OriginalChanges>,
    meters: Arc<FeedMeters>,
    heavy: HeavyWork,
}

impl FeedCenter {
    /// The reader of the logs for all streams of the process, which this center's are.
    pub const fn hub(&self) -> &Hub {
        &self.hub
    }

    /// A center over a backend's ports, with the hub of the process. Nothing is pushed until a [`FanoutWorker`] of [`Self::worker`] runs.
    pub fn new(store: Arc<dyn Store>, inbox: Arc<dyn Inbox>, hub: Hub, clock: Arc<dyn Clock>) -> Self {
        let log = hub.log().clone();
        let (fanout, meters) = (Arc::new(Fanout::default()), Arc::new(FeedMeters::default()));
        Self {
            store,
            inbox,
            log,
            hub,
            clock,
            fanout,
            originals: Arc::default(),
            meters,
            heavy: HeavyWork::default(),
        }
    }

    /// With places for heavy calls that others share.
    #[must_use]
    pub fn sharing(self, heavy: HeavyWork) -> Self {
        Self { heavy, ..self }
    }
}

#[cfg(test)]
mod tests;
