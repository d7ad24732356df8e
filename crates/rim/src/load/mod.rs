//! How much the server has to do: calls, streams and connections, with their bounds, and whether it is closing.

mod open;
mod slots;

pub(crate) use open::{Evicted, OpenSlot};
pub(crate) use slots::{Full, Slot, hold};

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use guanxi_model::{Error, Reason};
use open::OpenSlots;
use slots::Slots;
use tokio::sync::watch;

use crate::admission::Admission;
use crate::caller::{Caller, Proof};
use crate::limits::{
    CALLS_MAX, CALLS_PER_SERVICE_MAX, CALLS_PER_USER_MAX, OPEN_CALLS_MAX, OPEN_STREAMS_MAX, RETRY_AFTER_MS,
    STREAMS_MAX, STREAMS_PER_SERVICE_MAX, STREAMS_PER_USER_MAX,
};

/// How many calls and streams there may be at once.
#[derive(Clone, Copy, Debug)]
pub struct LoadBounds {
    /// Calls of all callers.
    pub calls: usize,
    /// Calls of one end user.
    pub calls_per_user: usize,
    /// Calls of one service's token.
    pub calls_per_service: usize,
    /// Streams of all callers.
    pub streams: usize,
    /// Streams of one end user.
    pub streams_per_user: usize,
    /// Streams of one service's token.
    pub streams_per_service: usize,
    /// Calls that want no token.
    pub open_calls: usize,
    /// Streams that want no token.
    pub open_streams: usize,
}

impl Default for LoadBounds {
    fn default() -> Self {
        Self {
            calls: CALLS_MAX,
            calls_per_user: CALLS_PER_USER_MAX,
            calls_per_service: CALLS_PER_SERVICE_MAX,
            streams: STREAMS_MAX,
            streams_per_user: STREAMS_PER_USER_MAX,
            streams_per_service: STREAMS_PER_SERVICE_MAX,
            open_calls: OPEN_CALLS_MAX,
            open_streams: OPEN_STREAMS_MAX,
        }
    }
}

/// Counts connections that were ended because their clients took nothing.
pub(crate) fn count_ended(reason: &'static str) -> metrics::Counter {
    metrics::counter!("guanxi_connections_ended_total", "reason" => reason)
}

/// The load of one process: shared by its listeners.
#[derive(Debug)]
pub struct Load {
    calls: Arc<Slots>,
    streams: Arc<Slots>,
    open_calls: Arc<OpenSlots>,
    open_streams: Arc<OpenSlots>,
    connections: AtomicUsize,
    closing: watch::Sender<bool>,
    admission: Arc<Admission>,
}

impl Default for Load {
    fn default() -> Self {
        Self::new(LoadBounds::default())
    }
}

impl Load {
    /// No load yet. The exporter must be installed by now: counters are registered here.
    pub fn new(bounds: LoadBounds) -> Self {
        ["unread", "untaken"].iter().for_each(|reason| count_ended(reason).increment(0));
        Self {
            calls: Slots::new("call", bounds.calls, bounds.calls_per_user, bounds.calls_per_service),
            streams: Slots::new(
                "stream",
                bounds.streams,
                bounds.streams_per_user,
                bounds.streams_per_service,
            ),
            open_calls: OpenSlots::new(bounds.open_calls, "open_call"),
            open_streams: OpenSlots::new(bounds.open_streams, "open_stream"),
            connections: AtomicUsize::new(0),
            closing: watch::Sender::new(false),
            admission: Arc::default(),
        }
    }

    /// Returns whether calls wait for their turn so long that what can wait gives way.
    pub fn has_waiting(&self) -> bool {
        self.admission.is_waiting()
    }

    /// Calls being answered, streams included.
    pub fn calls_in_flight(&self) -> usize {
        self.slots().into_iter().map(|(_, taken, _)| taken).sum()
    }

    /// Open connections.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// From now on refuses calls while those that are ready wait longer than `wait_max` for their turn. Calls are answered
    /// on the runtime that this is called on.
    ///
    /// # Errors
    /// When the machine has no thread for it; then all calls are let in.
    pub fn bound_wait(&self, wait_max: Duration) -> io::Result<()> {
        self.admission.start(wait_max)
    }

    /// Returns whether the machine has time for one more call.
    pub(crate) fn admits(&self) -> bool {
        self.admission.admits()
    }

    /// Begins to close: not ready any more, and open streams end with `SHUTTING_DOWN`.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Returns whether a shutdown began.
    pub fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Completes when a shutdown began.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives in self, so waiting cannot fail.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// A slot for one call of a caller who is known.
    pub(crate) fn call(&self, caller: &Caller) -> Result<Slot, Full> {
        self.calls.take(bounded(caller))
    }

    /// A slot for one stream of a caller who is known.
    pub(crate) fn stream(&self, caller: &Caller) -> Result<Slot, Full> {
        self.streams.take(bounded(caller))
    }

    /// A slot for one call that wants no token; such calls have slots of their own.
    pub(crate) fn open_call(&self) -> (OpenSlot, Evicted) {
        self.open_calls.take()
    }

    /// A slot for one stream that wants no token.
    pub(crate) fn open_stream(&self) -> (OpenSlot, Evicted) {
        self.open_streams.take()
    }

    /// Counts a connection until what is returned is dropped; their number is bounded by the accept loop.
    pub(crate) fn connection(self: &Arc<Self>) -> Connected {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected(Arc::clone(self))
    }

    /// Each kind of slots: its name, how many are taken, and how many there are.
    fn slots(&self) -> [(&'static str, usize, usize); 4] {
        [
            ("call", self.calls.taken(), self.calls.max()),
            ("stream", self.streams.taken(), self.streams.max()),
            ("open_call", self.open_calls.taken(), self.open_calls.max()),
            ("open_stream", self.open_streams.taken(), self.open_streams.max()),
        ]
    }

    /// Sets the gauges: when metrics are read, since each call would be too often.
    pub fn publish(&self) {
        metrics::gauge!("guanxi_connections").set(self.connections() as f64);
        for (kind, taken, max) in self.slots() {
            metrics::gauge!("guanxi_slots_taken", "kind" => kind).set(taken as f64);
            metrics::gauge!("guanxi_slots_max", "kind" => kind).set(max as f64);
        }
    }
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connected(Arc<Load>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the holder that a bound per caller is for; `None` when no credential is asked for.
fn bounded(caller: &Caller) -> Option<crate::caller::Holder> {
    (caller.proof != Proof::None).then(|| caller.holder())
}

/// Returns the error of a caller without a slot for a call.
pub(crate) fn no_call(full: Full) -> Error {
    Error::new(match full {
        Full::Server => Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS },
        Full::Caller { limit } => Reason::TooManyCalls { limit: told(limit) },
    })
}

/// Returns the error of a caller without a slot for a stream.
pub(crate) fn no_stream(full: Full, load: &Load) -> Error {
    let limit = match full {
        Full::Server => load.streams.max(),
        Full::Caller { limit } => limit,
    };
    Error::new(Reason::TooManyStreams { limit: told(limit) })
}

fn told(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn closing_is_seen_by_those_who_wait_and_those_who_come_later() {
        let load = Arc::new(Load::default());
        let waiting = tokio::spawn({
            let load = Arc::clone(&load);
            async move { load.closed().await }
        });
        load.close();
        waiting.await.unwrap();
        load.closed().await;
        assert!(load.is_closing());
    }
}
