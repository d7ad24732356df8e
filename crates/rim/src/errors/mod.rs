//! The one mapping between the product's errors and those of the wire, in both directions.
//!
//! Every error carries a `google.rpc.ErrorInfo` with a reason; the numbers that belong to the reason are in its
//! metadata. What an operator should know is logged here, once.

mod refusal;
mod seldom;
mod transport;

pub(crate) use refusal::{of_handler, refusal};
pub(crate) use transport::{
    TOO_SLOW, explain, may_be_error, no_calls, oversized, refuse, unknown_method, unreadable, wrong_listener,
    wrong_verb,
};

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use buffa::{Message as _, MessageField};
use buffa_types::google::protobuf::Duration as ProtoDuration;
use connectrpc::{ConnectError, ErrorCode, ErrorDetail};
use guanxi_model::error::Value;
use guanxi_model::{Code, Error, Reason};
use guanxi_proto::rpc::{ErrorInfo, RetryInfo};
use serde_json::json;

use crate::calls::tagged;
use seldom::Seldom;

/// The domain of the reasons.
pub(crate) const DOMAIN: &str = "guanxi";

/// The type of the detail that holds a reason.
pub(crate) const ERROR_INFO: &str = "google.rpc.ErrorInfo";
const RETRY_INFO: &str = "google.rpc.RetryInfo";

/// The type of the detail for operators, which only errors of calls in the same process have.
const OPERATOR_DETAIL: &str = "guanxi.OperatorDetail";

/// Reasons that only the transport knows: the model never sees such a request.
pub mod rim {
    /// The request cannot be decoded, or has a field that is not known.
    pub const MALFORMED: &str = "MALFORMED";
    /// The request has more bytes than allowed.
    pub const REQUEST_TOO_LARGE: &str = "REQUEST_TOO_LARGE";
    /// There is no such method.
    pub const UNKNOWN_METHOD: &str = "UNKNOWN_METHOD";
    /// The method is one of the other listener.
    pub const WRONG_LISTENER: &str = "WRONG_LISTENER";
    /// The method is not called by this HTTP method.
    pub const METHOD_NOT_ALLOWED: &str = "METHOD_NOT_ALLOWED";
    /// The content type is none of those served.
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "UNSUPPORTED_MEDIA_TYPE";
    /// The request is compressed in a way that is none of those read.
    pub const UNSUPPORTED_ENCODING: &str = "UNSUPPORTED_ENCODING";
    /// The listener speaks TLS, and the request came without.
    pub const TLS_REQUIRED: &str = "TLS_REQUIRED";
}

/// The code of the wire. The only place that knows it.
const fn wire_code(code: Code) -> ErrorCode {
    match code {
        Code::InvalidArgument => ErrorCode::InvalidArgument,
        Code::NotFound => ErrorCode::NotFound,
        Code::FailedPrecondition => ErrorCode::FailedPrecondition,
        Code::Aborted => ErrorCode::Aborted,
        Code::OutOfRange => ErrorCode::OutOfRange,
        Code::Unauthenticated => ErrorCode::Unauthenticated,
        Code::PermissionDenied => ErrorCode::PermissionDenied,
        Code::ResourceExhausted => ErrorCode::ResourceExhausted,
        Code::Unavailable => ErrorCode::Unavailable,
        Code::DeadlineExceeded => ErrorCode::DeadlineExceeded,
        Code::DataLoss => ErrorCode::DataLoss,
        Code::Internal => ErrorCode::Internal,
    }
}

/// An error as callers see it: reason, message, numbers. The operator's detail stays here, in the log, and in the source of the
/// error, which no protocol sends.
pub fn to_wire(error: &Error) -> ConnectError {
    log(error);
    let reason = &error.reason;
    let mut wire = ConnectError::new(wire_code(reason.code()), reason.to_string())
        .with_detail(info(reason.name(), metadata(reason)));
    if error.detail.is_some() {
        wire = wire.with_source(error.clone());
    }
    match reason {
        Reason::Overloaded { retry_after_ms } => wire.with_detail(retry(*retry_after_ms)),
        Reason::RateLimited { retry_after_ms } => {
            let mut wire = wire.with_detail(retry(*retry_after_ms));
            // Whole seconds, and never too early.
            let seconds = http::HeaderValue::from(retry_after_ms.div_ceil(1_000));
            wire.response_headers_mut().insert(http::header::RETRY_AFTER, seconds);
            wire
        }
        _ => wire,
    }
}

/// An error with a reason that only the transport knows.
pub fn rim_error(code: ErrorCode, reason: &str, message: &str) -> ConnectError {
    rim_error_with(code, reason, message, Vec::new())
}

