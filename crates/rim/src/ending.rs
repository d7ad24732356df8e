//! A stream that something else can end.

use std::pin::Pin;
use std::task::{Context, Poll};

use connectrpc::{ConnectError, EncodedStream};
use futures::Stream;
use futures::future::BoxFuture;

/// A stream that goes on until `end` completes, and then says why, if there is a reason. `end` is polled first, so that no
/// item follows it.
pub(crate) fn until(
    inner: EncodedStream,
    end: impl Future<Output = Option<ConnectError>> + Send + 'static,
) -> EncodedStream {
    Box::pin(Until(Some(Running { inner, end: Box::pin(end) })))
}

struct Until(Option<Running>);

struct Running {
    inner: EncodedStream,
    end: BoxFuture<'static, Option<ConnectError>>,
}

impl Stream for Until {
    type Item = <EncodedStream as Stream>::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(running) = &mut self.0 else { return Poll::Ready(None) };
        if let Poll::Ready(reason) = running.end.as_mut().poll(cx) {
            self.0 = None;
            return Poll::Ready(reason.map(Err));
        }
        running.inner.as_mut().poll_next(cx)
    }
}
