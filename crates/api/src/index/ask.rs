//! Asking the replicas of a cluster.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use buffa::bytes::Bytes;
use connectrpc::client::{ClientTransport as _, full_body};
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::search::{
    FoundRows, PostColumn, PostRowAsk, PostTable, RowColumn, UserColumn, UserRowAsk, UserTable, UserTexts,
};
use guanxi_ports::{
    BoxFuture, FoundPosts, FoundUsers, IndexReplicas, PostAsk, PostSearch, SearchIndex, SearchUpkeep,
    UserAsk, UserSearch,
};
use guanxi_proto::Transport;
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::choice::Choice;
use super::rows::{POST_ROWS, RowsAsked, RowsFound, USER_ROWS};
use super::seal::{IndexSeal, SIGNED};
use super::wire::{
    IndexKind, POSTS, PostsAsked, REBUILD, Stands, USERS, UsersAsked, WAIT, WaitAsked, WireFound,
    WireRefusal, WireRefused,
};
use super::{ANSWER_BYTES_MAX, ASKS, ATTEMPT_MAX, REPLICAS, ROWS_BYTES_MAX, ROWS_MAX, WAIT_SLICE, describe};

/// How often it is asked which replicas there are.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The rest before it is asked again because one did not answer.
const LOOK_PAUSE: Duration = Duration::from_millis(200);

/// Indexes of other processes, behind the ports of search. Cheap to clone.
///
/// A question goes to one replica, the same as long as that answers, and to a second one when it does not: then it is refused with
/// `SEARCH_UNAVAILABLE`.
#[derive(Clone)]
pub struct ReplicaSearch(pub(super) Arc<ReplicaCalls>);

pub(super) struct ReplicaCalls {
    replicas: Arc<dyn IndexReplicas>,
    seal: IndexSeal,
    transport: Transport,
    choice: Mutex<Choice>,
    /// Notified when a replica did not answer.
    failed: Notify,
}

impl fmt::Debug for ReplicaSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplicaSearch")
    }
}

impl ReplicaSearch {
    /// Makes a client of the replicas that a cluster knows, of which this process prefers some by its `seed`. It asks no
    /// replica before [`Self::follow`] has looked.
    ///
    /// # Errors
    /// When this machine cannot make connections.
    pub fn new(replicas: Arc<dyn IndexReplicas>, seal: IndexSeal, seed: u64) -> Result<Self> {
        describe();
        let transport = Transport::to(&Uri::from_static("http://replica"), None, false);
        let transport = transport.map_err(|error| Error::with_detail(Reason::Internal, error))?;
        let choice = Mutex::new(Choice::new(seed));
        Ok(Self(Arc::new(ReplicaCalls { replicas, seal, transport, choice, failed: Notify::new() })))
    }

    /// The indexes of posts.
    pub fn posts(&self) -> Arc<dyn PostSearch> {
        Arc::new(Asked { asking: self.0.clone(), kind: IndexKind::Posts })
    }

    /// The indexes of users.
    pub fn users(&self) -> Arc<dyn UserSearch> {
        Arc::new(Asked { asking: self.0.clone(), kind: IndexKind::Users })
    }

    /// Returns the port that builds the indexes of all replicas anew, and answers questions for rows.
    pub fn upkeep(&self) -> Arc<dyn SearchUpkeep> {
        Arc::new(ReplicaUpkeep(self.0.clone()))
    }

    /// Keeps up with which replicas there are, for ever. While that cannot be asked, those that are known are asked.
    pub async fn follow(&self) {
        loop {
            match self.0.replicas.replicas().await {
                Ok(replicas) => {
                    let mut choice = self.0.choice();
                    choice.renew(replicas);
                    metrics::gauge!(REPLICAS).set(choice.len() as f64);
                }
                Err(error) => tracing::debug!(%error, "it is not known which processes keep search indexes"),
            }
            sleep(LOOK_PAUSE).await;
            let _looks = timeout(LOOK_EVERY, self.0.failed.notified()).await;
        }
    }
}

/// Why a replica did not answer, or what it has refused.
enum Failed {
    /// It is not there, or is late.
    Away(String),
    Refused(WireRefusal),
}

