//! The systems of the comparison, each started privately, loaded with the same graph, and asked for its sizes.

pub(crate) mod bare;
pub(crate) mod guanxi;
pub(crate) mod postgres;
pub(crate) mod redis;

use crate::graph::Graph;
use crate::load::Target;
use crate::process::Process;
use crate::wire::Protocol;
use crate::wire::blocking::Line;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where servers run.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// A directory for the run, readable by all users.
    pub(crate) dir: PathBuf,
    /// Whether servers are pinned to their core.
    pub(crate) pinned: bool,
}

impl Place {
    /// A directory for one server.
    pub(crate) fn sub(&self, name: &str) -> Result<PathBuf, String> {
        let dir = self.dir.join(name);
        std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(dir)
    }

    /// The file that a server's output goes to.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.log"))
    }
}

/// A server that answers.
pub(crate) struct Server {
    /// What the report calls it.
    pub(crate) name: &'static str,
    /// Its version, as its binary says.
    pub(crate) version: String,
    /// How it is configured, for the report.
    pub(crate) settings: Vec<String>,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What it speaks.
    pub(crate) protocol: Box<dyn Protocol>,
    /// Its process.
    pub(crate) process: Process,
}

impl Server {
    /// What the load generator needs to know.
    pub(crate) fn target(&self) -> Target<'_> {
        Target { address: self.address, protocol: &*self.protocol, pid: self.process.pid() }
    }

    /// A connection for single calls.
    pub(crate) fn line(&self) -> Result<Line<'_>, String> {
        Line::ready(self.address, &*self.protocol)
    }
}

/// Bytes that some of a system's data takes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Size {
    /// Whose.
    pub(crate) system: String,
    /// Of what, and where.
    pub(crate) what: String,
    /// How much.
    pub(crate) bytes: u64,
    /// Edges that these bytes hold.
    pub(crate) edges: u64,
}

impl Size {
    /// Bytes per edge.
    pub(crate) fn per_edge(&self) -> f64 {
        self.bytes as f64 / self.edges.max(1) as f64
    }
}

/// Writes the graph as `guanxi import edges` takes it: source, target, Unix seconds.
pub(crate) fn write_edges(graph: &Graph, path: &Path) -> Result<(), String> {
    write_lines(path, graph.edges.iter(), |out, edge| {
        writeln!(out, "{}\t{}\t{}", graph.uid(edge.subject), graph.uid(edge.object), edge.at_s)
    })
}

/// Writes a file of one line per item.
pub(crate) fn write_lines<T>(
    path: &Path,
    items: impl Iterator<Item = T>,
    line: impl Fn(&mut std::io::BufWriter<std::fs::File>, T) -> std::io::Result<()>,
) -> Result<(), String> {
    let file = std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
    for item in items {
        line(&mut out, item).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    std::io::Write::flush(&mut out).map_err(|error| format!("{}: {error}", path.display()))
}
