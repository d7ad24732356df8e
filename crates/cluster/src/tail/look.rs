//! One look at the logs of a database.

use super::logged::LogEntry;
use crate::lost::rewritten;
use crate::rows::{gene, number};
use crate::store::ClusterCore;
use guanxi_memory::cut::CutPlace;
use guanxi_memory::tail::look::{LookFound, forget_all};
use guanxi_memory::tail::memory::Memory;
use guanxi_memory::tail::ring::{LogState, Rewritten, Ring, RingPart};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{Gene, LogId, Logs};
use guanxi_postgres::{Fault, Shut, Statements, Term, term};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};
use tokio_postgres::Row;

/// The least time between the beginnings of two looks: callers that come meanwhile share the second.
const GAP_MIN: Duration = Duration::from_millis(5);

/// The same behind a pooler of transactions, where the server makes the plan of a look anew each time.
const GAP_POOLED: Duration = Duration::from_millis(20);

/// How often a look asks for all shards, and not only for those that have changed: it finds those that are not there any more.
const WHOLE_EVERY: Duration = Duration::from_secs(1);

/// Events that a look brings at most; each log has an equal part of it.
const EVENTS_MAX: usize = 4_096;

/// By how many events a log may have moved between two looks: beyond that it begins anew at its head, and readers read the table.
const MOVED_MAX: i64 = 1_024;

/// The shards that are not as they were at the last look, which `$1` to `$3` say by genes, and, of logs that have moved, the events
/// from the last known one on, with their posts. That one must still be there as it was.
const LOOK: &str = "select s.gene, s.epoch, s.seq, s.first_seq, d.history, s.post_high, \
    e.seq, e.version, e.detail, e.origin, e.origin_seq, e.subject, e.object, e.peer, e.request, e.cooling_ms, \
    e.edge_version, e.end_version, e.place, e.original, p.id, p.kind, p.ref, p.ref_author, p.deleted \
    from (select history from gx.database limit 1) d cross join gx.shard s \
    left join lateral (select * from gx.log t where t.gene = s.gene and t.seq >= ($2::bigint[])[s.gene + 1] \
    and ($2::bigint[])[s.gene + 1] >= 0 and s.seq - ($2::bigint[])[s.gene + 1] between 1 and $5 \
    order by t.seq limit $6) e on true \
    left join lateral (select * from gx.post p where e.change = 9 and e.peer is not null \
    and p.gene = e.gene and p.id = e.object limit 1) p on true \
    where s.epoch <> ($1::bigint[])[s.gene + 1] or s.seq <> ($2::bigint[])[s.gene + 1] \
    or s.first_seq <> ($3::bigint[])[s.gene + 1] or d.history <> $4";

/// What a look knows of a log of which nothing is known.
const UNKNOWN: LogState = LogState { epoch: -1, seq: u64::MAX, first: 0, post_high: 0 };

/// What a look told.
#[derive(Clone, Debug)]
pub(crate) struct LookAnswer {
    /// Where the logs of the database stand that this process knows to be there.
    pub heads: Arc<BTreeMap<Gene, u64>>,
    /// How long it took to ask.
    pub took: Duration,
    /// Whether it left events to the next.
    pub is_behind: bool,
}

/// The newest events of a database, and when its looks began.
type LookedRing = Ring<LogEntry, Instant>;

/// The looks at the logs of one database, and what they have found.
#[derive(Debug)]
pub(crate) struct Tail {
    /// How many have begun.
    begun: AtomicU64,
    last: Mutex<LastLook>,
    ring: RwLock<LookedRing>,
    /// How often all that was found was forgotten.
    forgotten: AtomicU64,
}

/// The last look that came to its end.
#[derive(Debug, Default)]
struct LastLook {
    /// When the last one began, whether it came to its end or not.
    began: Option<Instant>,
    /// Which one it was, and what it told.
    told: Option<(u64, Result<LookAnswer, Fault>)>,
    /// When one began that asked for all shards.
    whole: Option<Instant>,
}

