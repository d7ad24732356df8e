//! In front of every handler: who calls, whether the rule lets them in, how long it took, and a reason for every
//! error. It wraps the dispatcher, so no handler can be reached around it.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{MethodDescriptor, RequestStream, StreamingResult, UnaryResult};
use connectrpc::response::{EncodedStream, Response};
use connectrpc::{CodecFormat, ConnectError, Dispatcher, ErrorCode, Payload, RequestContext};
use futures::FutureExt as _;
use guanxi_model::{Error, Reason};

use crate::auth::{Authenticator, Listener};
use crate::caller::Caller;
use crate::ending::until;
use crate::error::{rim, rim_error, rim_error_with, to_wire, typed};
use crate::external_ids::{ExternalIds, Shown};
use crate::load::{Evicted, Full, Load, hold, no_call, no_stream};
use crate::meters::Measurement;
use crate::numbers::inexact;
use crate::refusal;
use crate::rules::{self, Access, Method, Rule};

/// A dispatcher behind the rules.
pub(crate) struct Guard<D>(Arc<Guarded<D>>);

struct Guarded<D> {
    inner: D,
    listener: Listener,
    auth: Authenticator,
    load: Arc<Load>,
    external_ids: ExternalIds,
    /// Where operators make tokens.
    admin: SocketAddr,
}

/// What a call carries through its life.
struct Admitted {
    measurement: Measurement,
    rule: &'static Rule,
    admin: SocketAddr,
}

/// What is between a call's caller and its handler in either direction.
#[derive(Default)]
struct Translated {
    /// The request with uids in the place of external ids, if it had any.
    request: Option<Bytes>,
    /// What puts external ids into the answers, if they are wanted there.
    shown: Option<Shown>,
}

impl<D: Dispatcher> Guard<D> {
    pub(crate) fn new(
        inner: D,
        listener: Listener,
        auth: Authenticator,
        load: Arc<Load>,
        external_ids: ExternalIds,
        admin: SocketAddr,
    ) -> Self {
        Self(Arc::new(Guarded { inner, listener, auth, load, external_ids, admin }))
    }
}

impl<D: Dispatcher> Guarded<D> {
    /// Lets a call with one message in, or says why not.
    async fn admit_one(
        &self,
        method: Option<&'static Method>,
        ctx: &mut RequestContext,
        message: &[u8],
        format: CodecFormat,
    ) -> Result<(Admitted, Translated), ConnectError> {
        let admitted = self.admit(method, ctx).await?;
        if format == CodecFormat::Json && !is_object(message) {
            admitted.measurement.end(Some(ErrorCode::InvalidArgument));
            return Err(rim_error(
                ErrorCode::InvalidArgument,
                rim::MALFORMED,
                "the request is no JSON object",
            ));
        }
        if format == CodecFormat::Json
            && let Some(field) = inexact(message)
        {
            admitted.measurement.end(Some(ErrorCode::InvalidArgument));
            return Err(inexact_number(field));
        }
        match self.translate(&admitted, ctx, message, format).await {
            Ok(translated) => Ok((admitted, translated)),
            Err(error) => {
                admitted.measurement.end(Some(error.code));
                Err(error)
            }
        }
    }

    /// Puts uids in the place of external ids, now that it is known who calls.
    async fn translate(
        &self,
        admitted: &Admitted,
        ctx: &RequestContext,
        message: &[u8],
        format: CodecFormat,
    ) -> Result<Translated, ConnectError> {
        let shown = self.external_ids.shown(ctx.headers(), admitted.rule, format)?;
        if format != CodecFormat::Json {
            return Ok(Translated::default());
        }
        let caller = ctx.extensions().get::<Caller>();
        let request = self.external_ids.resolved(admitted.rule, caller, message).await?;
        Ok(Translated { request, shown })
    }

    /// Lets a call in, or says why not; the caller is then in the context.
    async fn admit(
        &self,
        method: Option<&'static Method>,
        ctx: &mut RequestContext,
    ) -> Result<Admitted, ConnectError> {
        let Some(method) = method else {
            // A method without a rule is as good as none; a test makes sure that none exists.
            return Err(rim_error(ErrorCode::Unimplemented, rim::UNKNOWN_METHOD, "there is no such method"));
        };
        let measurement = method.meter.start();
        match self.enter(method, ctx).await {
            Ok(()) => Ok(Admitted { measurement, rule: &method.rule, admin: self.admin }),
            Err(error) => {
                let wire = to_wire(&error);
                measurement.end(Some(wire.code));
                Err(wire)
            }
        }
    }

    async fn enter(&self, method: &Method, ctx: &mut RequestContext) -> Result<(), Error> {
        if method.rule.access == Access::Open {
            return Ok(());
        }
        // A listener has asked who calls before it read the call.
        if let Some(caller) = ctx.extensions().get::<Caller>() {
            return caller.enter(method.rule.access);
        }
        let mut caller = self.auth.caller(self.listener, ctx.headers()).await?;
        caller.enter_by(&method.rule)?;
        ctx.extensions_mut().insert(caller);
        Ok(())
    }

