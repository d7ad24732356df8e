//! The services of a listener: calls go straight to the dispatcher, all other requests to the pages.

mod enter;
mod guard;
mod let_in;
#[cfg(test)]
mod tests;

pub use guard::{caller, rule};

use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use connectrpc::dispatcher::MethodDescriptor;
use connectrpc::{
    CompressionPolicy, ConnectError, ConnectRpcBody, ConnectRpcService, DeadlinePolicy, Dispatcher,
    ErrorCode, Limits,
};
use guanxi_centers::user::AccountCenter;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use tower::{Layer as _, Service as _, service_fn};
use tower_http::cors::CorsLayer;

use crate::admission;
use crate::answer::{Answer, AnswerBody};
use crate::asked_body::AskedBody;
use crate::auth::Authenticator;
use crate::calls::{CallOptions, CallWatch, TaggedBody};
use crate::cors::{Origins, is_from_page};
use crate::errors::{self, to_wire};
use crate::events::{self, Asked};
use crate::jwt;
use crate::limits::{COMPRESS_BYTES_MIN, DEADLINE_DEFAULT, DEADLINE_MAX, REQUEST_BYTES_MAX};
use crate::listener::{Addresses, Listener};
use crate::load::{Evicted, Load};
use crate::meters;
use crate::pages::{self, Front, OPENAPI_PATH, Ready, RenderMetrics};
use crate::rates::Budgets;
use crate::rules::{Method, Methods, Registrants};
use crate::ticket::Tickets;
use crate::timed_body::TimedBody;
use crate::tls;
use guard::Guard;
use let_in::Refused;

/// The options of both listeners.
#[derive(Clone)]
pub struct RouterOptions {
    /// Tells who calls.
    pub auth: Authenticator,
    /// The load of the process; the same for both listeners.
    pub load: Arc<Load>,
    /// Whether the store can answer, for `/readyz`.
    pub ready: Ready,
    /// Makes and reads tickets for streams.
    pub tickets: Tickets,
    /// How long the body of a call may take.
    pub body_timeout: Duration,
    /// Origins of web pages that may call the main listener; none by default.
    pub origins: Origins,
    /// Where the two listeners are.
    pub addresses: Addresses,
    /// The work beside answering each call.
    pub calls: CallOptions,
    /// The rates at which callers may ask; the same for both listeners.
    pub rates: Arc<Budgets>,
    /// The callers that may make accounts.
    pub registration: Registrants,
}

/// The calls that a listener answers.
pub struct ListenerCalls {
    /// Which listener it is.
    pub listener: Listener,
    /// The services, which only calls reach that a rule lets in.
    pub services: Arc<dyn Dispatcher>,
    /// The center for login and registration; `None` on the operator's listener.
    pub accounts: Option<AccountCenter>,
}

/// The services of a listener. Cheap to clone.
#[derive(Clone)]
pub struct Router {
    inner: Arc<Inner>,
    /// Pages for browsers, beside those of the listener itself.
    site: Option<axum::Router>,
}

struct Inner {
    /// `None` in a process that answers no calls.
    rpc: Option<Rpc>,
    methods: &'static Methods,
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
    /// The center for login and registration; `None` on the operator's listener.
    accounts: Option<AccountCenter>,
}

/// How the calls of a listener are answered.
struct Rpc {
    listener: Listener,
    service: ConnectRpcService<Guard>,
}

impl Rpc {
    fn new(calls: ListenerCalls, options: &RouterOptions) -> (Self, Option<AccountCenter>) {
        let ListenerCalls { listener, services, accounts } = calls;
        let (auth, load) = (options.auth.clone(), Arc::clone(&options.load));
        let guard = Guard::new(services, listener, auth, load, options.addresses.admin);
        let limits = Limits::default()
            .with_max_request_body_size(REQUEST_BYTES_MAX)
            .with_max_message_size(REQUEST_BYTES_MAX);
        let deadlines = DeadlinePolicy::new().with_default_timeout(DEADLINE_DEFAULT).with_max(DEADLINE_MAX);
        let service = ConnectRpcService::new(guard)
            .with_limits(limits)
            .with_compression_policy(CompressionPolicy::default().with_min_size(COMPRESS_BYTES_MIN))
            .with_deadline_policy(deadlines);
        (Self { listener, service }, accounts)
    }

    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        self.service.dispatcher().lookup(path)
    }

    /// Begins a call.
    fn call(
        &self,
        request: Request<AskedBody>,
        timeout: Option<Duration>,
        evicted: Option<Evicted>,
    ) -> Called {
        let request = request.map(|body| TimedBody::new(body, timeout, evicted));
        self.service.clone().call(request)
    }
}

/// The answer of the dispatcher on its way.
type Called = Pin<Box<dyn Future<Output = Result<Response<ConnectRpcBody>, Infallible>> + Send>>;

