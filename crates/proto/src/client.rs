//! A typed client: the generated stubs over one pool of connections, with a bearer token and a deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use connectrpc::client::ClientConfig;
use connectrpc::{ConnectError, Protocol};
use http::uri::Scheme;

use crate::json::{ANSWER_BYTES_MAX, JsonAnswers, JsonCalls, JsonError};
use crate::pass_on::{PassOn, PassingOn};
use crate::tls::ClientTls;
use crate::transport::{InProcess, Transport};
use crate::v1::{
    AdminServiceClient, FeedServiceClient, PostServiceClient, RelationServiceClient, SearchServiceClient,
    UserServiceClient,
};

/// Calls about relations.
pub type RelationClient = RelationServiceClient<PassingOn<Transport>>;

/// Calls about posts.
pub type PostClient = PostServiceClient<PassingOn<Transport>>;

/// Calls about home timelines.
pub type FeedClient = FeedServiceClient<PassingOn<Transport>>;

/// Calls about users.
pub type UserClient = UserServiceClient<PassingOn<Transport>>;

/// Calls that search.
pub type SearchClient = SearchServiceClient<PassingOn<Transport>>;

/// Calls of the operator.
pub type AdminClient = AdminServiceClient<PassingOn<Transport>>;

/// How the calls travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wire {
    /// The Connect protocol with binary messages over HTTP/1.1: the cheapest with few calls at once.
    #[default]
    Http1,
    /// The Connect protocol with binary messages over HTTP/2: many calls share a connection.
    Http2,
    /// gRPC over HTTP/2.
    Grpc,
}

/// Where and how to call.
#[derive(Clone)]
pub struct ClientOptions {
    /// The server, such as `http://127.0.0.1:7420` or `https://guanxi.example`.
    pub url: String,
    /// The bearer token; none for a server that runs without authentication.
    pub token: Option<String>,
    /// The deadline of each call. Streams have none.
    pub timeout: Duration,
    /// How the calls travel.
    pub wire: Wire,
    /// The certificates to trust at an `https://` address; `None` for those that this machine trusts.
    pub tls: Option<ClientTls>,
    /// Adds what the call that is being answered hands on to those that it makes; nothing if absent.
    pub pass_on: Option<PassOn>,
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_ref().map(|_| "***");
        let Self { url, timeout, wire, tls, .. } = self;
        f.debug_struct("ClientOptions")
            .field("url", url)
            .field("token", &token)
            .field("timeout", timeout)
            .field("wire", wire)
            .field("tls", tls)
            .finish_non_exhaustive()
    }
}

impl ClientOptions {
    /// Calls `url` without a token, with a deadline of two seconds, over HTTP/1.1.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            token: None,
            timeout: Duration::from_secs(2),
            wire: Wire::Http1,
            tls: None,
            pass_on: None,
        }
    }
}

/// A client of one server. Cheap to clone; connections are made when they are needed, and shared.
#[derive(Clone)]
pub struct Client(Arc<Services>);

struct Services {
    relation: RelationClient,
    relation_streams: RelationClient,
    post: PostClient,
    feed: FeedClient,
    feed_streams: FeedClient,
    user: UserClient,
    user_streams: UserClient,
    search: SearchClient,
    admin: AdminClient,
    admin_streams: AdminClient,
    json: JsonCalls,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", self.0.relation.config().base_uri()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client that has not called yet.
    ///
    /// # Errors
    /// `invalid_argument` when the address is neither `http://` nor `https://`, the token has characters that no token
    /// has, or this machine trusts no certificate at an `https://` address.
    pub fn new(options: &ClientOptions) -> Result<Self, ConnectError> {
        let config = config(options)?;
        let http2 = options.wire != Wire::Http1;
        let http = Transport::to(config.base_uri(), options.tls.clone(), http2)?;
        let http = PassingOn::new(http, options.pass_on);
        let timed = config.clone().with_default_timeout(options.timeout);
        Ok(Self::over(http, config, timed, authorization(options)?))
    }

    /// A client of services of this process. Its calls carry no token, and have no deadline and no bound on their answers.
    pub fn in_process(answer: InProcess) -> Self {
        let config = ClientConfig::new(http::Uri::from_static("http://in-process")).proto();
        let config = config.with_default_max_message_size(u32::MAX as usize);
        Self::over(PassingOn::new(Transport::in_process(answer), None), config.clone(), config, None)
    }

