//! Hearing of what others end: one task per database asks what its logs tell, when one of them has moved.

use super::load::{EndedMarks, forget, load, load_signed_out, rows, signed_out};
use crate::derive::Span;
use crate::rows::{Peer, STANDINGS, column_of, keyed, read_standing, uid, uid_terms};
use crate::store::ClusterCore;
use crate::tail::LogEntry;
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Fault, Statements, term};
use guanxi_shard::cells::EndedChanges;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_postgres::Row;

/// How often the logs of a database are looked at of which no task says that they have moved.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The least time between two looks: what comes meanwhile goes together.
const GAP: Duration = Duration::from_millis(25);

/// A log that was out of reach for so long may have been trimmed since: then everything is read anew.
const STALE_AFTER: Duration = Duration::from_hours(1);

/// How often sign-outs are looked for that need not be known any more.
const FORGET_EVERY: Duration = Duration::from_mins(5);

/// Which events are told to all.
const PEERS: [i16; 2] = [Peer::EVERY_DATABASE, Peer::EVERY_PROCESS];

/// The users of events that every database or every process takes in. An index has these events alone.
const CHANGED: &str = "select distinct c.subject \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, after, upto) cross join unnest($4::smallint[]) as p(peer) \
    cross join lateral (select t.subject from gx.log t where t.gene = k.gene and t.peer = p.peer \
    and t.seq > k.after and t.seq <= k.upto and t.origin is null offset 0) c";
const SIGNED_OUT: &str = "select t.uid, t.at_ms from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.signed_out t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// Takes in what others write to a database, until the store is closed.
pub(crate) async fn watch(shared: Weak<ClusterCore>, database: usize, mut marks: EndedMarks) {
    let Some(mut moved) = shared.upgrade().map(|shared| shared.wakes[database].moved()) else { return };
    moved.mark_changed();
    let (mut seen, mut forgotten) = (Instant::now(), None::<Instant>);
    while let Some(woken) = woken(&mut moved).await {
        let Some(shared) = shared.upgrade() else { return };
        if forgotten.is_none_or(|at| at.elapsed() >= FORGET_EVERY) {
            forgotten = Some(Instant::now());
            if let Err(fault) = forget(&shared, database).await {
                tracing::debug!(database, %fault, "old sign-outs cannot be removed");
            }
        }
        if !shared.ended.is_read(database) {
            let loaded = load_signed_out(&shared, database).await;
            shared.ended.note_read(database, loaded.is_ok());
        }
        match hear(&shared, database, &marks, (woken, seen)).await {
            Ok(heads) => {
                marks.extend(heads);
                seen = Instant::now();
            }
            Err(fault) => tracing::debug!(database, %fault, "who signed out cannot be read"),
        }
        drop(shared);
        sleep(GAP).await;
    }
}

/// Whether the task that looks at logs found that one has moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Woken {
    ByMove,
    ByTime,
}

/// Waits until the logs are to be looked at; none when the store is closed.
async fn woken(moved: &mut watch::Receiver<u64>) -> Option<Woken> {
    match timeout(LOOK_EVERY, moved.changed()).await {
        Ok(Ok(())) => Some(Woken::ByMove),
        Ok(Err(_closed)) => None,
        Err(_late) => Some(Woken::ByTime),
    }
}

/// Takes in what the logs of a database tell since, or everything if some of that may be trimmed. Returns up to where they are taken
/// in.
async fn hear(
    shared: &Arc<ClusterCore>,
    database: usize,
    marks: &EndedMarks,
    (woken, seen): (Woken, Instant),
) -> Result<EndedMarks, Fault> {
    if let Some(heads) = look(shared, database, marks, woken).await?
        && seen.elapsed() < STALE_AFTER
    {
        return Ok(heads);
    }
    let loaded = load(shared).await?;
    shared.ended.note_missed();
    Ok(loaded)
}

