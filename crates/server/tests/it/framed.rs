//! Errors as each protocol sends them, read down to their reason.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use buffa::Message as _;
use guanxi_proto::ErrorCode;
use guanxi_proto::rpc::ErrorInfo;
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tokio::net::TcpStream;

use crate::http::{Answer, send};

/// What a caller is told of an error.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// A message in its envelope.
pub(crate) fn enveloped(flags: u8, message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![flags];
    bytes.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    bytes.extend(message);
    bytes
}

/// Reads the error of Connect: a body, or the end of a stream.
pub(crate) fn told(answer: &Answer) -> Told {
    let error: Value = if answer.headers["content-type"].starts_with("application/connect+") {
        assert_eq!((answer.status, answer.body[0]), (200, 2), "{answer:?}");
        serde_json::from_slice::<Value>(&answer.body[5..]).unwrap()["error"].clone()
    } else {
        answer.json()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let detail = &error["details"][0];
    let info = decoded(&STANDARD_NO_PAD.decode(text(&detail["value"])).unwrap());
    assert_eq!(detail["debug"]["reason"], info.reason.as_str(), "{error}");
    Told {
        status: answer.status,
        code: text(&error["code"]),
        reason: info.reason,
        message: text(&error["message"]),
    }
}

/// Calls over gRPC and reads the error of the trailers.
pub(crate) async fn grpc(
    to: SocketAddr,
    path: &str,
    kind: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Told {
    let (status, trailers) = grpc_trailers(to, path, kind, headers, body).await;
    let found = |name: &str| trailers.get(name).map(|value| value.to_str().unwrap().to_owned());
    of_trailers(status, found)
}

/// Calls over gRPC, and returns the status and what comes after the messages.
pub(crate) async fn grpc_trailers(
    to: SocketAddr,
    path: &str,
    kind: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (u16, http::HeaderMap) {
    let stream = TcpStream::connect(to).await.unwrap();
    let executor = hyper_util::rt::TokioExecutor::new();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut client, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::post(format!("http://{to}{path}")).header("content-type", kind);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let request = request.body(Full::new(buffa::bytes::Bytes::copy_from_slice(body))).unwrap();
    let (parts, body) = client.send_request(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap();
    (parts.status.as_u16(), body.trailers().cloned().unwrap_or(parts.headers))
}

/// Calls over gRPC-Web and reads the error of the last frame.
pub(crate) async fn grpc_web(
    to: SocketAddr,
    path: &str,
    kind: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Told {
    let headers = [&[("content-type", kind)], headers].concat();
    let answer = send(to, "POST", path, &headers, body).await;
    assert_eq!(answer.body[0], 0x80, "{answer:?}");
    let text = String::from_utf8(answer.body[5..].to_vec()).unwrap();
    let found = |wanted: &str| {
        let pairs = text.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned()).next()
    };
    of_trailers(answer.status, found)
}

fn of_trailers(status: u16, found: impl Fn(&str) -> Option<String>) -> Told {
    let code = found("grpc-status").unwrap().parse().unwrap();
    let status_message = STANDARD_NO_PAD
        .decode(found("grpc-status-details-bin").expect("an error has details").trim_end_matches('='))
        .unwrap();
    Told {
        status,
        code: ErrorCode::from_grpc_code(code).expect("an error").as_str().to_owned(),
        reason: info_of_status(&status_message).reason,
        message: found("grpc-message").unwrap_or_default(),
    }
}

/// The first detail of a `google.rpc.Status`: the field 3, of which the field 2 is the message.
fn info_of_status(status: &[u8]) -> ErrorInfo {
    let any = field(status, 3).expect("a status has details");
    decoded(field(any, 2).expect("a detail has a message"))
}

/// A field of bytes in a message whose other fields are of bytes or numbers below 128.
fn field(mut message: &[u8], wanted: u8) -> Option<&[u8]> {
    while let [tag, rest @ ..] = message {
        if tag % 8 == 0 {
            message = &rest[1..];
            continue;
        }
        let (mut length, mut at) = (0_usize, 0);
        loop {
            length |= usize::from(rest[at] & 0x7f) << (7 * at);
            at += 1;
            if rest[at - 1] < 0x80 {
                break;
            }
        }
        let bytes = &rest[at..at + length];
        if tag >> 3 == wanted {
            return Some(bytes);
        }
        message = &rest[at + length..];
    }
    None
}

fn decoded(bytes: &[u8]) -> ErrorInfo {
    let info = ErrorInfo::decode_from_slice(bytes).unwrap();
    assert_eq!(info.domain, "guanxi");
    info
}
