//! A connection whose first bytes have been taken to tell its protocol.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// How an HTTP/2 connection begins; no HTTP/1 method begins like this.
const HTTP2_START: &[u8] = b"PRI";

/// A connection that has begun.
pub(crate) struct Begun<S> {
    first: [u8; HTTP2_START.len()],
    /// How many of the first bytes were taken, and how many of those were given on.
    taken: usize,
    given: usize,
    stream: S,
}

impl<S: AsyncRead + Unpin> Begun<S> {
    /// Takes as many of the first bytes as tell how the connection begins. They are taken rather than looked at, since
    /// a look at what stays would be ready again at once, as long as the client sends no more.
    pub(crate) async fn take(mut stream: S) -> io::Result<Self> {
        let (mut first, mut taken) = ([0; HTTP2_START.len()], 0);
        while taken < first.len() && HTTP2_START.starts_with(&first[..taken]) {
            match stream.read(&mut first[taken..]).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more => taken += more,
            }
        }
        Ok(Self { first, taken, given: 0, stream })
    }

    /// Returns whether the client speaks HTTP/2.
    pub(crate) fn speaks_http2(&self) -> bool {
        self.first[..self.taken] == *HTTP2_START
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Begun<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.given == self.taken {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let end = self.taken.min(self.given + buffer.remaining());
        buffer.put_slice(&self.first[self.given..end]);
        self.given = end;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Begun<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[tokio::test]
    async fn what_was_taken_is_read_again() {
        for (bytes, http2) in
            [("PRI * HTTP/2.0", true), ("POST / HTTP/1.1", false), ("PR", false), ("GET", false)]
        {
            let begun = Begun::take(Cursor::new(bytes.as_bytes().to_vec())).await;
            let Ok(mut begun) = begun else {
                assert_eq!(bytes, "PR", "two bytes could be either");
                continue;
            };
            assert_eq!(begun.speaks_http2(), http2, "{bytes}");
            let mut read = String::new();
            begun.read_to_string(&mut read).await.unwrap();
            assert_eq!(read, bytes);
        }
    }
}
