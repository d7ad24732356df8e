//! The client: who calls, what it has seen, and how calls are repeated.

use std::any::TypeId;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use connectrpc::client::CallOptions;
use guanxi_proto::{Client, ClientOptions, ClientTls, ErrorCode, Wire, v1};

use crate::call::{ApiCall, CallKind};
use crate::dictionary::{Dictionary, EXTERNAL_IDS_KEPT};
use crate::error::CallError;
use crate::positions::{AwaitedWrites, SeenPositions};
use crate::retry::{RetryPolicy, Surroundings, may_repeat};
use crate::session::{SessionKeeper, SessionTokens};

/// Where and how to call.
#[derive(Clone, Debug)]
pub struct ApiOptions {
    /// The server, such as `http://127.0.0.1:7420` or `https://guanxi.example`.
    pub url: String,
    /// How calls travel.
    pub wire: Wire,
    /// The certificates to trust at an `https://` address; `None` for those that this machine trusts.
    pub tls: Option<ClientTls>,
    /// The deadline of each try of a call. Streams have none.
    pub timeout: Duration,
    /// When calls are repeated.
    pub retry: RetryPolicy,
    /// Ids of another product that are kept with their uids, at most; 0 keeps none.
    pub external_ids_kept: usize,
}

impl ApiOptions {
    /// Calls `url` over HTTP/2 with a deadline of five seconds for each try.
    pub fn new(url: impl Into<String>) -> Self {
        let (wire, timeout) = (Wire::Http2, Duration::from_secs(5));
        let (retry, external_ids_kept) = (RetryPolicy::default(), EXTERNAL_IDS_KEPT);
        Self { url: url.into(), wire, tls: None, timeout, retry, external_ids_kept }
    }
}

/// A client of one server, for one caller. Cheap to clone; clones share what they have seen.
#[derive(Clone)]
pub struct ApiClient {
    connection: Arc<Connection>,
    caller: Arc<Caller>,
    seen: Arc<Mutex<SeenPositions>>,
    written: Arc<Mutex<AwaitedWrites>>,
}

struct Connection {
    client: Client,
    retry: RetryPolicy,
    surroundings: Surroundings,
    dictionary: Dictionary,
}

/// The caller.
enum Caller {
    Nobody,
    /// A service's token, an end user's, or a JWT.
    Token(String),
    Session(SessionKeeper),
}

impl fmt::Debug for ApiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiClient").field("client", &self.connection.client).finish_non_exhaustive()
    }
}

impl ApiClient {
    /// A client without a credential that has not called yet.
    ///
    /// # Errors
    /// `invalid_argument` for an address that is none, or when this machine trusts no certificate at an `https://`
    /// address.
    pub fn new(options: &ApiOptions, surroundings: Surroundings) -> Result<Self, CallError> {
        let mut of_client = ClientOptions::new(&options.url);
        of_client.timeout = options.timeout;
        of_client.wire = options.wire;
        of_client.tls.clone_from(&options.tls);
        let client = Client::new(&of_client)?;
        let dictionary = Dictionary::new(options.external_ids_kept);
        let connection = Arc::new(Connection { client, retry: options.retry, surroundings, dictionary });
        Ok(Self {
            connection,
            caller: Arc::new(Caller::Nobody),
            seen: Arc::default(),
            written: Arc::default(),
        })
    }

