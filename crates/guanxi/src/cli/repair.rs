//! `guanxi repair`: the checks of a cluster, and the mending of what they find.

use super::complain;
use super::target::TargetArgs;
use super::verify::CheckArgs;
use clap::{Args, Subcommand};
use guanxi_server::config::Settings;
use guanxi_server::{EXIT_DIFFERENCES, Failure, Outcome};
use std::process::ExitCode;

/// Compares derived rows with facts in all databases of a cluster, and mends the differences, while processes go on serving.
/// Exit code 3 when a difference could not be mended. One machine has nothing to mend: it writes both sides in one batch.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Repair {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    checks: CheckArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Build derived data anew from the facts
    Rebuild(Rebuild),
}

/// Build derived data anew from the facts.
#[derive(Debug, Args)]
struct Rebuild {
    #[command(subcommand)]
    what: Derived,
}

#[derive(Debug, Subcommand)]
enum Derived {
    /// Build the search indexes of a server anew. The present ones answer meanwhile
    Search(TargetArgs),
}

impl Repair {
    /// Mends, and prints what was compared, found and mended.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome<ExitCode> {
        if let Some(What::Rebuild(Rebuild { what: Derived::Search(target) })) = &self.what {
            return rebuild_search(target, settings).await.map(|()| ExitCode::SUCCESS);
        }
        if settings.databases.is_empty() {
            return Err(Failure::usage(
                "say which cluster: --config FILE with its `databases` (a data directory is never mended: `guanxi verify` \
                 compares it, and a backup restores it)",
            ));
        }
        let is_clean = self.checks.run(settings, true).await?;
        Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENCES) })
    }
}

/// Begins to build search indexes anew.
async fn rebuild_search(target: &TargetArgs, settings: &Settings) -> Outcome {
    target
        .with(settings, async |target| {
            let why = "a server keeps search indexes: name it with --server, or remove `search` of a directory that none has open";
            Ok(target.server(why)?.rebuild_search().await?)
        })
        .await?;
    complain("search indexes are built anew; guanxi_search_builds_total counts them when they are there");
    Ok(())
}
