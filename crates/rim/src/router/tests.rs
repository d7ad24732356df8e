//! The router over services that are made up.

use std::sync::LazyLock;

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{RequestStream, StreamingResult, UnaryResult};
use connectrpc::response::{EncodedBody, Response};
use connectrpc::{CodecFormat, MethodDescriptor, Payload, RequestContext};
use guanxi_model::{ManualClock, Principal, Scope};
use http::StatusCode;
use http_body_util::Full;

use super::*;
use crate::Readiness;
use crate::caller::Caller;
use crate::hosts::Hosts;
use crate::listener::Endpoint;
use crate::rules::{Access, Budget, CallTable, PasswordUse, Rule};

const PATH: &str = "guanxi.v1.Test/Read";

/// A method that the operator alone may call, on both listeners, since it is not of our package.
const OPERATORS: &str = "grpc.Test/Read";

const RULES: &[Rule] = &[
    Rule {
        path: PATH,
        access: Access::User(Scope::RelationRead),
        own: None,
        budget: Budget::Reads,
        password: PasswordUse::No,
    },
    Rule {
        path: OPERATORS,
        access: Access::Admin,
        own: None,
        budget: Budget::Free,
        password: PasswordUse::No,
    },
];

/// Answers calls with nothing, for any caller.
struct Nothing;

impl Dispatcher for Nothing {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        [PATH, OPERATORS].contains(&path).then(|| MethodDescriptor::unary(false))
    }

    fn call_unary(&self, _: &str, _: RequestContext, _: Payload, _: CodecFormat) -> UnaryResult {
        let answer = Response::new(EncodedBody::from(Bytes::from_static(b"{}")));
        Box::pin(std::future::ready(Ok(answer)))
    }

    fn call_server_streaming(&self, _: &str, _: RequestContext, _: Bytes, _: CodecFormat) -> StreamingResult {
        unreachable!("no stream is called")
    }

    fn call_client_streaming(
        &self,
        _: &str,
        _: RequestContext,
        _: RequestStream,
        _: CodecFormat,
    ) -> UnaryResult {
        unreachable!("no stream is called")
    }

    fn call_bidi_streaming(
        &self,
        _: &str,
        _: RequestContext,
        _: RequestStream,
        _: CodecFormat,
    ) -> StreamingResult {
        unreachable!("no stream is called")
    }
}

fn methods() -> &'static Methods {
    static METHODS: LazyLock<Methods> =
        LazyLock::new(|| Methods::new(&CallTable { rules: RULES, events: &[] }));
    &METHODS
}

fn options() -> RouterOptions {
    RouterOptions {
        auth: Authenticator::Open(Hosts::default()),
        load: Arc::new(Load::default()),
        ready: Arc::new(|| Readiness::of(true)),
        origins: Origins::default(),
        addresses: Addresses {
            main: Endpoint::plain(([127, 0, 0, 1], 7420).into()),
            admin: Endpoint::plain(([127, 0, 0, 1], 7421).into()),
        },
        tickets: Tickets::new([7; 32], Arc::new(ManualClock::new(0))),
        body_timeout: crate::limits::BODY_TIMEOUT,
        calls: CallOptions::default(),
        rates: Arc::default(),
        registration: Registrants::Services,
    }
}

fn router(options: RouterOptions) -> Router {
    let calls = ListenerCalls { listener: Listener::Main, services: Arc::new(Nothing), accounts: None };
    Router::new(methods(), Some(calls), options, None)
}

fn ask(path: &str) -> Request<Full<Bytes>> {
    Request::post(format!("/{path}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from_static(b"{}")))
        .unwrap()
}

#[tokio::test]
async fn a_full_server_refuses_and_recovers() {
    let options = options();
    let load = Arc::clone(&options.load);
    let router = router(options);
    let anybody = Caller::anybody(Principal::Admin);
    let slots: Vec<crate::load::Slot> = std::iter::from_fn(|| load.call(&anybody).ok()).collect();
    assert_eq!(slots.len(), crate::limits::CALLS_MAX);
    let refused = router.clone().answer(ask(PATH)).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let page = Request::get("/healthz").body(Full::new(Bytes::new())).unwrap();
    assert_eq!(router.clone().answer(page).await.unwrap().status(), StatusCode::OK, "pages still answer");
    drop(slots);
    assert_eq!(router.answer(ask(PATH)).await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_caller_that_the_rule_does_not_let_in_reaches_no_service() {
    let router = router(options());
    assert_eq!(router.clone().answer(ask(PATH)).await.unwrap().status(), StatusCode::OK);
    // Without authentication everybody on this listener is a service.
    let refused = router.clone().answer(ask(OPERATORS)).await.unwrap();
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    let unknown = router.answer(ask("guanxi.v1.Test/Write")).await.unwrap();
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_service_that_is_reached_around_the_router_answers_internal() {
    let RouterOptions { auth, load, addresses, .. } = options();
    let guard = Guard::new(Arc::new(Nothing), Listener::Main, auth, load, addresses.admin);
    let call = |method: Option<&'static Method>, caller: Option<Caller>| {
        let mut of_request = http::Extensions::new();
        method.map(|method| of_request.insert(method));
        caller.map(|caller| of_request.insert(caller));
        let ctx = RequestContext::new(HeaderMap::new()).with_extensions(of_request);
        let request = Payload::new(Bytes::from_static(b"{}"), CodecFormat::Json);
        guard.call_unary(PATH, ctx, request, CodecFormat::Json)
    };
    let (method, caller) = (methods().find(PATH), Caller::anybody(Principal::Admin));
    for (method, caller) in [(method, None), (None, Some(caller.clone()))] {
        let error = call(method, caller).await.err().unwrap();
        assert_eq!((error.code, errors::reason_name(&error)), (ErrorCode::Internal, "INTERNAL".to_owned()));
    }
    assert!(call(method, Some(caller)).await.is_ok());
}
