//! Applying logs: reading the events beyond their marks, and applying them together.

use super::Marks;
use super::behind::catch_up;
use super::commit::{Pass, commit};
use super::marks::{AppliedMarks, marks, read_marks};
use super::source::{self, SourceRead, Span};
use crate::lost::rewritten;
use crate::store::ClusterCore;
use guanxi_model::Gene;
use guanxi_postgres::{Fault, abandon};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the same events are tried, after which their callers are answered.
const TRIED_MAX: Duration = Duration::from_millis(700);

/// How long they are tried while a database is known to be away.
const AWAY_TRIED_MAX: Duration = Duration::from_millis(300);

/// How long the task waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// Applies logs up to given events, as far as it can. Returns what went wrong with which log.
pub(super) async fn apply(
    shared: &Arc<ClusterCore>,
    database: usize,
    applied: &AppliedMarks,
    wanted: Marks,
) -> BTreeMap<Gene, String> {
    let began = Instant::now();
    let mut failed = BTreeMap::new();
    loop {
        let mut left = wanted.clone();
        left.retain(|source, seq| applied.passed(*source) < *seq && !failed.contains_key(source));
        if left.is_empty() {
            break;
        }
        match round(shared, database, applied, &left, &mut failed).await {
            Ok(()) => {}
            Err(fault) if fault.may_pass() && began.elapsed() < tried_max(&fault) => {
                if fault.is_away() {
                    shared.reload_soon();
                }
                sleep(PAUSE).await;
            }
            Err(fault) => {
                let detail = fault.told().to_string();
                tracing::warn!(database, detail, "events cannot be applied");
                failed.extend(left.into_keys().map(|source| (source, detail.clone())));
            }
        }
    }
    if let Err(fault) = catch_up(shared, database, applied, wanted.keys()).await {
        tracing::debug!(database, %fault, "shards stay behind for which others waited");
    }
    failed
}

const fn tried_max(fault: &Fault) -> Duration {
    if fault.is_away() { AWAY_TRIED_MAX } else { TRIED_MAX }
}

/// Reads some events of every log that is wanted, and applies them in one transaction.
async fn round(
    shared: &Arc<ClusterCore>,
    database: usize,
    applied: &AppliedMarks,
    wanted: &Marks,
    failed: &mut BTreeMap<Gene, String>,
) -> Result<(), Fault> {
    let map = shared.map();
    let connection = shared.served[database].writes.take().await?;
    let mut spans: BTreeMap<usize, BTreeMap<Gene, Span>> = BTreeMap::new();
    let mut versions = BTreeMap::new();
    for (source, mark) in read_marks(&marks(wanted.keys()).rows(&connection).await?)? {
        versions.extend(mark.version.map(|version| (source, version)));
        if let Some(upto) = wanted.get(&source).filter(|upto| **upto > mark.seq) {
            spans.entry(map.database(source)).or_default().insert(source, (mark.seq, *upto));
        }
        applied.note(source, mark);
    }
    let peers: Vec<Gene> = map.genes(database).collect();
    let max = source::events_of_each(spans.values().map(BTreeMap::len).sum());
    let mut read: BTreeMap<Gene, SourceRead> = BTreeMap::new();
    for (from, spans) in spans {
        // A log that cannot be read holds up none of another database.
        let events = source::read_newest(shared, from, (&spans, max), &peers).await;
        let events = events.and_then(|events| {
            check_written_on(shared, (from, database), &events, &versions)?;
            Ok(events)
        });
        match events {
            Ok(events) => read.extend(events),
            Err(fault) => {
                let detail = fault.told().to_string();
                failed.extend(spans.into_keys().map(|source| (source, detail.clone())));
            }
        }
    }
    if read.is_empty() {
        return Ok(());
    }
    let mut committed = commit(shared, &connection, (Pass::Next, applied), &mut read).await;
    if matches!(committed, Err(Fault::Locked(_))) {
        connection.run("rollback").await?;
        committed = commit(shared, &connection, (Pass::NextOfFree, applied), &mut read).await;
    }
    if let Err(fault) = committed {
        abandon(connection, &fault).await;
        return Err(fault);
    }
    for (source, read) in &read {
        read.unreadable.iter().for_each(|event| shared.note_unreadable(*source, event.at.seq()));
    }
    Ok(())
}

/// Checks that the last event that a database has applied of each log is still the one that it has applied. Else the logs
/// were lost and written on: what is new in them would be taken for what was applied.
fn check_written_on(
    shared: &ClusterCore,
    (from, database): (usize, usize),
    read: &BTreeMap<Gene, SourceRead>,
    applied: &BTreeMap<Gene, i64>,
) -> Result<(), Fault> {
    for (source, read) in read {
        let (before, applied) = (read.versions.1, applied.get(source));
        if before.zip(applied).is_some_and(|(found, applied)| found != *applied) {
            let by = format!("database `{}`", shared.databases().all()[database].name());
            return Err(shared.note_lost(from, &rewritten(*source, read.after, &by)));
        }
    }
    Ok(())
}
