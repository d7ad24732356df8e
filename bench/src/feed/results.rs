//! What the comparison of feeds found.

use crate::report::{Cell, Finding, Setup};

/// How guanxi's two policies are named in the report.
pub(crate) mod system {
    /// Home by pull.
    pub(crate) const PULL: &str = "guanxi, pull";
    /// Home from inboxes.
    pub(crate) const PUSH: &str = "guanxi, push";
    /// Deliveries by the worker, in the process of the store.
    pub(crate) const IN_PROCESS: &str = "guanxi, in process";
}

/// Everything that a run found.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct FeedResults {
    /// Where, how and what.
    #[serde(flatten)]
    pub(crate) setup: Setup,
    /// Home pages over the wire.
    pub(crate) pages: Vec<Cell<Asked>>,
    /// Deliveries.
    pub(crate) deliveries: Vec<Delivered>,
    /// Memory of inboxes.
    pub(crate) memory: Vec<Memory>,
    /// What was measured in process.
    pub(crate) in_process: Vec<Finding>,
}

/// A question for home pages.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Asked {
    /// How many users the readers follow.
    pub(crate) followees: u32,
}

/// Deliveries of one system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Delivered {
    /// The system.
    pub(crate) system: String,
    /// How they are made.
    pub(crate) how: String,
    /// Inserts per second: the median.
    pub(crate) per_s: f64,
    /// CPU microseconds of the system per delivery; 0 where it is the measured process itself.
    pub(crate) cpu_us: f64,
    /// Inserts per second of each round.
    pub(crate) rounds: Vec<f64>,
}

/// What inboxes take in memory.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Memory {
    /// The system.
    pub(crate) system: String,
    /// How it was counted.
    pub(crate) how: String,
    /// Bytes per id, headers included.
    pub(crate) per_entry: f64,
    /// Ids per inbox.
    pub(crate) entries: f64,
}

impl FeedResults {
    /// The cell of a class on a system.
    pub(crate) fn cell(&self, followees: u32, system: &str, connections: usize) -> Option<&Cell<Asked>> {
        self.pages.iter().find(|cell| {
            cell.asked.followees == followees && cell.system == system && cell.connections == connections
        })
    }

    /// Pages per second of one against another.
    pub(crate) fn factor(&self, followees: u32, of: &str, against: &str, connections: usize) -> Option<f64> {
        let per_s = |system| Some(self.cell(followees, system, connections)?.median.per_s);
        Some(per_s(of)? / per_s(against)?)
    }

    /// Deliveries per second of a system.
    pub(crate) fn delivered(&self, system: &str) -> Option<f64> {
        self.deliveries.iter().find(|cell| cell.system == system).map(|cell| cell.per_s)
    }

    /// A figure of the tables in process, by what it is of.
    pub(crate) fn figure(&self, what: &str) -> Option<f64> {
        self.in_process
            .iter()
            .flat_map(|finding| &finding.rows)
            .find(|row| row.what == what)
            .map(|row| row.value)
    }
}
