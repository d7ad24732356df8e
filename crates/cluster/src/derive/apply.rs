//! One transaction for the events of many logs.

use super::effects::{self, Arriving};
use super::source::{self, SourceRead, Span};
use super::{AppliedMarks, Marks};
use crate::lost::rewritten;
use crate::postgres::{Connection, Fault, Statements, abandon, term};
use crate::rows::{Rows, UserStanding, column_of, number, put_standings};
use crate::store::{ClusterCore, lock_rows};
use guanxi_model::{Change, Event, Gene};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Rows in the order of the logs, so that two transactions never wait for each other; shards are locked after them.
const LOCK_MARKS: &str =
    "select source, seq, version from gx.applied where source = any($1) order by source for update";

const MARKS: &str = "select source, seq, version from gx.applied where source = any($1)";

const RAISE: &str = "update gx.applied a set seq = v.seq, version = v.version \
    from (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) limit cardinality($1)) as v(source, seq, version) \
    where a.source = v.source and a.seq < v.seq";

/// What was removed before it was applied is noted in the commit that passes over it.
const REBUILD: &str = "insert into gx.rebuild as r (source, upto) \
    select * from unnest($1::smallint[], $2::bigint[]) \
    on conflict (source) do update set upto = greatest(r.upto, excluded.upto)";

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
        left.retain(|source, seq| applied.get(*source) < *seq && !failed.contains_key(source));
        if left.is_empty() {
            return failed;
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
    for (source, mark, version) in marks(&connection, MARKS, wanted.keys(), "").await? {
        applied.note(source, mark);
        versions.extend(version.map(|version| (source, version)));
        if let Some(upto) = wanted.get(&source).filter(|upto| **upto > mark) {
            spans.entry(map.database(source)).or_default().insert(source, (mark, *upto));
        }
    }
    let peers: Vec<Gene> = map.genes(database).collect();
    let mut read: BTreeMap<Gene, SourceRead> = BTreeMap::new();
    for (from, spans) in spans {
        // A log that cannot be read holds up none of another database.
        let events = source::read_newest(shared, from, &spans, &peers).await;
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
    match commit(shared, &connection, &mut read).await {
        Ok(()) => {
            for (source, read) in &read {
                applied.note(*source, read.upto);
                for event in &read.unreadable {
                    shared.note_unreadable(*source, event.at.seq());
                }
            }
            Ok(())
        }
        Err(fault) => {
            abandon(connection, &fault).await;
            Err(fault)
        }
    }
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

/// Returns how far logs are applied.
async fn marks(
    connection: &Connection,
    sql: &'static str,
    sources: impl Iterator<Item = &Gene>,
    before: &str,
) -> Result<Vec<(Gene, u64, Option<i64>)>, Fault> {
    let sources: Vec<i16> = sources.map(|gene| gene.0.into()).collect();
    let rows = Statements::one(sql, vec![term(sources)]).send(connection, before, "").await?;
    let mark = |row: &tokio_postgres::Row| Ok((crate::rows::gene(row, 0)?, number(row, 1), row.get(2)));
    rows.iter().flatten().map(mark).collect()
}

/// Applies what was read, but for what somebody else has applied meanwhile.
async fn commit(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    read: &mut BTreeMap<Gene, SourceRead>,
) -> Result<(), Fault> {
    for (source, mark, _) in marks(connection, LOCK_MARKS, read.keys(), "begin").await? {
        if let Some(read) = read.get_mut(&source) {
            read.events.retain(|event| event.at.seq() > mark);
            read.upto = read.upto.max(mark);
            read.trimmed = read.trimmed.filter(|trimmed| *trimmed > mark);
        }
    }
    let (mut changes, heads) = if read.values().all(|read| read.events.is_empty()) {
        (Statements::default(), Marks::new())
    } else {
        derive(shared, connection, read).await?
    };
    let standings: Vec<UserStanding> = read.values().flat_map(|read| &read.standings).copied().collect();
    put_standings(&standings, &mut changes);
    let (sources, seqs): (Vec<i16>, Vec<i64>) =
        read.iter().map(|(source, read)| (i16::from(source.0), read.upto.cast_signed())).unzip();
    let versions = column_of!(read, (_, read) => read.versions.0);
    changes.add(RAISE, vec![term(sources), term(seqs), versions]);
    let trimmed = read.iter().filter_map(|(source, read)| Some((source, read.trimmed?)));
    let (sources, seqs): (Vec<i16>, Vec<i64>) =
        trimmed.map(|(source, seq)| (i16::from(source.0), seq.cast_signed())).unzip();
    if !sources.is_empty() {
        changes.add(REBUILD, vec![term(sources), term(seqs)]);
    }
    changes.send(connection, "", "commit").await?;
    heads.into_iter().for_each(|(gene, seq)| shared.note_wrote(gene, seq));
    Ok(())
}

/// Locks the shards that events concern, and changes their rows. Returns where their logs stand then, too.
async fn derive(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    read: &BTreeMap<Gene, SourceRead>,
) -> Result<(Statements, Marks), Fault> {
    let arriving: Vec<Arriving> = read
        .values()
        .flat_map(|read| read.events.iter().filter_map(|event| concerned(read, *event)))
        .collect();
    if arriving.is_empty() {
        return Ok((Statements::default(), Marks::new()));
    }
    let genes: BTreeSet<Gene> = arriving.iter().map(|one| one.other.gene()).collect();
    let rows = lock_rows(shared, connection, "", &genes).await?;
    let mut rows = rows.ok_or_else(|| Fault::Away("a shard is moving".to_owned()))?;
    fetch(connection, &mut rows, &arriving).await?;
    let now_ms = shared.clock.now_ms();
    for one in arriving {
        effects::derive(&mut rows, one, now_ms)?;
    }
    let heads = rows.shards.changed().map(|(gene, row)| (gene, row.seq)).collect();
    Ok((rows.changes(), heads))
}

/// Returns whom an event concerns, if it is of a kind that changes rows of somebody else.
pub(super) fn concerned(read: &SourceRead, event: Event) -> Option<Arriving> {
    let (other, post) = match event.change {
        Change::Pair { object, .. } => (object, None),
        Change::Liked { author, .. } | Change::Unliked { author, .. } => (author, None),
        Change::Post { id, .. } => {
            let post = *read.referring.get(&id)?;
            (post.author, Some(post))
        }
        _ => return None,
    };
    let told = read.told.get(&event.at.seq()).copied().unwrap_or_default();
    Some(Arriving { event, other, post, told })
}

/// Fetches the rows that events change.
pub(super) async fn fetch(
    connection: &Connection,
    rows: &mut Rows,
    arriving: &[Arriving],
) -> Result<(), Fault> {
    let pairs = arriving.iter().filter(|one| matches!(one.event.change, Change::Pair { .. }));
    let pairs: Vec<_> =
        pairs.map(|one| ((one.other, one.event.subject), effects::parts(&one.event))).collect();
    rows.fetch_derived(connection, pairs).await?;
    let likes = arriving.iter().filter_map(|one| match one.event.change {
        Change::Liked { id, .. } | Change::Unliked { id, .. } => Some((id, one.event.subject)),
        _ => None,
    });
    let references = arriving.iter().filter_map(|one| one.post.map(|post| (post.original, post.id)));
    rows.fetch_derived_of_posts(connection, likes, references).await
}
