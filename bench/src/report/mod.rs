//! What the runs found, kept as JSON, and drawn as tables and a plot from nothing but that.

pub(crate) mod aims;
pub(crate) mod markdown;
mod plot;
mod svg;

use crate::calls::Operation;
use crate::load::Figures;
use crate::machine::Machine;
use crate::peers::postgres;
use crate::peers::{Server, Size};
use crate::people::Question;
use crate::run::{Found, Place};
use guanxi_load::finding::count;
pub(crate) use guanxi_load::{Aim, Finding, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Everything that a comparison found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Where, how and what.
    #[serde(flatten)]
    pub(crate) setup: Setup,
    /// Closed loop: as fast as the system can.
    #[serde(alias = "pages")]
    pub(crate) closed: Vec<Cell>,
    /// Open loop: at half of what the system can.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) open: Vec<Cell>,
    /// Bytes on disk and in memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sizes: Vec<Size>,
    /// Deliveries to inboxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) deliveries: Vec<Delivered>,
    /// Memory of inboxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) memory: Vec<Memory>,
    /// What was measured in process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) in_process: Vec<Finding>,
}

impl Found for Results {}

/// What was compared, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How it ran, as name and value.
    pub(crate) configuration: Vec<(String, String)>,
    /// What ran, with settings.
    pub(crate) systems: Vec<SystemFacts>,
}

impl Setup {
    /// Describes the machine of a place.
    pub(crate) fn new(place: &Place) -> Self {
        let machine = Machine::describe(&place.dir, place.is_pinned);
        Self { machine, configuration: Vec::new(), systems: Vec::new() }
    }

    /// Notes a system that is loaded; once, for all that it holds.
    pub(crate) fn add(&mut self, server: &Server, load: Duration) {
        let Server { name, version, settings, .. } = server;
        let load_s = load.as_secs_f64();
        eprintln!("{name}: {version} [{}], loaded in {load_s:.1} s", settings.join(", "));
        if !self.systems.iter().any(|system| system.name == *name) {
            let (version, settings) = (version.clone(), settings.clone());
            self.systems.push(SystemFacts { name: (*name).to_owned(), version, settings, load_s });
        }
    }
}

/// One system.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Asked {
    /// Something about the graph.
    Operation(Operation),
    /// Something about the people around a user.
    Question(Question),
    /// A home page of a reader who follows so many.
    Followees(u32),
}

impl Asked {
    /// What the report calls it.
    pub(crate) fn title(self) -> String {
        match self {
            Self::Operation(operation) => operation.title().to_owned(),
            Self::Question(question) => question.title().to_owned(),
            Self::Followees(followees) => format!("home page, {} followees", count(f64::from(followees))),
        }
    }
}

/// One question to one system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cell<Q = Asked> {
    /// What was asked.
    #[serde(flatten)]
    pub(crate) asked: Q,
    /// The system.
    pub(crate) system: String,
    /// Over how many connections.
    pub(crate) connections: usize,
    /// Calls per second that were sent, in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<f64>,
    /// The median of each figure.
    pub(crate) median: Figures,
    /// The rounds, in order.
    pub(crate) rounds: Vec<Figures>,
}

impl<Q> Cell<Q> {
    /// What matters of its figures.
    pub(crate) fn rows(&self, title: &str) -> [Row; 4] {
        let (system, median) = (&self.system, &self.median);
        [
            Row::new(&format!("{title}, {system}: calls per second"), median.per_s, "/s"),
            Row::new(&format!("{title}, {system}: p50"), median.latency.p50_us, "us"),
            Row::new(&format!("{title}, {system}: p99"), median.latency.p99_us, "us"),
            Row::new(&format!("{title}, {system}: CPU per call"), median.server_cpu_us, "us"),
        ]
    }
}

/// Deliveries of one system.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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

impl Results {
    /// Nothing so far.
    pub(crate) const fn new(setup: Setup) -> Self {
        Self {
            setup,
            closed: Vec::new(),
            open: Vec::new(),
            sizes: Vec::new(),
            deliveries: Vec::new(),
            memory: Vec::new(),
            in_process: Vec::new(),
        }
    }

    /// Over how many connections systems were asked in closed loops, the fewest first.
    pub(crate) fn connections(&self) -> BTreeSet<usize> {
        self.closed.iter().map(|cell| cell.connections).collect()
    }

    /// The closed-loop cells of a question over so many connections.
    pub(crate) fn of(&self, asked: Asked, connections: usize) -> impl Iterator<Item = &Cell> {
        self.closed.iter().filter(move |cell| cell.asked == asked && cell.connections == connections)
    }

    /// The one of a system.
    pub(crate) fn closed(&self, asked: Asked, system: &str, connections: usize) -> Option<&Cell> {
        self.of(asked, connections).find(|cell| cell.system == system)
    }

    /// Its calls per second.
    pub(crate) fn per_s(&self, asked: Asked, system: &str, connections: usize) -> Option<f64> {
        self.closed(asked, system, connections).map(|cell| cell.median.per_s)
    }

