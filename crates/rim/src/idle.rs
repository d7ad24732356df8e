//! Calls in flight on one connection. The server closes a connection that has none for long, and one whose client does not
//! read its answers.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use buffa::bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::limits::SEND_PIECE;

/// The calls in flight of a connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Calls(Arc<Shared>);

struct Shared {
    counts: watch::Sender<Counts>,
    /// Answers of which the next part waits to be taken, by the number of their call, and since when.
    untaken: Mutex<HashMap<u64, Instant>>,
}

impl Shared {
    fn untaken(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.untaken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    in_flight: usize,
    /// So that a call that came and went between two looks is seen.
    begun: u64,
}

impl Default for Calls {
    fn default() -> Self {
        let counts = watch::Sender::new(Counts::default());
        Self(Arc::new(Shared { counts, untaken: Mutex::default() }))
    }
}

impl Calls {
    /// Counts a call until what is returned is dropped.
    pub(crate) fn begin(&self) -> CountedCall {
        let mut number = 0;
        self.0.counts.send_modify(|calls| {
            calls.in_flight += 1;
            calls.begun += 1;
            number = calls.begun;
        });
        CountedCall { calls: self.0.clone(), number }
    }

    /// Completes when there was no call for a time.
    pub(crate) async fn none_for(&self, time: Duration) {
        let mut calls = self.0.counts.subscribe();
        loop {
            // The sender lives in self, so waiting cannot fail.
            let Ok(begun) = calls.wait_for(|calls| calls.in_flight == 0).await.map(|calls| calls.begun)
            else {
                return;
            };
            let begun = calls.wait_for(|calls| calls.begun != begun);
            if tokio::time::timeout(time, begun).await.is_err() {
                return;
            }
        }
    }

    /// Completes when the next part of an answer has waited for its client for a time, give or take a quarter of it.
    pub(crate) async fn untaken_for(&self, time: Duration) {
        loop {
            tokio::time::sleep(time / 4).await;
            if self.0.untaken().values().any(|since| since.elapsed() >= time) {
                return;
            }
        }
    }
}

/// A call in flight.
pub(crate) struct CountedCall {
    calls: Arc<Shared>,
    number: u64,
}

impl Drop for CountedCall {
    fn drop(&mut self) {
        self.calls.untaken().remove(&self.number);
        self.calls.counts.send_modify(|calls| calls.in_flight -= 1);
    }
}

/// The body of an answer, whose call is in flight until it is given to the connection. It is given in pieces, and only as
/// the client takes them, so that what waits for a client waits here, where it is seen.
pub(crate) struct CountedBody<B> {
    body: B,
    /// The rest of a frame.
    rest: Bytes,
    call: CountedCall,
}

impl<B> CountedBody<B> {
    pub(crate) fn new(body: B, call: CountedCall) -> Self {
        let counted = Self { body, rest: Bytes::new(), call };
        counted.waits();
        counted
    }

    /// The next part is ready to be taken, or asked for.
    fn waits(&self) {
        self.call.calls.untaken().insert(self.call.number, Instant::now());
    }

    /// The client has room for the next part.
    fn is_taken(&self) {
        self.call.calls.untaken().remove(&self.call.number);
    }

    fn piece(&mut self, mut bytes: Bytes) -> Frame<Bytes> {
        let piece = bytes.split_to(bytes.len().min(SEND_PIECE));
        self.rest = bytes;
        Frame::data(piece)
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for CountedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.is_taken();
        let rest = std::mem::take(&mut self.rest);
        let frame = if rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            }
        } else {
            Frame::data(rest)
        };
        let frame = match frame.into_data() {
            Ok(bytes) => self.piece(bytes),
            Err(trailers) => trailers,
        };
        self.waits();
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_time_without_any_call_counts() {
        let calls = Calls::default();
        let idle = Duration::from_mins(5);
        let (first, began) = (calls.begin(), Instant::now());
        let work = async {
            tokio::time::sleep(2 * idle).await;
            drop(first);
            tokio::time::sleep(idle / 2).await;
            drop(calls.begin());
        };
        tokio::join!(calls.none_for(idle), work);
        let took = began.elapsed();
        assert!(took >= 3 * idle + idle / 2 && took < 4 * idle, "{took:?}");
    }
}
