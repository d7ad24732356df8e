//! Latencies, and what they come to.

use hdrhistogram::Histogram;
use std::time::Duration;

/// Latencies up to ten minutes, in nanoseconds.
const LATENCY_MAX_NS: u64 = 600_000_000_000;

/// Collected latencies.
#[derive(Clone, Debug)]
pub struct Latencies(Histogram<u64>);

/// What latencies come to, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quantiles {
    /// How many were collected.
    #[serde(rename = "calls")]
    pub count: u64,
    /// The median.
    pub p50_us: f64,
    /// 99 % are at most this.
    pub p99_us: f64,
    /// 99.9 % are at most this.
    pub p999_us: f64,
    /// The longest.
    pub max_us: f64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new_with_bounds(1, LATENCY_MAX_NS, 3).expect("the bounds are valid"))
    }
}

impl Latencies {
    /// Adds one.
    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(latency.as_nanos() as u64);
    }

    /// Those of several collections.
    pub fn of(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.0.add(&part.0).expect("all collections have the same bounds");
        }
        all
    }

    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns what they come to; all zero when there are none.
    pub fn quantiles(&self) -> Quantiles {
        let at = |q| self.0.value_at_quantile(q) as f64 / 1_000.0;
        Quantiles {
            count: self.0.len(),
            p50_us: at(0.5),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us: at(1.0),
        }
    }
}

/// The middle of some values, or between the two in the middle; `None` when there are none.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    let lower = values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(*lower, values[values.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_both_collections() {
        let (mut one, mut two) = (Latencies::default(), Latencies::default());
        (1..=500).for_each(|us| one.record(Duration::from_micros(us)));
        (501..=1_000).for_each(|us| two.record(Duration::from_micros(us)));
        let found = Latencies::of(vec![one, two]).quantiles();
        assert_eq!(found.count, 1_000);
        assert!((found.p50_us - 500.0).abs() < 5.0 && (found.p99_us - 990.0).abs() < 10.0, "{found:?}");
        assert_eq!(Latencies::default().quantiles(), Quantiles::default());
    }
}
