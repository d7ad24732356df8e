//! From a GET to the call that it stands for.

use buffa::bytes::{BufMut as _, Bytes, BytesMut};
use connectrpc::{ConnectError, ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::{Map, Value, json};

use crate::errors::{rim, rim_error};
use crate::rules::EventStream;

/// The header that asks for answers with external ids. A query says the same by its field `ids`.
pub const IDS_HEADER: HeaderName = HeaderName::from_static("guanxi-ids");

/// A token of a reader that comes back; browsers send it by themselves.
const LAST_EVENT_ID: &str = "last-event-id";

/// The beginnings of the tokens of callers and tickets. None of them belongs into any field.
const SECRETS: [&str; 3] = ["gx_", "gxs_", "gxt_"];

/// The call that a request for events stands for.
pub(crate) struct Asked {
    /// The call, still without a caller.
    pub(crate) call: Request<Full<Bytes>>,
    /// The ticket that it brought.
    pub(crate) ticket: Option<String>,
}

/// Returns whether a request wants events.
pub(crate) fn asks_for_events<B>(request: &Request<B>) -> bool {
    let accepts = |value: &HeaderValue| {
        let kinds = value.to_str().unwrap_or_default().split(',');
        kinds
            .map(|kind| kind.split(';').next().unwrap_or_default().trim())
            .any(|kind| kind == "text/event-stream")
    };
    *request.method() == Method::GET && request.headers().get_all(header::ACCEPT).iter().any(accepts)
}

/// Returns the error of a request for events of a method that is not served as events.
pub(crate) fn not_served() -> ConnectError {
    let message =
        "the server does not serve this method as events; call it without `accept: text/event-stream`";
    rim_error(ErrorCode::InvalidArgument, rim::UNSUPPORTED_MEDIA_TYPE, message)
        .with_http_status(StatusCode::NOT_ACCEPTABLE)
}

/// Reads a request for events of a stream.
pub(crate) fn read<B>(request: Request<B>, served: &EventStream) -> Result<Asked, ConnectError> {
    let (mut parts, _) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let Query { mut fields, ticket, ids } = fields(served, parts.uri.query().unwrap_or_default())?;
    if let Some(ids) = ids {
        let ids = HeaderValue::from_str(&ids).map_err(|_| malformed("the field `ids` is `external`"))?;
        parts.headers.insert(IDS_HEADER, ids);
    }
    if ticket.is_some() && parts.headers.contains_key(header::AUTHORIZATION) {
        return Err(malformed("send a token or a ticket, and not both"));
    }
    if let Some(token) = last_event_id(&parts.headers)? {
        fields.insert("token".to_owned(), Value::String(token));
    }
    for gone in
        [header::ACCEPT_ENCODING, header::CONTENT_LENGTH, header::CONTENT_ENCODING, header::TRANSFER_ENCODING]
    {
        parts.headers.remove(gone);
    }
    // Streams have no deadline, with any header of a client of calls.
    parts.headers.remove("connect-timeout-ms");
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/connect+json"));
    parts.headers.insert("connect-protocol-version", HeaderValue::from_static("1"));
    parts.method = Method::POST;
    // The query may hold a ticket: nothing behind this sees it.
    parts.uri = path.parse().map_err(|_| malformed("the path of the request cannot be read"))?;
    let message = Value::Object(fields).to_string();
    let call = Request::from_parts(parts, Full::new(frame(message.as_bytes())));
    Ok(Asked { call, ticket })
}

/// Returns whether a value is a token of a caller or a ticket. Those of this server begin with [`SECRETS`], and no other
/// field has three parts of which the first is a JSON object in base64.
fn is_secret(value: &str) -> bool {
    let is_jwt = value.starts_with("ey") && value.split('.').count() == 3;
    is_jwt || SECRETS.iter().any(|secret| value.starts_with(secret))
}

/// Returns the fields of a query.
struct Query {
    fields: Map<String, Value>,
    ticket: Option<String>,
    /// In which form uids are wanted, since an `EventSource` cannot send the header.
    ids: Option<String>,
}

fn fields(served: &EventStream, query: &str) -> Result<Query, ConnectError> {
    let (mut fields, mut ticket, mut ids) = (Map::new(), None, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name == "ticket" && served.ticket.is_some() {
            ticket = Some(value.into_owned());
            continue;
        }
        if name == "ids" {
            ids = Some(value.into_owned());
            continue;
        }
        if is_secret(&value) {
            let how = if served.ticket.is_some() {
                "send a token as `authorization: Bearer TOKEN`, or a ticket of CreateStreamTicket as `ticket`"
            } else {
                "send a token as `authorization: Bearer TOKEN`; tickets do not open this stream"
            };
            return Err(malformed(&format!(
                "proxies and servers log queries, so send no credential there: {how}"
            )));
        }
        if served.repeated.contains(&&*name) {
            let values = fields.entry(name.into_owned()).or_insert_with(|| json!([]));
            if let Value::Array(values) = values {
                values.push(Value::String(value.into_owned()));
            }
        } else if !served.single.contains(&&*name) {
            let known = [served.single, served.repeated].concat().join("`, `");
            let ticket = if served.ticket.is_some() { "`, `ticket" } else { "" };
            return Err(malformed(&format!(
                "the query has an unknown field; its fields are `{known}`, `ids{ticket}`"
            )));
        } else if fields.insert(name.into_owned(), Value::String(value.into_owned())).is_some() {
            return Err(malformed("a field of the query is given twice"));
        }
    }
    Ok(Query { fields, ticket, ids })
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<String>, ConnectError> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let text = value.to_str().map_err(|_| malformed("the last-event-id is no token"))?;
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

fn malformed(message: &str) -> ConnectError {
    rim_error(ErrorCode::InvalidArgument, rim::MALFORMED, message)
}

/// One message of Connect's streams.
fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(message.len() + 5);
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}