    /// `timed` is for calls with one answer, and `config` for streams and calls by name.
    fn over(
        http: PassingOn<Transport>,
        config: ClientConfig,
        timed: ClientConfig,
        authorization: Option<http::HeaderValue>,
    ) -> Self {
        let json = JsonCalls { transport: http.clone(), base: config.base_uri().clone(), authorization };
        Self(Arc::new(Services {
            relation: RelationServiceClient::new(http.clone(), timed.clone()),
            relation_streams: RelationServiceClient::new(http.clone(), config.clone()),
            post: PostServiceClient::new(http.clone(), timed.clone()),
            feed: FeedServiceClient::new(http.clone(), timed.clone()),
            feed_streams: FeedServiceClient::new(http.clone(), config.clone()),
            user: UserServiceClient::new(http.clone(), timed.clone()),
            user_streams: UserServiceClient::new(http.clone(), config.clone()),
            search: SearchServiceClient::new(http.clone(), timed.clone()),
            admin: AdminServiceClient::new(http.clone(), timed),
            admin_streams: AdminServiceClient::new(http, config),
            json,
        }))
    }

    /// Calls about relations.
    pub fn relation(&self) -> &RelationClient {
        &self.0.relation
    }

    /// The same without a deadline, for streams.
    pub fn relation_streams(&self) -> &RelationClient {
        &self.0.relation_streams
    }

    /// Calls about posts.
    pub fn post(&self) -> &PostClient {
        &self.0.post
    }

    /// Calls about home timelines.
    pub fn feed(&self) -> &FeedClient {
        &self.0.feed
    }

    /// The same without a deadline, for streams.
    pub fn feed_streams(&self) -> &FeedClient {
        &self.0.feed_streams
    }

    /// Calls about users.
    pub fn user(&self) -> &UserClient {
        &self.0.user
    }

    /// The same without a deadline, for streams.
    pub fn user_streams(&self) -> &UserClient {
        &self.0.user_streams
    }

    /// Calls that search.
    pub fn search(&self) -> &SearchClient {
        &self.0.search
    }

    /// Calls of the operator; the address must be that of the admin listener.
    pub fn admin(&self) -> &AdminClient {
        &self.0.admin
    }

    /// The same without a deadline, for streams.
    pub fn admin_streams(&self) -> &AdminClient {
        &self.0.admin_streams
    }

    /// Calls a method by name, given as `package.Service/Method`, with JSON in and out. Whether it `streams` its answers
    /// is the caller's to know. There is no deadline.
    ///
    /// # Errors
    /// What the server refused; `unavailable` when nothing answers.
    pub async fn call_json(
        &self,
        method: &str,
        request: &str,
        streams: bool,
    ) -> Result<JsonAnswers, JsonError> {
        self.0.json.call(method, request, streams).await
    }
}

fn config(options: &ClientOptions) -> Result<ClientConfig, ConnectError> {
    let invalid = |what: &str| ConnectError::invalid_argument(format!("{what}: {}", options.url));
    let uri: http::Uri = options.url.parse().map_err(|_| invalid("not an address"))?;
    let known = [&Scheme::HTTP, &Scheme::HTTPS].map(Some).contains(&uri.scheme());
    if !known || uri.authority().is_none() {
        return Err(invalid("an address begins with http:// or https:// and a host"));
    }
    let mut config = ClientConfig::new(uri).proto().with_default_max_message_size(ANSWER_BYTES_MAX);
    if options.wire == Wire::Grpc {
        config = config.with_protocol(Protocol::Grpc);
    }
    if let Some(value) = authorization(options)? {
        config =
            config.with_default_headers(http::HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]));
    }
    Ok(config)
}

/// The header that says who calls.
fn authorization(options: &ClientOptions) -> Result<Option<http::HeaderValue>, ConnectError> {
    let Some(token) = &options.token else { return Ok(None) };
    let mut value = http::HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| ConnectError::invalid_argument("the token has characters that no token has"))?;
    value.set_sensitive(true);
    Ok(Some(value))
}
