//! What a listener serves: calls go straight to the dispatcher, anything else to the pages.

mod enter;

use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use connectrpc::dispatcher::MethodDescriptor;
use connectrpc::{
    Chain, CompressionPolicy, ConnectError, ConnectRpcBody, ConnectRpcService, DeadlinePolicy, Dispatcher,
    ErrorCode, Limits,
};
use connectrpc_health::StaticChecker;
use connectrpc_reflection::Reflector;
use guanxi_centers::Centers;
use guanxi_centers::operator::OperatorCenter;
use guanxi_centers::user::AccountCenter;
use guanxi_proto::v1;
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use tower::{Layer as _, Service as _, service_fn};
use tower_http::cors::CorsLayer;

use crate::admin::AdminApi;
use crate::admission;
use crate::answer::{Answer, AnswerBody};
use crate::asked_body::AskedBody;
use crate::auth::Authenticator;
use crate::calls::{CallOptions, CallWatch, TaggedBody};
use crate::cors::{Origins, is_from_page};
use crate::errors::{self, to_wire};
use crate::events::{self, Asked};
use crate::external_ids::ExternalIds;
use crate::feed::FeedApi;
use crate::guard::Guard;
use crate::jwt;
use crate::let_in::Refused;
use crate::limits::{COMPRESS_BYTES_MIN, DEADLINE_DEFAULT, DEADLINE_MAX, REQUEST_BYTES_MAX};
use crate::listener::{Addresses, Listener};
use crate::load::{Evicted, Load};
use crate::meters;
use crate::page_token::PageTokens;
use crate::pages::{self, Front, OPENAPI_PATH, Ready, RenderMetrics};
use crate::post::PostApi;
use crate::rates::Budgets;
use crate::relation::RelationApi;
use crate::rules::{self, Access, Registrants};
use crate::search::SearchApi;
use crate::ticket::Tickets;
use crate::timed_body::TimedBody;
use crate::user::UserApi;

/// What both listeners need.
#[derive(Clone)]
pub struct Options {
    /// Tells who calls.
    pub auth: Authenticator,
    /// The load of the process; the same for both listeners.
    pub load: Arc<Load>,
    /// Whether the store can answer, for `/readyz`.
    pub ready: Ready,
    /// Makes and reads tickets for streams.
    pub tickets: Tickets,
    /// Seals and opens page tokens.
    pub page_tokens: PageTokens,
    /// How long the body of a call may take.
    pub body_timeout: Duration,
    /// Origins of web pages that may call the main listener; none by default.
    pub origins: Origins,
    /// Where the two listeners are.
    pub addresses: Addresses,
    /// What is done with each call beside answering it.
    pub calls: CallOptions,
    /// What callers may ask for in a time; the same for both listeners.
    pub rates: Arc<Budgets>,
    /// Who may make accounts.
    pub registration: Registrants,
}

/// What a listener serves. Cheap to clone.
#[derive(Clone)]
pub struct Router {
    inner: Arc<Inner>,
}

struct Inner {
    rpc: Rpc,
    pages: axum::Router,
    load: Arc<Load>,
    cors: Option<CorsLayer>,
    auth: Authenticator,
    addresses: Addresses,
    body_timeout: Duration,
    watch: Arc<CallWatch>,
    rates: Arc<Budgets>,
    tickets: Tickets,
    registration: Registrants,
    /// Who logs in and registers; nobody does on the operator's listener.
    accounts: Option<AccountCenter>,
}

/// The services of the main listener, compiled into one match each.
type MainServices = Chain<
    v1::RelationServiceServer<RelationApi>,
    Chain<
        v1::FeedServiceServer<FeedApi>,
        Chain<
            v1::PostServiceServer<PostApi>,
            Chain<
                v1::UserServiceServer<UserApi>,
                Chain<v1::SearchServiceServer<SearchApi>, connectrpc::Router>,
            >,
        >,
    >,
>;

/// The dispatchers of the two listeners.
#[derive(Clone)]
enum Rpc {
    Main(ConnectRpcService<Guard<MainServices>>),
    Admin(ConnectRpcService<Guard<Chain<v1::AdminServiceServer<AdminApi>, connectrpc::Router>>>),
    /// Of a process that answers no calls.
    Pages,
}

