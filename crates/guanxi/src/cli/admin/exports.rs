//! `guanxi admin users --export` and the same of posts: a job of the server, and its file fetched by ranges.

use super::asked::{ask, number, state, try_ask, word};
use crate::cli::call::{explain, find};
use crate::cli::complain;
use crate::progress::{Unit, bar};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use clap::{Args, ValueEnum};
use guanxi_api::Client;
use guanxi_lists::output::{Existing, Output};
use guanxi_server::{Context, Failure, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

/// How often a job is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Calls that are tried in a row while the server cannot be reached, and the time between two.
const TRIES: (u32, Duration) = (30, Duration::from_secs(1));

/// How rows are written to a file.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileFormat {
    /// Comma-separated values, with the names of columns first
    Csv,
    /// The rows as the API has them, one JSON object a line
    Jsonl,
}

/// An export to a file.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Write all rows to this file, which only you may read, or to standard output for -
    #[arg(long = "export", value_name = "FILE", conflicts_with_all = ["all", "limit"])]
    pub(super) file: Option<String>,
    /// The format of the rows
    #[arg(long, value_name = "FORMAT", default_value = "csv", requires = "file")]
    format: FileFormat,
    /// Write only numbers, ten times as fast
    #[arg(long, requires = "file")]
    without_texts: bool,
    /// Replace a file that exists
    #[arg(long, requires = "file")]
    force: bool,
}

impl ExportArgs {
    /// Starts a job, waits for it, and fetches its file. Returns the job. `rows` is what is asked for.
    pub(super) async fn run(&self, client: &Client, rows: &str, query: Value) -> Outcome<Value> {
        let name = self.file.as_deref().unwrap_or_default();
        let existing = Existing::of_force(self.force);
        Output::check(name, existing)?;
        let mut request = json!({
            "format": match self.format {
                FileFormat::Csv => "EXPORT_CSV",
                FileFormat::Jsonl => "EXPORT_JSON_LINES",
            },
            "withoutTexts": self.without_texts,
            "requestId": request_id()?,
        });
        request[rows] = query;
        let started = patient(client, "StartExport", &request).await?["job"].clone();
        let asked = json!({ "job": started["job"] });
        let done = tokio::select! {
            done = finished(client, &asked) => done?,
            _ = tokio::signal::ctrl_c() => {
                let _ = call(client, "CancelExport", &asked).await?;
                return Err(Failure::new(format_args!("cancelled job {}", word(&started["job"]))));
            }
        };
        let output = Output::create_private(name, existing)?;
        tokio::select! {
            fetched = fetch(client, &asked, output, number(&done["bytes"])) => fetched?,
            _ = tokio::signal::ctrl_c() => {
                let _ = call(client, "CancelExport", &asked).await?;
                return Err(Failure::new("cancelled"));
            }
        }
        // The server needs its file no more.
        let _ = call(client, "CancelExport", &asked).await?;
        Ok(done)
    }
}

/// A name for a start, so that it can be repeated.
fn request_id() -> Outcome<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Failure::new(format_args!("no randomness: {error}")))?;
    Ok(random.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Waits for a job, and shows how far it is.
async fn finished(client: &Client, asked: &Value) -> Outcome<Value> {
    let progress = bar("export", Some(0), Unit::Rows);
    loop {
        let job = patient(client, "GetExport", asked).await?["job"].clone();
        progress.set_length(number(&job["total"]));
        progress.set_position(number(&job["done"]));
        match state(&job).as_str() {
            "queued" | "running" => tokio::time::sleep(LOOK_EVERY).await,
            "done" => {
                progress.finish_and_clear();
                return Ok(job);
            }
            other => {
                progress.finish_and_clear();
                let why = [word(&job["failure"]), word(&job["reason"])].join(" ");
                return Err(Failure::new(format_args!(
                    "job {} is {other} {}",
                    word(&job["job"]),
                    why.trim()
                )));
            }
        }
    }
}

/// Fetches a file, range after range.
async fn fetch(client: &Client, asked: &Value, mut output: Output, bytes: u64) -> Outcome {
    let progress = bar("fetch", Some(bytes), Unit::Bytes);
    let mut offset = 0;
    loop {
        let request = json!({ "job": asked["job"], "offset": offset.to_string() });
        let part = patient(client, "ReadExport", &request).await?;
        let chunk = BASE64.decode(part["chunk"].as_str().unwrap_or_default());
        let chunk = chunk
            .map_err(|error| Failure::new(format_args!("the server's answer cannot be read: {error}")))?;
        output.write_all(&chunk).context("cannot write")?;
        offset += chunk.len() as u64;
        progress.set_position(offset);
        if part["isEnd"] == json!(true) {
            break;
        }
        if chunk.is_empty() {
            return Err(Failure::new("the server's file ends too early"));
        }
    }
    progress.finish_and_clear();
    output.finish()?;
    Ok(())
}

async fn call(client: &Client, name: &str, request: &Value) -> Outcome<Value> {
    ask(client, &find(&format!("AdminService/{name}"))?.path, request).await
}

/// A call that may be repeated: it is, while the server cannot be reached or has too much to do.
async fn patient(client: &Client, name: &str, request: &Value) -> Outcome<Value> {
    let path = find(&format!("AdminService/{name}"))?.path;
    let (mut left, pause) = TRIES;
    loop {
        match try_ask(client, &path, request).await {
            Ok(answer) => return serde_json::from_str(&answer).context("the server's answer cannot be read"),
            // What has a reason is an answer.
            Err(error) if left > 0 && error.code == "unavailable" && error.reason.is_empty() => {
                if left == TRIES.0 {
                    complain("the server cannot be reached; trying again");
                }
                left -= 1;
                tokio::time::sleep(pause).await;
            }
            Err(error) => return Err(explain(&path, &error)),
        }
    }
}
