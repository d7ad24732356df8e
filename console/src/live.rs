//! Streams of fragments: what a region of a page shows, rendered anew by the server while somebody looks.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _};
use guanxi_model::{Error, Reason};
use maud::{Markup, html};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use crate::answer::{Answer, Trouble};
use crate::limits::LIVE_EVERY;
use crate::visit::Visit;

/// What a reader is told to wait whose session has all its streams, in milliseconds.
const RETRY_AFTER_MS: u32 = 1_000;

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
}

/// A place among the streams of a session. Another stream gets it when this is dropped.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Takes a place among the streams of a session: there are [`STREAMS_PER_SESSION_MAX`](crate::limits::STREAMS_PER_SESSION_MAX).
///
/// # Errors
/// `OVERLOADED` when all are taken.
pub(crate) fn place(visit: &Visit) -> Result<Place, Trouble> {
    let full = |_| Trouble::from(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
    Arc::clone(&visit.session.streams)
        .try_acquire_owned()
        .map(|permit| Place { _permit: permit })
        .map_err(full)
}

/// Streams a region, drawn anew every [`LIVE_EVERY`] and sent when it has changed.
///
/// The stream ends as [`events`] does, and when a drawing fails. If the session has no place for it, it ends at once.
pub(crate) fn redrawn(visit: &Visit, draw: Draw) -> Answer {
    let Ok(place) = place(visit) else {
        return Answer::events(Body::from(end()));
    };
    let region = Region { visit: visit.clone(), draw, last: None, is_first: true };
    let fragments = stream::unfold(region, |mut region| async move {
        loop {
            if !std::mem::take(&mut region.is_first) {
                sleep(LIVE_EVERY).await;
            }
            let drawn = (region.draw)(&region.visit).await.ok()?.into_string();
            if region.last.as_ref() != Some(&drawn) {
                let event = event("fragment", &drawn);
                region.last = Some(drawn);
                return Some((event, region));
            }
        }
    });
    events(visit, place, fragments.boxed())
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

/// Completes when a session does not last any longer, which is looked at every [`LIVE_EVERY`].
async fn ended(lasts: impl Fn() -> bool) {
    while lasts() {
        sleep(LIVE_EVERY).await;
    }
}

/// Answers events until the session ends, the operator's credential is gone or the server closes. The last event says that no more
/// come.
pub(crate) fn events(visit: &Visit, place: Place, fragments: BoxStream<'static, String>) -> Answer {
    let (over, visit) = (over(visit), visit.clone());
    let ended = ended(move || visit.console.sessions.lasts(&visit.session, Instant::now()));
    let over = async move {
        tokio::select! {
            () = over => {}
            () = ended => {}
        }
    };
    let all = until(fragments, over).map(move |text| {
        let _held = &place;
        Ok::<_, Infallible>(Bytes::from(text))
    });
    Answer::events(Body::from_stream(all))
}

/// The events of a stream until it is over, and one that says that no more come.
fn until(
    fragments: BoxStream<'static, String>,
    over: impl Future<Output = ()> + Send + 'static,
) -> impl Stream<Item = String> + Send {
    fragments.take_until(Box::pin(over)).chain(stream::once(std::future::ready(end())))
}

/// Answers one fragment that says why there are no others.
pub(crate) fn refused(visit: &Visit, trouble: &Trouble) -> Answer {
    let drawn = html! { p.wrong { (trouble.words(visit.look)) } };
    Answer::events(Body::from(event("fragment", &drawn.into_string()) + &end()))
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
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_says_nothing_ends_soon_after_its_session() {
        let lasts = Arc::new(AtomicBool::new(true));
        let looked = lasts.clone();
        let over = ended(move || looked.load(Ordering::Relaxed));
        let mut events = Box::pin(until(stream::pending().boxed(), over));
        let early = tokio::time::timeout(10 * LIVE_EVERY, events.next()).await;
        assert!(early.is_err(), "the session lasts");
        lasts.store(false, Ordering::Relaxed);
        let signed_out = Instant::now();
        assert_eq!(events.next().await, Some(end()));
        assert!(signed_out.elapsed() <= LIVE_EVERY);
        assert_eq!(events.next().await, None);
    }

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
