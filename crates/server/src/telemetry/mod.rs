//! Logs to standard error, the metrics that `/metrics` shows, and spans of calls for a collector.

mod traces;

pub(crate) use traces::{Traces, check_endpoint};

mod levels;
mod page;

use crate::failure::{Context, Outcome};
use clap::ValueEnum;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use serde::{Deserialize, Serialize};
use std::env::consts::{ARCH, OS};
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How logs look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text on a terminal, else JSON.
    Auto,
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Upper bounds of latency buckets in seconds: from a cache probe to a bad disk.
const LATENCY_BUCKETS: &[f64] = &[
    10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0,
];
/// The same for metrics that have a histogram for each call or operation: fewer, since there are hundreds of them.
const LABELLED_BUCKETS: &[f64] = &[50e-6, 100e-6, 250e-6, 1e-3, 2.5e-3, 10e-3, 25e-3, 0.1, 0.25, 1.0, 5.0];
/// Those metrics.
const LABELLED: [&str; 5] = [
    "guanxi_rpc_seconds",
    "guanxi_graph_seconds",
    "guanxi_post_seconds",
    "guanxi_user_seconds",
    "guanxi_group_seconds",
];
/// Upper bounds of buckets that count things, such as writes of a group commit.
const COUNT_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 4096.0];

/// How often histograms are folded, so that they stay small when no scraper reads them.
const UPKEEP: Duration = Duration::from_secs(5);

/// Checks what is to be logged.
///
/// # Errors
/// The word that is no level or target, and what was meant.
pub(crate) fn check_level(level: &str) -> Result<(), String> {
    levels::parse(level).map(drop)
}

/// Sends logs to standard error.
///
/// # Errors
/// When the level cannot be read.
pub fn install_logs(level: &str, format: LogFormat) -> Outcome {
    let targets = levels::parse(level).map_err(crate::failure::Failure::usage)?;
    let terminal = io::stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let registry = tracing_subscriber::registry().with(targets);
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(terminal);
    if json {
        registry.with(layer.json().flatten_event(true)).try_init()?;
    } else {
        registry.with(layer).try_init()?;
    }
    Ok(())
}

/// The page of metrics. Cheap to clone.
#[derive(Clone)]
pub struct MetricsPage {
    recorded: PrometheusHandle,
    process: Collector,
}

impl MetricsPage {
    /// Returns the page; what the system knows of the process is asked for now.
    pub(crate) fn render(&self) -> String {
        self.process.collect();
        page::tidied(&self.recorded.render())
    }

    /// Writes the whole page in pieces, with what a scraper does not need.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, mut out: &mut dyn io::Write) -> io::Result<()> {
        self.process.collect();
        self.recorded.render_to_write(&mut out)
    }
}

/// Installs the recorder that all crates record metrics into.
///
/// # Errors
/// When there is one already.
pub fn install_metrics() -> Outcome<MetricsPage> {
    // The whole name wins over an end of it.
    let labelled = LABELLED.iter().try_fold(PrometheusBuilder::new(), |builder, name| {
        builder.set_buckets_for_metric(Matcher::Full((*name).into()), LABELLED_BUCKETS)
    });
    let handle = labelled
        .and_then(|builder| {
            builder.set_buckets_for_metric(Matcher::Suffix("_seconds".into()), LATENCY_BUCKETS)
        })
        .and_then(|builder| builder.set_buckets(COUNT_BUCKETS))
        .and_then(PrometheusBuilder::install_recorder)
        .context("cannot install the metrics recorder")?;
    let upkeep = handle.clone();
    let folding = async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            upkeep.run_upkeep();
        }
    };
    tokio::spawn(folding);
    describe_build();
    let process = Collector::default();
    process.describe();
    Ok(MetricsPage { recorded: handle, process })
}

/// Says which program it is: a number that is always one, with what is worth knowing as labels.
fn describe_build() {
    const NAME: &str = "guanxi_build_info";
    metrics::describe_gauge!(NAME, "Always 1; the labels say which program this is.");
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    metrics::gauge!(NAME, "version" => env!("CARGO_PKG_VERSION"), "arch" => ARCH, "os" => OS, "profile" => profile)
        .set(1.0);
}