impl Rpc {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        match self {
            Self::Main(service) => service.dispatcher().lookup(path),
            Self::Admin(service) => service.dispatcher().lookup(path),
            Self::Pages => None,
        }
    }

    /// Begins a call; `None` in a process that answers none.
    fn call(
        &self,
        request: Request<AskedBody>,
        timeout: Option<Duration>,
        evicted: Option<Evicted>,
    ) -> Option<Called> {
        let request = request.map(|body| TimedBody::new(body, timeout, evicted));
        match self {
            Self::Main(service) => Some(service.clone().call(request)),
            Self::Admin(service) => Some(service.clone().call(request)),
            Self::Pages => None,
        }
    }
}

/// The answer of the dispatcher on its way.
type Called = Pin<Box<dyn Future<Output = Result<Response<ConnectRpcBody>, Infallible>> + Send>>;

const MAIN: &[&str] = &[
    "guanxi.v1.RelationService",
    "guanxi.v1.PostService",
    "guanxi.v1.FeedService",
    "guanxi.v1.UserService",
    "guanxi.v1.SearchService",
];

const ADMIN: &[&str] = &["guanxi.v1.AdminService"];

/// What the main listener serves: relations, posts, feeds, users, searches, health, reflection, `/healthz`, `/readyz`, `/openapi.json`.
pub fn main_router(centers: Centers, accounts: AccountCenter, options: Options) -> Router {
    let Centers { relation, group, post, feed, user, search, affinity, hub: _, heavy } = centers;
    let load = || Arc::clone(&options.load);
    let pages = || options.page_tokens.clone();
    let external_ids = ExternalIds::new(accounts.external_ids());
    let feed = v1::FeedServiceServer::new(FeedApi::new(feed, load(), pages()));
    let relation =
        v1::RelationServiceServer::new(RelationApi::new(relation, group, affinity, load(), pages()));
    let exports = accounts.exports(options.auth.credentials()).sharing(heavy);
    let doors = accounts.clone();
    let (tickets, rates) = (options.tickets.clone(), options.rates.clone());
    let user = UserApi::new(user, accounts, post.clone(), exports, tickets, rates, load());
    let post = v1::PostServiceServer::new(PostApi::new(post, pages()));
    let user = v1::UserServiceServer::new(user);
    let search = v1::SearchServiceServer::new(SearchApi::new(search, pages()));
    let common = Chain(search, common_services(MAIN));
    let services = Chain(relation, Chain(feed, Chain(post, Chain(user, common))));
    let rpc = Rpc::Main(service(services, Listener::Main, external_ids, &options));
    Router::new(rpc, options, None, Some(doors))
}

/// What the admin listener serves: the admin service, health, reflection, and the pages with `/metrics`.
pub fn admin_router(
    operator: OperatorCenter,
    version: &'static str,
    options: Options,
    metrics: RenderMetrics,
) -> Router {
    let external_ids = ExternalIds::new(operator.external_ids());
    let api = v1::AdminServiceServer::new(AdminApi::new(
        operator,
        version,
        Arc::clone(&options.load),
        options.page_tokens.clone(),
    ));
    let common = common_services(ADMIN);
    let rpc = Rpc::Admin(service(Chain(api, common), Listener::Admin, external_ids, &options));
    // Browsers have no business with the operator's listener.
    let options = Options { origins: Origins::default(), ..options };
    Router::new(rpc, options, Some(metrics), None)
}

/// What the admin listener of a process serves that answers no calls: `/healthz`, `/readyz`, `/openapi.json` and `/metrics`.
pub fn pages_router(options: Options, metrics: RenderMetrics) -> Router {
    let options = Options { origins: Origins::default(), ..options };
    Router::new(Rpc::Pages, options, Some(metrics), None)
}

