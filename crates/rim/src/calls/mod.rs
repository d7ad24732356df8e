//! The facts of one request while it is answered: its id, the trace that it belongs to, its caller, and how it ended.
//!
//! The id is the client's `x-request-id` if it is usable, else a new one. Every answer carries it, and log lines of the call
//! name it. It has nothing to do with the idempotency key `request_id` of writes. The extra cost of spans and slow calls is
//! paid only when an operator asked for them.

mod body;
mod id;
mod slow;
mod trace_context;

pub use body::TaggedBody;
pub use slow::SlowCalls;
pub use trace_context::{TraceContext, TraceId};

use std::cell::{Cell, RefCell};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use connectrpc::ErrorCode;
use guanxi_model::Principal;
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use http_body::Body;
use tracing::field::{DisplayValue, display};

use crate::answer::Answer;
use id::RequestIds;

/// The header of a request's id, in requests and answers.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header of a trace's context, as the W3C has it.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The work beside answering each call.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// Logs calls that took long; none if absent.
    pub slow: Option<Arc<SlowCalls>>,
    /// Begins spans; none if absent.
    pub tracer: Option<Arc<dyn Tracer>>,
    /// The number from which new ids begin. It is random, so that two processes make different ids.
    pub id_seed: u64,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let traced = self.tracer.is_some();
        f.debug_struct("CallOptions")
            .field("slow", &self.slow)
            .field("traced", &traced)
            .finish_non_exhaustive()
    }
}

/// Begins spans of calls, for an operator that collects traces.
pub trait Tracer: Send + Sync {
    /// Begins the span of a call, below the caller's if it named one.
    fn begin(&self, method: &'static str, parent: Option<TraceContext>) -> Box<dyn CallSpan>;
}

/// The span of one call. It ends when it is dropped.
pub trait CallSpan: Send {
    /// Returns the trace context that is handed on to the process that the call calls.
    fn context(&self) -> TraceContext;

    /// Notes how the call ended, and ends the span.
    fn end(self: Box<Self>, call: &CallEnd<'_>);
}

/// How a call ended.
#[derive(Debug)]
pub struct CallEnd<'a> {
    /// `package.Service/Method`.
    pub method: &'static str,
    /// The id of the request.
    pub request_id: &'a str,
    /// The kind of caller: `end_user`, `service`, `admin` or `nobody`.
    pub caller: &'static str,
    /// The status of HTTP.
    pub status: u16,
    /// The code of an error.
    pub code: Option<ErrorCode>,
    /// From the head of the request to the head of its answer; of a stream, to its first word.
    pub took: Duration,
}

/// The name of a call in logs, and the trace context that is handed on.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    id: HeaderValue,
    trace: Option<TraceContext>,
}

impl Tags {
    /// Of a call that is answered.
    const NONE: Self = Self { id: HeaderValue::from_static(""), trace: None };
}

/// A call that is being answered.
struct Call {
    /// Taken when it is answered, since a copy of the id costs memory.
    tags: RefCell<Tags>,
    caller: Cell<&'static str>,
    code: Cell<Option<ErrorCode>>,
}

impl Call {
    const fn new(tags: Tags) -> Self {
        Self { tags: RefCell::new(tags), caller: Cell::new("nobody"), code: Cell::new(None) }
    }
}

tokio::task_local! {
    static CALL: Box<Call>;
}

/// Notes who calls.
pub(crate) fn note_caller(principal: &Principal) {
    let kind = match principal {
        Principal::EndUser(_) => "end_user",
        Principal::Service(_) => "service",
        Principal::Admin => "admin",
    };
    let _ = CALL.try_with(|call| call.caller.set(kind));
}

/// Notes how a call ended.
pub(crate) fn note_code(code: Option<ErrorCode>) {
    let _ = CALL.try_with(|call| call.code.set(code));
}

