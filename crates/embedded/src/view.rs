//! What readers pin.

use crate::engine::Snapshot;
use crate::standings::Standings;
use guanxi_memory::cut::Cut;
use guanxi_model::{LogId, Logs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// There is one log, so that a view is at one number in it.
impl Cut for View {
    const LOGS: Logs = Logs::One;

    #[inline]
    fn seq(&self, _: LogId) -> u64 {
        self.seq
    }

    #[inline]
    fn ids_high(&self, _: LogId) -> u64 {
        self.ids_high
    }
}

/// The newest commit that a fresh snapshot may hold: the last one, or the one under way. What is read from a snapshot is
/// right from the commit on that is asked for here after the snapshot was taken.
pub(crate) struct Committing {
    seq: AtomicU64,
    commit: AtomicU64,
}

impl Committing {
    /// Starts after the last commit, and its event.
    pub(crate) const fn new(seq: u64) -> Self {
        Self { seq: AtomicU64::new(seq), commit: AtomicU64::new(0) }
    }

    /// Says, before a commit, that snapshots may hold it and its events from now on.
    pub(crate) fn announce(&self, seq: u64, commit: u64) {
        self.seq.store(seq, Ordering::SeqCst);
        self.commit.store(commit, Ordering::SeqCst);
    }

    /// The last event of that commit.
    pub(crate) fn seq(&self) -> u64 {
        self.seq.load(Ordering::SeqCst)
    }

    /// The number of that commit in this process.
    pub(crate) fn commit(&self) -> u64 {
        self.commit.load(Ordering::SeqCst)
    }
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
