//! Trimming logs: events that are too old or too many are removed, once every database has applied them.

use super::Slices;
use crate::derive::{all_marks, read_marks};
use crate::rows::{column_of, gene, number};
use crate::store::ClusterCore;
use guanxi_model::Gene;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Events of one log that are removed at once.
const SLICE: i64 = 1_000;

/// Slices of a round: the rest waits for the next.
const SLICES_MAX: usize = 20;

/// The least age of an event that is removed for its age. A process that could not look at a log for longer reads anew what
/// it keeps of it in memory.
const AGE_MIN: Duration = Duration::from_hours(2);

const LOGS: &str = "select gene, seq, first_seq, epoch from gx.shard";

/// The oldest event of each log, and whether it is too old.
const OLDEST: &str = "select k.gene, o.seq, o.written_at < clock_timestamp() - make_interval(secs => $2) \
    from unnest($1::smallint[]) as k(gene) cross join lateral (select t.seq, t.written_at from gx.log t \
    where t.gene = k.gene order by t.seq limit 1) o";

/// The last event of a slice of each log that is to go.
const LAST: &str = "select k.gene, max(o.seq) \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as k(gene, first, applied, beyond) \
    cross join lateral (select t.seq, t.written_at from gx.log t where t.gene = k.gene and t.seq >= k.first \
    and t.seq <= k.applied order by t.seq limit $6) o \
    where o.seq <= k.beyond or o.written_at < clock_timestamp() - make_interval(secs => $5) group by k.gene";

/// One row of one statement, so that it waits for the holder of the row without other locks.
const RAISE: &str = "update gx.shard set first_seq = $2 where gene = $1 and first_seq < $2";

const REMOVE: &str = "with gone as (delete from gx.log t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, first) \
    where t.gene = k.gene and t.seq < k.first returning 1) select count(*) from gone";

/// A log of the database.
#[derive(Clone, Copy, Debug)]
struct KeptLog {
    /// Its last event.
    seq: u64,
    /// The first event that it still has.
    first: u64,
    /// Up to where every database has applied it.
    applied: u64,
}

/// Removes events of the logs of a database. Returns how many.
///
/// First the new first event is noted, then the events before it are removed. A reader that is told after a read that the log
/// begins no later than its read has read all of it.
pub(super) async fn trim(
    shared: &Arc<ClusterCore>,
    database: usize,
    slices: &Slices<'_>,
) -> Result<u64, Fault> {
    let mut removed = 0;
    for _ in 0..SLICES_MAX {
        let logs = logs(shared, database, slices).await?;
        let slice = slice(shared, &logs, slices).await?;
        removed += slice;
        if slice == 0 {
            break;
        }
    }
    Ok(removed)
}

/// Returns where the logs of a database stand, and up to where they are applied everywhere. Of a database that is away it
/// is known where it was: marks only rise.
async fn logs(
    shared: &Arc<ClusterCore>,
    database: usize,
    slices: &Slices<'_>,
) -> Result<BTreeMap<Gene, KeptLog>, Fault> {
    let rows = slices.ask(&Statements::one(LOGS, Vec::new())).await?;
    let map = shared.map();
    let mut logs = BTreeMap::new();
    for row in rows.iter().flatten() {
        let gene = gene(row, 0)?;
        if row.get::<_, i64>(3) == map.epoch(gene) && map.database(gene) == database {
            logs.insert(gene, KeptLog { seq: number(row, 1), first: number(row, 2), applied: u64::MAX });
        }
    }
    let Ok(appliers) = shared.appliers() else { return Ok(BTreeMap::new()) };
    for (target, served) in shared.served.iter().enumerate() {
        let applied = appliers.applied(target);
        match served.others.rows(&all_marks()).await {
            Ok(rows) => {
                read_marks(&rows)?.into_iter().for_each(|(source, mark)| applied.note(source, mark));
            }
            Err(fault) => tracing::debug!(target, ?fault, "what it has applied cannot be asked"),
        }
        for (gene, log) in &mut logs {
            log.applied = log.applied.min(applied.get(*gene));
        }
    }
    Ok(logs)
}

/// Removes one slice of each log that is too long or too old. Returns how many events.
async fn slice(
    shared: &Arc<ClusterCore>,
    logs: &BTreeMap<Gene, KeptLog>,
    slices: &Slices<'_>,
) -> Result<u64, Fault> {
    let age = shared.options.log_age_max.max(AGE_MIN).as_secs_f64();
    let genes: Vec<i16> = logs.keys().map(|gene| i16::from(gene.0)).collect();
    let oldest = Statements::one(OLDEST, vec![term(genes), term(age)]);
    // Those below the first one are what somebody left who was cut off.
    let (mut due, mut firsts) = (Vec::new(), BTreeMap::new());
    for row in slices.ask(&oldest).await?.iter().flatten() {
        let (gene, seq) = (gene(row, 0)?, number(row, 1));
        let Some(log) = logs.get(&gene) else { continue };
        let is_long = log.seq.saturating_sub(shared.options.log_events_max) >= seq;
        if seq < log.first {
            firsts.insert(gene, log.first);
        } else if seq <= log.applied && (row.get::<_, bool>(2) || is_long) {
            due.push((gene, KeptLog { first: seq, ..*log }));
        }
    }
    let beyond = |log: &KeptLog| log.seq.saturating_sub(shared.options.log_events_max);
    let mut raise = Statements::default();
    if !due.is_empty() {
        let terms = vec![
            column_of!(due, (gene, _) => i16::from(gene.0)),
            column_of!(due, (_, log) => log.first.cast_signed()),
            column_of!(due, (_, log) => log.applied.cast_signed()),
            column_of!(due, (_, log) => beyond(log).cast_signed()),
            term(age),
            term(SLICE),
        ];
        for row in slices.ask(&Statements::one(LAST, terms)).await?.iter().flatten() {
            let (gene, first) = (gene(row, 0)?, number(row, 1) + 1);
            raise.add(RAISE, vec![term(i16::from(gene.0)), term(first.cast_signed())]);
            firsts.insert(gene, first);
        }
    }
    if firsts.is_empty() {
        return Ok(0);
    }
    if !raise.is_empty() {
        slices.ask(&raise).await?;
    }
    let genes: Vec<i16> = firsts.keys().map(|gene| i16::from(gene.0)).collect();
    let before: Vec<i64> = firsts.values().map(|first| first.cast_signed()).collect();
    slices.removed(&Statements::one(REMOVE, vec![term(genes), term(before)])).await
}