const COMMON: &[&str] = &[
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// Health and reflection, which both listeners have.
fn common_services(services: &[&'static str]) -> connectrpc::Router {
    let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS)
        .expect("the generated descriptors are whole")
        .with_services(services.iter().chain(COMMON).copied());
    let (router, _): (_, Arc<StaticChecker>) =
        connectrpc_health::install_static(connectrpc::Router::new(), services.iter().copied());
    connectrpc_reflection::install(router, reflector)
}

fn service<D: Dispatcher>(
    inner: D,
    listener: Listener,
    external_ids: ExternalIds,
    options: &Options,
) -> ConnectRpcService<Guard<D>> {
    let (auth, load) = (options.auth.clone(), Arc::clone(&options.load));
    let guard = Guard::new(inner, listener, auth, load, external_ids, options.addresses.admin);
    ConnectRpcService::new(guard)
        .with_limits(
            Limits::default()
                .with_max_request_body_size(REQUEST_BYTES_MAX)
                .with_max_message_size(REQUEST_BYTES_MAX),
        )
        .with_compression_policy(CompressionPolicy::default().with_min_size(COMPRESS_BYTES_MIN))
        .with_deadline_policy(
            DeadlinePolicy::new().with_default_timeout(DEADLINE_DEFAULT).with_max(DEADLINE_MAX),
        )
}

impl Router {
    fn new(
        rpc: Rpc,
        options: Options,
        metrics: Option<RenderMetrics>,
        accounts: Option<AccountCenter>,
    ) -> Self {
        meters::describe();
        jwt::describe();
        let Options {
            auth,
            load,
            ready,
            tickets,
            page_tokens: _,
            body_timeout,
            origins,
            addresses,
            calls,
            rates,
            registration,
        } = options;
        let watch = Arc::new(CallWatch::new(calls));
        let front = match &rpc {
            Rpc::Main(_) => Front::Main,
            Rpc::Admin(_) => Front::Admin,
            Rpc::Pages => Front::Pages,
        };
        let pages = pages::router(Arc::clone(&load), ready, metrics, front);
        let cors = origins.layer();
        let inner = Inner {
            rpc,
            pages,
            load,
            cors,
            auth,
            addresses,
            body_timeout,
            watch,
            rates,
            tickets,
            registration,
            accounts,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn load(&self) -> &Arc<Load> {
        &self.inner.load
    }

    /// Answers one request: the answer carries its id, and what is logged meanwhile names it. What goes wrong is an
    /// answer, too.
    pub fn answer(self, request: Request<impl Into<AskedBody>>) -> Answering {
        self.answer_body(request.map(Into::into))
    }

    /// Boxed, because whoever takes it moves it about: once, and here, so that it is compiled in this crate.
    fn answer_body(self, mut request: Request<AskedBody>) -> Answering {
        let inner = self.inner;
        Box::pin(async move {
            let begun = inner.watch.begin(request.headers(), || name(request.uri().path()));
            let answer = std::pin::pin!(inner.route(&mut request));
            Ok(inner.watch.answer(begun, answer).await)
        })
    }
}

/// An answer on its way.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response<TaggedBody>, Infallible>> + Send>>;

/// What caches on the way are told of an answer; only answers to GET are kept by any.
///
/// Every answer to a call depends on who asks and on what was written a moment ago, so no cache keeps one, not even the
/// caller's own: a page that is asked for again may have lost what its reader must not see any more. The same goes for
/// health and metrics. The description of the API changes with the server's version alone.
fn kept_by_caches<B>(request: &Request<B>) -> Option<HeaderValue> {
    let kept = match request.uri().path() {
        OPENAPI_PATH => "public, max-age=3600",
        path if is_call(path) => "private, no-store",
        _ => "no-store",
    };
    matches!(*request.method(), Method::GET | Method::HEAD).then(|| HeaderValue::from_static(kept))
}

/// What a call is called in logs and traces; `None` for a page. Nobody's text becomes a name.
fn name(path: &str) -> Option<&'static str> {
    let known = |path: &str| rules::method(path.strip_prefix('/')?).map(|method| method.rule.path);
    is_call(path).then(|| known(path).unwrap_or("unknown"))
}

/// Calls are in packages, which pages are not.
fn is_call(path: &str) -> bool {
    path.starts_with("/guanxi.") || path.starts_with("/grpc.")
}

impl Inner {
    /// Answers a request, whose body is taken from it. A request stays in one place on its way, since it is large.
    async fn route(self: &Arc<Self>, request: &mut Request<AskedBody>) -> Answer {
        match self.cors.as_ref().filter(|_| is_from_page(request.headers())) {
            None => self.answer(request).await,
            Some(layer) => Box::pin(self.answer_page(layer, mem::take(request))).await,
        }
    }

    /// Answers a request that a page of another origin sends.
    async fn answer_page(self: &Arc<Self>, layer: &CorsLayer, request: Request<AskedBody>) -> Answer {
        let answer = |mut request| {
            let inner = Arc::clone(self);
            async move { Ok::<_, Infallible>(inner.answer(&mut request).await) }
        };
        let Ok(answer) = layer.layer(service_fn(answer)).call(request).await;
        answer
    }

    async fn answer(&self, request: &mut Request<AskedBody>) -> Answer {
        let kept = kept_by_caches(request);
        let is_call = is_call(request.uri().path());
        let mut answer = if is_call && matches!(self.rpc, Rpc::Pages) {
            errors::refuse(errors::no_calls(), request.headers())
        } else if is_call && events::asks_for_events(request) {
            Box::pin(self.events(mem::take(request))).await
        } else if is_call {
            self.call(request).await
        } else {
            Box::pin(self.page(mem::take(request))).await
        };
        if let Some(kept) = kept {
            answer.headers_mut().insert(header::CACHE_CONTROL, kept);
        }
        answer
    }

    /// What is wrong with the head of a call of a method, whoever calls.
    fn unanswerable(&self, request: &Request<AskedBody>, method: &rules::Method) -> Option<ConnectError> {
        let (here, access) = (self.listener(), method.rule.access);
        // Health and reflection are on both.
        let is_ours = method.rule.path.starts_with("guanxi.");
        if is_ours && (access == Access::Admin) != (here == Listener::Admin) {
            return Some(errors::wrong_listener(here, access, self.addresses, request));
        }
        let path = method.rule.path;
        let (found, as_events) = (self.rpc.lookup(path), events::is_served(path));
        if *request.method() == Method::POST {
            return errors::unreadable(request.headers(), path, found, as_events);
        }
        errors::wrong_verb(request.method(), path, found, as_events)
    }

    /// Answers a request for events: the call that it stands for goes the way of all calls.
    async fn events(&self, request: Request<AskedBody>) -> Answer {
        let asked = match events::read(request) {
            Ok(asked) => asked,
            Err(error) => return errors::refuse(error, &HeaderMap::new()),
        };
        let Asked { mut call, ticket } = asked;
        if let Some(ticket) = ticket {
            match self.ticket_holder(&ticket, call.uri().path()).await {
                Ok(caller) => drop(call.extensions_mut().insert(caller)),
                Err(error) => {
                    let error = self.unknown(to_wire(&error), call.extensions());
                    return errors::refuse(error, &HeaderMap::new());
                }
            }
        }
        events::answer(self.call(&mut call.map(AskedBody::from)).await).await
    }

    /// Answers a call. Who calls is asked of the head alone: nobody without a token has a body read or takes a slot of
    /// those who have one.
    async fn call(&self, request: &mut Request<AskedBody>) -> Answer {
        let path = request.uri().path();
        let Some(method) = rules::method(path.strip_prefix('/').unwrap_or(path)) else {
            return errors::refuse(errors::unknown_method(), request.headers());
        };
        if let Some(error) = self.unanswerable(request, method) {
            return errors::refuse(error, request.headers());
        }
        // One meter for all that is refused before the guard, which measures the rest.
        let refused = |code| method.meter.start().end(Some(code));
        let entry = match self.enter(method, request).await {
            Ok(entry) => entry,
            Err(Refused::ForWantOfTime) => {
                refused(ErrorCode::ResourceExhausted);
                return admission::refuse(request.headers());
            }
            Err(Refused::With(error)) => {
                refused(error.code);
                return error.into_http_response(request.headers()).map(AnswerBody::Call);
            }
        };
        let asked = request.headers().get(header::CONTENT_TYPE).cloned();
        let timeout = (!method.rule.streams_requests()).then_some(self.body_timeout);
        let evicted = entry.evicted.filter(|_| timeout.is_some());
        request.extensions_mut().insert(method);
        let Some(answering) = self.rpc.call(mem::take(request), timeout, evicted) else {
            return errors::refuse(errors::no_calls(), &HeaderMap::new());
        };
        let Ok(answer) = answering.await;
        if errors::may_be_error(&answer) {
            Box::pin(errors::explain(answer, asked)).await
        } else {
            answer.map(AnswerBody::Call)
        }
    }

    const fn listener(&self) -> Listener {
        match &self.rpc {
            Rpc::Main(_) => Listener::Main,
            Rpc::Admin(_) | Rpc::Pages => Listener::Admin,
        }
    }

    async fn page(&self, request: Request<AskedBody>) -> Answer {
        // The description is large, and anybody may ask for it; the other pages are a few bytes, or the operator's.
        if request.uri().path() == OPENAPI_PATH
            && let Err(error) = self.rates.unknown(request.extensions().get().copied())
        {
            return to_wire(&error).into_http_response(&HeaderMap::new()).map(AnswerBody::Call);
        }
        let request = request.map(axum::body::Body::new);
        let Ok(answer) = self.pages.clone().call(request).await;
        answer.map(AnswerBody::Page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Caller;
    use crate::errors::oversized;
    use crate::listener::Endpoint;
    use buffa::bytes::Bytes;
    use connectrpc::MethodKind;
    use guanxi_centers::Ports;
    use http::StatusCode;

    fn options() -> Options {
        Options {
            auth: Authenticator::Open,
            load: Arc::new(Load::default()),
            ready: Arc::new(|| true),
            origins: Origins::default(),
            addresses: Addresses {
                main: Endpoint::plain(([127, 0, 0, 1], 7420).into()),
                admin: Endpoint::plain(([127, 0, 0, 1], 7421).into()),
            },
            tickets: Tickets::new([7; 32], Arc::new(guanxi_model::ManualClock::new(0))),
            page_tokens: PageTokens::new([7; 32]),
            body_timeout: crate::limits::BODY_TIMEOUT,
            calls: CallOptions::default(),
            rates: Arc::default(),
            registration: Registrants::Services,
        }
    }

    fn accounts(
        store: Arc<guanxi_spec::memory::MemoryStore>,
        clock: Arc<dyn guanxi_model::Clock>,
    ) -> AccountCenter {
        use guanxi_centers::user::passwords::{PasswordOptions, Passwords};
        use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
        let random: guanxi_centers::Random = Arc::new(|| [7; 32]);
        let passwords = Passwords::start(PasswordOptions::default(), clock.clone(), &random).unwrap();
        let sessions =
            SessionCenter::new(store.clone(), clock.clone(), random.clone(), SessionTerms::default());
        let users = guanxi_centers::user::UserCenter::new(store, clock.clone());
        AccountCenter::new(users, passwords, sessions, clock, random)
    }

    #[tokio::test]
    async fn a_full_server_refuses_and_recovers() {
        let clock = Arc::new(guanxi_model::ManualClock::new(0));
        let store = Arc::new(guanxi_spec::memory::MemoryStore::new(
            clock.clone(),
            guanxi_spec::memory::Options::default(),
        ));
        let inbox = Arc::new(guanxi_spec::memory::MemoryInbox::new(
            guanxi_spec::memory::Options::default().history,
            guanxi_model::Logs::One,
        ));
        let options = options();
        let load = Arc::clone(&options.load);
        let accounts = accounts(store.clone(), clock.clone());
        let backend = Ports { graph: store.clone(), posts: store.clone(), inbox, log: store, clock };
        let centers = Centers::new(&backend);
        let router = main_router(centers, accounts, options);
        let ask = || {
            let body = http_body_util::Full::new(Bytes::from_static(br#"{"uid":"1"}"#));
            Request::post("/guanxi.v1.RelationService/GetCounts")
                .header(header::CONTENT_TYPE, "application/json")
                .body(body)
                .unwrap()
        };
        let anybody = Caller::anybody(guanxi_model::Principal::Admin);
        let slots: Vec<crate::load::Slot> = std::iter::from_fn(|| load.call(&anybody).ok()).collect();
        assert_eq!(slots.len(), crate::limits::CALLS_MAX);
        let refused = router.clone().answer(ask()).await.unwrap();
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        let page = Request::get("/healthz").body(http_body_util::Full::new(Bytes::new())).unwrap();
        assert_eq!(router.clone().answer(page).await.unwrap().status(), StatusCode::OK, "pages still answer");
        drop(slots);
        assert_eq!(router.answer(ask()).await.unwrap().status(), StatusCode::OK);
    }

    #[test]
    fn health_and_reflection_have_rules_too() {
        let services = common_services(MAIN);
        assert!(services.methods().count() >= 4);
        for path in services.methods() {
            let method = rules::method(path).unwrap_or_else(|| panic!("{path} has no rule"));
            let kind = services.lookup(path).unwrap().kind;
            let streams = matches!(kind, MethodKind::ClientStreaming | MethodKind::BidiStreaming);
            assert_eq!(method.rule.streams_requests(), streams, "{path}");
        }
    }

    #[test]
    fn a_request_that_says_it_is_too_large_is_refused_unread() {
        let of = |length| oversized(&http_body_util::Full::new(Bytes::from(vec![0; length])));
        assert!(of(REQUEST_BYTES_MAX).is_none());
        assert_eq!(of(REQUEST_BYTES_MAX + 1).unwrap().code, ErrorCode::InvalidArgument);
    }
}
