//! `guanxi config`: the settings that hold.

use super::{print, print_json};
use crate::config::{Effective, SettingFlags};
use crate::failure::Outcome;
use crate::wire::memory_mib;
use clap::Args;
use std::path::PathBuf;

/// Shows each setting with its source: default, file, environment or flag, and the memory that caches may take in all.
/// Secrets are redacted.
#[derive(Debug, Args)]
pub(super) struct Config {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print JSON instead of TOML
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub settings: SettingFlags,
}

impl Config {
    /// Prints them.
    pub(super) fn run(&self, effective: &Effective) -> Outcome {
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
