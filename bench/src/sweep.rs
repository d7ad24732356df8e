//! Load on guanxi alone: every operation, from one connection to many, closed loop, and open loop at half of the
//! most.

use crate::calls::{Operation, Workload};
use crate::load::{Prepared, run};
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Swept, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
use guanxi_load::graph::{FollowGraph, Index, USERS_DEFAULT};

/// How load is swept.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("seconds", |seconds| seconds.default_value("3")))]
#[command(mut_arg("rounds", |rounds| rounds.default_value("1")))]
pub(crate) struct Options {
    /// Users of the generated graph
    #[arg(long, default_value_t = USERS_DEFAULT)]
    users: u32,
    /// Connections
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64, 256])]
    connections: Vec<usize>,
    /// Only these operations
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Operation::ALL, hide_default_value = true)]
    operations: Vec<Operation>,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("load");

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.users, 5_000)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        let index = Index::of(&graph);
        let installation = Installation::new(place)?;
        installation.load(&graph)?;
        let server = installation.serve(&[])?.server;
        let mut sweep = Vec::new();
        for &operation in &self.operations {
            let units = 10_000.min(graph.edges.len() / 8);
            let workload = Workload::draw(&graph, &index, operation, self.rounds.seed, units);
            let prepared = Prepared::new(&*server.protocol, &workload, operation.unit());
            for &connections in &self.connections {
                let at = |rate| {
                    let plan = self.rounds.plan(connections, rate);
                    let turn = Turn::new((), server.name, plan, |_| run(&server.target(), &prepared, plan));
                    let what = |(): &()| format!("{}, {connections} connections", operation.title());
                    let cells = turns::measure(what, &[turn], self.rounds.rounds, &[server.process.pid()])?;
                    cells.first().map(|cell| cell.median).ok_or_else(|| "no round".to_owned())
                };
                let closed = at(None)?;
                let half = at(Some(closed.per_s / 2.0))?;
                sweep.push(Swept { operation, connections, closed, half });
            }
        }
        let how = format!(
            "guanxi alone, {} users, {} follows; {} s per figure; \"half\" is an open loop at half of the calls per second of \
             the closed loop, latency from when a call was due.",
            self.users,
            graph.edges.len(),
            self.rounds.seconds
        );
        Ok(Table { sweep, ..Finding { title: "Load over RPC".to_owned(), how, rows: vec![] }.into() })
    }
}
