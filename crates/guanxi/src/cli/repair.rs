//! `guanxi repair`: the checks of a cluster, and the mending of what they find.

use super::verify::CheckArgs;
use crate::config::Settings;
use crate::failure::{EXIT_DIFFERENCES, Failure, Outcome};
use clap::Args;
use std::process::ExitCode;

/// Compares what follows from facts with these, in all databases of a cluster, and mends what differs, while processes go on
/// serving. Exit code 3 when something differs that could not be mended. One machine has nothing to mend: it writes both sides
/// in one batch.
#[derive(Debug, Args)]
pub(super) struct Repair {
    #[command(flatten)]
    checks: CheckArgs,
}

impl Repair {
    /// Mends, and prints what was compared, found and mended.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome<ExitCode> {
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
