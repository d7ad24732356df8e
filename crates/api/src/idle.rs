//! Calls in flight on one connection, so that one that has none for long can be closed.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;

/// The calls in flight of a connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Calls(Arc<watch::Sender<Counts>>);

#[derive(Clone, Copy, Default)]
struct Counts {
    in_flight: usize,
    /// So that a call that came and went between two looks is seen.
    begun: u64,
}

impl Default for Calls {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Counts::default())))
    }
}

impl Calls {
    /// Counts a call until what is returned is dropped.
    pub(crate) fn begin(&self) -> Call {
        self.0.send_modify(|calls| {
            calls.in_flight += 1;
            calls.begun += 1;
        });
        Call(self.0.clone())
    }

    /// Completes when there was no call for a time.
    pub(crate) async fn none_for(&self, time: Duration) {
        let mut calls = self.0.subscribe();
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
}

/// A call in flight.
pub(crate) struct Call(Arc<watch::Sender<Counts>>);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.send_modify(|calls| calls.in_flight -= 1);
    }
}

/// The body of an answer, whose call is in flight until it is sent.
pub(crate) struct CountedBody<B> {
    pub(crate) body: B,
    pub(crate) _call: Call,
}

impl<B: Body + Unpin> Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

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
