//! `guanxi admin jobs`: the jobs of a server.

use super::asked::{ask, number, state, word};
use crate::cli::call::{find, print_line};
use crate::cli::target::TargetArgs;
use crate::cli::{complain, print_json};
use clap::{Args, Subcommand};
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Jobs of a server.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Jobs {
    #[command(subcommand)]
    what: Option<JobsWhat>,
    #[command(flatten)]
    at: JobsAt,
}

#[derive(Debug, Subcommand)]
enum JobsWhat {
    /// Cancel a job, and remove its file
    Cancel {
        /// The name of the job
        job: String,
        #[command(flatten)]
        at: JobsAt,
    },
}

#[derive(Debug, Args)]
struct JobsAt {
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Jobs {
    /// The directory named by a flag.
    pub(super) fn data(&self) -> Option<&PathBuf> {
        match &self.what {
            Some(JobsWhat::Cancel { at, .. }) => at.target.data.as_ref(),
            None => self.at.target.data.as_ref(),
        }
    }

    /// Does what the command line says.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        if let Some(JobsWhat::Cancel { job, at }) = &self.what {
            let answer = at.ask(settings, "CancelExport", &json!({ "job": job })).await?;
            if at.json {
                return print_json(&answer["job"]);
            }
            complain(format_args!("{job} is {}", state(&answer["job"])));
            return Ok(());
        }
        let answer = self.at.ask(settings, "ListExports", &json!({})).await?;
        if self.at.json {
            return print_json(&answer);
        }
        for job in answer["jobs"].as_array().into_iter().flatten() {
            if !print_line(&shown(job))? {
                break;
            }
        }
        Ok(())
    }
}

impl JobsAt {
    async fn ask(&self, settings: &Settings, call: &str, request: &Value) -> Outcome<Value> {
        let method = find(&format!("AdminService/{call}"))?;
        let client = self.target.client(settings, method.admin)?;
        ask(&client, &method.path, request).await
    }
}

/// A job on one line.
fn shown(job: &Value) -> String {
    let rows = if job["ofUsers"] == json!(true) { "users" } else { "posts" };
    let total = job.get("total").map_or_else(|| "?".to_owned(), |total| number(total).to_string());
    let format = job["format"].as_str().unwrap_or("totals").trim_start_matches("EXPORT_").to_lowercase();
    let more = if job["state"] == "EXPORT_FAILED" { word(&job["failure"]) } else { word(&job["expireTime"]) };
    format!(
        "{}\t{}\t{rows}\t{format}\t{}/{total}\t{}\t{}\t{more}",
        word(&job["job"]),
        state(job),
        number(&job["done"]),
        number(&job["bytes"]),
        word(&job["createTime"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_one_line() {
        let job = json!({ "job": "a1", "state": "EXPORT_FAILED", "ofUsers": true, "format": "EXPORT_CSV", "done": "3",
            "total": "9", "createTime": "2026-01-31T00:00:00Z", "failure": "SPOOL_FULL" });
        assert_eq!(shown(&job), "a1\tfailed\tusers\tcsv\t3/9\t0\t2026-01-31T00:00:00Z\tSPOOL_FULL");
    }
}
