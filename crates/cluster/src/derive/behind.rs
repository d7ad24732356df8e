//! Shards that are behind the marks, because others held their rows: what they wait for is applied apart, once their rows are free.

use super::commit::{Pass, commit};
use super::marks::{AppliedMarks, marks, read_marks};
use super::source::{self, SourceRead, Span};
use crate::rows::held;
use crate::store::ClusterCore;
use guanxi_model::Gene;
use guanxi_postgres::{Connection, Fault, abandon, discard};
use guanxi_shard::apply::AppliedMark;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Applies what shards of a database wait for of some logs, as far as the rows of these shards are free. Does not wait for a row.
pub(super) async fn catch_up(
    shared: &Arc<ClusterCore>,
    database: usize,
    applied: &AppliedMarks,
    sources: impl Iterator<Item = &Gene>,
) -> Result<(), Fault> {
    let sources: BTreeSet<Gene> =
        sources.filter(|source| !applied.mark(**source).behind.is_empty()).copied().collect();
    if sources.is_empty() {
        return Ok(());
    }
    let connection = shared.served[database].writes.take().await?;
    let late = match late(&connection, applied, &sources).await {
        Ok(late) => late,
        Err(fault) => {
            discard(connection);
            return Err(fault);
        }
    };
    let mut read = read(shared, database, &late).await?;
    if read.is_empty() {
        return Ok(());
    }
    match commit(shared, &connection, (Pass::Behind(&late.free), applied), &mut read).await {
        Ok(()) => Ok(()),
        Err(fault) => {
            abandon(connection, &fault).await;
            Err(fault)
        }
    }
}

/// The events that shards wait for.
struct LateShards {
    /// The marks of logs behind which any of them are.
    marks: BTreeMap<Gene, AppliedMark>,
    /// The shards that are not held by another session.
    free: BTreeSet<Gene>,
}

/// Looks which shards are behind now, and which of their rows are free.
async fn late(
    connection: &Connection,
    applied: &AppliedMarks,
    sources: &BTreeSet<Gene>,
) -> Result<LateShards, Fault> {
    let mut marks = read_marks(&marks(sources).rows(connection).await?)?;
    marks.iter().for_each(|(source, mark)| applied.note(*source, mark.clone()));
    marks.retain(|_, mark| !mark.behind.is_empty());
    let mut free: BTreeSet<Gene> = marks.values().flat_map(|mark| mark.behind.keys().copied()).collect();
    if !free.is_empty() {
        let held = held(connection, &free).await?;
        free.retain(|gene| !held.contains(gene));
    }
    Ok(LateShards { marks, free })
}

/// Reads what free shards wait for.
async fn read(
    shared: &Arc<ClusterCore>,
    database: usize,
    late: &LateShards,
) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
    let (map, peers) = (shared.map(), late.free.iter().copied().collect::<Vec<_>>());
    let mut spans: BTreeMap<usize, BTreeMap<Gene, Span>> = BTreeMap::new();
    for (source, mark) in &late.marks {
        let first = mark.behind.iter().filter(|(target, _)| late.free.contains(target));
        if let Some(first) = first.map(|(_, from)| *from).min() {
            let span = (first.saturating_sub(1), mark.seq);
            spans.entry(map.database(*source)).or_default().insert(*source, span);
        }
    }
    let mut read = BTreeMap::new();
    for (from, spans) in spans {
        let max = source::events_of_each(spans.len());
        match source::read_newest(shared, from, (&spans, max), &peers).await {
            Ok(events) => read.extend(events),
            Err(fault) => tracing::debug!(database, from, %fault, "what shards wait for cannot be read"),
        }
    }
    Ok(read)
}
