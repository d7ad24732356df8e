//! What a row of the table says: which metrics a series is computed from, and how.

use crate::config::Settings;

/// The unit of a series, in the words of `overview.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeriesUnit {
    /// How often something happened in a second.
    PerSecond,
    /// A time.
    Seconds,
    /// Memory, or space on a disk.
    Bytes,
    /// Events of a log.
    Events,
    /// Processor cores that are busy.
    Cores,
    /// A number of anything else.
    Count,
    /// A part of a whole, from 0 to 1.
    Share,
}

impl SeriesUnit {
    /// The word of the API.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::PerSecond => "per_second",
            Self::Seconds => "seconds",
            Self::Bytes => "bytes",
            Self::Events => "events",
            Self::Cores => "cores",
            Self::Count => "count",
            Self::Share => "share",
        }
    }
}

/// Where a number comes from: the lines of some metrics, added up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The names of the lines; those of a histogram end with `_bucket`, `_sum` or `_count`.
    pub lines: &'static [&'static str],
    /// Only lines with this label, and one of these values.
    pub only: Option<(&'static str, &'static [&'static str])>,
}

/// All lines of a metric.
pub(super) const fn of(lines: &'static [&'static str]) -> Source {
    Source { lines, only: None }
}

/// The lines of a metric with a label that has one of these values.
pub(super) const fn only(
    lines: &'static [&'static str],
    label: &'static str,
    values: &'static [&'static str],
) -> Source {
    Source { lines, only: Some((label, values)) }
}

/// How a value is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum How {
    /// As the gauge is now.
    Gauge,
    /// The increase of a counter in a second.
    Rate,
    /// A quantile of what a histogram has observed since the sample before.
    Quantile(f64),
    /// The increase of a counter, divided by that of a second one.
    Ratio,
    /// A gauge without a second one, and never below 0.
    Difference,
    /// The seconds until a time, which is a gauge in Unix seconds; the soonest of several. 0 is no time.
    Until,
}

/// The greatest value that there may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Maximum {
    /// There is none.
    None,
    /// A gauge says it.
    Gauge(Source),
    /// A setting says it, in MiB.
    Mib(fn(&Settings) -> u64),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// A group, a dot, and a name in the group.
    pub name: &'static str,
    /// The unit of the values.
    pub unit: SeriesUnit,
    /// How they are computed.
    pub how: How,
    /// From what.
    pub first: Source,
    /// What else: the whole of a ratio, what a difference takes away.
    pub second: Option<Source>,
    /// The greatest value.
    pub maximum: Maximum,
}

const fn row(name: &'static str, unit: SeriesUnit, how: How, first: Source) -> Row {
    Row { name, unit, how, first, second: None, maximum: Maximum::None }
}

/// A gauge as it is.
pub(super) const fn gauge(name: &'static str, unit: SeriesUnit, source: Source) -> Row {
    row(name, unit, How::Gauge, source)
}

/// The increase of a counter in a second.
pub(super) const fn rate(name: &'static str, source: Source) -> Row {
    row(name, SeriesUnit::PerSecond, How::Rate, source)
}

/// A quantile of times.
pub(super) const fn quantile(name: &'static str, quantile: f64, source: Source) -> Row {
    row(name, SeriesUnit::Seconds, How::Quantile(quantile), source)
}

/// A counter by another one.
pub(super) const fn ratio(name: &'static str, unit: SeriesUnit, part: Source, whole: Source) -> Row {
    Row { second: Some(whole), ..row(name, unit, How::Ratio, part) }
}

/// How far the second gauge is behind the first.
pub(super) const fn behind(name: &'static str, head: Source, reached: Source) -> Row {
    Row { second: Some(reached), ..row(name, SeriesUnit::Events, How::Difference, head) }
}

/// The seconds until a time.
pub(super) const fn until(name: &'static str, source: Source) -> Row {
    row(name, SeriesUnit::Seconds, How::Until, source)
}

impl Row {
    /// The same, with a gauge that says the greatest value.
    pub(super) const fn at_most(self, source: Source) -> Self {
        Self { maximum: Maximum::Gauge(source), ..self }
    }

    /// The same, with a setting in MiB that says the greatest value.
    pub(super) const fn at_most_mib(self, mib: fn(&Settings) -> u64) -> Self {
        Self { maximum: Maximum::Mib(mib), ..self }
    }
}
