//! The accept loop: bounded connections, timeouts, and a shutdown that answers what is in flight.

use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::idle::{Calls, CountedBody};
use crate::limits::{
    CONNECTIONS_MAX, DRAIN_TIMEOUT, HEAD_BYTES_MAX, HEADER_TIMEOUT, IDLE_TIMEOUT, STREAMS_PER_CONNECTION_MAX,
};
use crate::router::Router;

/// How an HTTP/2 connection begins; no HTTP/1 method begins like this.
const HTTP2_START: &[u8] = b"PRI";

/// A pause after an accept that failed, for example for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What the connections of a listener may hold.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionBounds {
    /// Connections open at once; further ones wait to be accepted.
    pub max: usize,
    /// How long an HTTP/2 connection may have no call in flight; then it is closed, as by a shutdown.
    pub idle: Duration,
    /// How long the head of a request may take; also how long a connection of HTTP/1 may stay idle.
    pub head: Duration,
    /// Calls at once on one HTTP/2 connection.
    pub calls: u32,
}

impl Default for ConnectionBounds {
    fn default() -> Self {
        let (idle, head, calls) = (IDLE_TIMEOUT, HEADER_TIMEOUT, STREAMS_PER_CONNECTION_MAX);
        Self { max: CONNECTIONS_MAX, idle, head, calls }
    }
}

/// Serves `router` on `listener` until `shutdown` completes; then no connection is accepted any more, open streams
/// end with `SHUTTING_DOWN`, calls in flight are answered, and connections are closed. Calls that take longer than
/// [`DRAIN_TIMEOUT`] are cut off.
///
/// # Errors
/// When the listener's address cannot be read; a failed accept is logged and tried again.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(bounds.max));
    let (drain, draining) = watch::channel(false);
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            let slot = Arc::clone(&slots).acquire_owned().await.expect("the semaphore is never closed");
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            () = &mut shutdown => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, _peer)) => {
                let (watcher, draining) = (graceful.watcher(), draining.clone());
                let connection = connection(stream, router.clone(), watcher, draining, bounds);
                tokio::spawn(async move {
                    connection.await;
                    drop(slot);
                });
            }
            Err(error) => {
                if matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE)) {
                    tracing::warn!(
                        %error, %address,
                        "a client waits: the limit of open files is reached; raise it: `ulimit -n 65536`, \
                         LimitNOFILE=65536 in a systemd unit, and fs.file-max for the whole system"
                    );
                } else {
                    tracing::warn!(%error, %address, "accept failed");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    router.load().close();
    drain.send_replace(true);
    if tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!(%address, "calls were cut off: they did not end within the drain timeout");
    }
    Ok(())
}

/// Serves one connection to its end.
async fn connection(
    mut stream: TcpStream,
    router: Router,
    watcher: Watcher,
    mut draining: watch::Receiver<bool>,
    bounds: ConnectionBounds,
) {
    let _counted = router.load().connection();
    // Answers are small and whole: waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let first = tokio::select! {
        _ = draining.wait_for(|draining| *draining) => return,
        begun = tokio::time::timeout(bounds.head, first_bytes(&mut stream)) => match begun {
            Ok(Ok(first)) => first,
            // Nothing came, or the client went away: there is nobody to answer.
            Ok(Err(_)) | Err(_) => return,
        },
    };
    let speaks_http2 = first == HTTP2_START;
    let (rest, write) = stream.into_split();
    let io = TokioIo::new(tokio::io::join(Cursor::new(first).chain(rest), write));
    let ended = if speaks_http2 {
        let calls = Calls::default();
        let counted = calls.clone();
        let service = service_fn(move |request: http::Request<Incoming>| {
            let (call, answer) = (counted.begin(), router.clone().answer(request));
            async move { answer.await.map(|answer| answer.map(|body| CountedBody { body, _call: call })) }
        });
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(bounds.calls)
            .max_header_list_size(HEAD_BYTES_MAX as u32)
            .keep_alive_interval(bounds.head)
            .serve_connection(io, service);
        // Whoever shuts down waits until this is dropped.
        let _watcher = watcher;
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            _ = draining.wait_for(|draining| *draining) => None,
            () = calls.none_for(bounds.idle) => None,
        };
        if let Some(ended) = ended {
            ended
        } else {
            // A call that is on its way is answered, and then the client is told to connect anew.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    } else {
        let service = service_fn(move |request: http::Request<Incoming>| router.clone().answer(request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.head)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(io, service);
        watcher.watch(connection).await
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Takes as many of the first bytes as tell how the connection begins. They are taken rather than looked at, since a
/// look at what stays would be ready again at once, as long as the client sends no more.
async fn first_bytes(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut first = Vec::with_capacity(HTTP2_START.len());
    while first.len() < HTTP2_START.len() && HTTP2_START.starts_with(&first) {
        let room = HTTP2_START.len() - first.len();
        if stream.take(room as u64).read_buf(&mut first).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(first)
}
