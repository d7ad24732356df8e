//! The accept loop: bounded connections, timeouts, and a shutdown that answers what is in flight.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::begun::Begun;
use crate::idle::{Calls, CountedBody};
use crate::limits::{
    CONNECTIONS_MAX, DRAIN_TIMEOUT, ERRORS_PER_CONNECTION_MAX, HEAD_BYTES_MAX, HEADER_TIMEOUT, IDLE_TIMEOUT,
    RESETS_PENDING_MAX, SEND_PIECE, SEND_TIMEOUT, STREAMS_PER_CONNECTION_MAX,
};
use crate::load::count_ended;
use crate::peer::TrustedProxies;
use crate::router::Router;
use crate::timed_write::TimedWrite;
use crate::tls::{Handshake, Tls, shake_hands};

/// A pause after an accept that failed, for example for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The bounds of the connections of a listener.
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
    /// How long a client may take nothing of what is ready for it.
    pub send: Duration,
}

impl Default for ConnectionBounds {
    fn default() -> Self {
        let (idle, head, calls) = (IDLE_TIMEOUT, HEADER_TIMEOUT, STREAMS_PER_CONNECTION_MAX);
        Self { max: CONNECTIONS_MAX, idle, head, calls, send: SEND_TIMEOUT }
    }
}

/// How a listener treats its connections.
#[derive(Clone, Debug)]
pub struct ListenerOptions {
    /// The bounds of its connections.
    pub bounds: ConnectionBounds,
    /// The TLS of its connections; without it, every machine on the way can read along.
    pub tls: Option<Arc<Tls>>,
    /// The proxies whose word about a caller's address is believed.
    pub proxies: TrustedProxies,
}

impl From<ConnectionBounds> for ListenerOptions {
    fn from(bounds: ConnectionBounds) -> Self {
        Self { bounds, tls: None, proxies: TrustedProxies::default() }
    }
}

/// Serves `router` on `listener` until `shutdown` completes; then no connection is accepted any more, open streams
/// end with `SHUTTING_DOWN`, calls in flight are answered, and connections are closed. Calls that take longer than
/// [`DRAIN_TIMEOUT`] are cut off.
///
/// # Errors
/// When the listener's address cannot be read; a failed accept is logged and tried again.
pub fn serve<'a>(
    listener: TcpListener,
    router: Router,
    options: impl Into<ListenerOptions>,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Served<'a> {
    serve_until(listener, router, options.into(), Box::pin(shutdown))
}

/// A listener that is served until it is told to stop.
pub type Served<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// The same for one type of shutdown, so that connections are compiled in this crate, and once.
fn serve_until<'a>(
    listener: TcpListener,
    router: Router,
    options: ListenerOptions,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send + 'a>>,
) -> Served<'a> {
    Box::pin(accept(listener, router, Arc::new(options), shutdown))
}

async fn accept(
    listener: TcpListener,
    router: Router,
    options: Arc<ListenerOptions>,
    mut shutdown: Pin<Box<dyn Future<Output = ()> + Send + '_>>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(options.bounds.max));
    let (drain, draining) = watch::channel(false);
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
            Ok((stream, peer)) => {
                let connection = Connection {
                    router: router.clone(),
                    options: Arc::clone(&options),
                    peer: peer.ip(),
                    watcher: graceful.watcher(),
                    draining: draining.clone(),
                };
                tokio::spawn(async move {
                    connection.run(stream).await;
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

/// The parts that a connection needs to the end of its life.
struct Connection {
    router: Router,
    options: Arc<ListenerOptions>,
    peer: IpAddr,
    watcher: Watcher,
    draining: watch::Receiver<bool>,
}

impl Connection {
    /// Serves to the end.
    async fn run(self, stream: TcpStream) {
        let _counted = self.router.load().connection();
        // Answers are small and whole: waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
        let Some(tls) = self.options.tls.clone() else { return self.speak(stream).await };
        let mut draining = self.draining.clone();
        let shaken = tokio::select! {
            _ = draining.wait_for(|draining| *draining) => return,
            shaken = shake_hands(stream, &tls) => shaken,
        };
        if let Handshake::Done(stream) = shaken {
            self.speak(stream).await;
        }
    }

    /// Speaks HTTP of the version that the client begins with.
    async fn speak(mut self, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        let stream = TimedWrite::new(stream, self.options.bounds.send, || count_ended("unread").increment(1));
        let begun = tokio::select! {
            _ = self.draining.wait_for(|draining| *draining) => return,
            begun = tokio::time::timeout(self.options.bounds.head, Begun::take(stream)) => match begun {
                Ok(Ok(begun)) => begun,
                // No byte came, or the client went away: there is no client to answer.
                Ok(Err(_)) | Err(_) => return,
            },
        };
        let ended =
            if begun.speaks_http2() { self.speak_http2(begun).await } else { self.speak_http1(begun).await };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }

    async fn speak_http1(
        self,
        begun: Begun<impl AsyncRead + AsyncWrite + Send + Unpin + 'static>,
    ) -> hyper::Result<()> {
        let Self { router, options, peer, watcher, .. } = self;
        let head = options.bounds.head;
        let service = service_fn(move |request: http::Request<Incoming>| {
            router.clone().answer(with_caller(request, peer, &options.proxies))
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(begun), service);
        watcher.watch(connection).await
    }

    async fn speak_http2(
        self,
        begun: Begun<impl AsyncRead + AsyncWrite + Send + Unpin + 'static>,
    ) -> hyper::Result<()> {
        let Self { router, options, peer, watcher, mut draining } = self;
        let calls = Calls::default();
        let (counted, bounds) = (calls.clone(), options.bounds);
        let service = service_fn(move |request: http::Request<Incoming>| {
            let request = with_caller(request, peer, &options.proxies);
            let (call, answer) = (counted.begin(), router.clone().answer(request));
            async move { answer.await.map(|answer| answer.map(|body| CountedBody::new(body, call))) }
        });
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(bounds.calls)
            .max_header_list_size(HEAD_BYTES_MAX as u32)
            .max_send_buf_size(SEND_PIECE)
            .max_pending_accept_reset_streams(RESETS_PENDING_MAX)
            .max_local_error_reset_streams(ERRORS_PER_CONNECTION_MAX)
            .keep_alive_interval(bounds.head)
            .serve_connection(TokioIo::new(begun), service);
        // The task that shuts down waits until this is dropped.
        let _watcher = watcher;
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            _ = draining.wait_for(|draining| *draining) => None,
            () = calls.none_for(bounds.idle) => None,
            () = calls.untaken_for(bounds.send) => {
                count_ended("untaken").increment(1);
                return Ok(());
            }
        };
        if let Some(ended) = ended {
            return ended;
        }
        // A call that is on its way is answered, and then the client is told to connect anew.
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            ended = connection.as_mut() => ended,
            // It may never have begun to speak, and cannot be told then.
            () = calls.none_for(bounds.send) => Ok(()),
            () = calls.untaken_for(bounds.send) => {
                count_ended("untaken").increment(1);
                Ok(())
            }
        }
    }
}

/// A request that says where it comes from.
fn with_caller(
    mut request: http::Request<Incoming>,
    peer: IpAddr,
    proxies: &TrustedProxies,
) -> http::Request<Incoming> {
    let caller = proxies.caller(peer, request.headers());
    request.extensions_mut().insert(caller);
    request
}
