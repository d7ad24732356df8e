//! Answering other processes.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use buffa::bytes::Bytes;
use guanxi_model::{Error, Position, Result};
use guanxi_ports::search::UserTexts;
use guanxi_ports::{PostSearch, SearchIndex, SearchUpkeep, UserAsk, UserSearch};
use guanxi_text::{ANALYSER_VERSION, NameQuery, Query};
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::rows::{POST_ROWS, RowsAsked, RowsFound, USER_ROWS};
use super::seal::{IndexSeal, SIGNED};
use super::wire::{
    IndexKind, POSTS, PostsAsked, REBUILD, Stands, USERS, UsersAsked, WAIT, WaitAsked, WireFound,
    WireRefusal, WireRefused,
};
use super::{ATTEMPT_MAX, QUESTION_BYTES_MAX, WAIT_SLICE};

/// Connections open at once: each process that asks has as many as it has questions on their way.
const CONNECTIONS_MAX: usize = 512;

/// How long a connection may have no question: longer than a caller keeps it.
const IDLE_MAX: Duration = Duration::from_mins(3);

/// How long a connection may be open without a signed question: none but processes of the cluster keep one.
const FIRST_MAX: Duration = Duration::from_secs(5);

/// The rest after an accept that failed, for example for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The parts that answer questions.
#[derive(Clone)]
pub struct IndexParts {
    /// The index of posts.
    pub posts: Arc<dyn PostSearch>,
    /// The index of users.
    pub users: Arc<dyn UserSearch>,
    /// Builds both indexes anew, and answers questions for rows.
    pub upkeep: Arc<dyn SearchUpkeep>,
}

struct Answering {
    parts: IndexParts,
    seal: IndexSeal,
}

/// Answers questions of other processes of the cluster until `shutdown` completes; those on their way are answered.
///
/// # Errors
/// None once it accepts; an accept that fails is logged and tried again.
pub async fn serve_index(
    listener: TcpListener,
    parts: IndexParts,
    seal: IndexSeal,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let answering = Arc::new(Answering { parts, seal });
    let (graceful, slots) = (GracefulShutdown::new(), Arc::new(Semaphore::new(CONNECTIONS_MAX)));
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            let slot = Arc::clone(&slots).acquire_owned().await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((slot, listener.accept().await?))
        };
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accepted => accepted,
        };
        let (slot, (stream, _)) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "accepting a process that asks an index of search failed");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let answering = Arc::clone(&answering);
        let (signed, is_signed) = watch::channel(false);
        let signed = Arc::new(signed);
        let service = service_fn(move |request| {
            let (answering, signed) = (Arc::clone(&answering), Arc::clone(&signed));
            async move { Ok::<_, Infallible>(answering.answer(request, &signed).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE_MAX)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                ended = watched => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection of a process that asks an index of search ended early");
                },
                () = unsigned(is_signed) => tracing::debug!("a connection without a signed question was closed"),
            }
            drop(slot);
        });
    }
    drop(listener);
    // No caller waits longer for an answer.
    let _late = timeout(ATTEMPT_MAX + WAIT_SLICE, graceful.shutdown()).await;
    Ok(())
}

/// Completes when no signed question came in time.
async fn unsigned(mut is_signed: watch::Receiver<bool>) {
    let in_time = timeout(FIRST_MAX, is_signed.wait_for(|signed| *signed)).await.is_ok();
    if in_time {
        // A connection that has ended is told of by itself.
        std::future::pending::<()>().await;
    }
}

