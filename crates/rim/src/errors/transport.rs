//! Requests that never come to a handler, since the protocols refuse them by themselves. Each gets the code, the status and
//! the reason that its sender can act on, in the form of its protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use connectrpc::dispatcher::MethodDescriptor;
use connectrpc::{CompressionRegistry, ConnectError, ConnectRpcBody, ErrorCode, MethodKind, Protocol};
use guanxi_model::Reason;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;

use super::{ERROR_INFO, rim, rim_error, rim_error_with};
use crate::answer::{Answer, AnswerBody};
use crate::limits::REQUEST_BYTES_MAX;
use crate::listener::{Addresses, Listener};
use crate::rules::Access;

/// Content types of requests, as answers name them.
const ACCEPT_POST: HeaderValue = HeaderValue::from_static(
    "application/json, application/proto, application/connect+json, application/connect+proto, application/grpc, \
     application/grpc+proto, application/grpc+json, application/grpc-web, application/grpc-web+proto, \
     application/grpc-web+json",
);

/// Compressions of requests.
const ENCODINGS: &str = "gzip, zstd";

/// The message about a body that takes too long.
pub(crate) const TOO_SLOW: &str = "the body of the request did not come in time";

const GRPC_STATUS: &str = "grpc-status";
const GRPC_MESSAGE: &str = "grpc-message";
const GRPC_DETAILS: &str = "grpc-status-details-bin";

/// There is no such method.
pub(crate) fn unknown_method() -> ConnectError {
    let message = "there is no such method; /openapi.json and server reflection list all methods";
    rim_error(ErrorCode::Unimplemented, rim::UNKNOWN_METHOD, message).with_http_status(StatusCode::NOT_FOUND)
}

/// The process answers no calls at all.
pub(crate) fn no_calls() -> ConnectError {
    let message = "this process answers no calls: ask one that has the role `api`";
    rim_error(ErrorCode::Unimplemented, rim::UNKNOWN_METHOD, message).with_http_status(StatusCode::NOT_FOUND)
}

/// The method is one of the other listener; where that is, callers on this machine are told.
pub(crate) fn wrong_listener(
    here: Listener,
    access: Access,
    addresses: Addresses,
    request: &Request<impl Sized>,
) -> ConnectError {
    let there = if access.is_operators() { "admin" } else { "main" };
    let (here, other) = match here {
        Listener::Main => ("main", addresses.admin),
        Listener::Admin => ("admin", addresses.main),
    };
    let mut metadata = vec![("listener", there.to_owned())];
    let place = match other.told_to(request.extensions(), request.headers()) {
        Some(other) => {
            metadata.push(("address", other.address.to_string()));
            format!(", at {other},")
        }
        None => String::new(),
    };
    let message = format!("this is the {here} listener; the {there} listener{place} answers this method");
    rim_error_with(ErrorCode::Unimplemented, rim::WRONG_LISTENER, &message, metadata)
        .with_http_status(StatusCode::NOT_FOUND)
}

/// The HTTP method is none of those that the method answers; `None` if it is one. A stream that is served `as_events`
/// answers GET, too.
pub(crate) fn wrong_verb(
    verb: &Method,
    path: &str,
    method: Option<MethodDescriptor>,
    as_events: bool,
) -> Option<ConnectError> {
    let method = method?;
    if *verb == Method::GET && as_events {
        return Some(not_a_stream(path, as_events));
    }
    let reads = method.kind == MethodKind::Unary && method.idempotent;
    if *verb == Method::POST || (*verb == Method::GET && reads) {
        return None;
    }
    let allow = if reads || as_events { "GET, POST" } else { "POST" };
    let why = if *verb == Method::GET { "it is not a read that answers once" } else { "it is a call" };
    let message = format!("this method answers {allow} and not {verb}, since {why}");
    let metadata = vec![("allow", allow.to_owned())];
    let error = rim_error_with(ErrorCode::Unimplemented, rim::METHOD_NOT_ALLOWED, &message, metadata)
        .with_http_status(StatusCode::METHOD_NOT_ALLOWED);
    Some(with_header(error, header::ALLOW, HeaderValue::from_static(allow)))
}

