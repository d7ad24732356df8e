//! The body of an answer, whose events are logged under its request's id.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use super::{CALL, Call, Tags};

/// A body, and what names its request if it is a stream: what goes wrong in one is logged long after its head has left.
pub(crate) struct TaggedBody<B> {
    body: B,
    tags: Option<Tags>,
}

impl<B: Body> TaggedBody<B> {
    pub(super) fn new(body: B, tags: Tags) -> Self {
        let streams = body.size_hint().exact().is_none();
        Self { body, tags: streams.then_some(tags) }
    }
}

impl<B: Body + Unpin> Body for TaggedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let Self { body, tags } = self.get_mut();
        let mut poll = || Pin::new(&mut *body).poll_frame(cx);
        match tags {
            None => poll(),
            Some(tags) => CALL.sync_scope(Call::new(tags.clone()), poll),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
