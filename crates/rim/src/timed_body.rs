//! A request's body that has to come in time.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::errors::TOO_SLOW;
use crate::load::Evicted;

/// A body that ends with an error if it is not whole within a time, or while it still has a place. The time begins when
/// it is first waited for, so that a body that came with its head costs no timer.
pub(crate) struct TimedBody<B> {
    inner: B,
    timeout: Option<Duration>,
    deadline: Option<Pin<Box<Sleep>>>,
    evicted: Option<Evicted>,
}

impl<B> TimedBody<B> {
    /// A body with a time, or with none.
    pub(crate) const fn new(inner: B, timeout: Option<Duration>, evicted: Option<Evicted>) -> Self {
        Self { inner, timeout, deadline: None, evicted }
    }
}

/// Why a body ended early.
#[derive(Debug)]
pub(crate) enum TimedBodyError<E> {
    /// It took too long, or as long as others have patience with.
    TooSlow,
    /// The connection's own error.
    Inner(E),
}

impl<E: fmt::Display> fmt::Display for TimedBodyError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSlow => f.write_str(TOO_SLOW),
            Self::Inner(error) => error.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for TimedBodyError<E> {}

impl<B: Body + Unpin> Body for TimedBody<B> {
    type Data = B::Data;
    type Error = TimedBodyError<B::Error>;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let body = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut body.inner).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(TimedBodyError::Inner)));
        }
        if body.evicted.as_mut().is_some_and(|evicted| Pin::new(evicted).poll(cx).is_ready()) {
            body.evicted = None;
            return Poll::Ready(Some(Err(TimedBodyError::TooSlow)));
        }
        let Some(timeout) = body.timeout else { return Poll::Pending };
        let deadline = body.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        deadline.as_mut().poll(cx).map(|()| Some(Err(TimedBodyError::TooSlow)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