/// The head announces a body that cannot be read: of another type, or compressed in another way.
pub(crate) fn unreadable(
    headers: &HeaderMap,
    path: &str,
    method: Option<MethodDescriptor>,
    as_events: bool,
) -> Option<ConnectError> {
    let streams = method.is_some_and(|method| method.kind != MethodKind::Unary);
    if !streams && is_plain(headers) {
        return None;
    }
    let Some(protocol) = Protocol::detect(headers).filter(|found| !found.is_text_mode) else {
        let message = "send `content-type: application/json`, or a type of the accept-post header";
        let error = rim_error(ErrorCode::InvalidArgument, rim::UNSUPPORTED_MEDIA_TYPE, message)
            .with_http_status(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        return Some(with_header(error, HeaderName::from_static("accept-post"), ACCEPT_POST));
    };
    if protocol.protocol == Protocol::Connect && streams && !protocol.is_streaming {
        return Some(not_a_stream(path, as_events));
    }
    let header = match (protocol.protocol, protocol.is_streaming) {
        (Protocol::Connect, false) => "content-encoding",
        (Protocol::Connect, true) => "connect-content-encoding",
        _ => "grpc-encoding",
    };
    let encoding = headers.get(header)?;
    let known = |name: &str| name == "identity" || CompressionRegistry::default().supports(name);
    (!encoding.to_str().is_ok_and(known)).then(|| unsupported_encoding(header))
}

/// Returns whether a head is that of nearly all calls: one message, as it is.
fn is_plain(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    matches!(kind, Some(b"application/json" | b"application/proto"))
        && !headers.contains_key(header::CONTENT_ENCODING)
}

/// A stream that is asked for as if it answered once.
fn not_a_stream(path: &str, as_events: bool) -> ConnectError {
    let frames =
        "POST messages in frames as `content-type: application/connect+json`, or use gRPC or gRPC-Web";
    let message = if as_events {
        format!(
            "this method answers a stream: `curl -N -H 'accept: text/event-stream' \
             -H 'authorization: Bearer TOKEN' 'http://HOST/{path}?FIELD=VALUE'` shows it as server-sent events; or {frames}"
        )
    } else {
        format!("this method answers a stream: {frames}")
    };
    rim_error(ErrorCode::InvalidArgument, rim::UNSUPPORTED_MEDIA_TYPE, &message)
        .with_http_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}

fn unsupported_encoding(place: &str) -> ConnectError {
    let message = format!(
        "the {place} of the request is none of {ENCODINGS}; send it uncompressed, or in one of these"
    );
    let error = rim_error(ErrorCode::Unimplemented, rim::UNSUPPORTED_ENCODING, &message)
        .with_http_status(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    with_header(error, header::ACCEPT_ENCODING, HeaderValue::from_static(ENCODINGS))
}

/// A request that says of itself that it is too large is refused before it is read.
pub(crate) fn oversized(body: &impl Body) -> Option<ConnectError> {
    let length = body.size_hint().lower();
    (length > REQUEST_BYTES_MAX as u64).then(|| {
        let message = format!("the request has {length} bytes; at most {REQUEST_BYTES_MAX} are allowed");
        rim_error(ErrorCode::InvalidArgument, rim::REQUEST_TOO_LARGE, &message)
    })
}

fn with_header(mut error: ConnectError, name: HeaderName, value: HeaderValue) -> ConnectError {
    error.response_headers_mut().insert(name, value);
    error
}

/// An error in the form of the request's protocol.
pub(crate) fn refuse(error: ConnectError, asked: &HeaderMap) -> Answer {
    if Protocol::detect(asked).is_some_and(|found| !found.is_text_mode) {
        return error.into_http_response(asked).map(AnswerBody::Call);
    }
    // What is not understood but calls itself gRPC is answered in gRPC.
    let kind = asked.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let form = ["application/grpc-web", "application/grpc"].into_iter().find(|form| kind.starts_with(form));
    let mut headers = HeaderMap::new();
    if let Some(form) = form {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form));
    }
    error.into_http_response(&headers).map(AnswerBody::Call)
}

/// Returns whether an answer may be an error that the transport made by itself: calls that a handler answers have status 200,
/// and in the protocols with frames say which compressions they accept.
pub(crate) fn may_be_error(answer: &Response<ConnectRpcBody>) -> bool {
    let is_framed = !matches!(answer.body(), ConnectRpcBody::Full(_));
    let says = |name| answer.headers().contains_key(name);
    answer.status() != StatusCode::OK
        || (is_framed && !says("grpc-accept-encoding") && !says("connect-accept-encoding"))
}