    /// Runs a call that answers a stream, which holds a slot from its first word to its last, and ends with the
    /// credential of its caller.
    async fn streaming(
        self: Arc<Self>,
        admitted: Admitted,
        caller: Option<Caller>,
        call: StreamingResult,
    ) -> Result<Response<EncodedStream>, ConnectError> {
        let slot = match caller.as_ref().map(|caller| self.load.stream(caller)) {
            // The operator gets through when everybody else is refused.
            Some(Err(full)) if self.listener == Listener::Main => {
                let error = to_wire(&no_stream(full, &self.load));
                admitted.measurement.end(Some(error.code));
                return Err(error);
            }
            slot => slot.and_then(Result::ok),
        };
        watch_over(admitted, async move {
            let answer = call.await?;
            Ok(answer.map_body(|body| {
                if let Some(caller) = caller {
                    hold(until(body, async move { Some(self.credential_gone(&caller).await) }), slot)
                } else {
                    let (slot, evicted) = self.load.open_stream();
                    hold(until(body, async move { self.evicted(evicted).await }), slot)
                }
            }))
        })
        .await
    }

    /// Completes when the credential that opened a stream is gone.
    async fn credential_gone(&self, caller: &Caller) -> ConnectError {
        self.auth.gone(caller).await;
        to_wire(&Error::new(Reason::Unauthenticated))
    }

    /// Completes when a stream of a stranger must end. Health and reflection never end by themselves; ours end with a
    /// reason, or with their work.
    async fn evicted(&self, evicted: Evicted) -> Option<ConnectError> {
        tokio::select! {
            () = self.load.closed() => None,
            _ = evicted => Some(to_wire(&no_call(Full::Server))),
        }
    }
}

fn inexact_number(field: String) -> ConnectError {
    let message = format!(
        "the field `{field}` holds a number above 2^53, which JSON numbers do not hold exactly; send it as a string"
    );
    // The name of the reason alone: which field it was, the caller's own text says.
    let reason = Reason::InvalidField { field: "uid" }.name();
    rim_error_with(ErrorCode::InvalidArgument, reason, &message, vec![("field", field)])
}

/// The decoder would take an array for the fields in their order.
fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

/// The caller of a call that was let in.
///
/// # Errors
/// `INTERNAL` for a handler that is not behind a guard, which is a defect.
pub(crate) fn caller(ctx: &RequestContext) -> Result<&Caller, Error> {
    ctx.extensions()
        .get::<Caller>()
        .ok_or_else(|| Error::with_detail(Reason::Internal, "a call has no caller"))
}

fn panicked() -> ConnectError {
    // The panic hook has told the operator where.
    to_wire(&Error::with_detail(Reason::Internal, "a handler panicked"))
}

/// Measures a call, catches its panic, and types its error.
async fn watch_over<T>(
    admitted: Admitted,
    call: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    let result = AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| Err(panicked()));
    let result = result.map_err(|error| refusal::of_handler(typed(error), admitted.rule, admitted.admin));
    admitted.measurement.end(result.as_ref().err().map(|error| error.code));
    result
}

impl<D: Dispatcher> Dispatcher for Guard<D> {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        self.0.inner.lookup(path)
    }

    fn call_unary(
        &self,
        path: &str,
        mut ctx: RequestContext,
        request: Payload,
        format: CodecFormat,
    ) -> UnaryResult {
        let (guarded, method) = (self.0.clone(), rules::method(path));
        Box::pin(async move {
            let (admitted, translated) = guarded.admit_one(method, &mut ctx, request.bytes(), format).await?;
            let request = translated.request.map_or(request, |bytes| Payload::new(bytes, format));
            let call = guarded.inner.call_unary(admitted.rule.path, ctx, request, format);
            let Some(shown) = translated.shown else { return watch_over(admitted, call).await };
            watch_over(admitted, async move { shown.answer(call.await?).await }).await
        })
    }

    fn call_server_streaming(
        &self,
        path: &str,
        mut ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let (guarded, method) = (self.0.clone(), rules::method(path));
        Box::pin(async move {
            let (admitted, translated) = guarded.admit_one(method, &mut ctx, &request, format).await?;
            let caller = ctx.extensions().get::<Caller>().cloned();
            let (path, request) = (admitted.rule.path, translated.request.unwrap_or(request));
            let mut call = guarded.inner.call_server_streaming(path, ctx, request, format);
            if let Some(shown) = translated.shown {
                call = Box::pin(async move { Ok(shown.stream(call.await?)) });
            }
            guarded.streaming(admitted, caller, call).await
        })
    }

    fn call_client_streaming(
        &self,
        path: &str,
        mut ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> UnaryResult {
        let (guarded, method) = (self.0.clone(), rules::method(path));
        Box::pin(async move {
            let admitted = guarded.admit(method, &mut ctx).await?;
            let call = guarded.inner.call_client_streaming(admitted.rule.path, ctx, requests, format);
            watch_over(admitted, call).await
        })
    }

    fn call_bidi_streaming(
        &self,
        path: &str,
        mut ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> StreamingResult {
        let (guarded, method) = (self.0.clone(), rules::method(path));
        Box::pin(async move {
            let admitted = guarded.admit(method, &mut ctx).await?;
            let caller = ctx.extensions().get::<Caller>().cloned();
            let path = admitted.rule.path;
            let call = guarded.inner.call_bidi_streaming(path, ctx, requests, format);
            guarded.streaming(admitted, caller, call).await
        })
    }
}
