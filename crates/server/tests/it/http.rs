//! A bare HTTP/1.1 client, as simple as curl: what goes over the wire is what the test says.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use buffa::Message as _;
use guanxi_proto::rpc::ErrorInfo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Code and ErrorInfo of an error.
    pub(crate) fn error(&self) -> (String, ErrorInfo) {
        assert_ne!(self.status, 200, "{}", self.text());
        let json = self.json();
        let detail = &json["details"][0];
        assert_eq!(detail["type"], "google.rpc.ErrorInfo", "{json}");
        let bytes = STANDARD_NO_PAD.decode(detail["value"].as_str().unwrap()).unwrap();
        let info = ErrorInfo::decode_from_slice(&bytes).unwrap();
        assert_eq!(info.domain, "guanxi");
        let shown = json!({ "reason": info.reason, "domain": info.domain, "metadata": info.metadata });
        assert_eq!(detail["debug"], shown, "what is in base64 is also in clear");
        (json["code"].as_str().unwrap().to_owned(), info)
    }

    /// The reason of an error.
    pub(crate) fn reason(&self) -> String {
        self.error().1.reason
    }
}

/// Sends one request on a connection of its own. The host is the address, unless the headers name one.
pub(crate) async fn send(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut stream = TcpStream::connect(to).await.unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        let _ = write!(head, "host: {to}\r\n");
    }
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "transfer-encoding") {
        let _ = write!(head, "content-length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server may refuse before it has read everything.
    let _ = stream.write_all(body).await;
    let mut raw = Vec::new();
    let _ = stream.read_to_end(&mut raw).await;
    parse(&raw)
}

/// Posts JSON.
pub(crate) async fn post(to: SocketAddr, method: &str, body: &str) -> Answer {
    let path = format!("/guanxi.v1.{method}");
    send(to, "POST", &path, &[("content-type", "application/json")], body.as_bytes()).await
}

/// Posts JSON with a bearer token.
pub(crate) async fn post_as(to: SocketAddr, token: &str, path: &str, body: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    send(to, "POST", path, &headers, body.as_bytes()).await
}

pub(crate) fn parse(raw: &[u8]) -> Answer {
    let end = raw.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("an answer has a head");
    let head = std::str::from_utf8(&raw[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: HashMap<String, String> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let rest = &raw[end + 4..];
    let chunked = headers.get("transfer-encoding").is_some_and(|value| value == "chunked");
    let body = if chunked { dechunk(rest) } else { rest.to_vec() };
    Answer { status, headers, body }
}

fn dechunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line_end) = rest.windows(2).position(|bytes| bytes == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line_end]).unwrap(), 16).unwrap();
        rest = &rest[line_end + 2..];
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
    body
}
