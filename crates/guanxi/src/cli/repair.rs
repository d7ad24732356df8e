//! `guanxi repair`: the checks of a cluster, and the mending of what they find; and the mending of a store through its server.

use super::target::{Target, TargetArgs};
use super::verify::{CheckArgs, ProofReport, print_difference};
use super::{complain, print, print_json};
use crate::progress::{Unit, bar, follow};
use clap::{Args, Subcommand};
use guanxi_ports::{MendProgress, MendReport, MendStage, Remedy};
use guanxi_server::config::Settings;
use guanxi_server::{EXIT_DIFFERENCES, Failure, Outcome};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares derived rows with facts, and mends the differences: in all databases of a cluster, while processes go on serving;
/// with --server in the store of a running server; with --data in a directory that no server has open. Exit code 3 when a
/// difference is left; the output says what to do about it.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Repair {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    target: TargetArgs,
    /// With --server: the reason, for the audit log
    #[arg(long, value_name = "TEXT", requires = "server", default_value = "")]
    reason: String,
    #[command(flatten)]
    checks: CheckArgs,
}

/// What a mend found, mended and left.
#[derive(Serialize)]
struct MendRow<'a> {
    clean: bool,
    found: u64,
    mended: u64,
    remedies: Vec<&'static str>,
    left: ProofReport<'a>,
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
    /// The data directory that it mends, if it mends one.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        self.target.data.as_ref()
    }

    /// Mends, and prints what was compared, found and mended.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome<ExitCode> {
        if let Some(What::Rebuild(Rebuild { what: Derived::Search(target) })) = &self.what {
            return rebuild_search(target, settings).await.map(|()| ExitCode::SUCCESS);
        }
        let has_target = self.target.server.is_some() || self.target.data.is_some();
        if has_target && self.checks.are_of_a_cluster() {
            return Err(Failure::usage(
                "--check and --share are for the databases of a cluster: leave out --server and --data",
            ));
        }
        if !has_target && settings.databases.is_empty() {
            return Err(Failure::usage(
                "say what to mend: --server URL of a running server, --data DIR of a stopped one, or --config FILE with the \
                 `databases` of a cluster",
            ));
        }
        let is_clean =
            if has_target { self.mend(settings).await? } else { self.checks.run(settings, true).await? };
        Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENCES) })
    }
}

impl Repair {
    /// Mends a store; whether nothing is left that differs.
    async fn mend(&self, settings: &Settings) -> Outcome<bool> {
        let progress = bar("repair", Some(0), Unit::Rows);
        let mend = async |target: &Target| {
            let mut tell = |now: MendProgress| {
                progress.set_message(match now.stage {
                    MendStage::Comparing => "compare",
                    MendStage::Mending => "mend",
                });
                follow(&progress, now.progress);
            };
            let mended = target.operator.mend(&self.reason, &mut tell).await;
            target.task(mended, "cannot repair")
        };
        let report = self.target.with(settings, mend).await?;
        progress.finish_and_clear();
        if self.checks.json {
            print_json(&MendRow::of(&report))?;
        } else {
            print_mended(&report)?;
        }
        Ok(report.left.clean())
    }
}

impl<'a> MendRow<'a> {
    fn of(report: &'a MendReport) -> Self {
        Self {
            clean: report.left.clean(),
            found: report.found,
            mended: report.mended,
            remedies: report.remedies().into_iter().map(|remedy| words(remedy).0).collect(),
            left: ProofReport::of(&report.left),
        }
    }
}

fn print_mended(report: &MendReport) -> Outcome {
    for (what, count) in
        [("found", report.found), ("mended", report.mended), ("left", report.left.differences_total)]
    {
        print(format_args!("{what:<18} {count:>12}"))?;
    }
    report.left.differences.iter().try_for_each(print_difference)?;
    report.remedies().into_iter().try_for_each(|remedy| print(format_args!("to do: {}", words(remedy).1)))
}

/// The name of a remedy, as the API has it, and what to do in words.
const fn words(remedy: Remedy) -> (&'static str, &'static str) {
    match remedy {
        Remedy::MendAgain => ("REPAIR_AGAIN", "repair again: rows changed meanwhile"),
        Remedy::RestoreDump => (
            "RESTORE_DUMP",
            "make a backup (guanxi backup FILE) and restore it (guanxi restore FILE --data NEW): that builds derived rows anew",
        ),
        Remedy::RestoreBackup => (
            "RESTORE_BACKUP",
            "restore a backup from before the damage (guanxi restore FILE --data NEW): a fact or an event is lost",
        ),
        Remedy::EndFact => {
            ("END_FACT", "two facts contradict each other: end the follow (Unfollow) or the block (Unblock)")
        }
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