impl Router {
    /// Returns the router of a listener: its pages, and the calls that it answers, if it answers any. `methods` are those of the
    /// process, with their rules. Only the operator's listener has metrics.
    pub fn new(
        methods: &'static Methods,
        calls: Option<ListenerCalls>,
        options: RouterOptions,
        metrics: Option<RenderMetrics>,
    ) -> Self {
        meters::describe();
        tls::describe();
        jwt::describe();
        let (rpc, accounts) = calls.map(|calls| Rpc::new(calls, &options)).unzip();
        let RouterOptions {
            auth,
            load,
            ready,
            tickets,
            body_timeout,
            origins,
            addresses,
            calls,
            rates,
            registration,
        } = options;
        let watch = Arc::new(CallWatch::new(calls));
        let front = match rpc.as_ref().map(|rpc| rpc.listener) {
            Some(Listener::Main) => Front::Main,
            Some(Listener::Admin) => Front::Admin,
            None => Front::Pages,
        };
        let pages = pages::router(Arc::clone(&load), ready, metrics, front);
        // Browsers have no business with the operator's listener.
        let cors = origins.layer().filter(|_| matches!(front, Front::Main));
        let inner = Inner {
            rpc,
            methods,
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
            accounts: accounts.flatten(),
        };
        Self { inner: Arc::new(inner), site: None }
    }

    /// Returns the same router with pages for browsers: they answer what neither a call nor a page of the listener answers, and
    /// `/` for a client that asks for HTML.
    #[must_use]
    pub fn with_site(self, site: axum::Router) -> Self {
        Self { site: Some(site), ..self }
    }

    pub(crate) fn auth(&self) -> &Authenticator {
        &self.inner.auth
    }

    pub(crate) fn rates(&self) -> &Arc<Budgets> {
        &self.inner.rates
    }

    pub(crate) fn load(&self) -> &Arc<Load> {
        &self.inner.load
    }

    /// Answers one request. The answer carries the request's id, and log lines of the request name it. An error is an answer,
    /// too.
    pub fn answer(self, request: Request<impl Into<AskedBody>>) -> Answering {
        self.answer_body(request.map(Into::into))
    }

    /// Boxed, because its callers move the future about. It is boxed once, and here, so that it is compiled in this crate.
    fn answer_body(self, mut request: Request<AskedBody>) -> Answering {
        let Self { inner, site } = self;
        Box::pin(async move {
            let target = Target::of(inner.methods, request.uri().path());
            let begun = inner.watch.begin(request.headers(), || target.name());
            if let Some(site) = site.filter(|_| target.is_page() && pages::is_of_site(&request)) {
                let answer = std::pin::pin!(of_site(site, request));
                return Ok(inner.watch.answer(begun, answer).await);
            }
            let answer = std::pin::pin!(inner.route(target, &mut request));
            Ok(inner.watch.answer(begun, answer).await)
        })
    }
}

/// Answers a request for a page of a site.
async fn of_site(mut site: axum::Router, request: Request<AskedBody>) -> Answer {
    let Ok(answer) = site.call(request.map(axum::body::Body::new)).await;
    answer.map(AnswerBody::Page)
}

/// An answer on its way.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response<TaggedBody>, Infallible>> + Send>>;

/// Returns what caches on the way are told of an answer; only answers to GET are kept by any.
///
/// Every answer to a call depends on the caller and on what was written a moment ago. So no cache keeps one, not even the
/// caller's own: a page that is read again may have lost what its reader must not see any more. The same goes for health and
/// metrics. The description of the API changes with the server's version alone.
fn kept_by_caches<B>(target: Target, request: &Request<B>) -> Option<HeaderValue> {
    let kept = match (target, request.uri().path()) {
        (Target::Call(_), _) => "private, no-store",
        (Target::Page, OPENAPI_PATH) => "public, max-age=3600",
        (Target::Page, _) => "no-store",
    };
    matches!(*request.method(), http::Method::GET | http::Method::HEAD)
        .then(|| HeaderValue::from_static(kept))
}

/// The target of a request.
#[derive(Clone, Copy)]
enum Target {
    /// A call of a method; `None` if there is no such method.
    Call(Option<&'static Method>),
    /// A page.
    Page,
}

impl Target {
    /// Looks a path up, once for a request. Calls are in packages, which pages are not.
    fn of(methods: &'static Methods, path: &str) -> Self {
        match path.strip_prefix('/') {
            Some(path) if path.starts_with("guanxi.") || path.starts_with("grpc.") => {
                Self::Call(methods.find(path))
            }
            _ => Self::Page,
        }
    }

    const fn is_page(self) -> bool {
        matches!(self, Self::Page)
    }