/// Takes in what the logs of a database tell since; returns up to where they are taken in. None if so much has happened since that
/// some of it may be trimmed.
async fn look(
    shared: &Arc<ClusterCore>,
    database: usize,
    marks: &EndedMarks,
    woken: Woken,
) -> Result<Option<EndedMarks>, Fault> {
    let map = shared.map();
    let heads: EndedMarks = match woken {
        Woken::ByMove => map.genes(database).map(|gene| (gene, shared.head(gene))).collect(),
        Woken::ByTime => shared.heads_of(database).await?,
    };
    let is_new = |(gene, seq): &(Gene, u64)| {
        map.database(*gene) == database && marks.get(gene).is_none_or(|mark| mark < seq)
    };
    let moved: EndedMarks = heads.into_iter().filter(is_new).collect();
    if moved.is_empty() {
        return Ok(Some(moved));
    }
    let unread = |(gene, seq): (&Gene, &u64)| seq - marks.get(gene).copied().unwrap_or_default();
    if moved.iter().map(unread).max() > Some(shared.options.log_events_max / 2) {
        return Ok(None);
    }
    let spans = moved.iter().map(|(gene, seq)| (*gene, (marks.get(gene).copied().unwrap_or_default(), *seq)));
    let users = changed(shared, database, spans.collect()).await?;
    take_in(shared, database, users).await?;
    Ok(Some(moved))
}

/// The users of whom parts of logs tell something that every database or every process takes in. What looks have not brought yet is
/// brought by one that all wait for; the table has what is older.
async fn changed(
    shared: &Arc<ClusterCore>,
    database: usize,
    mut spans: BTreeMap<Gene, Span>,
) -> Result<BTreeSet<Uid>, Fault> {
    let mut users = BTreeSet::new();
    take_brought(shared, database, (&mut spans, &mut users));
    if !spans.is_empty() {
        shared.heads_of(database).await?;
        take_brought(shared, database, (&mut spans, &mut users));
    }
    if !spans.is_empty() {
        let changed = Statements::one(
            CHANGED,
            vec![
                column_of!(spans, (gene, _) => i16::from(gene.0)),
                column_of!(spans, (_, (after, _)) => after.cast_signed()),
                column_of!(spans, (_, (_, upto)) => upto.cast_signed()),
                term(PEERS.to_vec()),
            ],
        );
        users.extend(rows(shared, database, &changed).await?.iter().filter_map(|row| uid(row, 0).ok()));
    }
    Ok(users)
}

/// Takes the parts of logs that looks have brought, and leaves the others.
fn take_brought(
    shared: &ClusterCore,
    database: usize,
    (spans, users): (&mut BTreeMap<Gene, Span>, &mut BTreeSet<Uid>),
) {
    let map = shared.map();
    spans.retain(|gene, span| {
        let log = (*gene, map.epoch(*gene));
        let Some(part) = shared.tails[database].part(log, *span, &PEERS, usize::MAX) else { return true };
        users.extend(part.events.iter().filter_map(LogEntry::subject));
        false
    });
}

/// Takes in how some users of a database stand, and when they signed out.
async fn take_in(shared: &Arc<ClusterCore>, database: usize, users: BTreeSet<Uid>) -> Result<(), Fault> {
    let Some(keys) = keyed(users.iter().map(|uid| (uid.gene(), *uid))) else { return Ok(()) };
    let standings = rows(shared, database, &Statements::one(STANDINGS, uid_terms(&keys))).await?;
    let times = rows(shared, database, &Statements::one(SIGNED_OUT, uid_terms(&keys))).await?;
    // Of an account that cannot be read the last word stays: the full check names it.
    let of_user = |row: &Row| {
        let (revision, standing) = read_standing(row, 1).ok()?;
        Some((uid(row, 0).ok()?, revision, standing.is_gone()))
    };
    let changes = standings.iter().filter_map(of_user).collect();
    shared.ended.note(EndedChanges { users: changes, signed_out: signed_out(&times) });
    shared.ended.note_ends(&users);
    Ok(())
}
