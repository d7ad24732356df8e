//! The fast way of edges into an empty directory: sorted, without journal.

use super::job::{ImportRules, read_ahead, watch_file};
use crate::progress::{Unit, bar, follow};
use guanxi_lists::batches::Batch;
use guanxi_lists::input::Input;
use guanxi_lists::place::Place;
use guanxi_lists::report::{Method, Report};
use guanxi_model::ImportEdge;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Loaded, Outcome};
use std::io;
use std::time::Instant;

/// Loads a list of edges into an empty directory. An interrupted load starts over.
pub(crate) async fn bulk(
    input: Input,
    job: Option<String>,
    settings: &Settings,
    rules: ImportRules,
) -> Outcome<Report> {
    let start = Instant::now();
    let dir = settings.data.clone().ok_or_else(|| Failure::usage("say where to: --data DIR"))?;
    let settings = settings.clone();
    let mut report = Report::new::<ImportEdge>(job, Method::Bulk, 0, rules.refusals());
    let reading = watch_file(&input);
    let mut batches = read_ahead(input, Place::default(), rules.form.clone());
    let load = move || {
        let next = std::iter::from_fn(|| {
            let batch = batches.blocking_recv();
            if batch.is_none() {
                reading.finish_and_clear();
            }
            batch
        });
        let edges = next.flat_map(|batch| edges_of(batch, &mut report, &rules));
        // One bar after the other: what is sorted and written is known only when everything was read.
        let mut writing = None;
        let loaded = guanxi_server::bulk_load(&dir, &settings, edges, &mut |now| {
            if reading.is_finished() {
                follow(writing.get_or_insert_with(|| bar("sort and write", Some(0), Unit::Rows)), now);
            }
        });
        reading.finish_and_clear();
        if let Some(writing) = writing {
            writing.finish_and_clear();
        }
        if report.gave_up {
            report.finish(start.elapsed());
            return Ok(report);
        }
        let Loaded { accepted, already_there, refused_counts, refused } = loaded?;
        report.accepted = accepted;
        report.already_there = already_there;
        report.refuse_counted(&refused_counts, &refused);
        report.gave_up = !rules.allows(&report);
        report.finish(start.elapsed());
        Ok(report)
    };
    tokio::task::spawn_blocking(load).await?
}

/// The edges of a batch with their lines, noted in the report.
fn edges_of(
    batch: io::Result<Batch<ImportEdge>>,
    report: &mut Report,
    rules: &ImportRules,
) -> impl Iterator<Item = io::Result<(u64, ImportEdge)>> + use<> {
    let (batch, mut error) = match batch {
        Ok(batch) => (batch, None),
        Err(error) => (Batch::empty(Place::default()), Some(Err(error))),
    };
    report.add_parsed(&batch);
    if !rules.allows(report) {
        // Ends the load, of which nothing stays.
        report.gave_up = true;
        error = Some(Err(io::Error::other("too many lines were refused")));
    }
    batch.row_lines.into_iter().zip(batch.rows).map(Ok).chain(error)
}
