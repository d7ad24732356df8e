//! What the runs found, kept as JSON, and drawn as tables and a plot from nothing but that.

pub(crate) mod aims;
mod feed;
mod feed_svg;
pub(crate) mod markdown;
mod plot;
mod svg;

use crate::calls::Operation;
use crate::feed::FeedResults;
use crate::load::Figures;
use crate::machine::Machine;
use crate::peers::Size;
pub(crate) use guanxi_load::{Aim, Row};
use markdown::Block;
use std::path::Path;

/// Everything that a side-by-side run found.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Results {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How it ran, as name and value.
    pub(crate) configuration: Vec<(String, String)>,
    /// What ran, with settings.
    pub(crate) systems: Vec<SystemFacts>,
    /// Closed loop: as fast as the system can.
    pub(crate) closed: Vec<Cell>,
    /// Open loop: at half of what the system can.
    pub(crate) open: Vec<Cell>,
    /// Bytes on disk and in memory.
    pub(crate) sizes: Vec<Size>,
}

/// One system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct SystemFacts {
    /// What the report calls it.
    pub(crate) name: String,
    /// Its version, as its binary says.
    pub(crate) version: String,
    /// Its settings.
    pub(crate) settings: Vec<String>,
    /// How long loading the graph took, in seconds.
    pub(crate) load_s: f64,
}

/// One operation on one system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cell {
    /// What was asked.
    pub(crate) operation: Operation,
    /// Whom.
    pub(crate) system: String,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// Calls per second that were sent, in an open loop.
    pub(crate) rate: Option<f64>,
    /// The median of each figure.
    pub(crate) median: Figures,
    /// The rounds, in order.
    pub(crate) rounds: Vec<Figures>,
}

impl Results {
    /// The closed-loop cell of an operation on a system.
    pub(crate) fn closed(&self, operation: Operation, system: &str) -> Option<&Cell> {
        self.closed.iter().find(|cell| cell.operation == operation && cell.system == system)
    }

    /// The open-loop cell of an operation on a system.
    pub(crate) fn open(&self, operation: Operation, system: &str) -> Option<&Cell> {
        self.open.iter().find(|cell| cell.operation == operation && cell.system == system)
    }

    /// Bytes per edge of the size whose description begins like this.
    pub(crate) fn per_edge(&self, system: &str, what: &str) -> Option<f64> {
        let found = self.sizes.iter().find(|size| size.system == system && size.what.starts_with(what));
        found.map(Size::per_edge)
    }
}

/// What a smaller run found: one table.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Finding {
    /// What was measured.
    pub(crate) title: String,
    /// How.
    pub(crate) how: String,
    /// The figures.
    pub(crate) rows: Vec<Row>,
    /// Load over numbers of connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sweep: Vec<Swept>,
}

/// One operation over one number of connections.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Swept {
    /// What was asked.
    pub(crate) operation: Operation,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// As fast as it can.
    pub(crate) closed: Figures,
    /// At half of that.
    pub(crate) half: Figures,
}

/// Files of the findings, in the order of the report.
pub(crate) const FINDINGS: [&str; 4] = ["load", "import", "restart", "micro"];

/// Writes a value as JSON into the results directory.
pub(crate) fn save(dir: &Path, name: &str, value: &impl serde::Serialize) -> Result<(), String> {
    let path = dir.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    write(&path, &(text + "\n"))
}

/// Reads a value back; `None` when there is no such file.
pub(crate) fn read<T: serde::de::DeserializeOwned>(dir: &Path, name: &str) -> Result<Option<T>, String> {
    let path = dir.join(format!("{name}.json"));
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            serde_json::from_str(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Writes a text file, with its directory.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let named = |error| format!("{}: {error}", path.display());
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(named)?;
    }
    std::fs::write(path, text).map_err(named)
}

/// Draws plots and tables from what the results directory holds.
///
/// # Errors
/// When there are no results, or a file cannot be read or written.
pub(crate) fn draw(results_dir: &Path, root: &Path) -> Result<(), String> {
    let (docs, readme) = (root.join("docs/benchmarks.md"), root.join("README.md"));
    let graph: Option<Results> = read(results_dir, "side-by-side")?;
    let feed: Option<FeedResults> = read(results_dir, "feed")?;
    if graph.is_none() && feed.is_none() {
        return Err("neither side-by-side.json nor feed.json to draw".to_owned());
    }
    if let Some(results) = graph {
        let mut findings: Vec<Finding> = Vec::new();
        for name in FINDINGS {
            findings.extend(read::<Finding>(results_dir, name)?);
        }
        write(&results_dir.join("side-by-side.svg"), &svg::plot(&results))?;
        markdown::replace_block(&docs, Block::Bench, &markdown::full(&results, &findings), true)?;
        markdown::replace_block(&readme, Block::Bench, &markdown::short(&results), false)?;
    }
    if let Some(results) = feed {
        write(&results_dir.join("feed.svg"), &feed_svg::plot(&results))?;
        markdown::replace_block(&docs, Block::Feed, &feed::full(&results), true)?;
        markdown::replace_block(&readme, Block::Feed, &feed::short(&results), false)?;
    }
    Ok(())
}
