//! One moment of one database.

use crate::derive::{Marks, marks, read_marks};
use crate::rows::{gene, number};
use crate::store::{ClusterCore, MOMENT};
use guanxi_model::{Error, Gene, Position, Reason, Result};
use guanxi_postgres::{Fault, Pooled, Statements, discard, term, undo};
use guanxi_shard::apply::Targets;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;

/// A question about rows of one shard, whose gene a term has, with three columns more: where that shard stands at the moment of the
/// rows. Without rows the others are empty.
macro_rules! with_place {
    ($gene:literal, $rows:expr) => {
        concat!(
            "select q.*, s.gene, s.seq, s.epoch from \
            (select gene, seq, epoch from gx.shard where gene = ",
            $gene,
            " limit 1) s left join lateral (",
            $rows,
            ") q on true"
        )
    };
}
pub(super) use with_place;

/// Whether a row of such a question has more than a place.
pub(super) fn has_more(row: &Row) -> bool {
    row.get::<_, Option<i64>>(0).is_some()
}

/// The columns of a place.
pub(super) const PLACE_COLUMNS: usize = 3;

pub(super) const SEQS: &str = "select gene, seq, epoch from gx.shard where gene = any($1)";

/// How long a snapshot waits until it includes what it must.
const INCLUDES_MAX: Duration = Duration::from_secs(1);

const PAUSE: Duration = Duration::from_millis(5);

/// A transaction that reads one moment of a database, on a connection of its own.
pub(super) struct Snapshot {
    shared: Arc<ClusterCore>,
    database: usize,
    connection: Option<Pooled>,
    /// Whether the transaction has begun: its first question begins it, in the same round trip.
    has_begun: tokio::sync::Mutex<bool>,
    /// Where the shards stood that were asked about.
    seqs: Mutex<BTreeMap<Gene, u64>>,
    /// The shards that are behind what it has to include: nothing is asked of them.
    behind: BTreeSet<Gene>,
}

impl Snapshot {
    /// Opens one that includes what a position names of a database, for a question about some of its shards.
    ///
    /// # Errors
    /// `SHARD_UNAVAILABLE` when the database cannot be asked, or what follows from the position's acts cannot be applied there.
    pub(super) async fn open(
        shared: &Arc<ClusterCore>,
        database: usize,
        at_least: Option<&Position>,
        genes: &BTreeSet<Gene>,
    ) -> Result<Self> {
        let wanted = WantedMarks::of(shared, database, at_least);
        let deadline = Instant::now() + INCLUDES_MAX;
        let _waits = shared.served[database].stalls.enter()?;
        loop {
            let connection = shared.served[database].reads.take().await?;
            let mut snapshot = Self {
                shared: shared.clone(),
                database,
                connection: Some(connection),
                has_begun: tokio::sync::Mutex::default(),
                seqs: Mutex::default(),
                behind: BTreeSet::new(),
            };
            if wanted.is_empty() {
                return Ok(snapshot);
            }
            let behind = snapshot.begin(&wanted).await?;
            let is_ready = snapshot.behind.is_disjoint(genes);
            if behind.is_empty() && is_ready {
                return Ok(snapshot);
            }
            drop(snapshot);
            if Instant::now() >= deadline {
                return Err(Fault::Again("the database is behind the position".to_owned()).told());
            }
            // A process with a wrong clock applies nothing: others do.
            if (behind.acted.is_empty() && is_ready) || !shared.clock_watch.is_right() {
                sleep(PAUSE).await;
            } else {
                let (acted, targets) = (wanted.acted.clone(), Targets::Shards(genes.clone()));
                shared.appliers()?.reach(database, acted, targets).await?;
            }
        }
    }

    /// Begins the transaction; returns what it does not include of the marks of logs, and notes the shards that are behind these.
    async fn begin(&mut self, wanted: &WantedMarks) -> Result<WantedMarks> {
        let mut statements = Statements::default();
        let numbers = |marks: &Marks| -> Vec<i16> { marks.keys().map(|gene| gene.0.into()).collect() };
        statements.add(SEQS, vec![term(numbers(&wanted.seen))]);
        statements.append(marks(wanted.acted.keys()));
        let mut behind = wanted.clone();
        // A transaction without a question has no moment yet.
        let rows = self.send(&statements).await?;
        let answer = |nth: usize| rows.get(nth).map_or(&[][..], Vec::as_slice);
        let seen = answer(0);
        for row in seen {
            let (gene, seq) = (gene(row, 0)?, number(row, 1));
            behind.seen.retain(|log, wanted| *log != gene || *wanted > seq);
        }
        for (source, mark) in read_marks(answer(1))? {
            let Some(acted) = wanted.acted.get(&source) else { continue };
            behind.acted.retain(|log, wanted| *log != source || *wanted > mark.seq);
            let late = mark.behind.iter().filter(|(_, from)| *from <= acted);
            self.behind.extend(late.map(|(target, _)| *target));
        }
        self.note(seen, wanted.seen.len())?;
        Ok(behind)
    }

