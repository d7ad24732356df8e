//! The router over services that are made up.

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{RequestStream, StreamingResult, UnaryResult};
use connectrpc::response::{EncodedBody, Response};
use connectrpc::{CodecFormat, MethodDescriptor, Payload, RequestContext};
use guanxi_model::{ManualClock, Principal, Scope};
use http::StatusCode;
use http_body_util::Full;

use super::*;
use crate::caller::Caller;
use crate::listener::Endpoint;
use crate::rules::{Budget, CallTable, Rule};

const PATH: &str = "guanxi.v1.Test/Read";

const RULES: &[Rule] =
    &[Rule { path: PATH, access: Access::User(Scope::RelationRead), own: None, budget: Budget::Reads }];

/// Answers one call, with nothing.
struct Nothing;

impl Dispatcher for Nothing {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        (path == PATH).then(|| MethodDescriptor::unary(false))
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

fn options() -> RouterOptions {
    let table = CallTable { rules: RULES, events: &[], register: "", login: "" };
    RouterOptions {
        methods: Box::leak(Box::new(Methods::new(&table))),
        auth: Authenticator::Open,
        load: Arc::new(Load::default()),
        ready: Arc::new(|| true),
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
    Router::new(Some(calls), options, None)
}

fn ask() -> Request<Full<Bytes>> {
    Request::post(format!("/{PATH}"))
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
    let refused = router.clone().answer(ask()).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let page = Request::get("/healthz").body(Full::new(Bytes::new())).unwrap();
    assert_eq!(router.clone().answer(page).await.unwrap().status(), StatusCode::OK, "pages still answer");
    drop(slots);
    assert_eq!(router.answer(ask()).await.unwrap().status(), StatusCode::OK);
}
