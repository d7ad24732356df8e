//! `guanxi import`: an edge list into the graph.

use super::target::{Target, TargetArgs, data_dir};
use super::{complain, print, print_json};
use crate::config::Settings;
use crate::edges::batches::{Batch, Batches};
use crate::edges::input::{Input, STANDARD};
use crate::edges::report::{Method, Report};
use crate::failure::{Context, Failure, Outcome};
use crate::progress::{Unit, bar, follow};
use crate::wire::{self, Loaded};
use clap::{Args, Subcommand};
use guanxi_model::limits::JOB_NAME_LEN_MAX;
use guanxi_model::{ImportEdge, ImportMark, Write};
use guanxi_ports::Graph;
use indicatif::ProgressBar;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Batches that are read ahead of the one being written.
const READ_AHEAD: usize = 4;
/// How often the bar looks how far the file was read.
const BAR_EVERY: Duration = Duration::from_millis(100);

/// Imports into the graph.
#[derive(Debug, Args)]
pub struct Import {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Import follows from lines of `source target [unix seconds]`
    Edges(Edges),
}

/// What is said below the flags.
const AFTER_HELP: &str = "\
Fields are separated by tabs, spaces or a comma; blank lines and lines that begin with # are skipped. \
Importing again changes nothing, and an import that was interrupted goes on where it stood when the same command \
is run again. Into an empty directory the list is sorted and loaded at once; an interrupted load starts over. \
Refused lines are reported, and do not fail the import.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
struct Edges {
    /// A plain, gzip or zstd file, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// The name under which an interrupted import goes on [default: made of the file's path, size and beginning]
    #[arg(long, value_name = "NAME", value_parser = job)]
    job: Option<String>,
    /// Bring follows back that were removed; without it they stay removed
    #[arg(long)]
    revive: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    /// The directory named by a flag.
    pub const fn data(&self) -> Option<&PathBuf> {
        let What::Edges(edges) = &self.what;
        edges.target.data.as_ref()
    }

    /// Imports and reports.
    pub async fn run(&self, settings: &Settings) -> Outcome {
        let What::Edges(edges) = &self.what;
        edges.run(settings).await
    }
}

impl Edges {
    async fn run(&self, settings: &Settings) -> Outcome {
        let input = Input::open(&self.file)?;
        let job = self.job.clone().or_else(|| input.fingerprint.map(|hash| format!("import-{hash:016x}")));
        let report =
            self.import(input, job, settings).await.context(format_args!("import of {}", self.file))?;
        if let Some(warning) = report.skew() {
            complain(format_args!("warning: {warning}"));
        }
        if self.json { print_json(&report) } else { print(&report) }
    }

    async fn import(&self, input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
        if self.target.server.is_none() && wire::loadable(data_dir(settings)?) {
            return bulk(input, job, settings).await;
        }
        let target = self.target.open(settings).await?;
        let method = match target {
            Target::Data(_) => Method::Batches,
            Target::Server(_) => Method::Server,
        };
        let importer = Importer { graph: target.graph(), method, job, revive: self.revive };
        let report = self.run_or_repeat(importer, input).await;
        target.close().await?;
        report
    }

    /// Runs a job, or runs it once more from the beginning when it had come to its end: every line is counted
    /// again, and changes nothing.
    async fn run_or_repeat(&self, importer: Importer, input: Input) -> Outcome<Report> {
        let report = importer.run(input, importer.stored_position().await?).await?;
        if report.lines > 0 || report.resumed_at_line == 0 {
            return Ok(report);
        }
        if self.file == STANDARD {
            let job = report.job.unwrap_or_default();
            complain(format_args!("job {job} was imported before; give another --job to import more"));
            return Ok(Report::new(Some(job), importer.method, report.resumed_at_line));
        }
        let again = Importer { job: None, ..importer };
        let mut report_again = again.run(Input::open(&self.file)?, 0).await?;
        report_again.job = report.job;
        Ok(report_again)
    }
}

/// Loads an edge list into an empty directory: sorted, without journal. An interrupted load starts over.
pub async fn bulk(input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
    let start = Instant::now();
    let dir = settings.data.clone().ok_or_else(|| Failure::usage("say where to: --data DIR"))?;
    let settings = settings.clone();
    let mut report = Report::new(job, Method::Bulk, 0);
    let reading = watch_file(&input);
    let mut batches = read_ahead(input, 0);
    let load = move || {
        let next = std::iter::from_fn(|| {
            let batch = batches.blocking_recv();
            if batch.is_none() {
                reading.finish_and_clear();
            }
            batch
        });
        let edges = next.flat_map(|batch| edges_of(batch, &mut report));
        // One bar after the other: what is sorted and written is known only when everything was read.
        let mut writing = None;
        let loaded = wire::bulk_load(&dir, &settings, edges, &mut |now| {
            if reading.is_finished() {
                follow(writing.get_or_insert_with(|| bar("sort and write", Some(0), Unit::Rows)), now);
            }
        });
        reading.finish_and_clear();
        if let Some(writing) = writing {
            writing.finish_and_clear();
        }
        let Loaded { accepted, already_there, refused_counts, refused } = loaded?;
        report.accepted = accepted;
        report.already_there = already_there;
        report.refuse_counted(&refused_counts, &refused);
        report.finish(start.elapsed());
        Ok(report)
    };
    tokio::task::spawn_blocking(load).await?
}

