//! Load on guanxi alone: every operation, from one connection to many, closed loop, and open loop at half of the
//! most.

use crate::calls::{Operation, Workload};
use crate::load::{Plan, Prepared, run};
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Swept, Table};
use crate::{Common, Run};
use guanxi_load::graph::{FollowGraph, Index, USERS_DEFAULT};
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
pub(crate) fn main(options: &Options, common: &Common) -> Result<Table, String> {
    let session = Run::begin(common, true)?;
    let (users, seconds) = if options.quick { (5_000, 0.3) } else { (options.users, options.seconds) };
    let graph = FollowGraph::generate(users, 1);
    let index = Index::of(&graph);
    let installation = Installation::new(&common.guanxi, &session.place)?;
    installation.load(&session.place, &graph)?;
    let running = installation.serve(&session.place)?;
    let target = running.server.target();
    let operations = if options.operations.is_empty() { &Operation::ALL[..] } else { &options.operations };

    let mut sweep = Vec::new();
    for &operation in operations {
        let workload = Workload::draw(&graph, &index, operation, 1, 10_000.min(graph.edges.len() / 8));
        let prepared = Prepared::new(&*running.server.protocol, &workload, operation.unit());
        for &connections in &options.connections {
            let plan = |rate| Plan {
                connections,
                warm_up: Duration::from_secs_f64(seconds / 4.0),
                measure: Duration::from_secs_f64(seconds),
                rate,
            };
            let closed = run(&target, &prepared, plan(None))?;
            let half = run(&target, &prepared, plan(Some(closed.per_s / 2.0)))?;
            eprintln!(
                "{:38} {connections:>4} connections {:>8.0}/s  p99 {:>7.0} us  {:>6.1} us CPU, at half p99 {:>7.0} us",
                operation.title(),
                closed.per_s,
                closed.latency.p99_us,
                closed.server_cpu_us,
                half.latency.p99_us
            );
            sweep.push(Swept { operation, connections, closed, half });
        }
    }
    let finding = Finding {
        title: "Load over RPC".to_owned(),
        how: format!(
            "guanxi alone, {users} users, {} follows; {seconds} s per figure; \"half\" is an open loop at half of the \
             calls per second of the closed loop, latency from when a call was due.",
            graph.edges.len()
        ),
        rows: vec![],
    };
    Ok(Table { finding, sweep })
}
