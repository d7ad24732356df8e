//! What a run of load comes to.

use crate::machine;
use crate::peers::Target;
use guanxi_load::{Latencies, Quantiles, quantiles};
use std::fmt;
use std::time::{Duration, Instant};

/// The figures of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Figures {
    /// Calls that were answered while it was measured, and their latencies.
    #[serde(flatten)]
    pub(crate) latency: Quantiles,
    /// Calls per second.
    pub(crate) per_s: f64,
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

    pub(super) fn figures(&self, used: &Usage) -> Result<Figures, String> {
        Figures::of(self.latencies.quantiles(), self.elapsed, used)
    }
}

/// CPU time of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    server: Duration,
    client: Duration,
}

impl Usage {
    /// What a target and this process have used so far.
    pub(crate) fn of(target: &Target<'_>) -> Self {
        let servers = [Some(target.pid), target.beside];
        let server = servers.into_iter().flatten().map(machine::cpu_of_tree).sum();
        Self { server, client: machine::cpu_of_self() }
    }

    /// What was used since an earlier moment.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let (server, client) =
            (self.server.saturating_sub(before.server), self.client.saturating_sub(before.client));
        Self { server, client }
    }
}

impl Figures {
    /// Those of the calls that were answered within some time.
    ///
    /// # Errors
    /// When there was none.
    pub(crate) fn of(latency: Quantiles, elapsed: Duration, used: &Usage) -> Result<Self, String> {
        if latency.count == 0 {
            return Err("no call was answered while it was measured".to_owned());
        }
        let (calls, seconds) = (latency.count as f64, elapsed.as_secs_f64());
        let [server, client] = [used.server, used.client].map(|time| time.as_secs_f64());
        Ok(Self {
            latency,
            per_s: calls / seconds,
            server_cpu_us: server * 1e6 / calls,
            server_busy: server / seconds,
            client_busy: client / seconds,
        })
    }

    /// The median of each figure over several rounds; `None` without rounds.
    pub(crate) fn median(rounds: &[Self]) -> Option<Self> {
        let middle = |figure: fn(&Self) -> f64| quantiles::median(rounds.iter().map(figure));
        Some(Self {
            latency: Quantiles {
                count: middle(|f| f.latency.count as f64)? as u64,
                p50_us: middle(|f| f.latency.p50_us)?,
                p99_us: middle(|f| f.latency.p99_us)?,
                p999_us: middle(|f| f.latency.p999_us)?,
                max_us: middle(|f| f.latency.max_us)?,
            },
            per_s: middle(|f| f.per_s)?,
            server_cpu_us: middle(|f| f.server_cpu_us)?,
            server_busy: middle(|f| f.server_busy)?,
            client_busy: middle(|f| f.client_busy)?,
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { latency, per_s, server_cpu_us: cpu, .. } = self;
        let [server, client] = [self.server_busy, self.client_busy].map(|share| share * 100.0);
        write!(f, "{per_s:>8.0}/s  p50 {:>7.0} us  p99 {:>7.0} us  ", latency.p50_us, latency.p99_us)?;
        write!(f, "{cpu:>6.1} us CPU  server {server:>3.0} %  load {client:>3.0} %")
    }
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
        let figures =
            recorder.figures(&Usage { server: Duration::from_millis(5), client: Duration::ZERO }).unwrap();
        let latency = figures.latency;
        assert_eq!(latency.count, 1000);
        assert!((latency.p50_us - 500.0).abs() < 5.0, "{}", latency.p50_us);
        assert!((latency.p99_us - 990.0).abs() < 10.0, "{}", latency.p99_us);
        assert!((latency.max_us - 1000.0).abs() < 10.0, "{}", latency.max_us);
        assert!((figures.server_cpu_us - 5.0).abs() < 1e-9);
    }

    #[test]
    fn no_call_is_an_error() {
        let mut recorder = Recorder::default();
        recorder.start();
        recorder.stop();
        assert!(recorder.figures(&Usage::default()).is_err());
    }

    #[test]
    fn medians_are_taken_figure_by_figure() {
        let figures = |per_s, p50_us| {
            let latency = Quantiles { p50_us, ..Quantiles::default() };
            Figures { latency, per_s, ..Figures::default() }
        };
        let rounds = [figures(1.0, 30.0), figures(3.0, 10.0), figures(2.0, 20.0)];
        assert_eq!(Figures::median(&rounds), Some(figures(2.0, 20.0)));
        assert_eq!(Figures::median(&[]), None);
    }
}
