//! What the comparison of feeds found.

use crate::load::Figures;
use crate::machine::Machine;
use crate::report::SystemFacts;
use guanxi_load::Finding;

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
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How it ran, as name and value.
    pub(crate) configuration: Vec<(String, String)>,
    /// What ran, with settings.
    pub(crate) systems: Vec<SystemFacts>,
    /// Home pages over the wire.
    pub(crate) pages: Vec<Cell>,
    /// Deliveries.
    pub(crate) deliveries: Vec<Delivered>,
    /// Memory of inboxes.
    pub(crate) memory: Vec<Memory>,
    /// What was measured in process.
    pub(crate) in_process: Vec<Finding>,
}

/// Home pages of one class of readers on one system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cell {
    /// Whom the readers follow.
    pub(crate) followees: u32,
    /// Whose.
    pub(crate) system: String,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// The median of each figure.
    pub(crate) median: Figures,
    /// The rounds, in order.
    pub(crate) rounds: Vec<Figures>,
}

/// Deliveries of one system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Delivered {
    /// Whose.
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
    /// Whose.
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
    pub(crate) fn cell(&self, followees: u32, system: &str, connections: usize) -> Option<&Cell> {
        self.pages.iter().find(|cell| {
            cell.followees == followees && cell.system == system && cell.connections == connections
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