impl ReplicaCalls {
    pub(super) fn choice(&self) -> MutexGuard<'_, Choice> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks one replica, and a second one if that does not answer. `kept` is what of an answer says where the index stood.
    async fn ask<T: DeserializeOwned, A>(
        &self,
        kind: IndexKind,
        (path, question): (&'static str, &impl Serialize),
        read: impl Fn(T) -> Result<(A, Option<Position>)>,
    ) -> Result<A> {
        let body =
            serde_json::to_vec(question).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        let (body, mut why) = (Bytes::from(body), "no process that keeps an index can be asked".to_owned());
        let (picked, mut is_stale) = (self.choice().pick(kind, Instant::now()), false);
        for address in picked {
            let answer = self.call(&address, path, body.clone()).await;
            let answer = answer.and_then(|answer: T| {
                read(answer).map_err(|error| Failed::Away(format!("its answer cannot be read: {error}")))
            });
            let failed = match answer {
                Ok((answer, as_of)) => {
                    metrics::counter!(ASKS, "outcome" => "answered").increment(1);
                    if let Some(as_of) = as_of {
                        self.choice().note(&address, kind, as_of);
                    }
                    return Ok(answer);
                }
                Err(Failed::Refused(WireRefusal::Stale)) => {
                    // Another one may have begun the walk.
                    metrics::counter!(ASKS, "outcome" => "answered").increment(1);
                    is_stale = true;
                    continue;
                }
                Err(Failed::Refused(refusal)) => match refusal.everywhere() {
                    Some(error) => {
                        metrics::counter!(ASKS, "outcome" => "answered").increment(1);
                        return Err(error);
                    }
                    None => format!("it refuses: {refusal:?}"),
                },
                Err(Failed::Away(why)) => why,
            };
            metrics::counter!(ASKS, "outcome" => "failed").increment(1);
            tracing::debug!(%address, %failed, "a search index of another process did not answer");
            self.choice().note_failed(&address, Instant::now());
            self.failed.notify_one();
            why = format!("{address}: {failed}");
        }
        if is_stale {
            return Err(Error::new(Reason::StaleCursor));
        }
        metrics::counter!(ASKS, "outcome" => "unavailable").increment(1);
        Err(Error::with_detail(Reason::SearchUnavailable { cause: "no_replica" }, why))
    }

    /// Asks a replica something.
    async fn call<T: DeserializeOwned>(
        &self,
        address: &str,
        path: &'static str,
        body: Bytes,
    ) -> Result<T, Failed> {
        // A caller that waits for a position is answered after a slice of that wait.
        let patience = match path {
            WAIT => ATTEMPT_MAX + WAIT_SLICE,
            USER_ROWS | POST_ROWS => ROWS_MAX,
            _ => ATTEMPT_MAX,
        };
        let answer = timeout(patience, self.send(address, path, body)).await;
        let (status, body) =
            answer.map_err(|_late| Failed::Away("it is late".to_owned()))?.map_err(Failed::Away)?;
        let problem = |error: serde_json::Error| Failed::Away(format!("its answer cannot be read: {error}"));
        if status == StatusCode::OK {
            return serde_json::from_slice(&body).map_err(problem);
        }
        let WireRefused { refused } = serde_json::from_slice(&body).map_err(problem)?;
        Err(Failed::Refused(refused))
    }

    async fn send(&self, address: &str, path: &str, body: Bytes) -> Result<(StatusCode, Bytes), String> {
        let signed = self.seal.sign(path, &body);
        let request = Request::post(format!("http://{address}{path}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(SIGNED, signed)
            .body(full_body(body))
            .map_err(|error| error.to_string())?;
        let answer = self.transport.send(request).await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let bytes_max = if matches!(path, USER_ROWS | POST_ROWS) { ROWS_BYTES_MAX } else { ANSWER_BYTES_MAX };
        let body = Limited::new(answer.into_body(), bytes_max).collect().await;
        Ok((status, body.map_err(|error| error.to_string())?.to_bytes()))
    }
}

/// The port through which operators ask replicas.
struct ReplicaUpkeep(Arc<ReplicaCalls>);

impl SearchUpkeep for ReplicaUpkeep {
    fn users(&self) -> Arc<dyn UserTable> {
        Arc::new(Asked { asking: self.0.clone(), kind: IndexKind::Users })
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        Arc::new(Asked { asking: self.0.clone(), kind: IndexKind::Posts })
    }

    fn rebuild(&self) {
        for address in self.0.choice().addresses() {
            let transport = self.0.transport.clone();
            let signed = self.0.seal.sign(REBUILD, b"null");
            let request = Request::post(format!("http://{address}{REBUILD}"))
                .header(SIGNED, signed)
                .body(full_body(Bytes::from_static(b"null")));
            tokio::spawn(async move {
                let Ok(request) = request else { return };
                match timeout(ATTEMPT_MAX, transport.send(request)).await {
                    Ok(Ok(answer)) if answer.status() == StatusCode::OK => {}
                    _ => tracing::warn!(%address, "its search indexes were not told to be built anew"),
                }
            });
        }
    }
}

/// The indexes of one kind.
struct Asked {
    asking: Arc<ReplicaCalls>,
    kind: IndexKind,
}

impl SearchIndex for Asked {
    fn as_of(&self) -> Result<Position> {
        let as_of = self.asking.choice().as_of(self.kind, Instant::now());
        as_of.ok_or_else(|| {
            let none = Reason::SearchUnavailable { cause: "no_replica" };
            Error::with_detail(none, "no process that keeps an index can be asked")
        })
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let wanted = WaitAsked { index: self.kind, at_least: at_least.to_token() };
            loop {
                let read = |stands: Stands| {
                    let as_of = Position::from_token(&stands.as_of)?;
                    Ok((as_of.clone(), Some(as_of)))
                };
                if self.asking.ask(self.kind, (WAIT, &wanted), read).await?.covers(at_least) {
                    return Ok(());
                }
            }
        })
    }
}

impl PostSearch for Asked {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(self.posts(ask, false))
    }