    /// Asks questions about rows of some shards.
    pub(super) async fn ask(
        &self,
        genes: BTreeSet<Gene>,
        mut statements: Statements,
    ) -> Result<Vec<Vec<Row>>> {
        if !self.behind.is_disjoint(&genes) {
            return Err(Fault::Again(
                "others hold the row of a shard that is behind the position".to_owned(),
            )
            .told());
        }
        let unknown: Vec<i16> = {
            let known = self.known();
            genes.iter().filter(|gene| !known.contains_key(gene)).map(|gene| gene.0.into()).collect()
        };
        let asked = unknown.len();
        if asked > 0 {
            statements.add(SEQS, vec![term(unknown)]);
        }
        let _waits = self.shared.served[self.database].stalls.enter()?;
        let mut rows = self.send(&statements).await?;
        if asked > 0 {
            self.note(&rows.pop().unwrap_or_default(), asked)?;
        }
        Ok(rows)
    }

    /// Returns where a shard stood, if it was asked about.
    pub(super) fn seq(&self, gene: Gene) -> Option<u64> {
        self.known().get(&gene).copied()
    }

    /// Returns where the shards stood that were asked about.
    pub(super) fn seqs(&self) -> BTreeMap<Gene, u64> {
        self.known().clone()
    }

    /// Sends questions; those that come while the first is on its way wait for it, or they would be asked before the transaction
    /// has begun.
    async fn send(&self, statements: &Statements) -> Result<Vec<Vec<Row>>> {
        let connection = self.connection.as_ref().ok_or(Error::new(Reason::ShuttingDown))?;
        let mut has_begun = self.has_begun.lock().await;
        let answer = if *has_begun {
            drop(has_begun);
            statements.send(connection, "", "").await
        } else {
            let answer = statements.send(connection, MOMENT, "").await;
            *has_begun = answer.is_ok();
            answer
        };
        if matches!(answer, Err(Fault::Elsewhere(_))) {
            self.shared.reload_soon();
        }
        answer.map_err(Fault::told)
    }

    /// Notes where shards stand of which so many were asked for.
    ///
    /// # Errors
    /// `SHARD_UNAVAILABLE` when one of them is not where the map says: the rows here are not the rows elsewhere.
    fn note(&self, rows: &[Row], asked: usize) -> Result<()> {
        let found = places(&self.shared, self.database, rows)?;
        let is_whole = found.len() >= asked;
        self.known().extend(found);
        if is_whole { Ok(()) } else { Err(moving(&self.shared)) }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Gene, u64>> {
        self.seqs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The transaction is ended apart from the task that drops the view; without a runtime the connection is ended, too.
impl Drop for Snapshot {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !*self.has_begun.get_mut() {
            // Nothing was asked, or what was is known to the connection as unfinished.
            return;
        }
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(undo(connection))),
            Err(_) => discard(connection),
        }
    }
}

/// Where shards of a database stand, by the answer to [`SEQS`]: those of them that are where the map says.
pub(super) fn places(shared: &ClusterCore, database: usize, rows: &[Row]) -> Result<BTreeMap<Gene, u64>> {
    places_of(shared, database, rows, 0)
}

/// The same by three columns of any rows, from the given one on; a row without them says nothing.
pub(super) fn places_of(
    shared: &ClusterCore,
    database: usize,
    rows: &[Row],
    from: usize,
) -> Result<BTreeMap<Gene, u64>> {
    let (map, mut found) = (shared.map(), BTreeMap::new());
    for row in rows.iter().filter(|row| row.get::<_, Option<i16>>(from).is_some()) {
        let (gene, seq) = (gene(row, from)?, number(row, from + 1));
        if row.get::<_, i64>(from + 2) == map.epoch(gene) && map.database(gene) == database {
            found.insert(gene, seq);
        }
    }
    Ok(found)
}

/// Refuses a question about a shard that is not where the map says: rows there are not those of the shard.
pub(super) fn moving(shared: &Arc<ClusterCore>) -> Error {
    shared.reload_soon();
    Fault::Again("a shard is moving".to_owned()).told()
}

/// What a snapshot of a database must include.
#[derive(Clone, Debug, Default)]
pub(super) struct WantedMarks {
    /// Events of the logs that the database has.
    seen: Marks,
    /// What follows there from events of any log.
    pub(super) acted: Marks,
}

impl WantedMarks {
    pub(super) fn of(shared: &Arc<ClusterCore>, database: usize, at_least: Option<&Position>) -> Self {
        let (mut wanted, map) = (Self::default(), shared.map());
        for (log, mark) in at_least.into_iter().flat_map(Position::marks) {
            let gene = Gene(log.0);
            if map.database(gene) == database && mark.seen > 0 {
                wanted.seen.insert(gene, mark.seen);
            }
            if mark.acted > 0 {
                wanted.acted.insert(gene, mark.acted);
            }
        }
        wanted
    }

    fn is_empty(&self) -> bool {
        self.seen.is_empty() && self.acted.is_empty()
    }
}