impl Answering {
    async fn answer(
        &self,
        request: Request<Incoming>,
        signed: &watch::Sender<bool>,
    ) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let body = timeout(ATTEMPT_MAX, Limited::new(body, QUESTION_BYTES_MAX).collect()).await;
        let Ok(Ok(body)) = body else { return refused(WireRefusal::Unknown) };
        let (body, path) = (body.to_bytes(), head.uri.path());
        let signature = head.headers.get(SIGNED).and_then(|signed| signed.to_str().ok());
        if !signature.is_some_and(|signed| self.seal.is_signed(signed, path, &body)) {
            return refused(WireRefusal::Unsigned);
        }
        signed.send_replace(true);
        let answered = match path {
            POSTS => self.posts(&body).await.map(|found| json(StatusCode::OK, &found)),
            USERS => self.users(&body).await.map(|found| json(StatusCode::OK, &found)),
            USER_ROWS => self.user_rows(&body).await.map(|found| json(StatusCode::OK, &found)),
            POST_ROWS => self.post_rows(&body).await.map(|found| json(StatusCode::OK, &found)),
            WAIT => self.wait(&body).await.map(|stands| json(StatusCode::OK, &stands)),
            REBUILD => {
                self.parts.upkeep.rebuild();
                Ok(json(StatusCode::OK, &()))
            }
            _ => Err(WireRefusal::Unknown),
        };
        answered.unwrap_or_else(refused)
    }

    async fn posts(&self, body: &[u8]) -> Result<WireFound, WireRefusal> {
        let asked: PostsAsked = read(body)?;
        if asked.analyser != ANALYSER_VERSION {
            return Err(WireRefusal::Unknown);
        }
        let query = Query::parse(&asked.typed).map_err(|_| WireRefusal::Unknown)?;
        let authors = asked.authors().map_err(unknown)?;
        let ask = asked.ask(&query, authors.as_deref()).map_err(unknown)?;
        let posts = &self.parts.posts;
        let found = if asked.is_best { posts.best(ask) } else { posts.search(ask) };
        found.await.map(WireFound::from).map_err(|error| WireRefusal::of(&error))
    }

    async fn users(&self, body: &[u8]) -> Result<WireFound, WireRefusal> {
        let asked: UsersAsked = read(body)?;
        if asked.analyser != ANALYSER_VERSION {
            return Err(WireRefusal::Unknown);
        }
        let query = NameQuery::parse(&asked.typed).map_err(|_| WireRefusal::Unknown)?;
        let among = asked.among().map_err(unknown)?;
        let (typed, asks, max) = (&*asked.typed, asked.asks(), asked.max());
        let ask = UserAsk { query: &query, typed, asks, among: among.as_deref(), max };
        let found = self.parts.users.search_users(ask).await;
        found.map(WireFound::from).map_err(|error| WireRefusal::of(&error))
    }

    async fn user_rows(&self, body: &[u8]) -> Result<RowsFound, WireRefusal> {
        let mut asked: RowsAsked = read(body)?;
        if asked.analyser != ANALYSER_VERSION {
            return Err(WireRefusal::Unknown);
        }
        let name = asked.text.take().map(|typed| match NameQuery::parse(&typed) {
            Ok(name) => Ok((name, typed)),
            Err(_) => Err(WireRefusal::Unknown),
        });
        let texts = UserTexts { name: name.transpose()?, attributes: std::mem::take(&mut asked.attributes) };
        let walk = asked.walk;
        let ask = asked.ask(texts).ok_or(WireRefusal::Unknown)?;
        let found = self.parts.upkeep.users().user_rows(walk, ask).await;
        found.map(RowsFound::from).map_err(|error| WireRefusal::of(&error))
    }

    async fn post_rows(&self, body: &[u8]) -> Result<RowsFound, WireRefusal> {
        let mut asked: RowsAsked = read(body)?;
        if asked.analyser != ANALYSER_VERSION {
            return Err(WireRefusal::Unknown);
        }
        let query = asked.text.take().map(|typed| Query::parse(&typed).map_err(|_| WireRefusal::Unknown));
        let walk = asked.walk;
        let ask = asked.ask(query.transpose()?).ok_or(WireRefusal::Unknown)?;
        let found = self.parts.upkeep.posts().post_rows(walk, ask).await;
        found.map(RowsFound::from).map_err(|error| WireRefusal::of(&error))
    }

    async fn wait(&self, body: &[u8]) -> Result<Stands, WireRefusal> {
        let WaitAsked { index, at_least } = read(body)?;
        let at_least = Position::from_token(&at_least).map_err(unknown)?;
        let index: &dyn SearchIndex = match index {
            IndexKind::Posts => &*self.parts.posts,
            IndexKind::Users => &*self.parts.users,
        };
        let waited = timeout(WAIT_SLICE, index.wait(&at_least)).await;
        let stands = waited.unwrap_or(Ok(())).and_then(|()| index.as_of());
        let stands = stands.map_err(|error| WireRefusal::of(&error))?;
        Ok(Stands { as_of: stands.to_token() })
    }
}

fn unknown(_: Error) -> WireRefusal {
    WireRefusal::Unknown
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, WireRefusal> {
    serde_json::from_slice(body).map_err(|_| WireRefusal::Unknown)
}

fn refused(refused: WireRefusal) -> Response<Full<Bytes>> {
    let status = match refused {
        WireRefusal::Unsigned => StatusCode::UNAUTHORIZED,
        WireRefusal::Unknown | WireRefusal::Prefix | WireRefusal::Stale | WireRefusal::Limit(_) => {
            StatusCode::BAD_REQUEST
        }
        WireRefusal::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    };
    json(status, &WireRefused { refused })
}

fn json(status: StatusCode, answer: &impl Serialize) -> Response<Full<Bytes>> {
    let body = serde_json::to_vec(answer).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let kind = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
