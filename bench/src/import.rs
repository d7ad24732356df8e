//! How fast `guanxi import edges` fills an empty directory, from the start of the process to its end, when
//! everything is on the disk; and that what it wrote verifies.

use crate::peers::guanxi::Installation;
use crate::peers::write_edges;
use crate::report::{Aim, Finding, Row};
use crate::{Common, Run};
use guanxi_load::graph::FollowGraph;
use guanxi_load::quantiles::median;
use std::time::Duration;

/// Edges per user in a graph of seed 000's statistics.
const EDGES_PER_USER: f64 = 3.19;

/// How the import is measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Edges, about
    #[arg(long, default_value_t = 5_000_000)]
    edges: u32,
    /// Imports, each into a new directory; the median is reported
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Few edges: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

/// Users of a graph of about so many edges.
pub(crate) fn users_for(edges: u32) -> u32 {
    (f64::from(edges) / EDGES_PER_USER) as u32
}

/// Measures the import.
///
/// # Errors
/// When an import fails, or what it wrote does not verify.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let run = Run::begin(common, false)?;
    let edges = if options.quick { options.edges.min(20_000) } else { options.edges };
    eprintln!("drawing a graph of about {edges} edges");
    let graph = FollowGraph::generate(users_for(edges), 1);
    let file = run.place.dir.join("edges.tsv");
    write_edges(&graph, &file)?;
    let mut rates = Vec::new();
    for round in 0..options.rounds.max(1) {
        let mut installation = Installation::new(&common.guanxi, &run.place)?;
        installation.data = run.place.dir.join(format!("data-{round}"));
        let (report, time) = installation.import(&file, false)?;
        eprintln!("{:.0} edges/s: {report}", per_s(&graph, time));
        if report.get("accepted").and_then(serde_json::Value::as_u64) != Some(graph.edges.len() as u64) {
            return Err(format!("{} edges were given, but: {report}", graph.edges.len()));
        }
        rates.push(per_s(&graph, time));
        if round == 0 {
            eprintln!("verify: {}", installation.verify()?);
        }
        std::fs::remove_dir_all(&installation.data).map_err(|error| format!("removing the data: {error}"))?;
    }
    let rounds = rates.len();
    Ok(Finding {
        title: "Import".to_owned(),
        how: format!(
            "`guanxi import edges FILE --data DIR` into an empty directory, {} edges of plain text, from the start of \
             the process to its end, both cores; median of {}. `guanxi verify` finds no difference.",
            graph.edges.len(),
            rounds
        ),
        rows: vec![
            Row::new("import into an empty directory", median(rates).ok_or("no round")?, "edges/s")
                .aim(Aim::AtLeast(300_000.0)),
        ],
    })
}

fn per_s(graph: &FollowGraph, time: Duration) -> f64 {
    graph.edges.len() as f64 / time.as_secs_f64()
}
