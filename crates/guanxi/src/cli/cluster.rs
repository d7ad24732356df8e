//! `guanxi cluster`: a cluster on PostgreSQL.

use super::{complain, print_json};
use crate::progress::{Unit, bar};
use clap::{Args, Subcommand};
use guanxi_server::config::Settings;
use guanxi_server::{InitReport, InitStep, LossReport, Outcome, accept_loss, init_cluster};

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
    /// Accept that a database lost its newest commits, so that its users are served again without them
    AcceptLoss(AcceptLoss),
}

/// Other databases know events that the named one lost. Its logs go on beyond these, and what others have of them is mended within
/// minutes, by a process in the role `worker`. Put a newer copy in its place instead if there is one.
#[derive(Debug, Args)]
struct AcceptLoss {
    /// The name of the database in the setting `databases`
    #[arg(value_name = "NAME")]
    database: String,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
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
        match &self.what {
            What::Init(Init { json }) => init(settings, *json).await,
            What::AcceptLoss(AcceptLoss { database, json }) => accept(settings, database, *json).await,
        }
    }
}

async fn accept(settings: &Settings, database: &str, json: bool) -> Outcome {
    let LossReport { logs, logs_lost, events_lost } = accept_loss(settings, database).await?;
    if json {
        print_json(&serde_json::json!({
            "database": database, "logs": logs, "logs_lost": logs_lost, "events_lost": events_lost,
        }))?;
    }
    complain(format_args!(
        "database `{database}` is served again: it lost {events_lost} events of {logs_lost} logs that others have applied, and \
         all its {logs} logs begin anew; a process in the role `worker` compares everything now"
    ));
    Ok(())
}

async fn init(settings: &Settings, json: bool) -> Outcome {
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
