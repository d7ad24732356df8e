//! The systems of the comparison, each started privately, loaded with the same graph, and asked for its sizes.

pub(crate) mod bare;
pub(crate) mod guanxi;
pub(crate) mod home;
pub(crate) mod postgres;
pub(crate) mod redis;

use crate::calls::Workload;
use crate::wire::Protocol;
use crate::wire::connection::Line;
use guanxi_load::graph::{DrawnFollow, FollowGraph};
use guanxi_servers::Process;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufWriter, Write as _};
use std::net::SocketAddr;
use std::path::Path;

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
    /// A second process that works for it: the databases of a cluster.
    pub(crate) beside: Option<u32>,
}

impl Server {
    /// What is asked of it, and where.
    pub(crate) fn target(&self) -> Target<'_> {
        let Self { name, address, beside, .. } = *self;
        Target { name, address, protocol: &*self.protocol, pid: self.process.pid(), beside }
    }

    /// Stops it where it is, or lets it go on: while it is another's turn it does not even look for events.
    pub(crate) fn pause(&self, is_paused: bool) {
        let signal = if is_paused { Signal::STOP } else { Signal::CONT };
        if let Some(pid) = i32::try_from(self.process.pid()).ok().and_then(Pid::from_raw) {
            // It fails only for a process that has ended, which the next call will tell.
            let _ended = kill_process(pid, signal);
        }
    }

    /// A connection for single calls.
    pub(crate) fn line(&self) -> Result<Line<'_>, String> {
        Line::open(self.address, &*self.protocol)
    }
}

/// Where a system is asked, and in what way.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// What the report calls the system.
    pub(crate) name: &'static str,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What it speaks.
    pub(crate) protocol: &'a dyn Protocol,
    /// Its process, whose children count, too.
    pub(crate) pid: u32,
    /// See [`Server::beside`].
    pub(crate) beside: Option<u32>,
}

/// Calls of a workload that are compared: enough of every kind.
pub(crate) const COMPARED_MAX: usize = 200;

impl Target<'_> {
    /// Makes the first calls of a workload over one connection; the first difference from the right answer is an error.
    pub(crate) fn compare(&self, workload: &Workload) -> Result<(), String> {
        let name = self.name;
        let mut line = Line::open(self.address, self.protocol)?;
        for (call, right) in workload.calls.iter().zip(&workload.answers).take(COMPARED_MAX) {
            let answer = line.call(call).map_err(|error| format!("{name}: {call:?}: {error}"))?;
            if answer != *right {
                return Err(format!("{name} answers {call:?} with\n{answer:?} instead of\n{right:?}"));
            }
        }
        Ok(())
    }
}

/// Bytes that some of a system's data takes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Size {
    /// The system.
    pub(crate) system: String,
    /// Of what, and where.
    pub(crate) what: String,
    /// How much.
    pub(crate) bytes: u64,
    /// Edges that these bytes hold.
    pub(crate) edges: u64,
}

impl Size {
    /// What a system takes.
    pub(crate) fn new(system: &str, what: &str, bytes: u64, edges: u64) -> Self {
        Self { system: system.to_owned(), what: what.to_owned(), bytes, edges }
    }

    /// Bytes per edge.
    pub(crate) fn per_edge(&self) -> f64 {
        self.bytes as f64 / self.edges.max(1) as f64
    }
}

/// Writes the graph as `guanxi import edges` takes it: source, target, Unix seconds.
pub(crate) fn write_edges(graph: &FollowGraph, path: &Path) -> Result<(), String> {
    let edge = |edge: &DrawnFollow| {
        format!("{}\t{}\t{}", graph.uid(edge.subject), graph.uid(edge.object), edge.at_s)
    };
    write_lines(path, graph.edges.iter().map(edge))
}

/// Writes a file of lines.
pub(crate) fn write_lines(path: &Path, mut lines: impl Iterator<Item = String>) -> Result<(), String> {
    let mut write = || {
        let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
        lines.try_for_each(|line| writeln!(out, "{line}"))?;
        out.flush()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Operation;
    use crate::load::{Plan, Prepared, run};
    use crate::run::Place;
    use crate::run::tests::place;
    use crate::wire::postgres::STATEMENTS;
    use crate::wire::redis::Layout;
    use guanxi_load::graph::Index;
    use std::time::Duration;

    /// Loads a small graph, asks everything that the system can do, and again after some load: writes must have
    /// taken themselves back.
    fn holds(server: &Server, graph: &FollowGraph, index: &Index, operations: &[Operation]) {
        let draw = |operation| Workload::draw(graph, index, operation, 3, 100);
        let compare =
            || operations.iter().try_for_each(|&operation| server.target().compare(&draw(operation)));
        compare().unwrap();
        for &operation in operations {
            let plan = Plan {
                connections: 8,
                warm_up: Duration::from_millis(10),
                measure: Duration::from_millis(100),
                rate: None,
            };
            let prepared = Prepared::new(&*server.protocol, &draw(operation), operation.unit());
            run(&server.target(), &prepared, plan).unwrap();
        }
        compare().unwrap();
    }

    /// A place, a graph and its index.
    fn world() -> (tempfile::TempDir, Place, FollowGraph, Index) {
        let (dir, place) = place();
        let graph = FollowGraph::generate(800, 2);
        let index = Index::of(&graph);
        (dir, place, graph, index)
    }

    #[test]
    fn postgres_gives_the_right_answers() {
        let (_dir, place, graph, index) = world();
        let (server, mut session) = postgres::start(&place, &graph, &index, &STATEMENTS).unwrap();
        holds(&server, &graph, &index, &Operation::ALL);
        let sizes = postgres::sizes(&mut session, graph.edges.len() as u64).unwrap();
        assert!(sizes[0].per_edge() > 150.0, "{sizes:?}");
    }

    #[test]
    fn redis_gives_the_right_answers_in_both_layouts() {
        let (_dir, place, graph, index) = world();
        let (sets, sizes) = redis::start(&place, &graph, &index, Layout::SortedSets).unwrap();
        holds(&sets, &graph, &index, &Operation::ALL);
        assert!(sizes[0].bytes > 0 && sizes[1].bytes > sizes[0].bytes, "{sizes:?}");
        let (hashes, _) = redis::start(&place, &graph, &index, Layout::Hashes).unwrap();
        holds(&hashes, &graph, &index, &[Operation::Write, Operation::Check]);
    }
}
