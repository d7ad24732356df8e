//! Load on guanxi alone: every operation, from one connection to many, closed loop, and open loop at half of the
//! most.

use crate::calls::{Operation, Workload};
use crate::graph::{Graph, Index, USERS_DEFAULT};
use crate::load::{Figures, Plan, Prepared, run};
use crate::peers::guanxi::Installation;
use crate::peers::write_edges;
use crate::report::{Finding, Row};
use crate::{Common, Run};
use std::time::Duration;

/// How load is swept.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the generated graph
    #[arg(long, default_value_t = USERS_DEFAULT)]
    users: u32,
    /// Connections
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64, 256])]
    connections: Vec<usize>,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    operations: Vec<Operation>,
    /// Seconds of load that count
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// A small graph and short runs: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

/// Sweeps the load.
///
/// # Errors
/// When the server does not start or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let session = Run::begin(common)?;
    let (users, seconds) = if options.quick { (5_000, 0.3) } else { (options.users, options.seconds) };
    let graph = Graph::generate(users, 1);
    let index = Index::of(&graph);
    let file = session.place.dir.join("edges.tsv");
    write_edges(&graph, &file)?;
    let installation = Installation::new(&common.guanxi, &session.place)?;
    installation.import(&file, session.place.pinned)?;
    let running = installation.serve(&session.place)?;
    let target = running.server.target();
    let operations = if options.operations.is_empty() { &Operation::ALL[..] } else { &options.operations };

    let mut rows = Vec::new();
    for &operation in operations {
        let workload = Workload::draw(&graph, &index, operation, 1, 10_000.min(graph.edges.len() / 8));
        let prepared = Prepared::new(&*running.server.protocol, &workload, operation);
        for &connections in &options.connections {
            let plan = |rate| Plan {
                connections,
                warm_up: Duration::from_secs_f64(seconds / 4.0),
                measure: Duration::from_secs_f64(seconds),
                rate,
            };
            let closed = run(&target, &prepared, plan(None))?;
            let open = run(&target, &prepared, plan(Some(closed.per_s / 2.0)))?;
            let name = format!("{}, {connections} connections", operation.title());
            describe(&mut rows, &name, &closed, &open);
        }
    }
    Ok(Finding {
        title: "Load over RPC".to_owned(),
        how: format!(
            "guanxi alone, {users} users, {} follows; {seconds} s per figure; \"half\" is an open loop at half of the \
             calls per second of the closed loop, latency from when a call was due.",
            graph.edges.len()
        ),
        rows,
    })
}

fn describe(rows: &mut Vec<Row>, name: &str, closed: &Figures, open: &Figures) {
    let mut row = |what: &str, value, unit| rows.push(Row::new(&format!("{name}{what}"), value, unit));
    row("", closed.per_s, "calls/s");
    row(": server CPU", closed.server_cpu_us, "us per call");
    row(": p50", closed.p50_us, "us");
    row(": p99", closed.p99_us, "us");
    row(": p99.9", closed.p999_us, "us");
    row(", half: p50", open.p50_us, "us");
    row(", half: p99", open.p99_us, "us");
    row(", half: p99.9", open.p999_us, "us");
}
