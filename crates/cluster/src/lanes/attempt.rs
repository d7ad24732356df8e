//! One transaction: the shards are locked and what plans need is read, plans are made, and what they change is written. Two round
//! trips, unless a plan's rows lead to others.

use super::scope::{Committed, LaneScope};
use super::{LaneAnswer, LaneWork, between, pair_of};
use crate::postgres::{Connection, Fault, Statements, discard, term, undo};
use crate::rows::{Asking, NotFetched, Rows, ask_rows, fetch_rows, put_changes, take_rows};
use crate::store::ClusterCore;
use guanxi_model::plan::{Planned, Planner, RowKey, needed};
use guanxi_model::{Error, Gene, Op, PairCommand, Reason, Result, Write};
use std::collections::BTreeSet;
use std::sync::Arc;

const BATCH: &str = "insert into gx.lane (process, lane, batch) values ($1, $2, $3) \
    on conflict (process, lane) do update set batch = excluded.batch, at = now()";

const LOOK: &str = "select batch from gx.lane where process = $1 and lane = $2";

/// The outcome of an attempt.
pub(super) enum Attempt {
    /// It stands.
    Done(Vec<Result<LaneAnswer>>),
    /// The answer to the commit was lost: these are the answers if it took place, and what it has done to what is in memory.
    Unknown(Vec<Result<LaneAnswer>>, Committed),
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
    work: &[(Gene, LaneWork)],
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

type PlannedBatch = (Rows, Vec<Result<LaneAnswer>>);

async fn plan(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    (scope, begin): (LaneScope, &str),
    work: &[(Gene, LaneWork)],
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

/// The rows that some work needs and that are not there yet.
fn missing_rows(rows: &mut Rows, work: &[(Gene, LaneWork)]) -> BTreeSet<(Gene, RowKey)> {
    let mut missing = BTreeSet::new();
    for (home, work) in work {
        let named = named(rows, *home, work);
        missing.extend(rows.missing(*home, named));
    }
    missing
}

/// The rows that some work needs, as far as can be told from those that are there.
fn named(rows: &mut Rows, home: Gene, work: &LaneWork) -> BTreeSet<RowKey> {
    enter(rows, home, work);
    match work {
        LaneWork::Write(write) | LaneWork::Meet(write) | LaneWork::Judged(write, _) => needed(write, rows),
        LaneWork::TakeBack(command, request) => {
            between::rows_between((command.subject, command.object), request.as_ref())
        }
        LaneWork::Ask(Asking { request: asked, .. }, request) => {
            between::rows_between((asked.sender, asked.receiver), request.as_ref())
        }
        LaneWork::Release(pair, _) => between::rows_between(*pair, None),
        LaneWork::Finish(work) => between::rows_between(work.pair, work.write.request.as_ref()),
        LaneWork::Recall(request) | LaneWork::Seal(request, _) | LaneWork::Keep(request, ..) => {
            BTreeSet::from([RowKey::Answer(request.actor, request.id.clone())])
        }
    }
}

/// Goes to where some work is planned, with what other shards said for it.
fn enter(rows: &mut Rows, home: Gene, work: &LaneWork) {
    match work {
        LaneWork::Judged(_, foreign) => rows.enter_with(home, foreign.clone()),
        _ => rows.enter(home),
    }
}

/// Plans one piece of work. The inner error is its caller's.
fn one(rows: &mut Rows, home: Gene, work: &LaneWork, now_ms: u64) -> Result<Result<LaneAnswer>, NotFetched> {
    enter(rows, home, work);
    let (from, nothing) = (rows.shards.events().len(), || Planned { outcomes: Vec::new(), repeated: None });
    let (mut concerned, mut takes_back) = (Vec::new(), false);
    let is_behind = match work {
        LaneWork::Judged(write, _) => !rows.has_foreign(&needed(write, rows)),
        _ => false,
    };
    let planned = match work {
        LaneWork::Judged(..) if is_behind => Ok(nothing()),
        LaneWork::Judged(write, _) => Planner::new(rows, now_ms).write(write.clone())?,
        LaneWork::Write(write) => {
            concerned = between::concerned(rows, write)?;
            if concerned.is_empty() {
                Planner::new(rows, now_ms).write(write.clone())?
            } else {
                Ok(nothing())
            }
        }
        LaneWork::Meet(write) => {
            takes_back = match pair_of(write) {
                Some(PairCommand { op: Op::Unfollow, subject, object }) => {
                    between::asks_to_follow(rows, (subject, object))?
                }
                _ => false,
            };
            if takes_back { Ok(nothing()) } else { Planner::new(rows, now_ms).write(write.clone())? }
        }
        LaneWork::TakeBack(command, request) => {
            between::take_back(rows, (*command, request.as_ref()), now_ms)?
        }
        LaneWork::Ask(asking, request) => between::ask(rows, asking, request.as_ref(), now_ms)?,
        LaneWork::Release(pair, mark) => {
            between::release(rows, *pair, *mark, now_ms)?;
            Ok(nothing())
        }
        LaneWork::Finish(work) => between::finish(rows, work, now_ms)?,
        LaneWork::Keep(request, outcomes, position) => {
            Ok(between::keep(rows, (request, outcomes, position), now_ms))
        }
        LaneWork::Seal(request, position) => {
            rows.seal(request, position);
            Ok(nothing())
        }
        LaneWork::Recall(request) => Planner::new(rows, now_ms).recall(request)?.map(|known| {
            let (outcomes, repeated) = known.map(|known| (known.outcomes, known.position)).unzip();
            Planned { outcomes: outcomes.unwrap_or_default(), repeated }
        }),
    };
    let asking = rows.told(from);
    if let LaneWork::Meet(Write { request: Some(request), .. }) = work
        && !asking.is_empty()
    {
        rows.forget(request);
    }
    let position = rows.written(home);
    Ok(planned.map(|planned| LaneAnswer { planned, position, concerned, asking, takes_back, is_behind }))
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
