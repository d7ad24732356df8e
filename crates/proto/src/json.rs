//! Calls by name, with JSON in and out: any method, of which nothing but the name is known.

use std::collections::BTreeMap;
use std::fmt;

use buffa::bytes::Bytes;
use connectrpc::ConnectError;
use connectrpc::client::{ClientTransport as _, full_body};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::Value;

use crate::pass_on::PassingOn;
use crate::tls::TlsProblem;
use crate::transport::Transport;

/// What carries the calls.
type Carrier = PassingOn<Transport>;
type AnswerBody = <Carrier as connectrpc::client::ClientTransport>::ResponseBody;

/// Bytes of one answer: a page of 1,000 items with relations has 90 kB, a chunk of a backup 256 kB; a page of 200 long
/// posts, each a repost of another, a few megabytes.
pub(crate) const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Bytes before each message of a stream: flags and a length.
const FRAME_HEAD_LEN: usize = 5;
/// The flag of the last frame, which holds an error or nothing.
const END_OF_STREAM: u8 = 0b10;

/// A server that is called by name.
#[derive(Clone)]
pub(crate) struct JsonCalls {
    pub(crate) transport: Carrier,
    pub(crate) base: Uri,
    pub(crate) authorization: Option<HeaderValue>,
}

/// Why a call by name failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonError {
    /// The code, such as `not_found`; `unavailable` also when nothing answers.
    pub code: String,
    /// What is wrong, in words.
    pub message: String,
    /// Why, for programs; empty when the server did not say.
    pub reason: String,
    /// The names and numbers that belong to the reason.
    pub metadata: BTreeMap<String, String>,
    /// What kept client and server from speaking, if it was that.
    pub tls: Option<Box<TlsProblem>>,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if self.reason.is_empty() {
            return Ok(());
        }
        write!(f, " ({}", self.reason)?;
        for (name, value) in &self.metadata {
            write!(f, ", {name}: {value}")?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for JsonError {}

impl JsonError {
    fn unsent(error: &ConnectError) -> Self {
        Self { tls: TlsProblem::of(error).map(Box::new), ..Self::unavailable(error) }
    }

    fn unavailable(error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let words = error.to_string();
            if !message.contains(&words) {
                message = format!("{message}: {words}");
            }
            cause = error.source();
        }
        Self { code: "unavailable".into(), message, ..Self::default() }
    }

    fn broken(message: &str) -> Self {
        Self { code: "internal".into(), message: message.into(), ..Self::default() }
    }

    /// The error of an answer that is none, as Connect writes it.
    fn of_answer(status: StatusCode, body: &[u8]) -> Self {
        if let Ok(error) = serde_json::from_slice::<WireError>(body) {
            return error.into();
        }
        let text: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Self { code: "unknown".into(), message: format!("HTTP {status}: {}", text.trim()), ..Self::default() }
    }
}

/// An error as Connect writes it.
#[derive(Deserialize)]
struct WireError {
    code: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    details: Vec<WireDetail>,
}

#[derive(Deserialize)]
struct WireDetail {
    #[serde(default)]
    debug: Value,
}

/// The end of a stream.
#[derive(Deserialize)]
struct WireEnd {
    error: Option<WireError>,
}

impl From<WireError> for JsonError {
    fn from(error: WireError) -> Self {
        let WireError { code, message, details } = error;
        let told =
            details.iter().find_map(|detail| detail.debug["reason"].as_str().map(|reason| (reason, detail)));
        let (reason, metadata) = match told {
            Some((reason, detail)) => {
                let metadata = serde_json::from_value(detail.debug["metadata"].clone());
                (reason.to_owned(), metadata.unwrap_or_default())
            }
            None => Default::default(),
        };
        Self { code, message, reason, metadata, tls: None }
    }
}

