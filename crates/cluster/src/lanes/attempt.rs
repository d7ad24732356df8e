//! One transaction: the shards are locked and what plans need is read, plans are made, and what they change is written. Two round
//! trips, unless a plan's rows lead to others.

use super::scope::{Committed, LaneScope};
use crate::rows::{NotFetched, Rows, ask_rows, fetch_rows, not_fetched, number, put_batch, stamp, take_rows};
use crate::store::ClusterCore;
use guanxi_model::{Error, Gene, Reason, Result, Stamp};
use guanxi_postgres::{Connection, Fault, Statements, discard, term, undo};
use guanxi_shard::batch::{ShardAnswer, ShardWork, missing_rows, one};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The event of a log that ends a batch of a process.
const PROOF: &str = "select version, writer from gx.log where gene = $1 and seq = $2";

/// The first event that a log still has.
const FIRST: &str = "select first_seq from gx.shard where gene = $1";

/// The outcome of an attempt.
pub(super) enum Attempt {
    /// It stands.
    Done(Vec<Result<ShardAnswer>>),
    /// The answer to the commit was lost.
    Unknown(Box<LostCommit>),
    /// A shard is not where the map says.
    Moved,
    /// Nothing was changed.
    Failed(Fault),
}

/// Rounds of fetching that no write exceeds.
const ROUNDS_MAX: usize = 8;

/// A commit of which it is not known whether it took place.
pub(super) struct LostCommit {
    /// The answers if it took place.
    pub answers: Vec<Result<ShardAnswer>>,
    /// What it has done then to what is in memory.
    pub committed: Committed,
    proof: BatchProof,
}

/// What is there if a batch was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchProof {
    /// Its last event, which names this process. Versions of one process are unique.
    Logged { gene: Gene, seq: u64, version: Stamp },
    /// A batch that logged nothing: its number, in the place of an earlier one.
    Noted { first: Gene, before: i64, batch: i64 },
}

impl BatchProof {
    /// What a batch has logged last, if anything.
    fn logged(rows: &Rows) -> Option<Self> {
        let event = rows.shards.events().last()?.event;
        Some(Self::Logged { gene: Gene(event.at.log().0), seq: event.at.seq(), version: event.version })
    }

    /// The shard in which it is looked for.
    const fn gene(self) -> Gene {
        match self {
            Self::Logged { gene, .. } => gene,
            Self::Noted { first, .. } => first,
        }
    }
}

/// Tries a batch in a database once. Its transaction begins with `begin`.
pub(super) async fn attempt(
    shared: &Arc<ClusterCore>,
    database: usize,
    (scope, begin): (LaneScope, &str),
    work: &[(Gene, ShardWork)],
) -> Attempt {
    let connection = match scope.connections(&shared.served[database]).take().await {
        Ok(connection) => connection,
        Err(fault) => return Attempt::Failed(fault),
    };
    let planned = plan(shared, &connection, (scope, begin), work).await;
    let PlannedBatch { rows, answers, first, noted } = match planned {
        Ok(Some(planned)) => planned,
        Ok(None) => {
            undo(connection).await;
            return Attempt::Moved;
        }
        Err(fault) => {
            undo(connection).await;
            return Attempt::Failed(fault);
        }
    };
    let mut changes = put_batch(&rows, shared.process);
    if changes.is_empty() {
        undo(connection).await;
        return Attempt::Done(answers);
    }
    let proof = BatchProof::logged(&rows).unwrap_or_else(|| {
        let batch = shared.next_batch();
        scope.note(&mut changes, first, batch);
        BatchProof::Noted { first, before: noted, batch }
    });
    match changes.send(&connection, "", "commit").await {
        Ok(_) => {
            Committed::of(&rows).note(shared);
            Attempt::Done(answers)
        }
        Err(fault) if fault.is_away() => {
            discard(connection);
            let committed = Committed::of(&rows);
            Attempt::Unknown(Box::new(LostCommit { answers, committed, proof }))
        }
        Err(fault) => {
            undo(connection).await;
            Attempt::Failed(fault)
        }
    }
}