    /// Returns the name of a call in logs and traces; `None` for a page. No text of a client becomes a name.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Call(method) => Some(method.map_or("unknown", |method| method.rule.path)),
            Self::Page => None,
        }
    }
}

impl Inner {
    /// Answers a request, whose body is taken from it. A request stays in one place on its way, since it is large.
    async fn route(self: &Arc<Self>, target: Target, request: &mut Request<AskedBody>) -> Answer {
        match self.cors.as_ref().filter(|_| is_from_page(request.headers())) {
            None => self.answer(target, request).await,
            Some(layer) => Box::pin(self.answer_page(layer, target, mem::take(request))).await,
        }
    }

    /// Answers a request that a page of another origin sends.
    async fn answer_page(
        self: &Arc<Self>,
        layer: &CorsLayer,
        target: Target,
        request: Request<AskedBody>,
    ) -> Answer {
        let answer = |mut request| {
            let inner = Arc::clone(self);
            async move { Ok::<_, Infallible>(inner.answer(target, &mut request).await) }
        };
        let Ok(answer) = layer.layer(service_fn(answer)).call(request).await;
        answer
    }

    async fn answer(&self, target: Target, request: &mut Request<AskedBody>) -> Answer {
        let kept = kept_by_caches(target, request);
        let mut answer = match (target, &self.rpc) {
            (Target::Page, _) => Box::pin(self.page(mem::take(request))).await,
            (Target::Call(_), None) => errors::refuse(errors::no_calls(), request.headers()),
            (Target::Call(method), Some(rpc)) if events::asks_for_events(request) => {
                Box::pin(self.events(rpc, method, mem::take(request))).await
            }
            (Target::Call(Some(method)), Some(rpc)) => self.call(rpc, method, request).await,
            (Target::Call(None), Some(_)) => errors::refuse(errors::unknown_method(), request.headers()),
        };
        if let Some(kept) = kept {
            answer.headers_mut().insert(header::CACHE_CONTROL, kept);
        }
        answer
    }

    /// Returns what is wrong with the head of a call of a method, for any caller.
    fn unanswerable(&self, rpc: &Rpc, method: &Method, request: &Request<AskedBody>) -> Option<ConnectError> {
        let (here, access) = (rpc.listener, method.rule.access);
        // Health and reflection are on both.
        let is_ours = method.rule.path.starts_with("guanxi.");
        if is_ours && access.is_operators() != (here == Listener::Admin) {
            return Some(errors::wrong_listener(here, access, self.addresses, request));
        }
        let path = method.rule.path;
        let found = rpc.lookup(path);
        let as_events = method.events.is_some();
        if *request.method() == http::Method::POST {
            return errors::unreadable(request.headers(), path, found, as_events);
        }
        errors::wrong_verb(request.method(), path, found, as_events)
    }

    /// Answers a request for events: the call that it stands for goes the way of all calls.
    async fn events(
        &self,
        rpc: &Rpc,
        method: Option<&'static Method>,
        request: Request<AskedBody>,
    ) -> Answer {
        let served = method.and_then(|method| Some((method, method.events?)));
        let asked = served
            .ok_or_else(events::not_served)
            .and_then(|(method, served)| events::read(request, served).map(|asked| (method, served, asked)));
        let (method, served, asked) = match asked {
            Ok(asked) => asked,
            Err(error) => return errors::refuse(error, &HeaderMap::new()),
        };
        let Asked { mut call, ticket } = asked;
        if let Some(ticket) = ticket {
            match self.ticket_holder(&ticket, method, served).await {
                Ok(caller) => drop(call.extensions_mut().insert(caller)),
                Err(error) => {
                    let error = self.unknown(to_wire(&error), call.extensions());
                    return errors::refuse(error, &HeaderMap::new());
                }
            }
        }
        events::answer(self.call(rpc, method, &mut call.map(AskedBody::from)).await).await
    }

    /// Answers a call. The caller is known from the head alone: a caller without a token has no body read, and takes no slot
    /// of callers that have one.
    async fn call(&self, rpc: &Rpc, method: &'static Method, request: &mut Request<AskedBody>) -> Answer {
        if let Some(error) = self.unanswerable(rpc, method, request) {
            return errors::refuse(error, request.headers());
        }
        // One meter for all that is refused before the guard, which measures the rest.
        let refused = |code| method.meter.start().end(Some(code));
        let entry = match self.enter(rpc.listener, method, request).await {
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
        let Ok(answer) = rpc.call(mem::take(request), timeout, evicted).await;
        if errors::may_be_error(&answer) {
            Box::pin(errors::explain(answer, asked)).await
        } else {
            answer.map(AnswerBody::Call)
        }
    }

    async fn page(&self, request: Request<AskedBody>) -> Answer {
        // The description is large, and any client may ask for it; the other pages are a few bytes, or the operator's.
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
