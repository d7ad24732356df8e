//! The overview of this process: named series of the last minutes, and what is wrong.
//!
//! Every 10 seconds a sample is taken: the page of metrics is written line by line into a reader, which keeps the numbers that the
//! table asks for, and each row of the table is computed from this reading and the one before. The newest 90 samples stay. So
//! an operator who looks sees the last 15 minutes without a collector of metrics.
//!
//! `table.rs` has the series, a row a line; `problems.rs` has the rules of what is wrong.
//!
//! # What it costs
//!
//! - **Time.** Release builds on two busy cores were measured by their processor time. An idle server with a data directory took
//!   4.7 ms to answer `/metrics`, which writes the same page, tidies it and sends it. To read the page of a demo took
//!   0.3 ms. So a sample takes about 5 ms each 10 s: 0.05 % of a core.
//! - **Memory.** A value takes 8 bytes, and those of all samples less than 64 KiB, which a constant below checks. No page is
//!   held: the recorder writes it in pieces.

mod compute;
mod problems;
mod reading;
mod row;
mod table;
#[cfg(test)]
mod tests;

use crate::config::Settings;
use guanxi_api::Ready;
use guanxi_api::overview::{Overview, OverviewSeries, OverviewSource};
use guanxi_model::Clock;
use reading::{MetricIndex, MetricReading, PageReader};
use row::Maximum;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use table::TABLE;
use tokio::time::MissedTickBehavior;

/// How often a sample is taken.
pub const SAMPLE_EVERY: Duration = Duration::from_secs(10);
/// Samples that are kept: 15 minutes.
pub const SAMPLES_MAX: usize = 90;
/// Bytes that the values of all samples take, at most.
const VALUES_BYTES_MAX: usize = 64 << 10;
const _: () =
    assert!(SAMPLES_MAX * TABLE.len() * size_of::<f64>() < VALUES_BYTES_MAX, "samples take too much memory");
/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Writes the page of metrics as it is now, in the text format of Prometheus.
pub type WritePage = Arc<dyn Fn(&mut dyn io::Write) -> io::Result<()> + Send + Sync>;

/// What the overview says of a process beside its metrics.
#[derive(Clone)]
pub struct OverviewTerms {
    /// Whether the process serves a cluster.
    pub is_of_cluster: bool,
    /// The roles of the process.
    pub roles: Vec<&'static str>,
    /// Whether calls can be answered.
    pub ready: Ready,
    /// The time of samples.
    pub clock: Arc<dyn Clock>,
}

/// The samples of this process.
pub struct Overviews {
    page: WritePage,
    terms: OverviewTerms,
    index: MetricIndex,
    ring: Mutex<Ring>,
}

/// The newest samples.
#[derive(Debug, Default)]
struct Ring {
    /// The reading of the newest sample, from which the next one counts.
    last: Option<MetricReading>,
    samples: VecDeque<Sample>,
    /// The greatest value of each row, by settings.
    settings: Vec<Option<f64>>,
}

/// The values of the table at a time.
#[derive(Debug)]
struct Sample {
    at_ms: u64,
    /// A value for each row; NaN if it is not known, which is half as large as an option.
    values: Box<[f64]>,
}

impl Overviews {
    /// No samples yet, of a page of metrics.
    pub fn new(page: WritePage, terms: OverviewTerms, settings: &Settings) -> Self {
        let by_setting = TABLE.iter().map(|row| match row.maximum {
            Maximum::Mib(mib) => Some(mib(settings) as f64 * MIB),
            Maximum::None | Maximum::Gauge(_) => None,
        });
        let ring = Ring { settings: by_setting.collect(), ..Ring::default() };
        Self { page, terms, index: MetricIndex::new(TABLE), ring: Mutex::new(ring) }
    }

    /// Takes a sample every 10 seconds, for ever. The page is written on a blocking thread, so that no call waits for it.
    pub async fn keep_sampling(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(SAMPLE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let this = Arc::clone(&self);
            if let Err(error) = tokio::task::spawn_blocking(move || this.sample()).await {
                tracing::warn!(%error, "a sample of the overview was not taken");
            }
        }
    }

    /// Takes a sample.
    pub fn sample(&self) {
        let mut reader = PageReader::new(&self.index, TABLE.len(), self.terms.clock.now_ms());
        match (self.page)(&mut reader) {
            Ok(()) => self.ring.lock().unwrap_or_else(PoisonError::into_inner).add(reader.end()),
            Err(error) => tracing::warn!(%error, "the page of metrics cannot be read for the overview"),
        }
    }
}

impl OverviewSource for Overviews {
    fn overview(&self, samples: usize) -> Overview {
        let OverviewTerms { is_of_cluster, roles, ready, .. } = &self.terms;
        let is_ready = ready().is_ready;
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        Overview {
            is_of_cluster: *is_of_cluster,
            roles: roles.clone(),
            times_ms: ring.tail(samples).map(|sample| sample.at_ms).collect(),
            series: ring.series(samples),
            problems: problems::problems(&ring, is_ready),
        }
    }
}

impl Ring {
    /// Adds a sample, and forgets the oldest beyond the limit.
    fn add(&mut self, now: MetricReading) {
        let rows = TABLE.iter().enumerate();
        let values =
            rows.map(|(at, row)| compute::value(row, at, self.last.as_ref(), &now).unwrap_or(f64::NAN));
        let sample = Sample { at_ms: now.at_ms, values: values.collect() };
        if self.samples.len() >= SAMPLES_MAX {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        self.last = Some(now);
    }

    /// The newest samples, oldest first; 0 means all.
    fn tail(&self, samples: usize) -> impl Iterator<Item = &Sample> {
        let from = if samples == 0 { 0 } else { self.samples.len().saturating_sub(samples) };
        self.samples.range(from..)
    }

    /// The series of the newest samples. A series without a known value in any kept sample is left out.
    fn series(&self, samples: usize) -> Vec<OverviewSeries> {
        let known = |at: usize| self.samples.iter().any(|sample| sample.values[at].is_finite());
        let rows = TABLE.iter().enumerate().filter(|(at, _)| known(*at));
        rows.map(|(at, row)| OverviewSeries {
            name: row.name,
            unit: row.unit.word(),
            values: self.tail(samples).map(|sample| sample.value(at)).collect(),
            maximum: self.maximum(at),
        })
        .collect()
    }

    /// The newest values of a row, oldest first; `None` if they are fewer, or one is not known.
    fn newest(&self, row: usize, samples: usize) -> Option<Vec<f64>> {
        let values: Vec<f64> =
            self.tail(samples.max(1)).map(|sample| sample.value(row)).collect::<Option<_>>()?;
        (values.len() >= samples).then_some(values)
    }

    /// The greatest value of a row.
    fn maximum(&self, row: usize) -> Option<f64> {
        let told = self.last.as_ref().and_then(|last| last.rows[row][2].number());
        told.or(self.settings[row])
    }
}

impl Sample {
    fn value(&self, row: usize) -> Option<f64> {
        Some(self.values[row]).filter(|value| value.is_finite())
    }
}