    fn best<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(self.posts(ask, true))
    }
}

impl Asked {
    async fn posts(&self, ask: PostAsk<'_>, is_best: bool) -> Result<FoundPosts> {
        let question = PostsAsked::of(&ask, is_best);
        let read = |found: WireFound| {
            let found = FoundPosts::try_from(found)?;
            let as_of = found.as_of.clone();
            Ok((found, Some(as_of)))
        };
        self.asking.ask(self.kind, (POSTS, &question), read).await
    }
}

impl UserSearch for Asked {
    fn search_users<'a>(&'a self, ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        Box::pin(async move {
            let question = UsersAsked::of(&ask);
            let read = |found: WireFound| {
                let found = FoundUsers::try_from(found)?;
                let as_of = found.as_of.clone();
                Ok((found, Some(as_of)))
            };
            self.asking.ask(self.kind, (USERS, &question), read).await
        })
    }
}

/// Returns the rows of an answer. If the walk has just begun, it also returns the position of the index: a walk that goes on
/// is of an earlier moment.
fn read_rows<C: RowColumn>(found: RowsFound, is_first: bool) -> Result<(FoundRows<C>, Option<Position>)> {
    let found = found.read()?;
    let as_of = is_first.then(|| found.as_of.clone());
    Ok((found, as_of))
}

impl UserTable for Asked {
    fn user_rows(&self, walk: Option<u64>, ask: UserRowAsk) -> BoxFuture<'_, Result<FoundRows<UserColumn>>> {
        Box::pin(async move {
            let UserTexts { name, attributes } = &ask.texts;
            let name = name.as_ref().map(|(_, typed)| typed.clone());
            let question = RowsAsked::of(walk, &ask, name, attributes.clone());
            let read = |found| read_rows(found, walk.is_none());
            self.asking.ask(self.kind, (USER_ROWS, &question), read).await
        })
    }
}

impl PostTable for Asked {
    fn post_rows(&self, walk: Option<u64>, ask: PostRowAsk) -> BoxFuture<'_, Result<FoundRows<PostColumn>>> {
        Box::pin(async move {
            let query = ask.texts.as_ref().map(|query| query.typed().to_owned());
            let question = RowsAsked::of(walk, &ask, query, Vec::new());
            let read = |found| read_rows(found, walk.is_none());
            self.asking.ask(self.kind, (POST_ROWS, &question), read).await
        })
    }
}
