//! Services without a listener: a typed client calls them in its own process.
//!
//! Such a call goes the way of all calls from the dispatcher on, and what guards a listener is left out: it costs no budget, takes
//! no slot, has no deadline, and neither its request nor its answer has a bound. So it is for operators alone, such as a verb on
//! a data directory, or pages that a server makes for them. Its errors carry the detail that an operator may read and that
//! [`to_wire`] keeps back.

use std::sync::Arc;

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{MethodDescriptor, RequestStream, StreamingResult, UnaryResult};
use connectrpc::{
    CodecFormat, CompressionPolicy, ConnectError, ConnectRpcService, Dispatcher, Limits, Payload,
    RequestContext,
};
use futures::{FutureExt as _, StreamExt as _, TryFutureExt as _};
use guanxi_proto::{Client, InProcessBody};
use http_body_util::BodyExt;
use tower::Service as _;

use crate::caller::Caller;
use crate::errors::{to_wire, unknown_method, with_detail};
use crate::rules::{Access, Methods};

/// Returns a client whose calls `services` answer in this process, as `operator`. `methods` have the rules of the calls.
pub fn in_process(methods: &'static Methods, services: Arc<dyn Dispatcher>, operator: Caller) -> Client {
    let service = ConnectRpcService::new(Detailed(services))
        .with_limits(Limits::unlimited())
        .with_compression_policy(CompressionPolicy::disabled());
    Client::in_process(Arc::new(move |mut request| {
        let path = request.uri().path().trim_start_matches('/');
        let entered = methods.find(path).ok_or_else(unknown_method).and_then(|method| {
            let mut caller = operator.clone();
            let entered = caller.enter(Access::Admin).and_then(|()| caller.enter_by(&method.rule));
            entered.map_err(|error| to_wire(&error)).map(|()| (method, caller))
        });
        match entered {
            Ok((method, caller)) => {
                request.extensions_mut().insert(method);
                request.extensions_mut().insert(caller);
                let answer = service.clone().call(request);
                Box::pin(answer.map(|Ok(answer)| answer.map(boxed)))
            }
            Err(error) => {
                let answer = error.into_http_response(request.headers());
                Box::pin(std::future::ready(answer.map(boxed)))
            }
        }
    }))
}

/// A body in the one type that clients of this process read.
pub(crate) fn boxed<B>(body: B) -> InProcessBody
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    body.map_err(|error| ConnectError::unavailable_from_transport("the answer was cut short", error))
        .boxed_unsync()
}

/// Services whose errors carry their details. No method of ours streams its requests.
struct Detailed(Arc<dyn Dispatcher>);

impl Dispatcher for Detailed {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        self.0.lookup(path)
    }

    fn call_unary(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Payload,
        format: CodecFormat,
    ) -> UnaryResult {
        Box::pin(self.0.call_unary(path, ctx, request, format).map_err(with_detail))
    }

    fn call_server_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let answers = self.0.call_server_streaming(path, ctx, request, format);
        Box::pin(async move {
            let answers = answers.await.map_err(with_detail)?;
            Ok(answers.map_body(|items| items.map(|item| item.map_err(with_detail)).boxed()))
        })
    }

    fn call_client_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> UnaryResult {
        self.0.call_client_streaming(path, ctx, requests, format)
    }

    fn call_bidi_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> StreamingResult {
        self.0.call_bidi_streaming(path, ctx, requests, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::from_wire;
    use crate::router::{caller, rule};
    use crate::rules::{Budget, CallTable, PasswordUse, Rule};
    use connectrpc::ConnectError;
    use connectrpc::response::Response;
    use guanxi_model::{Error, Principal, Reason, Scopes};
    use guanxi_proto::v1;
    use std::sync::LazyLock;

    const STATS: Rule = Rule {
        path: "guanxi.v1.AdminService/Stats",
        access: Access::Admin,
        own: None,
        budget: Budget::Free,
        password: PasswordUse::No,
    };
    const VERIFY: Rule = Rule { path: "guanxi.v1.AdminService/Verify", ..STATS };
    const BACKUP: Rule = Rule { path: "guanxi.v1.AdminService/Backup", ..STATS };

    static METHODS: LazyLock<Methods> =
        LazyLock::new(|| Methods::new(&CallTable { rules: &[STATS, VERIFY, BACKUP], events: &[] }));

    /// Services over a damaged store: one stream fails at its beginning, one in its middle.
    struct Damaged;

    fn damage() -> Error {
        Error::with_detail(Reason::Damaged, "block 7")
    }

    fn checked(ctx: &RequestContext, path: &str) -> ConnectError {
        assert_eq!(caller(ctx).unwrap().principal, Principal::Admin);
        assert_eq!(rule(ctx).unwrap().path, path);
        to_wire(&damage())
    }

    impl Dispatcher for Damaged {
        fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
            Some(if path == STATS.path {
                MethodDescriptor::unary(true)
            } else {
                MethodDescriptor::server_streaming()
            })
        }

        fn call_unary(&self, path: &str, ctx: RequestContext, _: Payload, _: CodecFormat) -> UnaryResult {
            Box::pin(std::future::ready(Err(checked(&ctx, path))))
        }

        fn call_server_streaming(
            &self,
            path: &str,
            ctx: RequestContext,
            _: Bytes,
            _: CodecFormat,
        ) -> StreamingResult {
            let error = checked(&ctx, path);
            let fails_at_once = path == BACKUP.path;
            Box::pin(async move {
                if fails_at_once {
                    return Err(error);
                }
                Ok(Response::stream(futures::stream::iter([Err(error)])))
            })
        }

        fn call_client_streaming(
            &self,
            _: &str,
            _: RequestContext,
            _: RequestStream,
            _: CodecFormat,
        ) -> UnaryResult {
            unreachable!("no requests are streamed")
        }

        fn call_bidi_streaming(
            &self,
            _: &str,
            _: RequestContext,
            _: RequestStream,
            _: CodecFormat,
        ) -> StreamingResult {
            unreachable!("no requests are streamed")
        }
    }

    fn client(principal: Principal) -> Client {
        in_process(&METHODS, Arc::new(Damaged), Caller::anybody(principal))
    }

    #[tokio::test]
    async fn an_operator_reads_the_details_of_errors() {
        let client = client(Principal::Admin);
        let stats = client.admin().stats(v1::StatsRequest::default()).await.unwrap_err();
        assert_eq!(from_wire(&stats), damage());
        let backup = client.admin_streams().backup(v1::BackupRequest::default()).await;
        let mut backup = backup.unwrap();
        assert_eq!(from_wire(&backup.message::<v1::BackupResponse>().await.unwrap_err()), damage());
        let verify = client.admin_streams().verify(v1::VerifyRequest::default()).await;
        let mut verify = verify.unwrap();
        assert_eq!(from_wire(&verify.message::<v1::VerifyResponse>().await.unwrap_err()), damage());
    }

    #[tokio::test]
    async fn only_an_operator_is_let_in_and_only_to_calls_with_a_rule() {
        let service = client(Principal::Service(Scopes::default()));
        let refused = service.admin().stats(v1::StatsRequest::default()).await.unwrap_err();
        assert_eq!(from_wire(&refused), Error::new(Reason::PermissionDenied));
        let ruleless = client(Principal::Admin).admin().list_tokens(v1::ListTokensRequest::default()).await;
        assert_eq!(from_wire(&ruleless.unwrap_err()).reason, Reason::NotServed);
    }
}
