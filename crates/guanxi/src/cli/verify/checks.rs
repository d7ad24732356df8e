//! The checks of a cluster, which `verify` runs and `repair` mends by.

use super::{print_difference, row};
use crate::cli::{print, print_json};
use crate::progress::{Unit, bar, follow};
use clap::{Args, ValueEnum};
use guanxi_ports::{Difference, Progress};
use guanxi_server::config::Settings;
use guanxi_server::{Outcome, RepairCheck, RepairReport, RepairTerms, run_checks};
use serde::Serialize;
use std::collections::BTreeSet;

/// A check of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckName {
    /// The number of follows and the sum of their hashes between each two genes, on both sides; then the rows where they differ
    Digests,
    /// Every row
    Full,
    /// The echo of every event since the last check
    Incremental,
    /// Events whose echo is late
    Pairs,
}

impl CheckName {
    const fn check(self) -> RepairCheck {
        match self {
            Self::Digests => RepairCheck::Digests,
            Self::Full => RepairCheck::Full,
            Self::Incremental => RepairCheck::Incremental,
            Self::Pairs => RepairCheck::Pairs,
        }
    }
}

/// Which checks run, and how.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// For a cluster: the checks to run, separated by commas, in this order [default: digests,full]
    #[arg(long, value_name = "CHECKS", value_delimiter = ',')]
    pub check: Vec<CheckName>,
    /// For a cluster: the share of time that the checks may keep databases busy [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub share: Option<u8>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// The results of the checks that ran.
#[derive(Serialize)]
struct ChecksReport<'a> {
    clean: bool,
    checks: Vec<CheckRow>,
    differences: Vec<super::Row<'a>>,
}

/// The result of one check.
#[derive(Serialize)]
struct CheckRow {
    check: &'static str,
    compared: u64,
    differences: u64,
    mended: u64,
    cells_differed: u64,
    cells_mended: u64,
    unsettled: u64,
    token: String,
}

impl CheckArgs {
    /// Returns whether any of what only a cluster has was asked for.
    pub(crate) const fn are_of_a_cluster(&self) -> bool {
        !self.check.is_empty() || self.share.is_some()
    }

    /// Runs them, and prints what they compared, found and mended; whether nothing is left that differs.
    pub(crate) async fn run(&self, settings: &Settings, mends: bool) -> Outcome<bool> {
        let named =
            if self.check.is_empty() { &[CheckName::Digests, CheckName::Full][..] } else { &self.check };
        let checks: Vec<RepairCheck> = named.iter().map(|name| name.check()).collect();
        let share = f64::from(self.share.unwrap_or(100)) / 100.0;
        let terms = RepairTerms { mends, share, ..RepairTerms::default() };
        let progress = bar(if mends { "repair" } else { "verify" }, Some(0), Unit::Rows);
        let mut tell = |check: RepairCheck, now: Progress| {
            progress.set_message(check.name());
            follow(&progress, now);
        };
        let reports = run_checks(settings, &checks, terms, &mut tell).await;
        progress.finish_and_clear();
        let reports = reports?;
        let report = ChecksReport::of(&reports);
        if self.json {
            print_json(&report)?;
        } else {
            report.print(&reports)?;
        }
        Ok(report.clean)
    }
}

/// Each difference once, whichever checks met it.
fn differences(reports: &[(RepairCheck, RepairReport)]) -> impl Iterator<Item = &Difference> {
    let mut told: BTreeSet<&Difference> = BTreeSet::new();
    let all = reports.iter().flat_map(|(_, report)| report.differences.iter().chain(&report.cells));
    all.filter(move |one| told.insert(*one))
}

impl<'a> ChecksReport<'a> {
    fn of(reports: &'a [(RepairCheck, RepairReport)]) -> Self {
        let checks: Vec<CheckRow> =
            reports.iter().map(|(check, report)| CheckRow::of(*check, report)).collect();
        Self {
            clean: checks.iter().all(CheckRow::is_clean),
            checks,
            differences: differences(reports).map(row).collect(),
        }
    }

    fn print(&self, reports: &[(RepairCheck, RepairReport)]) -> Outcome {
        print(format_args!(
            "{:<12} {:>12} {:>12} {:>12} {:>12}",
            "CHECK", "COMPARED", "DIFFERENT", "MENDED", "UNSETTLED"
        ))?;
        for row in &self.checks {
            let (differences, mended) = (row.differences + row.cells_differed, row.mended + row.cells_mended);
            let CheckRow { check, compared, unsettled, .. } = row;
            print(format_args!("{check:<12} {compared:>12} {differences:>12} {mended:>12} {unsettled:>12}"))?;
        }
        differences(reports).try_for_each(print_difference)?;
        let listed = differences(reports).count() as u64;
        let total = self.checks.iter().map(|row| row.differences + row.cells_differed).max().unwrap_or(0);
        if total > listed {
            print(format_args!("... and {} more differences", total - listed))?;
        }
        Ok(())
    }
}

impl CheckRow {
    fn of(check: RepairCheck, report: &RepairReport) -> Self {
        Self {
            check: check.name(),
            compared: report.compared,
            differences: report.differences_total,
            mended: report.mended,
            cells_differed: report.cells_differed,
            cells_mended: report.cells_mended,
            unsettled: report.unsettled,
            token: report.position.to_token(),
        }
    }

    /// Returns whether nothing is left that differs.
    const fn is_clean(&self) -> bool {
        self.mended >= self.differences && self.cells_mended >= self.cells_differed
    }
}