impl JsonCalls {
    /// Calls a method, given as `package.Service/Method`.
    pub(crate) async fn call(
        &self,
        method: &str,
        request: &str,
        streams: bool,
    ) -> Result<JsonAnswers, JsonError> {
        let answer = self.transport.send(self.request(method, request, streams)?).await;
        let answer = answer.map_err(|error| JsonError::unsent(&error))?;
        let mut answers = JsonAnswers { body: answer, buffer: Vec::new(), streams, ended: false };
        if answers.body.status() != StatusCode::OK {
            answers.read_all().await?;
            return Err(JsonError::of_answer(answers.body.status(), &answers.buffer));
        }
        Ok(answers)
    }

    fn request(
        &self,
        method: &str,
        request: &str,
        streams: bool,
    ) -> Result<Request<connectrpc::client::ClientBody>, JsonError> {
        let uri = format!("{}/{method}", self.base.to_string().trim_end_matches('/'));
        let (content_type, body) = if streams {
            let mut frame = vec![0; FRAME_HEAD_LEN];
            let len =
                u32::try_from(request.len()).map_err(|_| JsonError::broken("the request is too long"))?;
            frame[1..].copy_from_slice(&len.to_be_bytes());
            frame.extend_from_slice(request.as_bytes());
            ("application/connect+json", Bytes::from(frame))
        } else {
            ("application/json", Bytes::copy_from_slice(request.as_bytes()))
        };
        let builder = Request::builder().method(Method::POST).uri(uri).header(CONTENT_TYPE, content_type);
        let mut request = builder
            .header("connect-protocol-version", "1")
            .body(full_body(body))
            .map_err(|error| JsonError::unavailable(&error))?;
        if let Some(value) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, value.clone());
        }
        Ok(request)
    }
}

/// The answers of a call, one after the other.
pub struct JsonAnswers {
    body: Response<AnswerBody>,
    buffer: Vec<u8>,
    streams: bool,
    ended: bool,
}

impl JsonAnswers {
    /// The next answer, as the server wrote it; `None` after the last.
    ///
    /// # Errors
    /// What the server refused, also in the middle of a stream; `unavailable` when the connection broke.
    pub async fn next(&mut self) -> Result<Option<String>, JsonError> {
        if self.ended {
            return Ok(None);
        }
        if !self.streams {
            self.ended = true;
            self.read_all().await?;
            return text(std::mem::take(&mut self.buffer)).map(Some);
        }
        loop {
            if let Some((flags, message)) = self.frame()? {
                if flags & END_OF_STREAM == 0 {
                    return text(message).map(Some);
                }
                self.ended = true;
                let end: WireEnd = serde_json::from_slice(&message)
                    .map_err(|_| JsonError::broken("the end of the stream cannot be read"))?;
                return end.error.map_or(Ok(None), |error| Err(error.into()));
            }
            if !self.read().await? {
                let message = "the stream broke off".to_owned();
                return Err(JsonError { code: "unavailable".into(), message, ..JsonError::default() });
            }
        }
    }

    /// Takes a whole frame from what was read.
    fn frame(&mut self) -> Result<Option<(u8, Vec<u8>)>, JsonError> {
        let Some((head, rest)) = self.buffer.split_first_chunk::<FRAME_HEAD_LEN>() else { return Ok(None) };
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if len > ANSWER_BYTES_MAX {
            return Err(JsonError::broken("an answer is longer than any should be"));
        }
        if rest.len() < len {
            return Ok(None);
        }
        let (flags, message) = (head[0], rest[..len].to_vec());
        self.buffer.drain(..FRAME_HEAD_LEN + len);
        Ok(Some((flags, message)))
    }

    async fn read_all(&mut self) -> Result<(), JsonError> {
        while self.read().await? {}
        Ok(())
    }

    /// Reads some bytes; `false` at the end.
    async fn read(&mut self) -> Result<bool, JsonError> {
        match self.body.body_mut().frame().await {
            None => Ok(false),
            Some(Err(error)) => Err(JsonError::unavailable(&*error)),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    self.buffer.extend_from_slice(&bytes);
                }
                // A frame may bring the beginning of the next.
                if self.buffer.len() > 2 * ANSWER_BYTES_MAX {
                    return Err(JsonError::broken("an answer is longer than any should be"));
                }
                Ok(true)
            }
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<String, JsonError> {
    String::from_utf8(bytes).map_err(|_| JsonError::broken("an answer is no text"))
}
