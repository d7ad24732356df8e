//! The proof of search indexes.

use super::Verify;
use crate::cli::target::Target;
use crate::cli::{print, print_json};
use crate::progress::{Unit, bar};
use guanxi_centers::operator::{SearchIndexKind, SearchProofStep};
use guanxi_ports::search::DocDiffers;
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde::Serialize;

/// Differences that are shown.
const SHOWN_MAX: usize = 1_000;

/// The findings in both indexes.
#[derive(Default, Serialize)]
struct Report {
    clean: bool,
    users: u64,
    posts: u64,
    left_out: u64,
    differences_total: u64,
    differences: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A document that differs.
#[derive(Serialize)]
struct Row {
    index: &'static str,
    id: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl Verify {
    /// Compares search indexes; whether they are as they should be.
    pub(super) async fn run_search(&self, settings: &Settings) -> Outcome<bool> {
        let progress = bar("verify", None, Unit::Rows);
        let mut found = Report::default();
        let verify = async |target: &Target| {
            let server = target.server("a server keeps search indexes: say which with --server URL")?;
            let mut each = |step: SearchProofStep| {
                progress.inc(step.compared);
                found.add(step);
            };
            Ok(server.verify_search(&mut each).await?)
        };
        self.target.with_reading(settings, verify).await?;
        progress.finish_and_clear();
        found.clean = found.differences_total == 0;
        if self.checks.json {
            print_json(&found)?;
        } else {
            found.print()?;
        }
        Ok(found.clean)
    }
}

impl Report {
    fn add(&mut self, step: SearchProofStep) {
        let SearchProofStep { index, compared, findings, left_out, as_of } = step;
        let index = match index {
            SearchIndexKind::Users => {
                self.users += compared;
                "user"
            }
            SearchIndexKind::Posts => {
                self.posts += compared;
                "post"
            }
        };
        self.left_out += left_out;
        self.token = Some(as_of.to_token());
        self.differences_total += findings.len() as u64;
        let room = SHOWN_MAX - self.differences.len();
        self.differences.extend(findings.into_iter().take(room).map(|(id, differs)| {
            let (kind, field) = match differs {
                DocDiffers::Missing => ("MISSING", None),
                DocDiffers::Surplus => ("SURPLUS", None),
                DocDiffers::Field(name) => ("FIELD_DIFFERS", Some(name)),
            };
            Row { index, id: id.to_string(), kind, field }
        }));
    }

    fn print(&self) -> Outcome {
        let compared = [
            ("users", self.users),
            ("posts", self.posts),
            ("changed too often", self.left_out),
            ("differences", self.differences_total),
        ];
        for (what, count) in compared {
            print(format_args!("{what:<18} {count:>12}"))?;
        }
        for Row { index, id, kind, field } in &self.differences {
            let field = field.as_deref().map(|name| format!(": {name}")).unwrap_or_default();
            print(format_args!("{kind} {index} {id}{field}"))?;
        }
        let more = self.differences_total - self.differences.len() as u64;
        if more > 0 {
            print(format_args!("... and {more} more differences"))?;
        }
        Ok(())
    }
}
