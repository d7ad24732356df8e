//! What the runs found, kept as JSON, and drawn as tables and a plot from nothing but that.

pub(crate) mod aims;
mod feed;
pub(crate) mod markdown;
mod people;
mod plot;
mod svg;

use crate::calls::Operation;
use crate::feed::FeedResults;
use crate::load::Figures;
use crate::machine::Machine;
use crate::peers::{Server, Size};
use crate::people::PeopleResults;
pub(crate) use guanxi_load::{Aim, Finding, Row};
use markdown::Block;
use std::path::Path;
use std::time::Duration;

/// Everything that a side-by-side run found.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Results {
    /// Where, how and what.
    #[serde(flatten)]
    pub(crate) setup: Setup,
    /// Closed loop: as fast as the system can.
    pub(crate) closed: Vec<Cell<Asked>>,
    /// Open loop: at half of what the system can.
    pub(crate) open: Vec<Cell<Asked>>,
    /// Bytes on disk and in memory.
    pub(crate) sizes: Vec<Size>,
}

/// What was compared, and how.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Setup {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How it ran, as name and value.
    pub(crate) configuration: Vec<(String, String)>,
    /// What ran, with settings.
    pub(crate) systems: Vec<SystemFacts>,
}

impl Setup {
    /// Describes the machine, with the disk that `dir` is on.
    pub(crate) fn new(dir: &Path, pinned: bool) -> Self {
        Self { machine: Machine::describe(dir, pinned), configuration: Vec::new(), systems: Vec::new() }
    }

    /// Notes a system that is loaded.
    pub(crate) fn add(&mut self, server: &Server, load: Duration) {
        eprintln!("{}: {} [{}]", server.name, server.version, server.settings.join(", "));
        self.systems.push(SystemFacts {
            name: server.name.to_owned(),
            version: server.version.clone(),
            settings: server.settings.clone(),
            load_s: load.as_secs_f64(),
        });
    }
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

/// A question about the graph.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Asked {
    /// What was asked.
    pub(crate) operation: Operation,
    /// Calls per second that were sent, in an open loop.
    pub(crate) rate: Option<f64>,
}

/// One question to one system.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cell<Q> {
    /// What was asked.
    #[serde(flatten)]
    pub(crate) asked: Q,
    /// The system.
    pub(crate) system: String,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// The median of each figure.
    pub(crate) median: Figures,
    /// The rounds, in order.
    pub(crate) rounds: Vec<Figures>,
}

impl Results {
    /// The closed-loop cell of an operation on a system.
    pub(crate) fn closed(&self, operation: Operation, system: &str) -> Option<&Cell<Asked>> {
        of(&self.closed, operation, system)
    }

    /// The open-loop cell of an operation on a system.
    pub(crate) fn open(&self, operation: Operation, system: &str) -> Option<&Cell<Asked>> {
        of(&self.open, operation, system)
    }

    /// Bytes per edge of the size whose description begins like this.
    pub(crate) fn per_edge(&self, system: &str, what: &str) -> Option<f64> {
        let found = self.sizes.iter().find(|size| size.system == system && size.what.starts_with(what));
        found.map(Size::per_edge)
    }
}

fn of<'a>(cells: &'a [Cell<Asked>], operation: Operation, system: &str) -> Option<&'a Cell<Asked>> {
    cells.iter().find(|cell| cell.asked.operation == operation && cell.system == system)
}

/// What a smaller run found: one table.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Table {
    /// The figures.
    #[serde(flatten)]
    pub(crate) finding: Finding,
    /// Load over numbers of connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sweep: Vec<Swept>,
}

impl From<Finding> for Table {
    fn from(finding: Finding) -> Self {
        Self { finding, sweep: Vec::new() }
    }
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
pub(crate) const FINDINGS: [&str; 6] = ["load", "import", "restart", "micro", "users", "search"];

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
    let docs = root.join("docs/benchmarks.md");
    let readmes = ["README.md", "README.zh-CN.md"].map(|name| root.join(name));
    let graph: Option<Results> = read(results_dir, "side-by-side")?;
    let feed: Option<FeedResults> = read(results_dir, "feed")?;
    let people: Option<PeopleResults> = read(results_dir, "people")?;
    if graph.is_none() && feed.is_none() && people.is_none() {
        return Err("neither side-by-side.json, feed.json nor people.json to draw".to_owned());
    }
    if let Some(results) = graph {
        let mut findings: Vec<Table> = Vec::new();
        for name in FINDINGS {
            findings.extend(read(results_dir, name)?);
        }
        write(&results_dir.join("side-by-side.svg"), &svg::graph(&results))?;
        markdown::replace_block(&docs, Block::Bench, &markdown::full(&results, &findings), true)?;
        for readme in &readmes {
            markdown::replace_block(readme, Block::Bench, &markdown::short(&results), false)?;
        }
    }
    if let Some(results) = feed {
        write(&results_dir.join("feed.svg"), &svg::feed(&results))?;
        markdown::replace_block(&docs, Block::Feed, &feed::full(&results), true)?;
        for readme in &readmes {
            markdown::replace_block(readme, Block::Feed, &feed::short(&results), false)?;
        }
    }
    if let Some(results) = people {
        write(&results_dir.join("people.svg"), &svg::people(&results))?;
        markdown::replace_block(&docs, Block::People, &people::full(&results), true)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Reads a kept result; asserts that it is written again with all that it had.
    fn whole<T: serde::Serialize + serde::de::DeserializeOwned>(dir: &Path, name: &str) -> T {
        let kept: Value = read(dir, name).unwrap().expect("the result is kept");
        let found: T = serde_json::from_value(kept.clone()).unwrap();
        assert_eq!(serde_json::to_value(&found).unwrap(), kept, "{name}");
        found
    }

    #[test]
    fn kept_results_are_read_whole_and_drawn_as_they_were() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let drawn = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
        assert_eq!(svg::graph(&whole::<Results>(&dir, "side-by-side")), drawn("side-by-side.svg"));
        assert_eq!(svg::feed(&whole::<FeedResults>(&dir, "feed")), drawn("feed.svg"));
        for name in FINDINGS {
            whole::<Table>(&dir, name);
        }
        // Until it was measured there is nothing to draw.
        if dir.join("people.json").exists() {
            assert_eq!(svg::people(&whole::<PeopleResults>(&dir, "people")), drawn("people.svg"));
        }
    }
}
