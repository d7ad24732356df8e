//! The beginning of a connection over TLS.

use std::io;
use std::sync::Arc;

use metrics::Counter;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use crate::errors::tls_required;
use crate::limits::{HANDSHAKE_TIMEOUT, LINGER_BYTES_MAX, LINGER_TIMEOUT};

/// The type of the record that a handshake begins with. No method of HTTP begins like this.
const HANDSHAKE_RECORD: u8 = 0x16;

/// How a handshake ended.
pub(crate) enum Handshake {
    /// The client is spoken to in secret.
    Done(Box<TlsStream<TcpStream>>),
    /// There is no client to speak to, or it has been told why not.
    Failed,
}

/// Makes what is said on a connection secret, within [`HANDSHAKE_TIMEOUT`]. Until the client's first byte is there it
/// costs what a silent connection without TLS costs.
pub(crate) async fn shake_hands(stream: TcpStream, tls: &Arc<Tls>) -> Handshake {
    let (outcome, done) = match tokio::time::timeout(HANDSHAKE_TIMEOUT, shake(stream, tls)).await {
        Ok(Ok(Shaken::Hands(stream))) => ("ok", Handshake::Done(stream)),
        Ok(Ok(Shaken::Plain(mut stream))) => {
            // An error means that the client has gone.
            let _ = stream.write_all(&plain_refusal()).await;
            linger(stream).await;
            ("plain", Handshake::Failed)
        }
        Ok(Ok(Shaken::Refused(stream))) => {
            linger(stream).await;
            ("failed", Handshake::Failed)
        }
        // The client sent no byte.
        Ok(Err(_)) => return Handshake::Failed,
        Err(_late) => ("late", Handshake::Failed),
    };
    count(outcome).increment(1);
    done
}

/// The result of a handshake in time.
enum Shaken {
    Hands(Box<TlsStream<TcpStream>>),
    Refused(TcpStream),
    Plain(TcpStream),
}

async fn shake(mut stream: TcpStream, tls: &Arc<Tls>) -> io::Result<Shaken> {
    if begin(&mut stream).await? != HANDSHAKE_RECORD {
        return Ok(Shaken::Plain(stream));
    }
    match TlsAcceptor::from(tls.config()).accept(stream).into_fallible().await {
        Ok(stream) => Ok(Shaken::Hands(Box::new(stream))),
        Err((error, stream)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            Ok(Shaken::Refused(stream))
        }
    }
}

/// Handshakes are rarer than calls, so that a look at the registry each time costs nothing.
pub(super) fn count(outcome: &'static str) -> Counter {
    metrics::counter!("guanxi_tls_handshakes_total", "outcome" => outcome)
}

/// Waits for the first byte, and leaves it where it is: nothing is kept for a client that sends none.
async fn begin(stream: &mut TcpStream) -> io::Result<u8> {
    let mut first = [0];
    match stream.peek(&mut first).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(first[0]),
    }
}

/// Returns the answer to a client that speaks without TLS. It is HTTP/1.1, which a client that speaks HTTP/2 reads as the
/// end.
fn plain_refusal() -> Vec<u8> {
    let body = tls_required().to_json();
    let head = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// Ends a connection so that the last word arrives: bytes that the client still sends are read and dropped for a moment. A
/// connection that is closed over unread bytes is reset, and its client would learn nothing.
async fn linger(mut stream: TcpStream) {
    let drained = async {
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LINGER_BYTES_MAX), &mut tokio::io::sink()).await
    };
    // However that ends, so does the connection.
    let _ = tokio::time::timeout(LINGER_TIMEOUT, drained).await;
}
