//! What was read last on the connections of a pool when TLS ended them.
//!
//! A server refuses a client's certificate after the handshake has ended for the client (TLS 1.3), when the connection
//! already belongs to the pool. What then reaches the caller is that the connection "was not ready", or with HTTP/2 that it ended: the
//! refusal itself was read by the connection's own task, and is dropped there. Here it is kept for the call that fails.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::rustls;
use tower_service::Service;

use crate::tls::inner;

/// The last error of TLS on any connection of a pool, until a call takes it.
#[derive(Clone, Default)]
pub(crate) struct LastWords(Arc<Mutex<Option<rustls::Error>>>);

impl LastWords {
    /// The error, once.
    pub(crate) fn take(&self) -> Option<rustls::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, error: &io::Error) {
        if let Some(found) = inner(error) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        }
    }
}

/// Connects over TLS, and listens for last words.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) tls: HttpsConnector<HttpConnector>,
    pub(crate) last_words: LastWords,
}

impl Service<Uri> for Connector {
    type Response = Listening;
    type Error = <HttpsConnector<HttpConnector> as Service<Uri>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Listening, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.tls.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, last_words) = (self.tls.call(uri), self.last_words.clone());
        Box::pin(async move { Ok(Listening { stream: connecting.await?, last_words }) })
    }
}

/// A connection whose last words are kept.
pub(crate) struct Listening {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    last_words: LastWords,
}

impl Connection for Listening {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

impl Read for Listening {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Poll::Ready(Err(error)) = &poll {
            self.last_words.note(error);
        }
        poll
    }
}

impl Write for Listening {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