/// Gives an answer that [`may_be_error`] a reason, like all others, if the transport made it by itself; anything else is
/// as it was.
pub(crate) async fn explain(answer: Response<ConnectRpcBody>, asked: Option<HeaderValue>) -> Answer {
    let (parts, body) = answer.into_parts();
    let body = match body.collect().await {
        Ok(body) => body,
        Err(never) => match never {},
    };
    let trailers = body.trailers().cloned();
    let bytes = body.to_bytes();
    let kind =
        parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match read_error(kind, &bytes, trailers.as_ref()) {
        Some(error) if error.details.is_empty() => {
            let mut headers = HeaderMap::new();
            if let Some(asked) = asked {
                headers.insert(header::CONTENT_TYPE, asked);
            }
            refuse(transport_error(&error, parts.status), &headers)
        }
        _ => {
            let whole = Full::new(bytes).with_trailers(async move { trailers.map(Ok) });
            Response::from_parts(parts, AnswerBody::Page(axum::body::Body::new(whole)))
        }
    }
}

/// Reads an error of a protocol. Its details matter only as far as there are any.
fn read_error(kind: &str, body: &[u8], trailers: Option<&HeaderMap>) -> Option<ConnectError> {
    #[derive(Deserialize)]
    struct End {
        error: Option<ConnectError>,
    }
    if kind.starts_with("application/connect+") {
        return serde_json::from_slice::<End>(body.get(5..)?).ok()?.error;
    }
    if kind.starts_with("application/grpc-web") {
        let lines = std::str::from_utf8(body.get(5..)?).ok()?.lines();
        let pairs = lines.filter_map(|line| line.split_once(": "));
        let found = |wanted: &str| pairs.clone().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        return grpc_error(found);
    }
    if kind.starts_with("application/grpc") {
        return grpc_error(|name| trailers?.get(name)?.to_str().ok());
    }
    serde_json::from_slice(body).ok()
}

fn grpc_error<'a>(found: impl Fn(&str) -> Option<&'a str>) -> Option<ConnectError> {
    let code = ErrorCode::from_grpc_code(found(GRPC_STATUS)?.trim().parse().ok()?)?;
    let details =
        found(GRPC_DETAILS).and_then(|text| STANDARD_NO_PAD.decode(text.trim_end_matches('=')).ok());
    let info = ERROR_INFO.as_bytes();
    // An error with its reason is left as it is; the details of one without repeat code and message.
    let has_reason = details.is_some_and(|bytes| bytes.windows(info.len()).any(|window| window == info));
    (!has_reason).then(|| ConnectError::new(code, found(GRPC_MESSAGE).unwrap_or_default()))
}

/// Returns the error of a request that came to no handler. Such an error is an error of the request, with any code that the
/// transport gave it.
fn transport_error(error: &ConnectError, status: StatusCode) -> ConnectError {
    let message = error.message.as_deref().unwrap_or_default();
    match error.code {
        // The only bound that the transport holds is the size of a message.
        ErrorCode::ResourceExhausted => {
            rim_error(ErrorCode::InvalidArgument, rim::REQUEST_TOO_LARGE, message)
        }
        ErrorCode::DeadlineExceeded => {
            rim_error(error.code, Reason::DeadlineExceeded.name(), &Reason::DeadlineExceeded.to_string())
        }
        _ if message.contains(TOO_SLOW) => {
            rim_error(ErrorCode::DeadlineExceeded, Reason::DeadlineExceeded.name(), TOO_SLOW)
                .with_http_status(StatusCode::REQUEST_TIMEOUT)
        }
        // Only that of a GET is left: that of a body was looked at before.
        ErrorCode::Unimplemented if message.contains("compression") => unsupported_encoding("query"),
        ErrorCode::Unknown if status == StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let message = "the `encoding` of the query is neither `json` nor `proto`";
            rim_error(ErrorCode::InvalidArgument, rim::UNSUPPORTED_MEDIA_TYPE, message)
                .with_http_status(status)
        }
        _ => rim_error(ErrorCode::InvalidArgument, rim::MALFORMED, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buffa::bytes::Bytes;

    #[test]
    fn a_request_that_says_it_is_too_large_is_refused_unread() {
        let of = |length| oversized(&Full::new(Bytes::from(vec![0; length])));
        assert!(of(REQUEST_BYTES_MAX).is_none());
        assert_eq!(of(REQUEST_BYTES_MAX + 1).unwrap().code, ErrorCode::InvalidArgument);
    }
}
