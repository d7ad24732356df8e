//! Checks on schedule: each by one process of the cluster at a time.

use crate::checks::{RepairCheck, RepairReport, RepairTerms};
use crate::duties::{Duty, RandomBits};
use crate::store::ClusterStore;
use futures_util::future::join_all;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// When checks run of themselves.
#[derive(Clone, Debug)]
pub struct CheckSchedule {
    /// How long after its last end each is due again; those that are not named never are.
    pub every: Vec<(RepairCheck, Duration)>,
    /// The share of time that each may keep databases busy, above 0 and up to 1.
    pub share: f64,
}

/// Differences that are logged of a run.
const LOGGED_MAX: usize = 3;

/// Says what the metrics of scheduled checks mean, for their HELP lines.
fn describe() {
    metrics::describe_counter!(
        "guanxi_check_runs_total",
        "Runs of checks on schedule in this process, by check and outcome."
    );
    metrics::describe_gauge!(
        "guanxi_check_seconds",
        "How long the last run of a check on schedule took in this process, by check."
    );
    metrics::describe_gauge!(
        "guanxi_check_done_timestamp_seconds",
        "When a check on schedule was last done in this process, as seconds since 1970, by check."
    );
}

/// Returns what holds a check on schedule.
const fn duty_name(check: RepairCheck) -> &'static str {
    match check {
        RepairCheck::Full => "check/full",
        RepairCheck::Incremental => "check/incremental",
        RepairCheck::Pairs => "check/pairs",
        RepairCheck::Digests => "check/digests",
    }
}

impl ClusterStore {
    /// Runs checks when they are due, each in one process of the cluster at a time, and mends what they find, for ever. One that
    /// is cut off goes on where it was, wherever.
    pub async fn check_on_schedule(&self, schedule: &CheckSchedule, random: RandomBits<'_>) {
        describe();
        let keep_checking = |(check, every): &(RepairCheck, Duration)| {
            let (check, duty) = (*check, Duty { name: duty_name(*check), every: *every });
            async move {
                let run = || Box::pin(self.run_scheduled(check, schedule.share));
                duty.keep_doing(&self.shared, random, run).await;
            }
        };
        join_all(schedule.every.iter().map(keep_checking)).await;
    }

    /// Does some work for ever, in one process of the cluster at a time: `work` begins whenever this one has the duty of this name,
    /// and is dropped when another may have taken it over.
    pub async fn do_alone<F: Future<Output = ()>>(
        &self,
        name: &'static str,
        random: RandomBits<'_>,
        work: impl Fn() -> F,
    ) {
        let duty = Duty { name, every: Duration::ZERO };
        let work = || {
            let work = work();
            async move {
                work.await;
                true
            }
        };
        duty.keep_doing(&self.shared, random, work).await;
    }

    /// Runs a check; whether it came to its end.
    async fn run_scheduled(&self, check: RepairCheck, share: f64) -> bool {
        let (name, begun) = (check.name(), Instant::now());
        let terms = RepairTerms { mends: true, share, resumes: true, ..RepairTerms::default() };
        let done = self.repair(check, terms, &mut |_| ()).await;
        let outcome = if done.is_ok() { "done" } else { "failed" };
        metrics::counter!("guanxi_check_runs_total", "check" => name, "outcome" => outcome).increment(1);
        match &done {
            Ok(report) => {
                metrics::gauge!("guanxi_check_seconds", "check" => name).set(begun.elapsed().as_secs_f64());
                let now = self.shared.clock.now_ms() / 1_000;
                metrics::gauge!("guanxi_check_done_timestamp_seconds", "check" => name).set(now as f64);
                tell(name, report);
            }
            Err(error) => tracing::warn!(check = name, %error, "a check was cut off; it goes on later"),
        }
        done.is_ok()
    }
}

/// Says what a check found, if it found anything.
fn tell(check: &str, report: &RepairReport) {
    let found = report.differences_total + report.cells_differed;
    if found == 0 {
        tracing::debug!(check, compared = report.compared, "a check found nothing");
        return;
    }
    let first: Vec<String> = report
        .differences
        .iter()
        .chain(&report.cells)
        .take(LOGGED_MAX)
        .map(|one| format!("{one:?}"))
        .collect();
    tracing::warn!(
        check,
        compared = report.compared,
        differences = report.differences_total,
        mended = report.mended,
        cells = report.cells_differed,
        cells_mended = report.cells_mended,
        first = first.join(", "),
        "a check found differences"
    );
}
