//! The proof of home timelines.

use super::Verify;
use crate::cli::target::Target;
use crate::cli::{print, print_json};
use crate::progress::{Unit, bar, follow};
use guanxi_centers::feed::FeedReport;
use guanxi_model::{GroupId, PostId};
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde::Serialize;

/// Ids of one kind of difference that are shown of one home.
const IDS_SHOWN: usize = 20;

/// The findings in all homes.
#[derive(Default, Serialize)]
struct Report {
    clean: bool,
    viewers: u64,
    groups: u64,
    items: u64,
    pages: u64,
    pages_from_inbox: u64,
    viewers_with_differences: u64,
    differences: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A home, or the timeline of a group, that differs from its definition.
#[derive(Serialize)]
struct Row {
    viewer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
    missing: Vec<String>,
    unexpected: Vec<String>,
    misplaced: Vec<String>,
}

impl Verify {
    /// Compares homes; whether all of them are exact.
    pub(super) async fn run_feed(&self, settings: &Settings) -> Outcome<bool> {
        let progress = bar("verify", Some(0), Unit::Rows);
        let mut found = Report::default();
        let verify = async |target: &Target| {
            let mut each = |report: FeedReport, now| {
                follow(&progress, now);
                found.add(&report);
            };
            let sample = self.sample.unwrap_or_default();
            Ok(target.operator.verify_feed(&self.viewer, sample, &mut each).await?)
        };
        self.target.with_reading(settings, verify).await?;
        progress.finish_and_clear();
        found.clean = found.viewers_with_differences == 0;
        if self.checks.json {
            print_json(&found)?;
        } else {
            found.print()?;
        }
        Ok(found.clean)
    }
}

impl Report {
    fn add(&mut self, report: &FeedReport) {
        match report.group {
            None => self.viewers += 1,
            Some(_) => self.groups += 1,
        }
        self.items += report.items;
        self.pages += report.pages;
        self.pages_from_inbox += report.from_inbox;
        self.token = Some(report.position.to_token());
        if !report.clean() {
            let ids = |ids: &[PostId]| ids.iter().map(PostId::to_string).collect();
            self.viewers_with_differences += 1;
            self.differences.push(Row {
                viewer: report.viewer.to_string(),
                group: report.group.map(GroupId::get),
                missing: ids(&report.missing),
                unexpected: ids(&report.unexpected),
                misplaced: ids(&report.misplaced),
            });
        }
    }

    fn print(&self) -> Outcome {
        let compared = [
            ("homes", self.viewers),
            ("groups", self.groups),
            ("items", self.items),
            ("pages", self.pages),
            ("of them from inbox", self.pages_from_inbox),
            ("homes that differ", self.viewers_with_differences),
        ];
        for (what, count) in compared {
            print(format_args!("{what:<18} {count:>12}"))?;
        }
        for row in &self.differences {
            for (what, ids) in
                [("missing", &row.missing), ("unexpected", &row.unexpected), ("misplaced", &row.misplaced)]
            {
                if !ids.is_empty() {
                    let shown = ids[..ids.len().min(IDS_SHOWN)].join(" ");
                    let more = if ids.len() > IDS_SHOWN { " ..." } else { "" };
                    let where_ = row.group.map_or_else(|| "home".to_owned(), |id| format!("group {id}"));
                    print(format_args!("{where_} of {}: {} {what}: {shown}{more}", row.viewer, ids.len()))?;
                }
            }
        }
        Ok(())
    }
}
