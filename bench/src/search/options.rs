//! How searches are measured.

use crate::load::Plan;
use std::time::Duration;

/// How searches are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Posts that are searched
    #[arg(long, default_value_t = 1_000_000)]
    pub(super) posts: u64,
    /// People whose names are searched
    #[arg(long, default_value_t = 1_000_000)]
    pub(super) names: u64,
    /// Different calls of each kind; all those about posts are compared first
    #[arg(long, default_value_t = 200)]
    pub(super) calls: usize,
    /// Connections to each system
    #[arg(long, default_value_t = 16)]
    pub(super) connections: usize,
    /// Calls per second of the open loop
    #[arg(long, default_value_t = 500.0)]
    pub(super) rate: f64,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Rounds, systems in turn; medians are reported
    #[arg(long, default_value_t = 5)]
    pub(super) rounds: usize,
    /// Seconds of load that count, per system and round
    #[arg(long, default_value_t = 2.0)]
    pub(super) seconds: f64,
    /// Measure a page by time in an index alone of so many documents, beside one of a tenth of them, and nothing else
    #[arg(long, value_name = "DOCUMENTS", num_args = 0..=1, default_missing_value = "10000000")]
    pub(super) page_by_time: Option<u64>,
    /// Measure also what calls of users take while a back office sums up all rows
    #[arg(long)]
    pub(super) back_office: bool,
    /// Little data and short rounds: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

impl Options {
    /// The options with what `--quick` changes.
    pub(super) fn settled(&self) -> Self {
        if !self.quick {
            return self.clone();
        }
        Self {
            posts: self.posts.min(5_000),
            names: self.names.min(2_000),
            calls: self.calls.min(40),
            rounds: self.rounds.min(2),
            seconds: self.seconds.min(0.3),
            ..self.clone()
        }
    }

    /// The plan of a turn; see [`Plan::rate`].
    pub(super) fn plan(&self, rate: Option<f64>) -> Plan {
        let [warm_up, measure] = [self.seconds / 4.0, self.seconds].map(Duration::from_secs_f64);
        Plan { connections: self.connections, warm_up, measure, rate }
    }
}
