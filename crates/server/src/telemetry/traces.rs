//! Spans of calls, sent to a collector of OpenTelemetry over OTLP and HTTP.

use crate::failure::{Failure, Outcome};
use connectrpc::client::{ClientTransport as _, full_body};
use guanxi_api::{CallEnd, CallSpan, TraceContext, Tracer, Transport};
use http::uri::Scheme;
use http_body_util::{BodyExt as _, Limited};
use metrics::Counter;
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId,
    TraceState, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider, SpanData,
    SpanExporter as Export,
};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// Where a collector takes traces, below its address.
const PATH: &str = "/v1/traces";
/// Spans that wait to be sent at most; more are dropped, since a collector that lags must not cost memory.
const QUEUE_MAX: usize = 2_048;
/// Spans of one request to the collector.
const BATCH_MAX: usize = 512;
/// How long a collector may take to answer.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the last spans may take when the server ends.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a collector's answer that are read.
const ANSWER_MAX: usize = 64 << 10;

/// Checks the address of a collector.
///
/// # Errors
/// What one looks like.
pub(crate) fn check_endpoint(endpoint: &str) -> Result<(), String> {
    let uri: Option<http::Uri> = endpoint.parse().ok();
    let fits = uri.is_some_and(|uri| {
        let known = [&Scheme::HTTP, &Scheme::HTTPS].map(Some).contains(&uri.scheme());
        known && uri.authority().is_some() && uri.query().is_none()
    });
    if fits {
        return Ok(());
    }
    Err(format!("must be the address of a collector, such as http://127.0.0.1:4318, and is {endpoint:?}"))
}

/// The sender of spans.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    begun: Counter,
}

impl Traces {
    /// Sends so many of a hundred traces to a collector, and all that callers keep themselves.
    ///
    /// # Errors
    /// When the sender cannot be made.
    pub(crate) fn start(endpoint: &str, percent: u64) -> Outcome<Self> {
        let endpoint = format!("{}{PATH}", endpoint.trim_end_matches('/'));
        let address =
            endpoint.parse().map_err(|error| Failure::usage(format_args!("{endpoint}: {error}")))?;
        let client = Collector { http: Transport::to(&address, None, false)?, runtime: Handle::current() };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(endpoint)
            .with_timeout(SEND_TIMEOUT)
            .build()
            .map_err(|error| Failure::new(error).while_doing("cannot send traces"))?;
        metrics::describe_counter!(
            "guanxi_trace_spans_total",
            "Spans, by outcome: begun, sent, or failed to be sent; the rest waits, or was dropped because too many did."
        );
        let spans =
            |outcome: &'static str| metrics::counter!("guanxi_trace_spans_total", "outcome" => outcome);
        let exporter =
            Counted { exporter, sent: spans("sent"), failed: spans("failed"), fails: AtomicBool::new(false) };
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_MAX)
            .with_max_export_batch_size(BATCH_MAX);
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(percent as f64 / 100.0)));
        let resource = Resource::builder()
            .with_service_name(std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| "guanxi".into()))
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(
                BatchSpanProcessor::builder(exporter).with_batch_config(config.build()).build(),
            )
            .with_sampler(sampler)
            .with_resource(resource)
            .build();
        Ok(Self { provider, begun: spans("begun") })
    }

    /// Begins spans that are sent.
    pub(crate) fn tracer(&self) -> Arc<dyn Tracer> {
        Arc::new(Spans { tracer: self.provider.tracer("guanxi"), begun: self.begun.clone() })
    }

    /// Sends what waits.
    pub(crate) async fn end(self) {
        let ended =
            tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(END_TIMEOUT)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

struct Spans {
    tracer: SdkTracer,
    begun: Counter,
}

struct Span(opentelemetry_sdk::trace::Span);

impl Tracer for Spans {
    fn begin(&self, method: &'static str, parent: Option<TraceContext>) -> Box<dyn CallSpan> {
        let above = parent
            .map_or_else(Context::new, |parent| Context::new().with_remote_span_context(remote(parent)));
        let builder = SpanBuilder::from_name(method).with_kind(SpanKind::Server);
        let span = self.tracer.build_with_context(builder, &above);
        if span.is_recording() {
            self.begun.increment(1);
        }
        Box::new(Span(span))
    }
}

/// Where the caller stands in its trace.
fn remote(parent: TraceContext) -> SpanContext {
    let flags = if parent.is_sampled() { TraceFlags::SAMPLED } else { TraceFlags::NOT_SAMPLED };
    let (trace, span) = (TraceId::from_bytes(parent.trace), SpanId::from_bytes(parent.span));
    SpanContext::new(trace, span, flags, true, TraceState::NONE)
}

impl CallSpan for Span {
    fn context(&self) -> TraceContext {
        let context = self.0.span_context();
        TraceContext {
            trace: context.trace_id().to_bytes(),
            span: context.span_id().to_bytes(),
            flags: context.trace_flags().to_u8(),
        }
    }

    fn end(self: Box<Self>, call: &CallEnd<'_>) {
        let Self(mut span) = *self;
        if !span.is_recording() {
            return;
        }
        let (service, method) = call.method.rsplit_once('/').unwrap_or((call.method, call.method));
        span.set_attribute(KeyValue::new("rpc.system", "connect_rpc"));
        span.set_attribute(KeyValue::new("rpc.service", service));
        span.set_attribute(KeyValue::new("rpc.method", method));
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(call.status)));
        span.set_attribute(KeyValue::new("guanxi.request_id", call.request_id.to_owned()));
        span.set_attribute(KeyValue::new("guanxi.caller", call.caller));
        if let Some(code) = call.code {
            span.set_attribute(KeyValue::new("rpc.connect_rpc.error_code", code.as_str()));
        }
        if call.status >= 500 {
            span.set_status(Status::error(call.code.map_or("", |code| code.as_str())));
        }
        span.end();
    }
}

