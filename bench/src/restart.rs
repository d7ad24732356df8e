//! How long a start takes, from the start of the process to its first answer, after a clean stop and after kill -9
//! under write load.

use crate::calls::{Operation, Workload};
use crate::import::users_for;
use crate::load::{Plan, Prepared, run};
use crate::peers::guanxi::Installation;
use crate::report::{Aim, Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::Rounds;
use guanxi_load::graph::{FollowGraph, Index};
use std::time::Duration;

/// How restarts are measured.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("3").help("Restarts of each kind")))]
#[command(mut_arg("warm_up", |seconds| seconds.hide(true)))]
#[command(mut_arg("seconds", |seconds| {
    seconds.default_value("10").help("Seconds of durable follows and unfollows before each stop")
}))]
pub(crate) struct Options {
    /// Edges, about
    #[arg(long, default_value_t = 10_000_000)]
    edges: u32,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("restart");
    const IS_PINNED: bool = false;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.edges, 20_000)]);
    }

    /// The data must verify after the last crash.
    fn run(&self, place: &Place) -> Result<Table, String> {
        eprintln!("drawing a graph of about {} edges", self.edges);
        let graph = FollowGraph::generate(users_for(self.edges), self.rounds.seed);
        let installation = Installation::new(place)?;
        installation.load(&graph)?;
        let (index, count) = (Index::of(&graph), graph.edges.len());
        let units = 50_000.min(count / 8);
        let workload = Workload::draw(&graph, &index, Operation::Write, self.rounds.seed, units);
        drop((graph, index));
        let plan = Plan { warm_up: Duration::ZERO, ..self.rounds.plan(64, None) };
        let (mut clean, mut crashed, mut stops) = (Vec::new(), Vec::new(), Vec::new());
        let mut running = installation.serve(&[])?;
        for round in 0..self.rounds.rounds * 2 {
            let kill = round % 2 == 1;
            let server = &mut running.server;
            let prepared = Prepared::new(&*server.protocol, &workload, Operation::Write.unit());
            run(&server.target(), &prepared, plan)?;
            if kill {
                server.process.kill();
            } else {
                stops.push(server.process.end()?);
            }
            running = installation.serve(&[])?;
            let time = running.ready;
            eprintln!("ready after {time:?} ({})", if kill { "kill -9" } else { "clean stop" });
            if kill { crashed.push(time) } else { clean.push(time) }
        }
        running.server.process.kill();
        eprintln!("verify: {}", installation.verify()?);
        let longest = |times: &[Duration]| times.iter().max().map_or(0.0, Duration::as_secs_f64);
        let how = format!(
            "{count} edges; before each stop {} s of durable follows and unfollows over 64 connections; both cores; from the \
             start of the process to its first answer, the longest of {} each. `guanxi verify` finds no difference \
             afterwards.",
            self.rounds.seconds, self.rounds.rounds
        );
        let rows = vec![
            Row::new("ready after a clean stop", longest(&clean), "s").aim(Aim::AtMost(2.0)),
            Row::new("ready after kill -9", longest(&crashed), "s").aim(Aim::AtMost(8.0)),
            Row::new("clean stop itself", longest(&stops), "s"),
        ];
        Ok(Finding { title: "Restart".to_owned(), how, rows }.into())
    }
}
