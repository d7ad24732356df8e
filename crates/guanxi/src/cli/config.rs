//! `guanxi config`: the settings that hold.

use super::{print, print_json};
use clap::{Args, Subcommand};
use guanxi_server::config::{Effective, SettingFlags};
use guanxi_server::{CheckReport, Failure, Outcome, check_cluster, memory_mib};
use std::path::PathBuf;

/// Shows each setting with its source: default, file, environment or flag. It also shows the memory of all caches together.
/// Secrets are redacted.
#[derive(Debug, Args)]
pub(super) struct Config {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print JSON instead of TOML
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Connect to every database of the cluster and report the problems
    Check,
}

impl Config {
    /// Prints or checks them.
    pub(super) async fn run(&self, effective: &Effective) -> Outcome {
        match self.what {
            None => self.show(effective),
            Some(What::Check) => self.check(&check_cluster(&effective.settings).await?),
        }
    }

    fn check(&self, report: &CheckReport) -> Outcome {
        for checked in &report.databases {
            let (name, version) = (&checked.database, &checked.version);
            if self.json {
                print_json(&serde_json::json!({
                    "database": name, "version": version, "clock_ahead_ms": checked.clock_ahead_ms,
                    "problems": checked.problems, "warnings": checked.warnings,
                }))?;
                continue;
            }
            let state = if checked.problems.is_empty() { "ok" } else { "not ok" };
            let server = match version.as_str() {
                "" => String::new(),
                _ => format!(", PostgreSQL {version}, clock {:+} ms", checked.clock_ahead_ms),
            };
            print(format_args!("{name}: {state}{server}"))?;
            checked.problems.iter().try_for_each(|problem| print(format_args!("  {problem}")))?;
            checked.warnings.iter().try_for_each(|warning| print(format_args!("  warning: {warning}")))?;
        }
        for process in &report.processes {
            if self.json {
                print_json(&serde_json::json!({
                    "process": process.number, "program": process.program, "roles": process.roles,
                    "tables_version": process.tables_version, "clock_behind_ms": process.clock_ahead_ms,
                    "host": process.host, "pid": process.pid, "connections": process.connections,
                }))?;
            } else {
                print(format_args!("{process}"))?;
            }
        }
        if !self.json {
            let budget = report.budget;
            print(format_args!("a process in all roles opens up to {budget} connections to each database"))?;
        }
        if report.is_sound() {
            return Ok(());
        }
        let wrong = report.databases.iter().filter(|checked| !checked.problems.is_empty()).count();
        Err(Failure::new(format_args!(
            "{wrong} of {} databases cannot be served from as they are",
            report.databases.len()
        )))
    }

    fn show(&self, effective: &Effective) -> Outcome {
        let shown = effective.shown();
        if self.json {
            let mut object: serde_json::Map<String, serde_json::Value> = shown
                .into_iter()
                .map(|(key, value, source)| (key, serde_json::json!({ "value": value, "source": source })))
                .collect();
            let memory = serde_json::json!({ "value": memory_mib(&effective.settings), "source": "sum" });
            object.insert("memory_mib".into(), memory);
            return print_json(&object);
        }
        let width = shown.iter().map(|(key, value, _)| format!("{key} = {value}").len()).max().unwrap_or(0);
        for (key, value, source) in shown {
            print(format_args!("{:width$}  # {source}", format!("{key} = {value}")))?;
        }
        let most = memory_mib(&effective.settings);
        print(format_args!(
            "# caches and memtables: at most {most} MiB; give the process half as much again, {} MiB",
            most.saturating_add(most / 2)
        ))
    }
}
