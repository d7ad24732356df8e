//! What readers pin.

use crate::engine::Snapshot;
use crate::standings::Standings;
use std::sync::Arc;
use tokio::sync::watch;

/// The store at one commit.
pub(crate) struct View {
    /// The last event.
    pub seq: u64,
    /// How many commits this process had made: those without an event count, too.
    pub commit: u64,
    /// How many of them had changed a group of users.
    pub group_changes: u64,
    /// The first event still in the log.
    pub first_seq: u64,
    /// No post has a higher id.
    pub ids_high: u64,
    /// How users stand who do not stand as the default says.
    pub standings: Standings,
    /// The tables.
    pub snapshot: Snapshot,
}

/// The view that readers pin next. The writer publishes a view only after memory agrees with it.
pub(crate) struct Published(watch::Sender<Arc<View>>);

impl Published {
    /// Starts with a view.
    pub(crate) fn new(view: View) -> Self {
        Self(watch::Sender::new(Arc::new(view)))
    }

    /// Pins the current view.
    pub(crate) fn pin(&self) -> Arc<View> {
        self.0.borrow().clone()
    }

    /// Publishes a view and wakes the tasks that wait for it.
    pub(crate) fn publish(&self, view: View) {
        self.0.send_replace(Arc::new(view));
    }

    /// Waits for a view of at least this seq.
    pub(crate) async fn wait_for(&self, seq: u64) -> Arc<View> {
        let mut receiver = self.0.subscribe();
        match receiver.wait_for(|view| view.seq >= seq).await {
            Ok(view) => view.clone(),
            // The sender lives in `self`, so it cannot close while it is borrowed here.
            Err(_) => self.pin(),
        }
    }
}