    /// Returns a client over the same connections that calls with a token, and has seen what this one has.
    #[must_use]
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        self.called_by(Caller::Token(token.into()))
    }

    /// Returns a client over the same connections that calls as the user of a login, which it keeps alive.
    #[must_use]
    pub fn with_session(&self, tokens: SessionTokens) -> Self {
        let now_ms = (self.connection.surroundings.now_ms)();
        self.called_by(Caller::Session(SessionKeeper::new(tokens, now_ms)))
    }

    /// Logs a user in, and returns a client that calls as that user.
    ///
    /// # Errors
    /// `LOGIN_FAILED` for a name or a password that is wrong, among others.
    pub async fn login(&self, request: v1::LoginRequest) -> Result<Self, CallError> {
        let answer = self.call(request).await?;
        Ok(self.with_session((&answer).into()))
    }

    fn called_by(&self, caller: Caller) -> Self {
        let seen = Arc::new(Mutex::new(self.seen().clone()));
        let written = Arc::new(Mutex::new(self.written().clone()));
        Self { connection: self.connection.clone(), caller: Arc::new(caller), seen, written }
    }

    /// Returns the secrets of the login as they are now, to go on with later; `None` without a login.
    pub async fn session(&self) -> Option<SessionTokens> {
        match &*self.caller {
            Caller::Session(keeper) => Some(keeper.tokens().await),
            Caller::Nobody | Caller::Token(_) => None,
        }
    }

    /// Returns the position of all that this client has seen, as one token: a client that takes it in sees as much.
    pub fn position(&self) -> String {
        self.seen().joined()
    }

    /// Takes in what another client has seen.
    pub fn take_in(&self, position: &str) {
        self.seen().add(position);
    }

    /// Returns what was written, and which methods that wait for writes have included it.
    fn written(&self) -> MutexGuard<'_, AwaitedWrites> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, SeenPositions> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a method, again where that helps and does nothing twice. A write is given a `request_id` unless it has one;
    /// a read is not older than what this client has seen.
    ///
    /// # Errors
    /// What the server refused, or that it could not be reached.
    pub async fn call<C: ApiCall>(&self, mut request: C) -> Result<C::Answer, CallError> {
        if let Some(id) = request.request_id()
            && id.is_empty()
        {
            *id = self.connection.surroundings.request_id();
        }
        let asked_by_caller = request.at_least().map(|token| token.clone()).unwrap_or_default();
        let mut asked = String::new();
        if request.at_least().is_some() {
            let mut all =
                if C::WAITS { self.written().awaited_by(TypeId::of::<C>()) } else { self.seen().clone() };
            all.add(&asked_by_caller);
            asked = all.joined();
        }
        let answer = match self.repeated(&request, &asked).await {
            // The server was restored from a backup: what was seen before is of another history.
            Err(error) if error.reason == "TOKEN_FROM_OTHER_HISTORY" && asked != asked_by_caller => {
                self.seen().forget();
                self.written().forget();
                self.dictionary().clear();
                asked.clone_from(&asked_by_caller);
                self.repeated(&request, &asked).await
            }
            other => other,
        }?;
        self.seen().replace(&asked, C::position(&answer));
        self.note_written::<C>(&asked, &answer);
        if self.seen().is_full() {
            self.make_few().await;
        }
        Ok(answer)
    }

    /// Keeps what methods that wait for writes are to wait for, and notes what an answer of one has included.
    fn note_written<C: ApiCall>(&self, asked: &str, answer: &C::Answer) {
        if C::KIND == CallKind::Write {
            self.written().add(C::position(answer));
        } else if C::WAITS {
            self.written().included(TypeId::of::<C>(), asked);
        }
    }

    /// Makes one token of many, by a read that includes them all.
    async fn make_few(&self) {
        let asked = self.position();
        let request = v1::GetCountsRequest { uid: 1, ..Default::default() };
        match self.repeated(&request, &asked).await {
            Ok(answer) => self.seen().replace(&asked, &answer.token),
            // A caller that may not even read counts: the newest have room.
            Err(_) => self.seen().cut(),
        }
    }

    /// Tries until it helps no more.
    async fn repeated<C: ApiCall>(&self, request: &C, asked: &str) -> Result<C::Answer, CallError> {
        let Connection { client, retry, surroundings, .. } = &*self.connection;
        let mut request = request.clone();
        let has_id = request.request_id().is_some();
        if let Some(token) = request.at_least() {
            asked.clone_into(token);
        }
        let (mut tried, mut refused) = (0, None);
        loop {
            let (options, carried) = self.options(refused.as_deref()).await?;
            let error: CallError = match request.clone().send(client, options).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error.into(),
            };
            tried += 1;
            // A login whose access token ended early is refreshed once for each call.
            let is_session = matches!(&*self.caller, Caller::Session(_));
            if error.is_unauthenticated() && is_session && refused.is_none() {
                refused = carried;
                continue;
            }
            let pause = may_repeat(C::KIND, has_id, &error)
                .then(|| retry.pause(tried, &error, (surroundings.random)()))
                .flatten();
            let Some(pause) = pause else { return Err(error) };
            tokio::time::sleep(pause).await;
        }
    }

    /// Returns what a call carries, and which token of a login that is.
    pub(crate) async fn options(
        &self,
        refused: Option<&str>,
    ) -> Result<(CallOptions, Option<String>), CallError> {
        let Connection { client, retry, surroundings, .. } = &*self.connection;
        let (token, of_session) = match &*self.caller {
            Caller::Nobody => return Ok((CallOptions::default(), None)),
            Caller::Token(token) => (token.clone(), None),
            Caller::Session(keeper) => {
                let access = keeper.access(client, surroundings, retry, refused).await?;
                (access.clone(), Some(access))
            }
        };
        let invalid =
            |_| CallError::own(ErrorCode::InvalidArgument, "the token has characters that no token has");
        let mut value = http::HeaderValue::try_from(format!("Bearer {token}")).map_err(invalid)?;
        value.set_sensitive(true);
        Ok((CallOptions::default().try_with_header(http::header::AUTHORIZATION, value)?, of_session))
    }

    /// Returns what is known of ids of another product.
    pub(crate) fn dictionary(&self) -> &Dictionary {
        &self.connection.dictionary
    }

    /// The client that a stream is opened with.
    pub(crate) fn raw(&self) -> &Client {
        &self.connection.client
    }

    /// The pause before a stream is opened again after so many tries; `None` when the server asks for a longer one.
    pub(crate) fn pause(&self, tried: u32, error: &CallError) -> Option<Duration> {
        let Connection { retry, surroundings, .. } = &*self.connection;
        retry.pause_for_ever(tried, error, (surroundings.random)())
    }

    /// Notes the position of a stream's message.
    pub(crate) fn saw(&self, before: &str, token: &str) {
        self.seen().replace(before, token);
    }

    /// Returns whether it calls as a login, whose tokens change.
    pub(crate) fn is_login(&self) -> bool {
        matches!(&*self.caller, Caller::Session(_))
    }
}
