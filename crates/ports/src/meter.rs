//! The meter of a call, and structs of meters.

use crate::BoxFuture;
use guanxi_model::Result;
use metrics::{Counter, Histogram, counter, histogram};
use std::time::Instant;

/// The metrics of a family: of calls, of seconds, and of failures.
pub(crate) type MetricNames = [&'static str; 3];

pub(crate) const GRAPH: MetricNames =
    ["guanxi_graph_ops_total", "guanxi_graph_seconds", "guanxi_graph_errors_total"];
pub(crate) const POST: MetricNames =
    ["guanxi_post_ops_total", "guanxi_post_seconds", "guanxi_post_errors_total"];
pub(crate) const USER: MetricNames =
    ["guanxi_user_ops_total", "guanxi_user_seconds", "guanxi_user_errors_total"];
pub(crate) const GROUP: MetricNames =
    ["guanxi_group_ops_total", "guanxi_group_seconds", "guanxi_group_errors_total"];

/// The handles of one call, registered once: recording allocates nothing.
pub(crate) struct CallMeter {
    calls: Counter,
    seconds: Histogram,
    errors: Counter,
}

impl CallMeter {
    fn register([calls, seconds, errors]: MetricNames, op: &'static str) -> Self {
        Self {
            calls: counter!(calls, "op" => op),
            seconds: histogram!(seconds, "op" => op),
            errors: counter!(errors, "op" => op),
        }
    }

    pub(crate) fn graph(op: &'static str) -> Self {
        Self::register(GRAPH, op)
    }

    pub(crate) fn post(op: &'static str) -> Self {
        Self::register(POST, op)
    }

    pub(crate) fn user(op: &'static str) -> Self {
        Self::register(USER, op)
    }

    pub(crate) fn group(op: &'static str) -> Self {
        Self::register(GROUP, op)
    }

    /// Counts a call, also one that is dropped, and times one that is answered.
    pub(crate) async fn time<T>(&self, answer: BoxFuture<'_, Result<T>>) -> Result<T> {
        self.calls.increment(1);
        let start = Instant::now();
        let answer = answer.await;
        self.seconds.record(start.elapsed());
        if answer.is_err() {
            self.errors.increment(1);
        }
        answer
    }
}

/// Writes a struct with the meter of each call, in sections by family. The label is the name, or the one behind `as`.
macro_rules! meters {
    ($(#[$doc:meta])* pub(crate) struct $meters:ident { $($family:ident { $($name:ident $(as $label:literal)?),* $(,)? })* }) => {
        $(#[$doc])*
        pub(crate) struct $meters { $($(pub(crate) $name: crate::meter::CallMeter,)*)* }

        impl $meters {
            /// The family and the label of each call.
            pub(crate) const OPS: &'static [(&'static str, &'static str)] = &[
                $($((stringify!($family), crate::meter::meters!(@label $name $($label)?)),)*)*
            ];

            pub(crate) fn register() -> Self {
                Self {
                    $($($name: crate::meter::CallMeter::$family(crate::meter::meters!(@label $name $($label)?)),)*)*
                }
            }
        }
    };
    (@label $name:ident) => { stringify!($name) };
    (@label $name:ident $label:literal) => { $label };
}

pub(crate) use meters;
