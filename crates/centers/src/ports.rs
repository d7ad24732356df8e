//! The ports of a running backend, as the wiring hands them over.

use crate::feed::FeedCenter;
use crate::log_readers::Hub;
use crate::post::PostCenter;
use guanxi_model::{Clock, Result};
use guanxi_ports::{Inbox, Log, Store};
use std::sync::Arc;

/// The ports of one open store.
#[derive(Clone)]
pub struct Ports {
    /// The facts and the views of them.
    pub store: Arc<dyn Store>,
    /// The inboxes, empty.
    pub inbox: Arc<dyn Inbox>,
    /// The events.
    pub log: Arc<dyn Log>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

crate::opaque_debug!(Ports);

impl Ports {
    /// A feed center that has started.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn feed(&self) -> Result<FeedCenter> {
        let (store, inbox) = (self.store.clone(), self.inbox.clone());
        let feed = FeedCenter::new(store, inbox, Hub::new(self.log.clone()), self.clock.clone());
        feed.start().await?;
        Ok(feed)
    }

    /// A post center.
    pub fn post_center(&self) -> PostCenter {
        PostCenter::new(self.store.clone())
    }
}
