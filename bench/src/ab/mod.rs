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
use crate::peers::guanxi::{Installation, Running};
use crate::run::{Bench, Found, Place};
use crate::turns::{Rounds, wait_quiet};
use figures::Turn;
use guanxi_load::graph::{FollowGraph, Index};
use observed::Observed;
use perf::Perf;
use std::path::PathBuf;
use std::time::Duration;
use table::{Pair, Row, Table};

/// Which are compared, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("3")))]
#[command(mut_arg("seconds", |seconds| seconds.default_value("1").help("Seconds of load of each figure")))]
#[command(mut_arg("warm_up", |seconds| seconds.hide(true)))]
pub(crate) struct Options {
    /// The binary of before
    old: PathBuf,
    /// The binary that is compared with it; the same file twice shows what is noise
    new: PathBuf,
    /// Connections
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Only these operations
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Operation::ALL, hide_default_value = true)]
    operations: Vec<Operation>,
    /// Users of the generated graph
    #[arg(long, default_value_t = 5_000)]
    users: u32,
    /// Do not count system calls, wake-ups and cache misses by `perf stat`
    #[arg(long)]
    no_perf: bool,
    #[command(flatten)]
    rounds: Rounds,
}

impl Found for Table {
    fn tell(&self) {
        eprint!("{self}");
    }
}

impl Bench for Options {
    type Found = Table;

    fn shrink(&mut self) {
        self.rounds.shorten();
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        let index = Index::of(&graph);
        let (mut pair, names) = (Vec::new(), ["old", "new"]);
        for (name, binary) in names.into_iter().zip([&self.old, &self.new]) {
            let place = Place { guanxi: binary.clone(), ..place.inside(name)? };
            let installation = Installation::new(&place)?;
            installation.load(&graph)?;
            pair.push(installation);
        }
        let drawn = 10_000.min(graph.edges.len() / 8);
        let draw = |&asked| (asked, Workload::draw(&graph, &index, asked, self.rounds.seed, drawn));
        let work: Vec<_> = self.operations.iter().map(draw).collect();
        let perf = if self.no_perf { Perf::none() } else { Perf::able() };
        let mut found: Vec<[Vec<Turn>; 2]> = vec![Default::default(); work.len()];
        for round in 0..self.rounds.rounds {
            let servers = pair.iter().map(|installation| installation.serve(&[]));
            let servers: Vec<Running> = servers.collect::<Result<_, _>>()?;
            for ((operation, workload), found) in work.iter().zip(&mut found) {
                for at in [round % 2, 1 - round % 2] {
                    eprint!("{} round {}: ", names[at], round + 1);
                    let turn = measure(&servers[at], *operation, workload, self, &perf)?;
                    found[at].push(turn);
                }
            }
        }
        let rows = self.operations.iter().zip(&found).map(|(&operation, found)| Row::of(operation, found));
        Ok(Table {
            versions: Pair { old: pair[0].version()?, new: pair[1].version()? },
            perf: perf.events(),
            rows: rows.collect::<Option<_>>().ok_or("no round")?,
        })
    }
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
    let plan = |rate| Plan { warm_up: Duration::ZERO, ..options.rounds.plan(options.connections, rate) };
    wait_quiet(&[pid]);
    // It compares more answers than the load does, and warms up what it asks for.
    target.compare(workload)?;
    run(&target, &prepared, Plan { measure: options.rounds.time() / 4, ..plan(None) })?;
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
