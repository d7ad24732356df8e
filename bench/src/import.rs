//! How fast `guanxi import edges` fills an empty directory, from the start of the process to its end, when
//! everything is on the disk; and that what it wrote verifies.

use crate::peers::guanxi::Installation;
use crate::peers::write_edges;
use crate::report::{Aim, Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::Rounds;
use guanxi_load::graph::FollowGraph;
use guanxi_load::quantiles::median;

/// Edges per user in a graph of seed 000's statistics.
const EDGES_PER_USER: f64 = 3.19;

/// How the import is measured.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("rounds", |rounds| {
    rounds.default_value("3").help("Imports, each into a new directory; the median is reported")
}))]
#[command(mut_arg("seconds", |seconds| seconds.hide(true)))]
#[command(mut_arg("warm_up", |seconds| seconds.hide(true)))]
pub(crate) struct Options {
    /// Edges, about
    #[arg(long, default_value_t = 5_000_000)]
    edges: u32,
    #[command(flatten)]
    rounds: Rounds,
}

/// Users of a graph of about so many edges.
pub(crate) fn users_for(edges: u32) -> u32 {
    (f64::from(edges) / EDGES_PER_USER) as u32
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("import");
    const IS_PINNED: bool = false;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.edges, 20_000)]);
    }

    /// The data must verify after the first round.
    fn run(&self, place: &Place) -> Result<Table, String> {
        eprintln!("drawing a graph of about {} edges", self.edges);
        let graph = FollowGraph::generate(users_for(self.edges), self.rounds.seed);
        let (edges, file) = (graph.edges.len(), place.dir.join("edges.tsv"));
        write_edges(&graph, &file)?;
        let mut rates = Vec::new();
        for round in 0..self.rounds.rounds {
            place.part(&format!("round-{round}"), |place| {
                let installation = Installation::new(place)?;
                let (report, time) = installation.import(&file)?;
                let per_s = edges as f64 / time.as_secs_f64();
                eprintln!("{per_s:.0} edges/s: {report}");
                if report.get("accepted").and_then(serde_json::Value::as_u64) != Some(edges as u64) {
                    return Err(format!("{edges} edges were given, but: {report}"));
                }
                rates.push(per_s);
                if round == 0 {
                    eprintln!("verify: {}", installation.verify()?);
                }
                Ok(())
            })?;
        }
        let how = format!(
            "`guanxi import edges FILE --data DIR` into an empty directory, {edges} edges of plain text, from the start of the \
             process to its end, both cores; median of {}. `guanxi verify` finds no difference.",
            rates.len()
        );
        let rate = median(rates).ok_or("no round")?;
        let row = Row::new("import into an empty directory", rate, "edges/s").aim(Aim::AtLeast(300_000.0));
        Ok(Finding { title: "Import".to_owned(), how, rows: vec![row] }.into())
    }
}