/// A batch that is planned under its locks.
struct PlannedBatch {
    rows: Rows,
    answers: Vec<Result<ShardAnswer>>,
    /// The first shard that it locks, and the last batch that is noted there.
    first: Gene,
    noted: i64,
}

async fn plan(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    (scope, begin): (LaneScope, &str),
    work: &[(Gene, ShardWork)],
) -> Result<Option<PlannedBatch>, Fault> {
    let genes: BTreeSet<Gene> = work.iter().map(|(home, _)| *home).collect();
    let mut rows = scope.rows(shared);
    // What is read in the same round trip is read after the locks: each statement sees what was committed before it.
    let mut statements = Statements::default();
    scope.lock(&mut statements, &genes);
    let missing = missing_rows(&mut rows, work);
    let asked = ask_rows(&rows, missing, &mut statements);
    let mut answers = statements.send(connection, begin, "").await?.into_iter();
    let found = answers.next().unwrap_or_default();
    let (first, noted) = (genes.first().copied().unwrap_or(Gene(0)), scope.noted(&found));
    if !scope.take_locked(&found, &genes, (shared, &mut rows))? {
        return Ok(None);
    }
    take_rows(&mut rows, asked, &mut answers)?;
    for _ in 0..ROUNDS_MAX {
        let missing = missing_rows(&mut rows, work);
        if missing.is_empty() {
            let now_ms = shared.clock.now_ms();
            let answers = work.iter().map(|(home, work)| one(&mut rows, *home, work, now_ms));
            let answers = answers.collect::<Result<Vec<_>, NotFetched>>().map_err(not_fetched)?;
            return Ok(Some(PlannedBatch { rows, answers, first, noted }));
        }
        fetch_rows(connection, &mut rows, missing).await?;
    }
    Err(Fault::Refused("a write names more rows in every round".to_owned()))
}

impl LostCommit {
    /// Looks whether it took place. Locking a shard of it waits until the server has ended the transaction whose outcome is not known.
    /// `None` if that cannot be told any more.
    pub(super) async fn took_place(
        &self,
        shared: &Arc<ClusterCore>,
        database: usize,
        scope: LaneScope,
    ) -> Result<Option<bool>, Fault> {
        let gene = self.proof.gene();
        // The shard may have moved since.
        let database = if scope == LaneScope::Shards { shared.map().database(gene) } else { database };
        let connection = scope.connections(&shared.served[database]).take().await?;
        let mut look = Statements::default();
        scope.lock(&mut look, &BTreeSet::from([gene]));
        if let BatchProof::Logged { seq, .. } = self.proof {
            look.add(PROOF, vec![term(i16::from(gene.0)), term(seq.cast_signed())]);
            look.add(FIRST, vec![term(i16::from(gene.0))]);
        }
        let answers = look.send(&connection, "begin", "").await;
        undo(connection).await;
        let mut answers = answers?.into_iter();
        let locked = answers.next().unwrap_or_default();
        match self.proof {
            BatchProof::Noted { before, batch, .. } => Ok(match scope.noted(&locked) {
                noted if noted == batch => Some(true),
                noted if noted == before => Some(false),
                // A later batch, of another process, has taken its place.
                _ => None,
            }),
            BatchProof::Logged { seq, version, .. } => {
                if let Some(row) = answers.next().unwrap_or_default().first() {
                    let is_ours = row.get::<_, Option<i64>>(1) == Some(shared.process);
                    return Ok(Some(is_ours && stamp(row, 0) == version));
                }
                let first = answers.next().unwrap_or_default().first().map(|row| number(row, 0));
                // Where the log is trimmed beyond it nothing tells.
                Ok(first.filter(|first| *first <= seq).map(|_| false))
            }
        }
    }
}

/// An answer of a batch that has none.
pub(crate) fn missing() -> Error {
    Error::with_detail(Reason::Internal, "a write has no answer")
}