impl Tail {
    /// No look yet, and room for so many events.
    pub(crate) fn new(events_max: usize) -> Self {
        Self {
            begun: AtomicU64::new(0),
            last: Mutex::default(),
            ring: RwLock::new(Ring::new(events_max)),
            forgotten: AtomicU64::new(0),
        }
    }

    /// The events of a log of an epoch after one, at most so many. None unless all of these are here up to the given one.
    pub(crate) fn read(
        &self,
        log: (Gene, i64),
        (after, upto): (u64, u64),
        max: usize,
    ) -> Option<Vec<LogEntry>> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.read(log, (after, upto), max.min(EVENT_BATCH_MAX as usize))
    }

    /// The events of a log of an epoch after one up to another that concern some shards, at most so many. None unless all of these are
    /// here, and the versions of both.
    pub(crate) fn part(
        &self,
        log: (Gene, i64),
        span: (u64, u64),
        peers: &[i16],
        max: usize,
    ) -> Option<RingPart<LogEntry>> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.part(log, span, peers, max)
    }

    /// The last event of a log of an epoch that looks have brought, if it is known.
    pub(crate) fn last(&self, log: (Gene, i64)) -> Option<u64> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.last(log)
    }

    /// The last event of a log of an epoch, if a look that began no earlier than this has told all of it.
    pub(crate) fn last_since(&self, log: (Gene, i64), since: Instant) -> Option<u64> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.last_since(log, since)
    }

    /// Where some logs, each of an epoch, stood at the last look, if it began no earlier than this and told all of each.
    pub(crate) fn places_since(
        &self,
        logs: impl IntoIterator<Item = (Gene, i64)>,
        since: Instant,
    ) -> Option<Vec<(LogId, CutPlace)>> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.places_since(logs, since)
    }

    /// A time by which the answer of the last look was there that is taken in.
    pub(crate) fn told_by(&self) -> Option<Instant> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).told_by()
    }

    /// Forgets all that looks have found, with what memory holds of these logs: the database may be another one from now on.
    pub(crate) fn forget(&self, memory: &Memory) {
        let mut ring = self.ring_mut();
        forget_all(&mut ring, memory);
        self.forgotten.fetch_add(1, Ordering::AcqRel);
    }

    fn ring_mut(&self) -> RwLockWriteGuard<'_, LookedRing> {
        self.ring.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns where the logs of a database stand, by a look that begins after this was called. One caller looks, and all that came before
/// it began are told the same.
pub(crate) async fn look(shared: &Arc<ClusterCore>, database: usize) -> Result<LookAnswer, Fault> {
    let tail = &shared.tails[database];
    shared.served[database].breaker.pass()?;
    let came = tail.begun.load(Ordering::Acquire);
    let mut last = tail.last.lock().await;
    if let Some((_, told)) = last.told.as_ref().filter(|(number, _)| *number > came) {
        return told.clone();
    }
    if let Some(began) = last.began {
        let is_pooled = shared.databases().all()[database].is_pooled();
        sleep_until(began + if is_pooled { GAP_POOLED } else { GAP_MIN }).await;
    }
    let (number, began) = (tail.begun.fetch_add(1, Ordering::AcqRel) + 1, Instant::now());
    last.began = Some(began);
    let is_whole = last.whole.is_none_or(|whole| began - whole >= WHOLE_EVERY);
    // A caller that goes away here leaves the look to the next.
    let told = ask(shared, database, (began, is_whole)).await;
    let told = told.map(|(heads, is_behind)| LookAnswer {
        heads: Arc::new(heads),
        took: began.elapsed(),
        is_behind,
    });
    // After a fault it is not known what was found.
    last.whole = if is_whole { Some(began) } else { last.whole }.filter(|_| told.is_ok());
    last.told = Some((number, told.clone()));
    told
}

/// What a look found: of each log how its shard is, and events.
type Found = BTreeMap<Gene, (LogState, Vec<LogEntry>)>;