/// An error with a reason that only the transport knows, and what belongs to it.
pub fn rim_error_with(
    code: ErrorCode,
    reason: &str,
    message: &str,
    metadata: Vec<(&'static str, String)>,
) -> ConnectError {
    ConnectError::new(code, message).with_detail(info(reason, metadata))
}

/// The name of an error's reason; empty of one that has none.
pub fn reason_name(error: &ConnectError) -> String {
    let shown = error.details.first().and_then(|detail| detail.debug.as_ref());
    shown.and_then(|shown| shown["reason"].as_str()).unwrap_or_default().to_owned()
}

/// The same error, with words of its own and with what belongs to them.
pub(crate) fn with_words(
    error: &ConnectError,
    message: String,
    metadata: Vec<(&'static str, String)>,
) -> ConnectError {
    ConnectError::new(error.code, message).with_detail(info(&reason_name(error), metadata))
}

/// An error of a reason of the model, with what belongs to it in the place of its numbers.
pub fn reason_error(reason: &Reason, metadata: Vec<(&'static str, String)>) -> ConnectError {
    rim_error_with(wire_code(reason.code()), reason.name(), &reason.to_string(), metadata)
}

/// Returns the error of a request without TLS on a listener with TLS.
pub(crate) fn tls_required() -> ConnectError {
    let message = "this listener speaks TLS: call it by https://";
    rim_error(ErrorCode::FailedPrecondition, rim::TLS_REQUIRED, message)
}

/// Returns whether an error is [`tls_required`].
pub fn is_tls_required(error: &ConnectError) -> bool {
    error
        .details
        .iter()
        .filter_map(|detail| decode(detail.value.as_deref()?))
        .any(|info| info.reason == rim::TLS_REQUIRED)
}

fn info(reason: &str, metadata: Vec<(&'static str, String)>) -> ErrorDetail {
    let metadata: BTreeMap<&str, String> = metadata.into_iter().collect();
    // For people and for callers without protobuf, of one shape for all reasons.
    let shown = json!({ "reason": reason, "domain": DOMAIN, "metadata": metadata });
    let info = ErrorInfo {
        reason: reason.to_owned(),
        domain: DOMAIN.to_owned(),
        metadata: metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
    };
    shown_as(ErrorDetail::from_message(ERROR_INFO, &info), shown)
}

/// Adds to a detail what Connect calls `debug`: its message in JSON. The other protocols do not send it.
fn shown_as(detail: ErrorDetail, shown: serde_json::Value) -> ErrorDetail {
    ErrorDetail { debug: Some(shown), ..detail }
}

/// The names and numbers of a reason.
fn metadata(reason: &Reason) -> Vec<(&'static str, String)> {
    reason.values().into_iter().map(|(key, value)| (key, value.to_string())).collect()
}

fn retry(after_ms: u32) -> ErrorDetail {
    let delay = ProtoDuration {
        seconds: i64::from(after_ms / 1_000),
        nanos: i32::try_from(after_ms % 1_000).unwrap_or_default() * 1_000_000,
        ..Default::default()
    };
    let shown = json!({ "retryDelay": format!("{}.{:03}s", after_ms / 1_000, after_ms % 1_000) });
    shown_as(
        ErrorDetail::from_message(RETRY_INFO, &RetryInfo { retry_delay: MessageField::some(delay) }),
        shown,
    )
}

/// Writes that a full disk has refused.
static REFUSED_BY_DISK: Mutex<Seldom> = Mutex::new(Seldom::new());

/// Callers' mistakes are theirs; what went wrong here is told to the operator.
fn log(error: &Error) {
    tagged(|request_id, trace_id| match error.reason.code() {
        Code::Internal | Code::DataLoss => tracing::error!(request_id, trace_id, %error, "a call failed"),
        Code::Unavailable if error.reason == Reason::Stopped => {
            tracing::error!(request_id, trace_id, %error, "a call failed");
        }
        _ if error.reason == Reason::OutcomeUnknown => {
            tracing::warn!(request_id, trace_id, %error, "the fate of a write is not known");
        }
        _ if matches!(error.reason, Reason::DiskFull { .. }) => {
            let comes = REFUSED_BY_DISK.lock().unwrap_or_else(PoisonError::into_inner).comes(Instant::now());
            if let Some(more) = comes {
                tracing::warn!(request_id, trace_id, %error, before = more, "a write was refused");
            }
        }
        // With a detail it is the machine that has no room, not the server.
        _ if matches!(error.reason, Reason::Overloaded { .. }) && error.detail.is_some() => {
            tracing::warn!(request_id, trace_id, %error, "a call was refused");
        }
        _ => tracing::debug!(request_id, trace_id, %error, "a call was refused"),
    });
}

/// The error of [`to_wire`] with the operator's detail, for an operator that calls in this process.
pub(crate) fn with_detail(error: ConnectError) -> ConnectError {
    let source = error.source_arc();
    let kept = source.as_ref().and_then(|source| source.downcast_ref::<Error>()?.detail.as_deref());
    let Some(detail) = kept else { return error };
    let debug = Some(detail.into());
    error.with_detail(ErrorDetail { type_url: OPERATOR_DETAIL.to_owned(), value: None, debug })
}

/// Gives an error of the transport itself a reason, so that every error has one.
pub(crate) fn typed(error: ConnectError) -> ConnectError {
    if !error.details.is_empty() {
        return error;
    }
    let (code, reason) = match error.code {
        ErrorCode::InvalidArgument => (error.code, rim::MALFORMED),
        // The only bound that connectrpc holds is the size of a message.
        ErrorCode::ResourceExhausted => (ErrorCode::InvalidArgument, rim::REQUEST_TOO_LARGE),
        ErrorCode::Unimplemented => (error.code, rim::UNKNOWN_METHOD),
        ErrorCode::DeadlineExceeded => (error.code, Reason::DeadlineExceeded.name()),
        ErrorCode::Internal | ErrorCode::Unknown => (error.code, Reason::Internal.name()),
        _ => return error,
    };
    rim_error(code, reason, error.message.as_deref().unwrap_or_default())
}

/// Reads an error of the wire back, for the client side of the ports.
pub fn from_wire(error: &ConnectError) -> Error {
    let info = error
        .details
        .iter()
        .find(|detail| detail.type_url.ends_with(ERROR_INFO))
        .and_then(|detail| decode(detail.value.as_deref()?));
    if let Some(reason) = info.and_then(|info| parse_reason(&info)) {
        let detail = error.details.iter().find(|detail| detail.type_url == OPERATOR_DETAIL);
        return Error {
            reason,
            detail: detail.and_then(|detail| Some(detail.debug.as_ref()?.as_str()?.into())),
        };
    }
    let reason = match error.code {
        ErrorCode::DeadlineExceeded => Reason::DeadlineExceeded,
        ErrorCode::Unimplemented => Reason::NotServed,
        ErrorCode::Unauthenticated => Reason::Unauthenticated,
        ErrorCode::PermissionDenied => Reason::PermissionDenied,
        ErrorCode::Unavailable | ErrorCode::Canceled => Reason::ShuttingDown,
        _ => Reason::Internal,
    };
    Error::with_detail(reason, error)
}

fn decode(value: &str) -> Option<ErrorInfo> {
    let bytes = STANDARD_NO_PAD.decode(value).or_else(|_| STANDARD.decode(value)).ok()?;
    ErrorInfo::decode_from_slice(&bytes).ok()
}

/// The reason of a name and its values; `None` for reasons of the transport and of newer servers.
fn parse_reason(info: &ErrorInfo) -> Option<Reason> {
    Reason::of_name(&info.reason, |key, kind| {
        let told = info.metadata.get(key).and_then(|text| Value::parse(kind, text));
        Some(told.unwrap_or(Value::untold(kind)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::error::ValueKind;

    #[test]
    fn every_reason_survives_the_wire() {
        for (name, _) in Reason::ALL {
            let text = |kind| if kind == ValueKind::Name { "uid" } else { "7" };
            let reason = Reason::of_name(name, |_, kind| Value::parse(kind, text(kind))).unwrap();
            let wire = to_wire(&Error::with_detail(reason.clone(), "for the log alone"));
            assert!(!wire.message.as_deref().unwrap().contains("for the log alone"));
            assert_eq!(from_wire(&wire), Error::new(reason));
        }
    }

    #[test]
    fn errors_of_the_transport_get_a_reason_and_oversize_is_the_callers_fault() {
        let wire = typed(ConnectError::resource_exhausted("message size 9 exceeds limit 8"));
        assert_eq!(wire.code, ErrorCode::InvalidArgument);
        let info = decode(wire.details[0].value.as_deref().unwrap()).unwrap();
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("REQUEST_TOO_LARGE", DOMAIN));
    }

    #[test]
    fn every_detail_is_in_clear_too() {
        let wire = to_wire(&Error::new(Reason::Overloaded { retry_after_ms: 1_050 }));
        let shown: Vec<_> = wire.details.iter().map(|detail| detail.debug.clone().unwrap()).collect();
        let metadata = json!({ "retry_after_ms": "1050" });
        let info = json!({ "reason": "OVERLOADED", "domain": "guanxi", "metadata": metadata });
        assert_eq!(shown, [info, json!({ "retryDelay": "1.050s" })]);
    }

    #[test]
    fn a_server_that_does_not_answer_a_call_is_told_with_its_own_words() {
        let wire = rim_error(ErrorCode::Unimplemented, rim::WRONG_LISTENER, "this is the main listener");
        let error = from_wire(&wire);
        assert_eq!(error.reason, Reason::NotServed);
        assert!(error.to_string().contains("this is the main listener"), "{error}");
    }

    #[test]
    fn a_reason_of_a_newer_server_falls_back_to_its_code() {
        let wire = rim_error(ErrorCode::PermissionDenied, "SOMETHING_NEW", "no");
        assert_eq!(from_wire(&wire).reason, Reason::PermissionDenied);
    }
}