/// An exporter whose spans are counted, and whose first failure is logged.
#[derive(Debug)]
struct Counted {
    exporter: SpanExporter,
    sent: Counter,
    failed: Counter,
    fails: AtomicBool,
}

impl Export for Counted {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len() as u64;
        let result = self.exporter.export(batch).await;
        let failed_before = self.fails.swap(result.is_err(), Ordering::Relaxed);
        match &result {
            Ok(()) => self.sent.increment(spans),
            Err(error) => {
                self.failed.increment(spans);
                if !failed_before {
                    tracing::warn!(%error, "spans cannot be sent to the collector; told once until it takes some");
                }
            }
        }
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// Speaks HTTP to the collector. Spans are sent from a thread of their own, which has no runtime.
struct Collector {
    http: Transport,
    runtime: Handle,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Collector")
    }
}

impl opentelemetry_http::HttpClient for Collector {
    fn send_bytes<'s, 'a>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>
    where
        's: 'a,
        Self: 'a,
    {
        let http = self.http.clone();
        let answered = async move {
            let (head, body) = http.send(request.map(full_body)).await?.into_parts();
            let body = Limited::new(body, ANSWER_MAX).collect().await?.to_bytes();
            Ok(Response::from_parts(head, body))
        };
        // Timers are made there as well.
        let answered = self.runtime.spawn(async { tokio::time::timeout(SEND_TIMEOUT, answered).await? });
        Box::pin(async move { answered.await? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_has_an_address() {
        assert_eq!(check_endpoint("http://127.0.0.1:4318"), Ok(()));
        assert_eq!(check_endpoint("http://collector:4318/base/"), Ok(()));
        for bad in ["", "127.0.0.1:4318", "grpc://collector:4317", "http://", "http://a/?x=1"] {
            assert!(check_endpoint(bad).is_err(), "{bad}");
        }
    }
}