/// Asks a database, and takes in what it tells. Returns where its logs stand, and whether there are further events.
async fn ask(
    shared: &Arc<ClusterCore>,
    database: usize,
    (began, is_whole): (Instant, bool),
) -> Result<(BTreeMap<Gene, u64>, bool), Fault> {
    let (tail, map) = (&shared.tails[database], shared.map());
    let forgotten = tail.forgotten.load(Ordering::Acquire);
    let seen = shared.seen_heads();
    let asked = Statements::one(LOOK, terms(shared, database, is_whole));
    let rows = shared.served[database].asks.rows(&asked).await?;
    metrics::counter!(super::LOOKS).increment(1);
    let told_by = Instant::now();
    let found = LookFound { began, told_by, is_whole, logs: found(shared, database, &rows)? };
    let mut ring = tail.ring_mut();
    if tail.forgotten.load(Ordering::Acquire) != forgotten {
        return Err(Fault::Again("its logs were forgotten meanwhile".to_owned()));
    }
    // Memory is told first: readers of the ring wait.
    let is_here =
        |log: Gene, state: &LogState| state.epoch == map.epoch(log) && map.database(log) == database;
    let taken = found.take_in((&mut ring, &shared.memory), is_here);
    let (heads, is_behind) = (ring.heads(), ring.is_behind());
    drop(ring);
    if is_whole {
        metrics::gauge!(super::HELD_BYTES).set(shared.memory.user_bytes() as f64);
        metrics::gauge!(super::AUTHOR_BYTES).set(shared.memory.outboxes.size().0 as f64);
        metrics::gauge!(super::POST_BYTES).set(shared.memory.post_bytes() as f64);
    }
    if let Err((log, Rewritten(seq))) = taken {
        return Err(shared.note_lost(database, &rewritten(log, seq, "this process")));
    }
    for (log, seq) in &heads {
        if let Some(seen) = seen.get(log).filter(|seen| *seen > seq) {
            let log = log.0;
            let lost = format!("log {log:02x} ends with event {seq}, and this process has seen event {seen}");
            return Err(shared.note_lost(database, &lost));
        }
    }
    if heads.len() < map.genes(database).count() {
        shared.reload_soon();
    }
    for (log, seq) in found.logs.keys().filter_map(|log| heads.get_key_value(log)) {
        shared.note_head(*log, *seq);
    }
    Ok((heads, is_behind))
}

/// The terms of a look: how the logs were at the last one.
fn terms(shared: &ClusterCore, database: usize, is_whole: bool) -> Vec<Term> {
    let (mut epochs, mut lasts, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    let ring = shared.tails[database].ring.read().unwrap_or_else(PoisonError::into_inner);
    for log in (0..=u8::MAX).map(Gene) {
        let known = ring.known(log).unwrap_or(UNKNOWN);
        epochs.push(if is_whole { UNKNOWN.epoch } else { known.epoch });
        lasts.push(known.seq.cast_signed());
        firsts.push(known.first.cast_signed());
    }
    let logs = shared.map().genes(database).count().max(1);
    // The last known event is among them.
    let events_max = i64::try_from(EVENTS_MAX / logs + 1).unwrap_or(i64::MAX);
    let history = shared.terms.history.0.cast_signed();
    vec![term(epochs), term(lasts), term(firsts), term(history), term(MOVED_MAX), term(events_max)]
}

/// Reads the answer to a look.
fn found(shared: &ClusterCore, database: usize, rows: &[Row]) -> Result<Found, Fault> {
    let mut found = Found::new();
    for row in rows {
        if number(row, 4) != shared.terms.history.0 {
            let problem = format!("it is of cluster {:016x} now", number(row, 4));
            shared.served[database].breaker.note(Shut::Unfit(problem.clone()));
            return Err(Fault::Away(problem));
        }
        let log = gene(row, 0)?;
        let (epoch, post_high) = (row.get(1), number(row, 5));
        let state = LogState { epoch, seq: number(row, 2), first: number(row, 3), post_high };
        let (_, events) = found.entry(log).or_insert((state, Vec::new()));
        if row.get::<_, Option<i64>>(6).is_some() {
            events.push(LogEntry::read_carried(row, 6, Logs::PerGene.of_gene(log)));
        }
    }
    let events = found.values().map(|(_, events)| events.len() as u64).sum();
    metrics::counter!(super::EVENTS).increment(events);
    Ok(found)
}
