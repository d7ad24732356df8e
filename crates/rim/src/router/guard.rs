//! In front of every handler: that its caller was let in, how long it took, and a reason for every error. It wraps the
//! dispatcher, so no handler can be reached around it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{MethodDescriptor, RequestStream, StreamingResult, UnaryResult};
use connectrpc::response::{EncodedStream, Response};
use connectrpc::{CodecFormat, ConnectError, Dispatcher, ErrorCode, Payload, RequestContext};
use futures::FutureExt as _;
use guanxi_model::{Error, Reason};

use crate::auth::Authenticator;
use crate::caller::Caller;
use crate::ending::until;
use crate::errors::{of_handler, rim, rim_error, to_wire, typed};
use crate::listener::{Endpoint, Listener};
use crate::load::{Evicted, Full, Load, hold, no_call, no_stream};
use crate::meters::Measurement;
use crate::rules::{Access, Method, Rule};
use crate::unreadable::explained;

/// A dispatcher behind the rules.
pub(crate) struct Guard(Arc<Guarded>);

struct Guarded {
    inner: Arc<dyn Dispatcher>,
    listener: Listener,
    auth: Authenticator,
    load: Arc<Load>,
    /// Where operators make tokens.
    admin: Endpoint,
}

/// The state that a call carries through its life.
struct Admitted {
    measurement: Measurement,
    rule: &'static Rule,
    /// Where operators make tokens, if the caller may learn of that.
    admin: Option<Endpoint>,
}

impl Admitted {
    /// Notes that the call ends with an error before it comes to its handler.
    fn refused(self, error: ConnectError) -> ConnectError {
        self.measurement.end(Some(error.code));
        error
    }
}

/// The method of a call that was let in by its head: of one that wants a caller, with its caller.
///
/// # Errors
/// `INTERNAL` for a call that came around the router, which is a defect.
fn entered(ctx: &RequestContext) -> Result<&'static Method, Error> {
    let method = method(ctx)?;
    if method.rule.access != Access::Open {
        caller(ctx)?;
    }
    Ok(method)
}

impl Guard {
    pub(crate) fn new(
        inner: Arc<dyn Dispatcher>,
        listener: Listener,
        auth: Authenticator,
        load: Arc<Load>,
        admin: Endpoint,
    ) -> Self {
        Self(Arc::new(Guarded { inner, listener, auth, load, admin }))
    }
}

impl Guarded {
    /// Lets a call with one message in, or says why not.
    fn admit_one(
        &self,
        ctx: &RequestContext,
        message: &[u8],
        format: CodecFormat,
    ) -> Result<Admitted, ConnectError> {
        let admitted = self.admit(ctx)?;
        if format == CodecFormat::Json && !is_object(message) {
            let message = "the request is no JSON object";
            return Err(admitted.refused(rim_error(ErrorCode::InvalidArgument, rim::MALFORMED, message)));
        }
        Ok(admitted)
    }

    /// Begins a call that was let in. The router has put its method and its caller into the context.
    fn admit(&self, ctx: &RequestContext) -> Result<Admitted, ConnectError> {
        let method = entered(ctx).map_err(|error| to_wire(&error))?;
        Ok(Admitted {
            measurement: method.meter.start(),
            rule: &method.rule,
            admin: self.admin.told_to(ctx.extensions(), ctx.headers()),
        })
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
            // The operator gets through when all other callers are refused.
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

/// The decoder would take an array for the fields in their order.
fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

/// The caller of a call that was let in.
///
/// # Errors
/// `INTERNAL` for a handler that is not behind a guard, which is a defect.
pub fn caller(ctx: &RequestContext) -> Result<&Caller, Error> {
    ctx.extensions()
        .get::<Caller>()
        .ok_or_else(|| Error::with_detail(Reason::Internal, "a call has no caller"))
}

/// The rule of a call that was let in.
///
/// # Errors
/// `INTERNAL` for a handler that is not behind a guard, which is a defect.
pub fn rule(ctx: &RequestContext) -> Result<&'static Rule, Error> {
    method(ctx).map(|method| &method.rule)
}

fn method(ctx: &RequestContext) -> Result<&'static Method, Error> {
    let method = ctx.extensions().get::<&'static Method>().copied();
    method.ok_or_else(|| Error::with_detail(Reason::Internal, "a call has no method"))
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
    let result = result.map_err(|error| {
        let error = typed(explained(error, admitted.rule.path));
        of_handler(error, admitted.rule, admitted.admin)
    });
    admitted.measurement.end(result.as_ref().err().map(|error| error.code));
    result
}

impl Dispatcher for Guard {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        self.0.inner.lookup(path)
    }

    fn call_unary(&self, _: &str, ctx: RequestContext, request: Payload, format: CodecFormat) -> UnaryResult {
        let admitted = match self.0.admit_one(&ctx, request.bytes(), format) {
            Ok(admitted) => admitted,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        // Its future is a few words, and nothing is waited for in front of the handler.
        let call = self.0.inner.call_unary(admitted.rule.path, ctx, request, format);
        Box::pin(watch_over(admitted, call))
    }

    fn call_server_streaming(
        &self,
        _: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let guarded = self.0.clone();
        Box::pin(async move {
            let admitted = guarded.admit_one(&ctx, &request, format)?;
            let caller = ctx.extensions().get::<Caller>().cloned();
            let call = guarded.inner.call_server_streaming(admitted.rule.path, ctx, request, format);
            guarded.streaming(admitted, caller, call).await
        })
    }

    fn call_client_streaming(
        &self,
        _: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> UnaryResult {
        let guarded = self.0.clone();
        Box::pin(async move {
            let admitted = guarded.admit(&ctx)?;
            let call = guarded.inner.call_client_streaming(admitted.rule.path, ctx, requests, format);
            watch_over(admitted, call).await
        })
    }

    fn call_bidi_streaming(
        &self,
        _: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> StreamingResult {
        let guarded = self.0.clone();
        Box::pin(async move {
            let admitted = guarded.admit(&ctx)?;
            let caller = ctx.extensions().get::<Caller>().cloned();
            let path = admitted.rule.path;
            let call = guarded.inner.call_bidi_streaming(path, ctx, requests, format);
            guarded.streaming(admitted, caller, call).await
        })
    }
}
