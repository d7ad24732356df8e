//! The observation of a server's calls: metrics, spans, slow calls.

use crate::config::Settings;
use crate::failure::Outcome;
use crate::secret::random;
use crate::telemetry::{MetricsPage, Traces};
use guanxi_api::{CallOptions, SlowCalls};
use std::sync::Arc;
use std::time::Duration;

/// The watching of a server.
pub(super) struct Observed {
    /// The page of metrics.
    pub metrics: MetricsPage,
    /// The work beside answering each call.
    pub calls: CallOptions,
    traces: Option<Traces>,
}

impl Observed {
    /// Begins what the settings ask for.
    ///
    /// # Errors
    /// When spans cannot be sent, or the system has no random bytes.
    pub(super) fn start(settings: &Settings, metrics: MetricsPage) -> Outcome<Self> {
        let endpoint = settings.trace_endpoint.as_deref();
        let traces = endpoint.map(|to| Traces::start(to, settings.trace_sample_percent)).transpose()?;
        let slow_after = (settings.slow_call_ms > 0).then(|| Duration::from_millis(settings.slow_call_ms));
        let calls = CallOptions {
            slow: slow_after.map(|after| Arc::new(SlowCalls::after(after))),
            tracer: traces.as_ref().map(Traces::tracer),
            id_seed: u64::from_le_bytes(random()?),
        };
        Ok(Self { metrics, calls, traces })
    }

    /// Sends the spans that wait.
    pub(super) async fn end(self) {
        if let Some(traces) = self.traces {
            traces.end().await;
        }
    }
}
