//! `guanxi verify`: the proof that the tables agree, and that homes are what they are defined to be.

mod checks;
mod feed;
mod search;

pub(super) use checks::CheckArgs;

use super::target::{Target, TargetArgs};
use super::token::uid;
use super::{print, print_json};
use crate::progress::{Unit, bar, follow};
use clap::Args;
use guanxi_model::Uid;
use guanxi_model::limits::BATCH_MAX;
use guanxi_ports::{Difference, DifferenceKind, VerifyReport};
use guanxi_server::config::Settings;
use guanxi_server::{EXIT_DIFFERENCES, Failure, Outcome};
use serde::Serialize;
use std::process::ExitCode;

/// Reads all tables from disk at one snapshot and compares forward edges, reverse edges, counters, mutual marks and
/// posts. With --feed it compares live pages of home timelines with their definition instead. With --search it compares the
/// search indexes of a server with the facts. For a cluster it runs the checks of `guanxi repair`, and mends nothing. Exit
/// code 3 when there is a difference.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Compare home timelines, page by page, with the stored facts
    #[arg(long)]
    feed: bool,
    /// Compare the homes of these users
    #[arg(long, value_name = "UID", value_parser = uid, value_delimiter = ',', requires = "feed", conflicts_with = "sample")]
    viewer: Vec<Uid>,
    /// Compare the homes of this number of users, picked at random [default: 100]
    #[arg(long, value_name = "N", requires = "feed", value_parser = clap::value_parser!(u32).range(1..=i64::from(BATCH_MAX)))]
    sample: Option<u32>,
    /// Compare the search indexes of a server, document by document, with the users and posts
    #[arg(long, conflicts_with_all = ["feed", "viewer", "sample"])]
    search: bool,
    #[command(flatten)]
    checks: CheckArgs,
}

/// The result of a verification of tables.
#[derive(Serialize)]
pub(super) struct ProofReport<'a> {
    clean: bool,
    forward: u64,
    reverse: u64,
    counters: u64,
    mutual: u64,
    marks: u64,
    posts: u64,
    likes: u64,
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
    pub(super) async fn run(&self, settings: &Settings) -> Outcome<ExitCode> {
        let of_cluster = self.target.is_cluster(settings)?;
        if self.checks.are_of_a_cluster() && (!of_cluster || self.feed || self.search) {
            return Err(Failure::usage(
                "--check and --share are for the tables of a cluster: name its `databases` in the --config file, and neither \
                 --server, --feed nor --search",
            ));
        }
        if self.search {
            let clean = self.run_search(settings).await?;
            return Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENCES) });
        }
        let clean = match (self.feed, of_cluster) {
            (true, _) => self.run_feed(settings).await,
            (false, true) => self.checks.run(settings, false).await,
            (false, false) => self.run_tables(settings).await,
        };
        Ok(if clean? { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENCES) })
    }

    /// Compares the tables; whether they agree.
    async fn run_tables(&self, settings: &Settings) -> Outcome<bool> {
        let progress = bar("verify", Some(0), Unit::Rows);
        let verify = async |target: &Target| {
            let report = target.operator.verify(&mut |now| follow(&progress, now)).await;
            target.task(report, "cannot verify")
        };
        let report = self.target.with_reading(settings, verify).await?;
        progress.finish_and_clear();
        if self.checks.json {
            print_json(&ProofReport::of(&report))?;
        } else {
            print_report(&report)?;
        }
        Ok(report.clean())
    }
}

impl<'a> ProofReport<'a> {
    pub(super) fn of(report: &'a VerifyReport) -> Self {
        Self {
            clean: report.clean(),
            forward: report.forward,
            reverse: report.reverse,
            counters: report.counters,
            mutual: report.mutual,
            marks: report.marks,
            posts: report.posts,
            likes: report.likes,
            differences_total: report.differences_total,
            differences: report.differences.iter().map(row).collect(),
            token: report.position.to_token(),
        }
    }
}

/// A difference as JSON has it.
fn row(difference: &Difference) -> Row<'_> {
    Row {
        kind: kind_name(difference.kind),
        subject: difference.subject.map(|uid| uid.to_string()),
        object: difference.object.map(|uid| uid.to_string()),
        detail: &difference.detail,
    }
}

/// Prints a line of a difference.
pub(super) fn print_difference(difference: &Difference) -> Outcome {
    let user = |uid: Option<Uid>| uid.map_or("-".into(), |uid| uid.to_string());
    let (subject, object) = (user(difference.subject), user(difference.object));
    print(format_args!("{} {subject} {object}: {}", kind_name(difference.kind), difference.detail))
}

fn print_report(report: &VerifyReport) -> Outcome {
    let compared = [
        ("forward edges", report.forward),
        ("reverse edges", report.reverse),
        ("users' counters", report.counters),
        ("mutual marks", report.mutual),
        ("blocks and mutes", report.marks),
        ("posts", report.posts),
        ("likes", report.likes),
        ("differences", report.differences_total),
    ];
    for (what, count) in compared {
        print(format_args!("{what:<18} {count:>12}"))?;
    }
    for difference in &report.differences {
        print_difference(difference)?;
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
        DifferenceKind::RequestsCount => "REQUESTS_COUNT",
        DifferenceKind::FollowDespiteBlock => "FOLLOW_DESPITE_BLOCK",
        DifferenceKind::LogGap => "LOG_GAP",
        DifferenceKind::OutboxMissing => "OUTBOX_MISSING",
        DifferenceKind::PostMissing => "POST_MISSING",
        DifferenceKind::LikeUnlisted => "LIKE_UNLISTED",
        DifferenceKind::LikeMissing => "LIKE_MISSING",
        DifferenceKind::LikeIndex => "LIKE_INDEX",
        DifferenceKind::DeletedIndex => "DELETED_INDEX",
        DifferenceKind::MarkIndex => "MARK_INDEX",
        DifferenceKind::LikesCount => "LIKES_COUNT",
        DifferenceKind::RepliesCount => "REPLIES_COUNT",
        DifferenceKind::RepostsCount => "REPOSTS_COUNT",
        DifferenceKind::RepostIndex => "REPOST_INDEX",
        DifferenceKind::HeadBehind => "HEAD_BEHIND",
        DifferenceKind::PostIdsBehind => "POST_IDS_BEHIND",
        DifferenceKind::Undecodable => "UNDECODABLE",
        DifferenceKind::AccountCopy => "ACCOUNT_COPY",
        DifferenceKind::ShardMisplaced => "SHARD_MISPLACED",
        DifferenceKind::Digest => "DIGEST",
    }
}
