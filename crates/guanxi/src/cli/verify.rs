//! `guanxi verify`: the proof that the tables agree.

use super::target::{Target, TargetArgs};
use super::{print, print_json};
use crate::config::Settings;
use crate::failure::{EXIT_DIFFERENCES, Outcome};
use crate::progress::{Unit, bar, follow};
use clap::Args;
use guanxi_ports::{Difference, DifferenceKind, VerifyReport};
use serde::Serialize;
use std::process::ExitCode;

/// Reads all tables from disk at one snapshot and compares forward edges, reverse edges, counters and mutual
/// marks. Exit code 3 when they differ.
#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    clean: bool,
    forward: u64,
    reverse: u64,
    counters: u64,
    mutual: u64,
    marks: u64,
    differences_total: u64,
    differences: Vec<Row<'a>>,
    token: String,
}

#[derive(Serialize)]
struct Row<'a> {
    kind: &'static str,
    subject: Option<String>,
    object: Option<String>,
    detail: &'a str,
}

impl Verify {
    /// Compares, and prints what was compared and found.
    pub async fn run(&self, settings: &Settings) -> Outcome<ExitCode> {
        let progress = bar("verify", Some(0), Unit::Rows);
        let report = match self.target.open(settings).await? {
            Target::Data(local) => {
                let report = local.verify({
                    let progress = progress.clone();
                    move |now| follow(&progress, now)
                });
                let report = report.await;
                local.close().await?;
                report?
            }
            Target::Server(remote) => remote.verify(&mut |now| follow(&progress, now)).await?,
        };
        progress.finish_and_clear();
        if self.json {
            print_json(&Report::of(&report))?;
        } else {
            print_report(&report)?;
        }
        Ok(if report.clean() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENCES) })
    }
}

impl<'a> Report<'a> {
    fn of(report: &'a VerifyReport) -> Self {
        let row = |difference: &'a Difference| Row {
            kind: kind_name(difference.kind),
            subject: difference.subject.map(|uid| uid.to_string()),
            object: difference.object.map(|uid| uid.to_string()),
            detail: &difference.detail,
        };
        Self {
            clean: report.clean(),
            forward: report.forward,
            reverse: report.reverse,
            counters: report.counters,
            mutual: report.mutual,
            marks: report.marks,
            differences_total: report.differences_total,
            differences: report.differences.iter().map(row).collect(),
            token: report.position.to_token(),
        }
    }
}

fn print_report(report: &VerifyReport) -> Outcome {
    let compared = [
        ("forward edges", report.forward),
        ("reverse edges", report.reverse),
        ("users' counters", report.counters),
        ("mutual marks", report.mutual),
        ("blocks and mutes", report.marks),
        ("differences", report.differences_total),
    ];
    for (what, count) in compared {
        print(format_args!("{what:<18} {count:>12}"))?;
    }
    for difference in &report.differences {
        let user = |uid: Option<guanxi_model::Uid>| uid.map_or("-".into(), |uid| uid.to_string());
        let (subject, object) = (user(difference.subject), user(difference.object));
        print(format_args!("{} {subject} {object}: {}", kind_name(difference.kind), difference.detail))?;
    }
    let more = report.differences_total.saturating_sub(report.differences.len() as u64);
    if more > 0 {
        print(format_args!("... and {more} more differences"))?;
    }
    Ok(())
}

/// The name of a kind, as the API has it.
const fn kind_name(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::ReverseMissing => "REVERSE_MISSING",
        DifferenceKind::ForwardMissing => "FORWARD_MISSING",
        DifferenceKind::TimeDiffers => "TIME_DIFFERS",
        DifferenceKind::MutualMarkMissing => "MUTUAL_MARK_MISSING",
        DifferenceKind::MutualMarkWrong => "MUTUAL_MARK_WRONG",
        DifferenceKind::FollowingCount => "FOLLOWING_COUNT",
        DifferenceKind::FollowersCount => "FOLLOWERS_COUNT",
        DifferenceKind::FriendsCount => "FRIENDS_COUNT",
        DifferenceKind::BlocksCount => "BLOCKS_COUNT",
        DifferenceKind::MutesCount => "MUTES_COUNT",
        DifferenceKind::FollowDespiteBlock => "FOLLOW_DESPITE_BLOCK",
        DifferenceKind::LogGap => "LOG_GAP",
        DifferenceKind::Undecodable => "UNDECODABLE",
    }
}
