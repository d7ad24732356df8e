//! Answers: of calls as connectrpc makes them, and all others.

use std::pin::Pin;
use std::task::{Context, Poll};

use buffa::bytes::Bytes;
use connectrpc::ConnectRpcBody;
use http::Response;
use http_body::{Body, Frame, SizeHint};

/// The answer to any request.
pub(crate) type Answer = Response<AnswerBody>;

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// Of a call.
    Call(ConnectRpcBody),
    /// Of a page.
    Page(axum::body::Body),
}

impl Default for AnswerBody {
    /// The empty one, of preflights.
    fn default() -> Self {
        Self::Page(axum::body::Body::empty())
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Page(body) => Pin::new(body).poll_frame(cx),
            Self::Call(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Page(body) => body.is_end_stream(),
            // So that the last frame of HTTP/2 is not followed by an empty one.
            Self::Call(ConnectRpcBody::Full(body)) => body.is_end_stream(),
            Self::Call(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            // connectrpc's body does not tell its size, and would be sent in chunks; a whole one knows it.
            Self::Call(ConnectRpcBody::Full(body)) => body.size_hint(),
            Self::Call(body) => body.size_hint(),
            Self::Page(body) => body.size_hint(),
        }
    }
}
