//! How much the server has to do: calls, streams and connections, with their bounds, and whether it is closing.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use connectrpc::EncodedStream;
use futures::Stream;
use guanxi_model::{Error, Reason};
use tokio::sync::watch;

use crate::limits::{CALLS_MAX, OPEN_CALLS_MAX, OPEN_STREAMS_MAX, RETRY_AFTER_MS, STREAMS_MAX};

/// The load of one process: shared by its listeners.
#[derive(Debug)]
pub struct Load {
    calls: AtomicUsize,
    streams: AtomicUsize,
    open_calls: AtomicUsize,
    open_streams: AtomicUsize,
    connections: AtomicUsize,
    closing: watch::Sender<bool>,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            calls: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            open_calls: AtomicUsize::new(0),
            open_streams: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            closing: watch::Sender::new(false),
        }
    }
}

impl Load {
    /// Calls being answered, streams included.
    pub fn calls_in_flight(&self) -> usize {
        let all = [&self.calls, &self.streams, &self.open_calls, &self.open_streams];
        all.into_iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// Open connections.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Begins to close: not ready any more, and open streams end with `SHUTTING_DOWN`.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Whether a shutdown began.
    pub fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Completes when a shutdown began.
    pub(crate) async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives in self, so waiting cannot fail.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// A slot for one call; `None` when there is none left.
    pub(crate) fn call(self: &Arc<Self>) -> Option<Slot> {
        Slot::take(self, Kind::Call, CALLS_MAX)
    }

    /// A slot for one stream.
    pub(crate) fn stream(self: &Arc<Self>) -> Option<Slot> {
        Slot::take(self, Kind::Stream, STREAMS_MAX)
    }

    /// A slot for one call that wants no token; such calls have slots of their own.
    pub(crate) fn open_call(self: &Arc<Self>) -> Option<Slot> {
        Slot::take(self, Kind::OpenCall, OPEN_CALLS_MAX)
    }

    /// A slot for one stream that wants no token.
    pub(crate) fn open_stream(self: &Arc<Self>) -> Option<Slot> {
        Slot::take(self, Kind::OpenStream, OPEN_STREAMS_MAX)
    }

    /// Counts a connection; its number is bounded by the accept loop.
    pub(crate) fn connection(self: &Arc<Self>) -> Slot {
        let slot = Slot::take(self, Kind::Connection, usize::MAX).expect("connections are bounded elsewhere");
        gauge(self.connections());
        slot
    }

    const fn counter(&self, kind: Kind) -> &AtomicUsize {
        match kind {
            Kind::Call => &self.calls,
            Kind::Stream => &self.streams,
            Kind::OpenCall => &self.open_calls,
            Kind::OpenStream => &self.open_streams,
            Kind::Connection => &self.connections,
        }
    }
}

fn gauge(connections: usize) {
    metrics::gauge!("guanxi_connections").set(connections as f64);
}

/// What a caller without a slot is told.
pub(crate) const fn overloaded() -> Error {
    Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Call,
    Stream,
    OpenCall,
    OpenStream,
    Connection,
}

/// A place among those allowed at once; given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    load: Arc<Load>,
    kind: Kind,
}

impl Slot {
    fn take(load: &Arc<Load>, kind: Kind, max: usize) -> Option<Self> {
        let before = load.counter(kind).fetch_add(1, Ordering::Relaxed);
        let slot = Self { load: Arc::clone(load), kind };
        (before < max).then_some(slot)
    }

    /// A stream that keeps this slot until it ends or is dropped.
    pub(crate) fn hold(self, inner: EncodedStream) -> EncodedStream {
        Box::pin(Held { inner, _slot: self })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.load.counter(self.kind).fetch_sub(1, Ordering::Relaxed);
        if self.kind == Kind::Connection {
            gauge(self.load.connections());
        }
    }
}

struct Held {
    inner: EncodedStream,
    _slot: Slot,
}

impl Stream for Held {
    type Item = <EncodedStream as Stream>::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.as_mut().poll_next(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_bounded_and_given_back() {
        let load = Arc::new(Load::default());
        let first = Slot::take(&load, Kind::Call, 1).unwrap();
        assert!(Slot::take(&load, Kind::Call, 1).is_none());
        assert_eq!(load.calls_in_flight(), 1);
        drop(first);
        assert!(Slot::take(&load, Kind::Call, 1).is_some());
        assert_eq!(load.calls_in_flight(), 0);
    }

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
