//! `guanxi admin audit`: what operators did.

use crate::cli::call::print_line;
use crate::cli::target::{Target, TargetArgs};
use clap::Args;
use guanxi_centers::operator::AuditFilter;
use guanxi_lists::time::{as_ms, utc};
use guanxi_model::{AuditEntry, AuditOutcome, AuditTarget};
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde_json::json;

/// The text below the flags.
const HELP: &str = "\
An entry has the time, the name of the token, the call, its objects, and the outcome. The newest entry is first. The \
outcome `begun` means that the end is not known: the action still runs, its caller left, or the server was cut off. \
With --json the entries are an export, one object a line.";

/// List the actions of operators, newest first
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Audit {
    /// Only actions with the token of this name
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Only this call, such as TakeDownPost
    #[arg(long, value_name = "CALL")]
    action: Option<String>,
    /// Only actions on this object: uid:7, post:9, token:NAME or job:NAME
    #[arg(long = "target", value_name = "ID", value_parser = about)]
    about: Option<AuditTarget>,
    /// Only from this time on, such as 2024-05-01 or 2024-05-01T12:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<u64>,
    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<u64>,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print the entries as JSON, one object a line
    #[arg(long)]
    json: bool,
}

impl Audit {
    /// Walks through all pages.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let filter = AuditFilter {
            principal: self.principal.clone(),
            action: self.action.clone(),
            target: self.about.clone(),
            since_ms: self.since,
            until_ms: self.until,
        };
        let walk = async |target: &Target| {
            let mut page_token = String::new();
            loop {
                let (entries, next) = target.operator.audit_entries(&filter, page_token).await?;
                for entry in &entries {
                    if !print_line(&self.line(entry))? {
                        return Ok(());
                    }
                }
                if next.is_empty() {
                    return Ok(());
                }
                page_token = next;
            }
        };
        self.target.with_reading(settings, walk).await
    }

    fn line(&self, entry: &AuditEntry) -> String {
        let AuditEntry { id, principal, action, targets, reason, outcome } = entry;
        let (ended, refusal) = match outcome {
            AuditOutcome::Begun => ("begun", ""),
            AuditOutcome::Done => ("done", ""),
            AuditOutcome::Refused { reason } => ("refused", reason.as_str()),
        };
        let time = utc(id.at.ms());
        let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
        if self.json {
            let entry = json!({
                "id": id.to_string(), "time": time, "principal": principal, "action": action,
                "targets": targets, "reason": reason, "outcome": ended, "refusal": refusal,
            });
            return entry.to_string();
        }
        let ended = if refusal.is_empty() { ended.to_owned() } else { format!("{ended} {refusal}") };
        // Names and reasons may hold anything; a row is one line all the same.
        let row = [time, principal.clone(), action.clone(), targets.join(","), ended, reason.clone()];
        row.map(|word| word.escape_debug().to_string()).join("\t")
    }
}

fn about(text: &str) -> Result<AuditTarget, String> {
    AuditTarget::parse(text).ok_or_else(|| "uid:7, post:9, token:NAME or job:NAME".to_owned())
}

fn time(text: &str) -> Result<u64, String> {
    as_ms(text).ok_or_else(|| "a time, such as 2024-05-01 or 2024-05-01T12:30:00Z".to_owned())
}
