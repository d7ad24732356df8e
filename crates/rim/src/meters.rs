//! Metrics per RPC, with handles that are made once per method and code.
//!
//! The recorder must be installed before the first call: a handle that was made without one records nothing.

use std::sync::OnceLock;
use std::time::Instant;

use connectrpc::ErrorCode;
use metrics::{Counter, Histogram};

/// Codes of an answer: 0 is ok, the others are those of gRPC.
const CODES: usize = 17;

/// The metrics of one method.
pub(crate) struct Meter {
    /// `Service/Method`, the label.
    method: &'static str,
    seconds: OnceLock<Histogram>,
    requests: [OnceLock<Counter>; CODES],
}

impl Meter {
    pub(crate) fn new(path: &'static str) -> Self {
        // The package is the same for all of ours, and long.
        let method = path.strip_prefix("guanxi.v1.").unwrap_or(path);
        Self { method, seconds: OnceLock::new(), requests: [const { OnceLock::new() }; CODES] }
    }

    /// Starts the clock of one call.
    pub(crate) fn start(&'static self) -> Measurement {
        Measurement { meter: self, started: Instant::now(), code: Some(ErrorCode::Canceled) }
    }

    fn record(&self, started: Instant, code: Option<ErrorCode>) {
        self.seconds
            .get_or_init(|| metrics::histogram!("guanxi_rpc_seconds", "method" => self.method))
            .record(started.elapsed().as_secs_f64());
        let index = code.map_or(0, |code| code.grpc_code() as usize).min(CODES - 1);
        self.requests[index]
            .get_or_init(|| {
                let name = code.map_or("ok", |code| code.as_str());
                metrics::counter!("guanxi_rpc_requests_total", "method" => self.method, "code" => name)
            })
            .increment(1);
    }
}

/// One call being measured. A call that is dropped before it ends (its client went away, or its deadline passed)
/// counts as canceled.
pub(crate) struct Measurement {
    meter: &'static Meter,
    started: Instant,
    code: Option<ErrorCode>,
}

impl Measurement {
    /// Notes how the call ended.
    pub(crate) fn end(mut self, code: Option<ErrorCode>) {
        self.code = code;
        crate::calls::note_code(code);
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.meter.record(self.started, self.code);
    }
}

/// Describes the metrics of this crate, for their HELP lines.
pub(crate) fn describe() {
    metrics::describe_histogram!(
        "guanxi_rpc_seconds",
        metrics::Unit::Seconds,
        "Time to answer a call, from its decoded head to its encoded answer; of a stream, to its first word."
    );
    metrics::describe_counter!("guanxi_rpc_requests_total", "Calls answered, by method and code.");
    metrics::describe_gauge!(
        "guanxi_admission_wait_seconds",
        metrics::Unit::Seconds,
        "How long a call that has come waits for its turn; beyond queue_wait_max_ms calls are refused."
    );
    metrics::describe_gauge!(
        "guanxi_admission_refused_share",
        "The share of calls that is refused with OVERLOADED, since more come than can be answered in time."
    );
    metrics::describe_counter!(
        "guanxi_connections_ended_total",
        "Connections that were ended because their clients took nothing: unread bytes, or untaken answers of HTTP/2."
    );
    metrics::describe_gauge!("guanxi_connections", "Open connections.");
    metrics::describe_gauge!("guanxi_slots_taken", "Calls and streams being answered, by kind.");
    metrics::describe_gauge!("guanxi_slots_max", "Calls and streams that there may be at once, by kind.");
    metrics::describe_counter!(
        "guanxi_slots_refused_total",
        "Calls and streams refused because all slots, or all of one caller, were taken."
    );
    metrics::describe_counter!(
        "guanxi_open_slots_evicted_total",
        "Calls and streams without a token that had to leave for newer ones."
    );
    metrics::describe_gauge!(
        "guanxi_connections_max",
        "Connections that may be open at once on the main listener."
    );
}
