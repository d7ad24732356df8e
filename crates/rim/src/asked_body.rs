//! The body of a request, in one type, so that the way of a call is compiled once, in this crate.

use std::pin::Pin;
use std::task::{Context, Poll};

use buffa::bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;

/// The body of a request.
#[derive(Debug)]
pub enum AskedBody {
    /// As it comes over a connection.
    Coming(Incoming),
    /// All of it, from within this process.
    Whole(Full<Bytes>),
}

impl Default for AskedBody {
    /// The empty one.
    fn default() -> Self {
        Self::Whole(Full::default())
    }
}

impl From<Incoming> for AskedBody {
    fn from(body: Incoming) -> Self {
        Self::Coming(body)
    }
}

impl From<Full<Bytes>> for AskedBody {
    fn from(body: Full<Bytes>) -> Self {
        Self::Whole(body)
    }
}

impl Body for AskedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Coming(body) => Pin::new(body).poll_frame(cx),
            Self::Whole(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Coming(body) => body.is_end_stream(),
            Self::Whole(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Coming(body) => body.size_hint(),
            Self::Whole(body) => body.size_hint(),
        }
    }
}
