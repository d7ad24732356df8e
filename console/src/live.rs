//! Streams of fragments: what a region of a page shows, rendered anew by the server while somebody looks.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use maud::Markup;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use crate::answer::{Answer, Trouble};
use crate::limits::LIVE_EVERY;
use crate::visit::Visit;

/// A fragment on its way.
pub(crate) type Drawing<'a> = Pin<Box<dyn Future<Output = Result<Markup, Trouble>> + Send + 'a>>;

/// Draws a region.
pub(crate) type Draw = for<'a> fn(&'a Visit) -> Drawing<'a>;

/// A region that is drawn again and again.
struct Region {
    visit: Visit,
    draw: Draw,
    last: Option<String>,
    is_first: bool,
    _permit: OwnedSemaphorePermit,
}

/// Streams a region, drawn anew every [`LIVE_EVERY`] and sent when it has changed.
///
/// The stream ends with the session, with the operator's credential, when the server closes, and when a drawing fails. A session has
/// at most [`STREAMS_PER_SESSION_MAX`](crate::limits::STREAMS_PER_SESSION_MAX) streams; one more ends at once.
pub(crate) fn redrawn(visit: &Visit, draw: Draw) -> Answer {
    let Ok(permit) = Arc::clone(&visit.session.streams).try_acquire_owned() else {
        return Answer::events(Body::from(end()));
    };
    let region = Region { visit: visit.clone(), draw, last: None, is_first: true, _permit: permit };
    let fragments = stream::unfold(region, |mut region| async move {
        loop {
            if !std::mem::take(&mut region.is_first) {
                sleep(LIVE_EVERY).await;
            }
            if !region.visit.console.sessions.lasts(&region.visit.session, Instant::now()) {
                return None;
            }
            let drawn = (region.draw)(&region.visit).await.ok()?.into_string();
            if region.last.as_ref() != Some(&drawn) {
                let event = event("fragment", &drawn);
                region.last = Some(drawn);
                return Some((event, region));
            }
        }
    });
    events(visit, fragments.boxed())
}

/// Completes when the operator's credential is gone or the server closes.
pub(crate) fn over(visit: &Visit) -> impl Future<Output = ()> + Send + use<> {
    let (desk, operator) = (visit.console.desk.clone(), visit.operator().clone());
    async move {
        tokio::select! {
            () = desk.gone(&operator) => {}
            () = desk.closed() => {}
        }
    }
}

/// Answers events until the operator's credential is gone or the server closes; the last one says that no more come.
pub(crate) fn events(visit: &Visit, fragments: BoxStream<'static, String>) -> Answer {
    let all = fragments.take_until(Box::pin(over(visit))).chain(stream::once(std::future::ready(end())));
    Answer::events(Body::from_stream(all.map(|text| Ok::<_, Infallible>(Bytes::from(text)))))
}

/// Returns an event, whose data may have several lines. A carriage return ends a line of an event, too: without a `data:` of its own
/// what a user wrote behind it would be an event, or the end of this one.
pub(crate) fn event(kind: &str, data: &str) -> String {
    let data = data.replace("\r\n", "\n");
    let lines = data.split(['\r', '\n']).map(|line| format!("data: {line}\n")).collect::<String>();
    format!("event: {kind}\n{lines}\n")
}

fn end() -> String {
    event("end", "end")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events with their data, as a browser reads them by <https://html.spec.whatwg.org/#event-stream-interpretation>.
    fn read(stream: &str) -> Vec<(String, String)> {
        let stream = stream.replace("\r\n", "\n").replace('\r', "\n");
        let (mut events, mut kind, mut data) = (Vec::new(), String::new(), Vec::new());
        for line in stream.split('\n') {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() && !data.is_empty() => {
                    events.push((std::mem::take(&mut kind), std::mem::take(&mut data).join("\n")));
                }
                "event" => kind = value.to_owned(),
                "data" => data.push(value.to_owned()),
                _ => {}
            }
        }
        events
    }

    #[test]
    fn no_text_of_a_fragment_ends_its_event() {
        let pieces = ["a", "\r", "\n", "event: end", "data: ", ":", " ", "\u{2028}", "\0"];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer: Vec<String> =
                texts.iter().flat_map(|text| pieces.map(|piece| format!("{text}{piece}"))).collect();
            texts.extend(longer);
        }
        for text in texts {
            let lines = text.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(read(&event("fragment", &text)), [("fragment".to_owned(), lines)], "{text:?}");
        }
    }
}