    /// Calls per second of one system against another.
    pub(crate) fn factor(&self, asked: Asked, of: &str, against: &str, connections: usize) -> Option<f64> {
        Some(self.per_s(asked, of, connections)? / self.per_s(asked, against, connections)?)
    }

    /// Calls per second of PostgreSQL, by the fastest of its queries.
    pub(crate) fn postgres(&self, asked: Asked, connections: usize) -> Option<f64> {
        let cells = self.of(asked, connections).filter(|cell| cell.system.starts_with(postgres::NAME));
        cells.map(|cell| cell.median.per_s).max_by(f64::total_cmp)
    }

    /// The open-loop cell of a question on a system.
    pub(crate) fn open(&self, asked: Asked, system: &str) -> Option<&Cell> {
        self.open.iter().find(|cell| cell.asked == asked && cell.system == system)
    }

    /// Bytes per edge of the size whose description begins like this.
    pub(crate) fn per_edge(&self, system: &str, what: &str) -> Option<f64> {
        let found = self.sizes.iter().find(|size| size.system == system && size.what.starts_with(what));
        found.map(Size::per_edge)
    }

    /// Deliveries per second of a system.
    pub(crate) fn delivered(&self, system: &str) -> Option<f64> {
        self.deliveries.iter().find(|cell| cell.system == system).map(|cell| cell.per_s)
    }

    /// A figure of the tables in process, by what it is of.
    pub(crate) fn figure(&self, what: &str) -> Option<f64> {
        let mut rows = self.in_process.iter().flat_map(|finding| &finding.rows);
        rows.find(|row| row.what == what).map(|row| row.value)
    }
}

/// What a smaller run found: one table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    /// The figures.
    #[serde(flatten)]
    pub(crate) finding: Finding,
    /// Load over numbers of connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sweep: Vec<Swept>,
}

impl Found for Table {
    fn tell(&self) {
        eprint!("{}", self.finding.text());
    }
}

impl From<Finding> for Table {
    fn from(finding: Finding) -> Self {
        Self { finding, sweep: Vec::new() }
    }
}

/// One operation over one number of connections.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

/// How the results of a comparison are shown.
struct Shown {
    /// Their file, and that of the plot.
    file: &'static str,
    /// The name of the block of docs/benchmarks.md, and of the READMEs.
    block: &'static str,
    plot: fn(&Results) -> String,
    /// All tables.
    full: fn(&Results, &[Table]) -> String,
    /// The table of the READMEs.
    short: Option<fn(&Results) -> String>,
}

/// All comparisons.
const SHOWN: [Shown; 3] = [
    Shown {
        file: "side-by-side",
        block: "bench",
        plot: svg::graph,
        full: markdown::graph,
        short: Some(markdown::graph_short),
    },
    Shown {
        file: "feed",
        block: "feed",
        plot: svg::feed,
        full: markdown::feed,
        short: Some(markdown::feed_short),
    },
    Shown { file: "people", block: "people", plot: svg::people, full: markdown::people, short: None },
];

/// Writes a value as JSON into the results directory.
pub(crate) fn save(dir: &Path, name: &str, value: &impl Serialize) -> Result<(), String> {
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
pub(crate) fn draw(dir: &Path, root: &Path) -> Result<(), String> {
    let mut tables: Vec<Table> = Vec::new();
    for name in FINDINGS {
        tables.extend(read(dir, name)?);
    }
    let mut is_drawn = false;
    for shown in SHOWN {
        let Some(results): Option<Results> = read(dir, shown.file)? else { continue };
        is_drawn = true;
        write(&dir.join(format!("{}.svg", shown.file)), &(shown.plot)(&results))?;
        let full = (shown.full)(&results, &tables);
        markdown::replace_block(&root.join("docs/benchmarks.md"), shown.block, &full, true)?;
        for readme in ["README.md", "README.zh-CN.md"] {
            if let Some(short) = shown.short {
                markdown::replace_block(&root.join(readme), shown.block, &short(&results), false)?;
            }
        }
    }
    if is_drawn { Ok(()) } else { Err("there are no results of a comparison to draw".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Reads a kept result; asserts that it is written again with all that it had.
    fn whole<T: Serialize + serde::de::DeserializeOwned>(dir: &Path, name: &str) -> T {
        let kept: Value = read(dir, name).unwrap().expect("the result is kept");
        let found: T = serde_json::from_value(kept.clone()).unwrap();
        assert_eq!(serde_json::to_value(&found).unwrap(), kept, "{name}");
        found
    }

    #[test]
    fn kept_results_are_read_whole_and_drawn_as_they_were() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        for shown in SHOWN {
            let drawn = std::fs::read_to_string(dir.join(format!("{}.svg", shown.file))).unwrap();
            assert_eq!((shown.plot)(&whole(&dir, shown.file)), drawn, "{}", shown.file);
        }
        for name in FINDINGS {
            whole::<Table>(&dir, name);
        }
    }
}