/// Runs `log` with the id and the trace of the call that is being answered, as fields of an event.
pub(crate) fn tagged<T>(log: impl FnOnce(Option<&str>, Option<DisplayValue<TraceId<'_>>>) -> T) -> T {
    let tags = CALL.try_with(|call| call.tags.borrow().clone()).ok();
    let id = tags.as_ref().map(|tags| id::text(&tags.id));
    let trace = tags.as_ref().and_then(|tags| tags.trace.as_ref());
    log(id, trace.map(|trace| display(trace.trace_id())))
}

/// Adds what a call hands on to the calls that it makes itself: its id, and the trace that it belongs to.
pub fn pass_on(headers: &mut HeaderMap) {
    let _ = CALL.try_with(|call| {
        let tags = call.tags.borrow();
        headers.insert(REQUEST_ID, tags.id.clone());
        if let Some(trace) = &tags.trace {
            headers.insert(TRACEPARENT, trace.header());
        }
    });
}

/// Watches the calls of a listener.
pub(crate) struct CallWatch {
    options: CallOptions,
    ids: RequestIds,
}

/// A request that has come.
pub(crate) struct NamedCall {
    tags: Tags,
    watched: Option<Watched>,
}

/// The measurements of a call that an operator asked for.
struct Watched {
    method: &'static str,
    started: Instant,
    span: Option<Box<dyn CallSpan>>,
}

impl CallWatch {
    pub(crate) fn new(options: CallOptions) -> Self {
        let ids = RequestIds::new(options.id_seed);
        Self { options, ids }
    }

    /// Names a request. The method is looked up only when a log or trace needs it; a page has none.
    pub(crate) fn begin(
        &self,
        headers: &HeaderMap,
        method: impl FnOnce() -> Option<&'static str>,
    ) -> NamedCall {
        let given = headers.get(REQUEST_ID).filter(|id| id::is_valid(id));
        let id = given.cloned().unwrap_or_else(|| self.ids.make());
        let trace = headers.get(TRACEPARENT).and_then(|value| TraceContext::parse(value.as_bytes()));
        let CallOptions { slow, tracer, .. } = &self.options;
        let wanted = slow.is_some() || tracer.is_some() || tracing::enabled!(tracing::Level::DEBUG);
        let Some(method) = wanted.then(method).flatten() else {
            return NamedCall { tags: Tags { id, trace }, watched: None };
        };
        let span = tracer.as_ref().map(|tracer| tracer.begin(method, trace));
        let trace = span.as_ref().map(|span| span.context()).or(trace);
        NamedCall {
            tags: Tags { id, trace },
            watched: Some(Watched { method, started: Instant::now(), span }),
        }
    }

    /// Waits for the answer of a request and gives it the request's id; what is logged meanwhile names it.
    ///
    /// The future is given in its place, since what surrounds it is moved about.
    pub(crate) async fn answer(
        &self,
        begun: NamedCall,
        answer: Pin<&mut (impl Future<Output = Answer> + Send)>,
    ) -> Response<TaggedBody> {
        let NamedCall { tags, watched } = begun;
        let answered = async move {
            let mut answer = answer.await;
            let tags = CALL.with(|call| {
                if let Some(watched) = watched {
                    self.end(call, watched, answer.status().as_u16());
                }
                call.tags.replace(Tags::NONE)
            });
            let streams = answer.body().size_hint().exact().is_none();
            let (id, tags) = if streams { (tags.id.clone(), Some(tags)) } else { (tags.id, None) };
            answer.headers_mut().insert(REQUEST_ID, id);
            answer.map(|body| TaggedBody::new(body, tags))
        };
        CALL.scope(Box::new(Call::new(tags)), answered).await
    }

    fn end(&self, call: &Call, watched: Watched, status: u16) {
        let took = watched.started.elapsed();
        let (method, caller, code) = (watched.method, call.caller.get(), call.code.get());
        if let Some(span) = watched.span {
            let tags = call.tags.borrow();
            span.end(&CallEnd { method, request_id: id::text(&tags.id), caller, status, code, took });
        }
        tagged(|request_id, trace_id| {
            let (ms, code) = (took.as_secs_f64() * 1e3, code.map(|code| code.as_str()));
            tracing::debug!(request_id, trace_id, method, caller, status, code, ms, "answered");
            if let Some(slow) = &self.options.slow
                && slow.is_slow(took)
            {
                tracing::warn!(request_id, trace_id, method, caller, status, code, ms, "a slow call");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_hands_on_its_id_and_its_trace() {
        let header = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let tags = Tags { id: HeaderValue::from_static("r1"), trace: TraceContext::parse(header) };
        let mut headers = HeaderMap::new();
        pass_on(&mut headers);
        assert!(headers.is_empty(), "nothing outside of a call");
        CALL.scope(Box::new(Call::new(tags)), async { pass_on(&mut headers) }).await;
        assert_eq!(
            (&headers[REQUEST_ID], headers[TRACEPARENT].as_bytes()),
            (&"r1".parse().unwrap(), &header[..])
        );
    }
}
