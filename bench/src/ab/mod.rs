//! Two versions of the server against each other: the same calls over the same connections, in turns, with what each
//! call takes of the processor and of the kernel.
//!
//! Machines drift by more than most changes do, so the two take turns for every figure, and who goes first changes
//! with each round. Each round starts both anew, since two processes of one binary differ as well.

mod figures;
mod observed;
mod perf;
mod table;

use crate::calls::{Operation, Workload};
use crate::load::{Plan, Prepared, run};
use crate::peers::Place;
use crate::peers::guanxi::{Installation, Running};
use crate::turns::wait_quiet;
use crate::{Common, Run};
use figures::Turn;
use guanxi_load::graph::{FollowGraph, Index};
use observed::Observed;
use perf::Perf;
use std::path::PathBuf;
use std::time::Duration;
pub(crate) use table::Table;
use table::{Pair, Row};

/// Which are compared, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The binary of before
    old: PathBuf,
    /// The binary that is compared with it; the same file twice shows what is noise
    new: PathBuf,
    /// Rounds; medians are reported
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Connections
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    operations: Vec<Operation>,
    /// Users of the generated graph
    #[arg(long, default_value_t = 5_000)]
    users: u32,
    /// Seconds of load of each figure
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Do not count system calls, wake-ups and cache misses by `perf stat`
    #[arg(long)]
    no_perf: bool,
}

/// Compares, and shows the table.
///
/// # Errors
/// When a server does not start, or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Table, String> {
    let session = Run::begin(common, true)?;
    let graph = FollowGraph::generate(options.users, 1);
    let index = Index::of(&graph);
    let versions = [("old", &options.old), ("new", &options.new)];
    let mut pair = Vec::new();
    for (name, binary) in versions {
        let place = Place { dir: session.place.sub(name)?, pinned: session.place.pinned };
        let installation = Installation::new(binary, &place)?;
        installation.load(&place, &graph)?;
        pair.push((installation, place));
    }
    let operations = if options.operations.is_empty() { &Operation::ALL[..] } else { &options.operations };
    let drawn = 10_000.min(graph.edges.len() / 8);
    let work: Vec<_> =
        operations.iter().map(|&asked| (asked, Workload::draw(&graph, &index, asked, 1, drawn))).collect();
    let perf = if options.no_perf { Perf::none() } else { Perf::able() };
    let mut found: Vec<[Vec<Turn>; 2]> = vec![Default::default(); work.len()];
    for round in 0..options.rounds as usize {
        let servers = pair.iter().map(|(installation, place)| installation.serve(place));
        let servers: Vec<Running> = servers.collect::<Result<_, _>>()?;
        for ((operation, workload), found) in work.iter().zip(&mut found) {
            for at in [round % 2, 1 - round % 2] {
                eprint!("{} round {}: ", versions[at].0, round + 1);
                let turn = measure(&servers[at], *operation, workload, options, &perf)?;
                found[at].push(turn);
            }
        }
    }
    let rows = operations.iter().zip(&found).map(|(&operation, found)| Row::of(operation, found));
    let table = Table {
        versions: Pair { old: version(&options.old)?, new: version(&options.new)? },
        perf: perf.events(),
        rows: rows.collect::<Option<_>>().ok_or("no round")?,
    };
    eprint!("{table}");
    Ok(table)
}

fn version(binary: &std::path::Path) -> Result<String, String> {
    let mut command = std::process::Command::new(binary);
    guanxi_servers::output_of(command.arg("--version"), false).map(|text| text.trim().to_owned())
}

/// One turn of a server: as fast as it can, then with its events counted, and for writes at half load.
fn measure(
    server: &Running,
    operation: Operation,
    workload: &Workload,
    options: &Options,
    perf: &Perf,
) -> Result<Turn, String> {
    let (target, pid) = (server.server.target(), server.server.process.pid());
    let prepared = Prepared::new(&*server.server.protocol, workload, operation.unit());
    let measure = Duration::from_secs_f64(options.seconds);
    let plan = |rate| Plan { connections: options.connections, warm_up: Duration::ZERO, measure, rate };
    wait_quiet(&[pid]);
    // It compares more answers than the load does, and warms up what it asks for.
    target.compare(workload)?;
    run(&target, &prepared, Plan { measure: measure / 4, ..plan(None) })?;
    let before = Observed::of(pid)?;
    let closed = run(&target, &prepared, plan(None))?;
    eprintln!("{:38} {closed}", operation.title());
    let used = Observed::of(pid)?.since(&before);
    let (counted, events) = perf.count(pid, || run(&target, &prepared, plan(None)))?;
    let half = if operation == Operation::Write {
        wait_quiet(&[pid]);
        Some(run(&target, &prepared, plan(Some(closed.per_s / 2.0)))?)
    } else {
        None
    };
    Ok(Turn::of(&closed, &used, events.per(counted.map_or(0, |run| run.latency.count)), half.as_ref()))
}
