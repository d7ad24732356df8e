//! What a run of load comes to.

use guanxi_load::Latencies;
use std::time::{Duration, Instant};

/// The figures of one run.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Figures {
    /// Calls that were answered while it was measured.
    pub(crate) calls: u64,
    /// Calls per second.
    pub(crate) per_s: f64,
    /// Median latency in microseconds.
    pub(crate) p50_us: f64,
    /// Latency of 99 % of the calls, in microseconds.
    pub(crate) p99_us: f64,
    /// Latency of 99.9 % of the calls, in microseconds.
    pub(crate) p999_us: f64,
    /// The longest, in microseconds.
    pub(crate) max_us: f64,
    /// CPU microseconds of all server processes per call.
    pub(crate) server_cpu_us: f64,
    /// Share of one core that the server used.
    pub(crate) server_busy: f64,
    /// Share of one core that the load generator used.
    pub(crate) client_busy: f64,
}

/// Collects latencies between start and stop.
#[derive(Default)]
pub(super) struct Recorder {
    latencies: Latencies,
    started: Option<Instant>,
    elapsed: Duration,
    ticks: u64,
}

impl Recorder {
    pub(super) fn start(&mut self) {
        self.started = Some(Instant::now());
    }

    pub(super) fn stop(&mut self) {
        self.elapsed = self.started.take().map_or(Duration::ZERO, |started| started.elapsed());
    }

    /// Counts a call that came to its end; ignored while not measuring.
    pub(super) fn record(&mut self, latency: Duration) {
        if self.started.is_some() {
            self.latencies.record(latency);
        }
    }

    /// Whether this is one of every `every` calls.
    pub(super) const fn tick(&mut self, every: u64) -> bool {
        self.ticks += 1;
        self.ticks.is_multiple_of(every)
    }

    pub(super) fn figures(&self, server: Duration, client: Duration) -> Result<Figures, String> {
        let found = self.latencies.quantiles();
        let calls = found.count;
        if calls == 0 {
            return Err("no call was answered while it was measured".to_owned());
        }
        let seconds = self.elapsed.as_secs_f64();
        Ok(Figures {
            calls,
            per_s: calls as f64 / seconds,
            p50_us: found.p50_us,
            p99_us: found.p99_us,
            p999_us: found.p999_us,
            max_us: found.max_us,
            server_cpu_us: server.as_secs_f64() * 1e6 / calls as f64,
            server_busy: server.as_secs_f64() / seconds,
            client_busy: client.as_secs_f64() / seconds,
        })
    }
}

/// The median of each figure over several rounds; `None` without rounds.
pub(crate) fn median(rounds: &[Figures]) -> Option<Figures> {
    let middle = |figure: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(figure).collect();
        values.sort_unstable_by(f64::total_cmp);
        let upper = values.len() / 2;
        let lower = (values.len() - 1) / 2;
        f64::midpoint(values[lower], values[upper])
    };
    (!rounds.is_empty()).then(|| Figures {
        calls: middle(|f| f.calls as f64) as u64,
        per_s: middle(|f| f.per_s),
        p50_us: middle(|f| f.p50_us),
        p99_us: middle(|f| f.p99_us),
        p999_us: middle(|f| f.p999_us),
        max_us: middle(|f| f.max_us),
        server_cpu_us: middle(|f| f.server_cpu_us),
        server_busy: middle(|f| f.server_busy),
        client_busy: middle(|f| f.client_busy),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_between_start_and_stop_counts() {
        let mut recorder = Recorder::default();
        recorder.record(Duration::from_secs(1));
        recorder.start();
        for micros in 1..=1000 {
            recorder.record(Duration::from_micros(micros));
        }
        recorder.stop();
        recorder.record(Duration::from_secs(1));
        let figures = recorder.figures(Duration::from_millis(5), Duration::ZERO).unwrap();
        assert_eq!(figures.calls, 1000);
        assert!((figures.p50_us - 500.0).abs() < 5.0, "{}", figures.p50_us);
        assert!((figures.p99_us - 990.0).abs() < 10.0, "{}", figures.p99_us);
        assert!((figures.max_us - 1000.0).abs() < 10.0, "{}", figures.max_us);
        assert!((figures.server_cpu_us - 5.0).abs() < 1e-9);
    }

    #[test]
    fn no_call_is_an_error() {
        let mut recorder = Recorder::default();
        recorder.start();
        recorder.stop();
        assert!(recorder.figures(Duration::ZERO, Duration::ZERO).is_err());
    }

    #[test]
    fn medians_are_taken_figure_by_figure() {
        let figures = |per_s, p50_us| Figures {
            calls: 1,
            per_s,
            p50_us,
            p99_us: 0.0,
            p999_us: 0.0,
            max_us: 0.0,
            server_cpu_us: 0.0,
            server_busy: 0.0,
            client_busy: 0.0,
        };
        let median_of = median(&[figures(1.0, 30.0), figures(3.0, 10.0), figures(2.0, 20.0)]).unwrap();
        assert!((median_of.per_s - 2.0).abs() < 1e-9 && (median_of.p50_us - 20.0).abs() < 1e-9);
        assert!(median(&[]).is_none());
    }
}
