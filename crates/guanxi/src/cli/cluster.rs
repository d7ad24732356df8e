//! `guanxi cluster`: a cluster on PostgreSQL.

use super::{complain, print_json};
use crate::progress::{Unit, bar};
use clap::{Args, Subcommand};
use guanxi_server::config::Settings;
use guanxi_server::{InitReport, InitStep, Outcome, init_cluster};

/// Lays out a cluster on PostgreSQL, which `guanxi serve` then serves.
#[derive(Debug, Args)]
pub(super) struct ClusterCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make the tables of a cluster in empty databases, or those that are missing
    Init(Init),
}

#[derive(Debug, Args)]
struct Init {
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

impl ClusterCommand {
    /// Does what the command line says.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let What::Init(Init { json }) = self.what;
        let progress = bar("cluster init", Some(0), Unit::Rows);
        let report = init_cluster(settings, |step| match step {
            InitStep::Mapped { steps } => progress.set_length(steps),
            InitStep::Made { database, version } => {
                progress.set_message(format!("{database}, tables {version}"));
                progress.inc(1);
            }
        });
        let report = report.await;
        progress.finish_and_clear();
        let InitReport { map, made } = report?;
        let cluster = format!("{:016x}", map.history.0);
        if json {
            print_json(&serde_json::json!({ "cluster": cluster, "databases": map.databases, "made": made }))?;
        }
        let what = if made == 0 { "was laid out already" } else { "is laid out" };
        complain(format_args!("cluster {cluster} {what} on {}", map.databases.join(", ")));
        Ok(())
    }
}
