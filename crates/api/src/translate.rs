//! The translation between the guard and the handlers. In requests in JSON, external ids are replaced by uids, and the acting
//! user moves to the field's own name. A number that JSON does not hold exactly is refused. Answers get external ids if their
//! caller asks for them.

use std::sync::Arc;

use buffa::bytes::Bytes;
use connectrpc::dispatcher::{MethodDescriptor, RequestStream, StreamingResult, UnaryResult};
use connectrpc::{CodecFormat, ConnectError, Dispatcher, ErrorCode, Payload, RequestContext};
use guanxi_model::Reason;
use guanxi_rim::Caller;
use guanxi_rim::errors::{rim_error_with, to_wire};
use guanxi_rim::rules::Rule;

use crate::external_ids::{self, ExternalIds, ShownIds};
use crate::numbers::{Noticed, notice};

/// The services behind their translation.
pub(crate) struct Translated<D>(Arc<Translator<D>>);

struct Translator<D> {
    inner: D,
    external_ids: ExternalIds,
}

/// The translations that a call needs.
struct Wanted {
    /// The rule of its method.
    rule: &'static Rule,
    /// Whether the request may have external ids, in whose place uids are put.
    named: bool,
    /// The field that `actor` may stand for in the request.
    own: Option<&'static str>,
    /// Puts external ids into the answers, if they are wanted there.
    shown: Option<ShownIds>,
}

impl Wanted {
    const fn is_nothing(&self) -> bool {
        !self.named && self.own.is_none() && self.shown.is_none()
    }
}

impl<D> Translated<D> {
    pub(crate) fn new(inner: D, external_ids: ExternalIds) -> Self {
        Self(Arc::new(Translator { inner, external_ids }))
    }
}

impl<D> Translator<D> {
    /// Returns the translations that a readable message needs.
    fn look_into(
        &self,
        ctx: &RequestContext,
        message: &[u8],
        format: CodecFormat,
    ) -> Result<Wanted, ConnectError> {
        let rule = guanxi_rim::rule(ctx).map_err(|error| to_wire(&error))?;
        let is_json = format == CodecFormat::Json;
        let own = match if is_json { notice(message) } else { None } {
            Some(Noticed::Inexact(field)) => return Err(inexact_number(field)),
            Some(Noticed::Actor) => rule.own,
            None => None,
        };
        let shown = self.external_ids.shown(ctx.headers(), rule, format)?;
        Ok(Wanted { rule, named: is_json && external_ids::may_name_some(message), own, shown })
    }

    /// Returns the request with uids in the place of external ids, and with the acting user under the field's own name.
    /// Returns `None` if the request is right as it is.
    async fn translated(
        &self,
        wanted: &Wanted,
        ctx: &RequestContext,
        message: &[u8],
    ) -> Result<Option<Bytes>, ConnectError> {
        let resolved = if wanted.named {
            self.external_ids.resolved(wanted.rule, ctx.extensions().get::<Caller>(), message).await?
        } else {
            None
        };
        let Some(own) = wanted.own else { return Ok(resolved) };
        let renamed = external_ids::under_own_name(resolved.as_deref().unwrap_or(message), own)?;
        Ok(renamed.map(Bytes::from).or(resolved))
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

impl<D: Dispatcher> Dispatcher for Translated<D> {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        self.0.inner.lookup(path)
    }

    fn call_unary(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Payload,
        format: CodecFormat,
    ) -> UnaryResult {
        let wanted = match self.0.look_into(&ctx, request.bytes(), format) {
            Ok(wanted) => wanted,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        if wanted.is_nothing() {
            // The way of nearly all calls: nothing is waited for in front of the handler.
            return self.0.inner.call_unary(path, ctx, request, format);
        }
        let translator = self.0.clone();
        Box::pin(async move {
            let translated = translator.translated(&wanted, &ctx, request.bytes()).await?;
            let request = translated.map_or(request, |bytes| Payload::new(bytes, format));
            let answer = translator.inner.call_unary(wanted.rule.path, ctx, request, format).await?;
            match wanted.shown {
                None => Ok(answer),
                Some(shown) => shown.answer(answer).await,
            }
        })
    }

    fn call_server_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let wanted = match self.0.look_into(&ctx, &request, format) {
            Ok(wanted) => wanted,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        if wanted.is_nothing() {
            return self.0.inner.call_server_streaming(path, ctx, request, format);
        }
        let translator = self.0.clone();
        Box::pin(async move {
            let request = translator.translated(&wanted, &ctx, &request).await?.unwrap_or(request);
            let answers =
                translator.inner.call_server_streaming(wanted.rule.path, ctx, request, format).await?;
            match wanted.shown {
                None => Ok(answers),
                Some(shown) => Ok(shown.stream(answers)),
            }
        })
    }

    fn call_client_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> UnaryResult {
        self.0.inner.call_client_streaming(path, ctx, requests, format)
    }

    fn call_bidi_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> StreamingResult {
        self.0.inner.call_bidi_streaming(path, ctx, requests, format)
    }
}
