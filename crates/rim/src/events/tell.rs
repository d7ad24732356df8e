//! From the messages of a stream to events.

use std::collections::VecDeque;

use axum::body::Body as PageBody;
use buffa::bytes::{Buf as _, Bytes, BytesMut};
use connectrpc::ConnectError;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

use crate::answer::{Answer, AnswerBody};

/// The flag of the last frame of Connect's streams.
const END: u8 = 2;

/// Bytes of a frame's head: a flag and a length.
const HEAD_LEN: usize = 5;

/// The next event of a stream.
enum Said {
    /// A message, in JSON.
    Message(Bytes),
    /// Why it ended, in JSON; nothing when its work was done.
    End(Option<Value>),
}

/// The frames of a stream's answer.
struct Frames {
    body: AnswerBody,
    read: BytesMut,
}

impl Frames {
    /// Returns the next event; `None` when the answer ended without a last word.
    async fn next(&mut self) -> Option<Said> {
        loop {
            if let Some(said) = self.split() {
                return Some(said);
            }
            let frame = self.body.frame().await?.ok()?;
            if let Ok(data) = frame.into_data() {
                self.read.extend_from_slice(&data);
            }
        }
    }

    fn split(&mut self) -> Option<Said> {
        let (head, rest) = self.read.split_first_chunk::<HEAD_LEN>()?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if rest.len() < length {
            return None;
        }
        let is_end = head[0] & END != 0;
        self.read.advance(HEAD_LEN);
        let message = self.read.split_to(length).freeze();
        Some(if is_end { Said::End(error_of(&message)) } else { Said::Message(message) })
    }
}

fn error_of(end: &[u8]) -> Option<Value> {
    let mut end: Value = serde_json::from_slice(end).ok()?;
    end.get_mut("error").map(Value::take).filter(|error| !error.is_null())
}

/// Makes events of the answer to a call of a stream. A call that was refused is answered with its status, at which
/// browsers stop to ask.
pub(crate) async fn answer(answer: Answer) -> Answer {
    let (mut parts, body) = answer.into_parts();
    let mut frames = Frames { body, read: BytesMut::new() };
    let first = frames.next().await;
    if let Some(Said::End(Some(error))) = first {
        return refused(error, parts.headers);
    }
    for of_connect in ["connect-content-encoding", "connect-accept-encoding", "accept-post"] {
        parts.headers.remove(of_connect);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Proxies that gather an answer would keep the events from the page.
    parts.headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    let first: VecDeque<Said> = first.into_iter().collect();
    let events = futures::stream::unfold((first, Some(frames)), |(mut first, mut frames)| async move {
        let said = match first.pop_front() {
            Some(said) => said,
            None => frames.as_mut()?.next().await?,
        };
        let event = match said {
            Said::Message(message) => message_event(&message),
            Said::End(error) => {
                frames = None;
                error.map(|error| event("error", "", error.to_string().as_bytes())).unwrap_or_default()
            }
        };
        Some((Ok::<_, std::convert::Infallible>(event), (first, frames)))
    });
    Response::from_parts(parts, AnswerBody::Page(PageBody::from_stream(events)))
}

/// The answer to a call that was refused.
fn refused(error: Value, headers: HeaderMap) -> Answer {
    let error =
        serde_json::from_value(error).unwrap_or_else(|_| ConnectError::internal("an error cannot be read"));
    let mut answer = error.into_http_response(&HeaderMap::new()).map(AnswerBody::Call);
    for (name, value) in headers {
        if let Some(name) = name.filter(|name| name.as_str().starts_with("x-")) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// The event of a message: named after what it holds, with the token to come back with as its id.
fn message_event(message: &[u8]) -> Bytes {
    let Ok(read) = serde_json::from_slice::<Value>(message) else { return Bytes::new() };
    let holds_some = |value: &Value| value.as_array().is_some_and(|values| !values.is_empty());
    let name = if read["reset"] == true {
        "reset"
    } else if read.as_object().is_some_and(|fields| fields.values().any(holds_some)) {
        "news"
    } else {
        "heartbeat"
    };
    event(name, read["token"].as_str().unwrap_or_default(), message)
}

/// One event. JSON has no line breaks of its own, so its data is one line.
fn event(name: &str, id: &str, data: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(data.len() + 64);
    if !id.is_empty() {
        event.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    event.extend_from_slice(format!("event: {name}\ndata: ").as_bytes());
    event.extend_from_slice(data);
    event.extend_from_slice(b"\n\n");
    event.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_named_after_what_they_hold() {
        let of = |message: &str| String::from_utf8(message_event(message.as_bytes()).to_vec()).unwrap();
        let news = r#"{"postIds":["7"],"token":"t"}"#;
        assert_eq!(of(news), format!("id: t\nevent: news\ndata: {news}\n\n"));
        assert!(of(r#"{"postIds":["7"],"reset":true,"token":"t"}"#).contains("event: reset\n"));
        assert!(of(r#"{"postIds":[],"token":"t"}"#).contains("event: heartbeat\n"));
        assert!(of(r#"{"scanned":7,"token":"t"}"#).contains("event: heartbeat\n"));
    }
}
