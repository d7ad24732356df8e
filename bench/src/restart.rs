//! How long a start takes, from the start of the process to its first answer, after a clean stop and after kill -9
//! under write load.

use crate::calls::{Operation, Workload};
use crate::import::users_for;
use crate::load::{Plan, Prepared, run};
use crate::peers::guanxi::Installation;
use crate::report::{Aim, Finding, Row};
use crate::{Common, Run};
use guanxi_load::graph::{FollowGraph, Index};
use std::time::Duration;

/// How restarts are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Edges, about
    #[arg(long, default_value_t = 10_000_000)]
    edges: u32,
    /// Restarts of each kind
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of durable follows and unfollows before each stop
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Few edges and little load: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

/// Measures restarts.
///
/// # Errors
/// When the server does not start or fails a call, or the data does not verify after the last crash.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let session = Run::begin(common, false)?;
    let place = &session.place;
    let (edges, seconds) =
        if options.quick { (options.edges.min(20_000), 0.5) } else { (options.edges, options.seconds) };
    eprintln!("drawing a graph of about {edges} edges");
    let graph = FollowGraph::generate(users_for(edges), 1);
    let installation = Installation::new(&common.guanxi, place)?;
    installation.load(place, &graph)?;

    let workload =
        Workload::draw(&graph, &Index::of(&graph), Operation::Write, 1, 50_000.min(graph.edges.len() / 8));
    let count = graph.edges.len();
    drop(graph);
    let plan = Plan {
        connections: 64,
        warm_up: Duration::ZERO,
        measure: Duration::from_secs_f64(seconds),
        rate: None,
    };
    let (mut clean, mut crashed, mut stops) = (Vec::new(), Vec::new(), Vec::new());
    let mut running = installation.serve(place)?;
    for round in 0..options.rounds.max(1) * 2 {
        let kill = round % 2 == 1;
        let server = &mut running.server;
        let prepared = Prepared::new(&*server.protocol, &workload, Operation::Write.unit());
        run(&server.target(), &prepared, plan)?;
        if kill {
            server.process.kill();
        } else {
            stops.push(server.process.end()?);
        }
        running = installation.serve(place)?;
        let time = running.ready;
        eprintln!("ready after {time:?} ({})", if kill { "kill -9" } else { "clean stop" });
        if kill { crashed.push(time) } else { clean.push(time) }
    }
    running.server.process.kill();
    eprintln!("verify: {}", installation.verify()?);
    let longest = |times: &[Duration]| times.iter().max().map_or(0.0, Duration::as_secs_f64);
    Ok(Finding {
        title: "Restart".to_owned(),
        how: format!(
            "{count} edges; before each stop {seconds} s of durable follows and unfollows over 64 connections; both \
             cores; from the start of the process to its first answer, the longest of {} each. `guanxi verify` \
             finds no difference afterwards.",
            options.rounds.max(1)
        ),
        rows: vec![
            Row::new("ready after a clean stop", longest(&clean), "s").aim(Aim::AtMost(2.0)),
            Row::new("ready after kill -9", longest(&crashed), "s").aim(Aim::AtMost(8.0)),
            Row::new("clean stop itself", longest(&stops), "s"),
        ],
    })
}
