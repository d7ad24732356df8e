//! The body of an answer, whose events are logged under its request's id.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use buffa::bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::{CALL, Call, Tags};
use crate::answer::AnswerBody;

/// A body, and what names its request if it is a stream: what goes wrong in one is logged long after its head has left.
pub struct TaggedBody {
    body: AnswerBody,
    tags: Option<Tags>,
}

impl TaggedBody {
    /// A body, and the tags of its call if it is a stream.
    pub(super) const fn new(body: AnswerBody, tags: Option<Tags>) -> Self {
        Self { body, tags }
    }
}

impl fmt::Debug for TaggedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaggedBody").field("tags", &self.tags).finish_non_exhaustive()
    }
}

impl Body for TaggedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let Self { body, tags } = self.get_mut();
        let mut poll = || Pin::new(&mut *body).poll_frame(cx);
        match tags {
            None => poll(),
            Some(tags) => CALL.sync_scope(Box::new(Call::new(tags.clone())), poll),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
