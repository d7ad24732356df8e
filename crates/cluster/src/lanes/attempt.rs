//! One transaction: the shards are locked and what plans need is read, plans are made, and what they change is written. Two round
//! trips, unless a plan's rows lead to others.

use super::scope::{Committed, LaneScope};
use crate::postgres::{Connection, Fault, Statements, discard, term, undo};
use crate::rows::{NotFetched, Rows, ask_rows, fetch_rows, put_changes, take_rows};
use crate::store::ClusterCore;
use guanxi_model::{Error, Gene, Reason, Result};
use guanxi_shard::batch::{ShardAnswer, ShardWork, missing_rows, one};
use std::collections::BTreeSet;
use std::sync::Arc;

const BATCH: &str = "insert into gx.lane (process, lane, batch) values ($1, $2, $3) \
    on conflict (process, lane) do update set batch = excluded.batch, at = now()";

const LOOK: &str = "select batch from gx.lane where process = $1 and lane = $2";

/// The outcome of an attempt.
pub(super) enum Attempt {
    /// It stands.
    Done(Vec<Result<ShardAnswer>>),
    /// The answer to the commit was lost: these are the answers if it took place, and what it has done to what is in memory.
    Unknown(Vec<Result<ShardAnswer>>, Committed),
    /// A shard is not where the map says.
    Moved,
    /// Nothing was changed.
    Failed(Fault),
}

/// Rounds of fetching that no write exceeds.
const ROUNDS_MAX: usize = 8;

/// Where a batch is tried: in which database, under which number of a lane, and which of its batches it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchPlace {
    pub database: usize,
    pub lane: usize,
    pub batch: i64,
}

/// Tries a batch once. Its transaction begins with `begin`.
pub(super) async fn attempt(
    shared: &Arc<ClusterCore>,
    BatchPlace { database, lane, batch }: BatchPlace,
    begin: &str,
    work: &[(Gene, ShardWork)],
) -> Attempt {
    let scope = LaneScope::of(lane);
    let connection = match scope.connections(&shared.served[database]).take().await {
        Ok(connection) => connection,
        Err(fault) => return Attempt::Failed(fault),
    };
    let planned = plan(shared, &connection, (scope, begin), work).await;
    let (rows, answers) = match planned {
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
    let mut changes = put_changes(&rows);
    if changes.is_empty() {
        undo(connection).await;
        return Attempt::Done(answers);
    }
    let number = i16::try_from(lane).unwrap_or_default();
    changes.add(BATCH, vec![term(shared.process), term(number), term(batch)]);
    match changes.send(&connection, "", "commit").await {
        Ok(_) => {
            Committed::of(&rows).note(shared);
            Attempt::Done(answers)
        }
        Err(fault) if fault.is_away() => {
            discard(connection);
            Attempt::Unknown(answers, Committed::of(&rows))
        }
        Err(fault) => {
            undo(connection).await;
            Attempt::Failed(fault)
        }
    }
}

type PlannedBatch = (Rows, Vec<Result<ShardAnswer>>);

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
    let first = missing_rows(&mut rows, work);
    let asked = ask_rows(&rows, first, &mut statements);
    let mut answers = statements.send(connection, begin, "").await?.into_iter();
    let found = answers.next().unwrap_or_default();
    if !scope.take_locked(&found, &genes, (shared, &mut rows))? {
        return Ok(None);
    }
    take_rows(&mut rows, asked, &mut answers)?;
    for _ in 0..ROUNDS_MAX {
        let missing = missing_rows(&mut rows, work);
        if missing.is_empty() {
            let now_ms = shared.clock.now_ms();
            let answers = work.iter().map(|(home, work)| one(&mut rows, *home, work, now_ms));
            let answers = answers.collect::<Result<Vec<_>, NotFetched>>()?;
            return Ok(Some((rows, answers)));
        }
        fetch_rows(connection, &mut rows, missing).await?;
    }
    Err(Fault::Refused("a write names more rows in every round".to_owned()))
}

/// Looks whether a batch took place: locking its shards waits until the server has ended the transaction whose outcome is not
/// known.
pub(super) async fn settle(
    shared: &Arc<ClusterCore>,
    BatchPlace { database, lane, batch }: BatchPlace,
    genes: &BTreeSet<Gene>,
) -> Result<bool, Fault> {
    let scope = LaneScope::of(lane);
    let connection = scope.connections(&shared.served[database]).take().await?;
    let mut look = Statements::default();
    scope.lock(&mut look, genes);
    look.add(LOOK, vec![term(shared.process), term(i16::try_from(lane).unwrap_or_default())]);
    let answers = look.send(&connection, "begin", "").await;
    undo(connection).await;
    let last = answers?.pop().and_then(|rows| rows.first().map(|row| row.get::<_, i64>(0)));
    Ok(last == Some(batch))
}

/// An answer of a batch that has none.
pub(crate) fn missing() -> Error {
    Error::with_detail(Reason::Internal, "a write has no answer")
}