/// The edges of a batch with their lines, noted in the report.
fn edges_of(
    batch: io::Result<Batch>,
    report: &mut Report,
) -> impl Iterator<Item = io::Result<(u64, ImportEdge)>> + use<> {
    let (batch, error) = match batch {
        Ok(batch) => (batch, None),
        Err(error) => (Batch::default(), Some(Err(error))),
    };
    report.add_parsed(&batch);
    batch.edge_lines.into_iter().zip(batch.edges).map(Ok).chain(error)
}

/// Writes an edge list as ordinary writes, in order: each batch carries the position after it.
struct Importer {
    graph: Arc<dyn Graph>,
    method: Method,
    job: Option<String>,
    revive: bool,
}

impl Importer {
    async fn run(&self, input: Input, skip: u64) -> Outcome<Report> {
        let start = Instant::now();
        let mut report = Report::new(self.job.clone(), self.method, skip);
        let progress = watch_file(&input);
        let mut batches = read_ahead(input, skip);
        let mut position = skip;
        while let Some(batch) = batches.recv().await {
            let batch = batch.context(format_args!("after line {position}"))?;
            let (from, to) = (batch.from, batch.to);
            if position == skip && skip > 0 {
                complain(format_args!("went on after line {skip}"));
            }
            let outcomes = self.write(&batch, from, to).await?;
            report.add(&batch, outcomes.iter());
            position = to;
            progress.set_message(format!("{} edges", report.edges));
        }
        progress.finish_and_clear();
        report.finish(start.elapsed());
        Ok(report)
    }

    /// Where an interrupted run of the same job stands.
    async fn stored_position(&self) -> Outcome<u64> {
        let Some(job) = &self.job else { return Ok(0) };
        let view = self.graph.view(None).await?;
        Ok(view.import_position(job).await?.unwrap_or(0))
    }

    async fn write(
        &self,
        batch: &Batch,
        from: u64,
        to: u64,
    ) -> Outcome<Vec<guanxi_model::Result<bool, guanxi_model::Reason>>> {
        let mark = self.job.clone().map(|job| ImportMark { job, from, to });
        let write = Write::Import { edges: batch.edges.clone(), revive: self.revive, mark };
        let answer = self.graph.write(write).await.map_err(|error| {
            let failure = Failure::from(error);
            if self.job.is_none() {
                return failure
                    .hint(format_args!("{from} lines are done; give a --job NAME to go on after a failure"));
            }
            failure.hint(format_args!("{from} lines are done; run the same command again to go on"))
        })?;
        Ok(answer.outcomes.into_iter().map(|outcome| outcome.result).collect())
    }
}

/// Reads and parses on a thread of its own, a few batches ahead.
fn read_ahead(input: Input, skip: u64) -> mpsc::Receiver<io::Result<Batch>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    tokio::task::spawn_blocking(move || {
        let batches = Batches::after(input.lines, skip).and_then(|batches| {
            if batches.consumed() < skip {
                let lines = batches.consumed();
                let text = format!(
                    "the job stands at line {skip}, and the input has {lines} lines; is it the same input? \
                     If not, give another --job"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            Ok(batches)
        });
        match batches {
            // A receiver that is gone has failed and said so.
            Ok(mut batches) => drop(batches.try_for_each(|batch| sender.blocking_send(batch))),
            Err(error) => drop(sender.blocking_send(Err(error))),
        }
    });
    receiver
}

/// A bar that follows how far the input was read, until it is finished.
fn watch_file(input: &Input) -> ProgressBar {
    let progress = bar("import", input.size, Unit::Bytes);
    if !progress.is_hidden() {
        tokio::spawn(follow_file(progress.clone(), input.read.clone()));
    }
    progress
}

async fn follow_file(progress: ProgressBar, read: Arc<AtomicU64>) {
    let mut ticks = tokio::time::interval(BAR_EVERY);
    while !progress.is_finished() {
        ticks.tick().await;
        progress.set_position(read.load(Ordering::Relaxed));
    }
}

fn job(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > JOB_NAME_LEN_MAX as usize {
        return Err(format!("a job's name has 1 to {JOB_NAME_LEN_MAX} bytes"));
    }
    Ok(text.to_owned())
}
