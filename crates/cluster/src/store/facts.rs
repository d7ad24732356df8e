//! Writing: each part of a write in its home, and its effects that must be in other shards before the answer.

use super::foreign::{check_seen, foreign_rows};
use super::{CarryMode, ClusterCore, ClusterStore, meeting};
use crate::derive::Marks;
use crate::lanes::missing;
use crate::rows::{column_of, gene, number};
use futures_util::future::join_all;
use guanxi_model::error::{WRITE_COMMITTED, WRITE_OPEN};
use guanxi_model::{Error, EventAt, Gene, ImportCursor, Logs, Outcome, Position, Reason, Result, Write};
use guanxi_ports::{Applied, BoxFuture, Facts};
use guanxi_postgres::{Fault, Statements, term};
use guanxi_shard::apply::Targets;
use guanxi_shard::batch::{ShardAnswer, ShardWork};
use guanxi_shard::meet::{FinishWork, pair_of};
use guanxi_shard::meeting::Meeting;
use guanxi_shard::route::{Home, Part, Parting, Split, change_standings, imported_to, is_about_posts, split};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Facts for ClusterStore {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        // A write goes on when no caller waits for it any more: its later steps would otherwise wait for the follower of the
        // logs.
        let shared = self.shared.clone();
        Box::pin(async move {
            shared.clock_watch.check()?;
            let written = tokio::spawn(async move { apply(&shared, write).await });
            written.await.map_err(|_| Error::new(Reason::OutcomeUnknown))?
        })
    }
}

async fn apply(shared: &Arc<ClusterCore>, mut write: Write) -> Result<Applied> {
    write.check()?;
    let cursor = write.cursor.take();
    let Split { stages, outcomes } = split(write)?;
    if let Some(cursor) = &cursor {
        check_job(shared, cursor).await?;
    }
    let mut position = Position::sparse(shared.terms.history, []);
    let mut all: Vec<Option<Outcome>> = (0..outcomes).map(|_| None).collect();
    let last = stages.len().saturating_sub(1);
    for (nth, stage) in stages.into_iter().enumerate() {
        let places: Vec<Vec<usize>> = stage.iter().map(|part| part.places.clone()).collect();
        let parts = stage.into_iter().map(|part| self::part(shared, part));
        // All of them end, for every result of each.
        let done = whole(join_all(parts).await, nth == last)?;
        for (places, of_part) in places.into_iter().zip(done) {
            position.join(&of_part.position);
            for (place, outcome) in places.into_iter().zip(of_part.outcomes) {
                all[place] = Some(outcome);
            }
        }
    }
    let outcomes = all.into_iter().collect::<Option<Vec<_>>>().ok_or_else(missing)?;
    let applied = Applied { position, outcomes };
    if let Some(cursor) = &cursor {
        move_job(shared, cursor).await?;
    }
    Ok(applied)
}

/// Returns what the parts of a stage came to. An error says that the write is committed only if every part of it is.
fn whole(parts: Vec<Result<Applied>>, is_last: bool) -> Result<Vec<Applied>> {
    let is_committed =
        |error: &Error| matches!(error.reason, Reason::ShardUnavailable { write: WRITE_COMMITTED });
    let all_are = is_last && parts.iter().all(|part| part.as_ref().err().is_none_or(is_committed));
    let parts = parts.into_iter().collect::<Result<Vec<_>>>();
    parts.map_err(|error| if all_are { error } else { open(error) })
}

/// The same error of a write whose facts are durable: it completes by itself.
pub(super) fn committed(error: Error) -> Error {
    told_of(error, WRITE_COMMITTED)
}

/// The same error of a write of which some part may not stand.
pub(super) fn open(error: Error) -> Error {
    told_of(error, WRITE_OPEN)
}

fn told_of(error: Error, write: &'static str) -> Error {
    match error.reason {
        Reason::ShardUnavailable { .. } => Error { reason: Reason::ShardUnavailable { write }, ..error },
        _ => error,
    }
}

/// Does a part, and its effects that must be in other shards before its answer.
pub(super) async fn part(shared: &Arc<ClusterCore>, part: Part) -> Result<Applied> {
    let Part { home, write, partings, ends_in, meets, .. } = part;
    let home = match home {
        Home::Shard(home) => home,
        Home::Settings => return shared.lanes()?.set(write).await.map(applied),
    };
    if meets {
        let are_many = write.commands.len() > 1;
        let meeting = if are_many { Meeting::of_answers(write, home) } else { Meeting::of_one(write)? };
        return meeting::meet(shared, meeting).await;
    }
    let stands_everywhere = shared.options.carrying == CarryMode::Sync || change_standings(&write.commands);
    let Some(ends_in) = ends_in else {
        let imported = imported_to(&write.commands);
        let request = write.request.clone().filter(|_| !partings.is_empty());
        let mut answer = written(shared, home, write.clone()).await?;
        if !answer.concerned.is_empty() {
            return meeting::each(shared, home, write, &answer.concerned).await;
        }
        // What a repetition answers may be the work of a write that was cut off.
        let stands_everywhere = stands_everywhere && (answer.is_told || answer.planned.repeated.is_some());
        let seq = answer.position.in_log(Logs::PerGene.of_gene(home)).seq();
        if !answer.is_sealed() {
            let mut position = answer.planned.repeated.take().unwrap_or(answer.position);
            for parting in partings {
                position.join(&stand_in_both(shared, parting, seq).await.map_err(committed)?);
            }
            if let Some(request) = request {
                let seal = ShardWork::Seal(request, position.clone());
                lane(shared, home, seal).await.map_err(committed)?;
            }
            answer.position = position;
        }
        if stands_everywhere {
            everywhere(shared, home, seq).await.map_err(committed)?;
        } else {
            in_databases_of(shared, &imported, (home, seq)).await.map_err(committed)?;
        }
        return Ok(applied(answer));
    };
    // The other user's shard has the fact, and the actor is answered from its own.
    if let Some(known) = recalled(shared, ends_in, &write).await? {
        return Ok(applied(known));
    }
    let first = lane(shared, home, ShardWork::Write(write.clone())).await?;
    let seq = first.position.in_log(Logs::PerGene.of_gene(home)).seq();
    let database = shared.map().database(ends_in);
    shared
        .appliers()?
        .reach(database, Marks::from([(home, seq)]), Targets::one(ends_in))
        .await
        .map_err(committed)?;
    let (result, command) = first.result().zip(pair_of(&write)).ok_or_else(missing)?;
    let acted = acted(shared, home, seq);
    let work = FinishWork::of((write, command), (result, acted.clone()), None);
    let finish = ShardWork::Finish(Box::new(work));
    let mut answer = lane(shared, ends_in, finish).await.map_err(committed)?;
    answer.position.join(&acted);
    Ok(applied(answer))
}

/// Returns what was answered in a shard under the request id of a write.
async fn recalled(shared: &Arc<ClusterCore>, home: Gene, write: &Write) -> Result<Option<ShardAnswer>> {
    let Some(request) = write.request.clone() else { return Ok(None) };
    let known = lane(shared, home, ShardWork::Recall(request)).await?;
    Ok(Some(known).filter(|known| known.planned.repeated.is_some()))
}

/// How often other shards are asked for what a write about posts reads.
const JUDGED_MAX: usize = 8;

/// Does a write in its home. One about posts is judged by what the shards of other posts say.
async fn written(shared: &Arc<ClusterCore>, home: Gene, write: Write) -> Result<ShardAnswer> {
    check_seen(shared, &write).await?;
    if !write.commands.iter().any(is_about_posts) {
        return lane(shared, home, ShardWork::Write(write)).await;
    }
    for _ in 0..JUDGED_MAX {
        let foreign = foreign_rows(shared, home, &write).await?;
        let answer = lane(shared, home, ShardWork::Judged(write.clone(), Arc::new(foreign))).await?;
        if !answer.is_behind {
            return Ok(answer);
        }
    }
    Err(Fault::Again("what the write reads of other shards changes all the time".to_owned()).told())
}

pub(super) fn applied(answer: ShardAnswer) -> Applied {
    let ShardAnswer { planned, position, .. } = answer;
    Applied { position: planned.repeated.unwrap_or(position), outcomes: planned.outcomes }
}

pub(super) async fn lane(shared: &Arc<ClusterCore>, home: Gene, work: ShardWork) -> Result<ShardAnswer> {
    shared.lanes()?.run(shared.map().database(home), home, work).await
}

/// Returns what was done up to an event of a log.
pub(super) fn acted(shared: &Arc<ClusterCore>, gene: Gene, seq: u64) -> Position {
    Position::acted(shared.terms.history, Logs::PerGene, EventAt::new(Logs::PerGene.of_gene(gene), seq))
}

/// Has a block, or its end, stand in the shards of both. Returns where it stands in the other's.
async fn stand_in_both(shared: &Arc<ClusterCore>, parting: Parting, seq: u64) -> Result<Position> {
    let (own, other) = (parting.subject.gene(), parting.object.gene());
    if own == other {
        return Ok(acted(shared, own, seq));
    }
    let map = shared.map();
    shared.appliers()?.reach(map.database(other), Marks::from([(own, seq)]), Targets::one(other)).await?;
    let seq = head(shared, other).await?;
    shared.appliers()?.reach(map.database(own), Marks::from([(other, seq)]), Targets::one(own)).await?;
    Ok(acted(shared, other, seq))
}

/// Has what follows from a shard's events stand in every database.
async fn everywhere(shared: &Arc<ClusterCore>, home: Gene, seq: u64) -> Result<()> {
    let appliers = shared.appliers()?;
    let reach = |database| appliers.reach(database, Marks::from([(home, seq)]), Targets::All);
    let all = join_all((0..shared.served.len()).map(reach)).await;
    all.into_iter().collect()
}

/// Has what follows from a shard's events stand in the databases of some shards, but where another session holds a row.
async fn in_databases_of(
    shared: &Arc<ClusterCore>,
    genes: &BTreeSet<Gene>,
    (home, seq): (Gene, u64),
) -> Result<()> {
    let appliers = shared.appliers()?;
    let databases = shared.map().by_database(genes, |gene| **gene).into_keys();
    let reach = |database| appliers.reach(database, Marks::from([(home, seq)]), Targets::Free);
    join_all(databases.map(reach)).await.into_iter().collect()
}

const HEADS: &str = "select gene, seq, epoch from gx.shard where gene = any($1)";

/// Returns where a log stands.
pub(crate) async fn head(shared: &Arc<ClusterCore>, gene: Gene) -> Result<u64> {
    heads(shared, &BTreeSet::from([gene])).await?.remove(&gene).ok_or_else(missing)
}

/// Returns where some logs stand: one question to each of their databases.
pub(super) async fn heads(shared: &Arc<ClusterCore>, genes: &BTreeSet<Gene>) -> Result<Marks> {
    let map = shared.map();
    let by_database = map.by_database(genes, |gene| **gene);
    let asked = join_all(by_database.into_iter().map(async |(database, genes)| {
        let genes = column_of!(genes, gene => i16::from(gene.0));
        shared.served[database].asks.rows(&Statements::one(HEADS, vec![genes])).await
    }));
    let mut marks = Marks::new();
    for rows in asked.await {
        for row in &rows? {
            let gene = gene(row, 0)?;
            let seq = number(row, 1);
            if row.get::<_, i64>(2) == map.epoch(gene) {
                shared.note_head(gene, seq);
                marks.insert(gene, seq);
            }
        }
    }
    if marks.len() < genes.len() {
        shared.reload_soon();
        return Err(Fault::Again("a shard is moving".to_owned()).told());
    }
    Ok(marks)
}

const JOB: &str = "select position from gx.import_job where job = $1";
const BEGIN_JOB: &str =
    "insert into gx.import_job (job, position) values ($1, $2) on conflict do nothing returning position";
const MOVE_JOB: &str = "update gx.import_job set position = $3, updated_at = now() where job = $1 and position = $2 returning position";

/// Returns where an import job stands; 0 for a new one.
pub(crate) async fn job(shared: &Arc<ClusterCore>, job: &str) -> Result<Option<u64>> {
    let asked = Statements::one(JOB, vec![term(job.to_owned())]);
    let rows = shared.served[0].asks.rows(&asked).await?;
    Ok(rows.first().map(|row| number(row, 0)))
}

/// What a job covers is idempotent, so that its mark is looked at before and moved after.
async fn check_job(shared: &Arc<ClusterCore>, cursor: &ImportCursor) -> Result<()> {
    let position = job(shared, &cursor.job).await?.unwrap_or_default();
    if position == cursor.from {
        return Ok(());
    }
    Err(Error::new(Reason::ImportPositionMismatch { position }))
}

async fn move_job(shared: &Arc<ClusterCore>, cursor: &ImportCursor) -> Result<()> {
    let mut statements = Statements::default();
    let (from, to) = (cursor.from.cast_signed(), cursor.to.cast_signed());
    if cursor.from == 0 {
        statements.add(BEGIN_JOB, vec![term(cursor.job.clone()), term(to)]);
    }
    statements.add(MOVE_JOB, vec![term(cursor.job.clone()), term(from), term(to)]);
    let asked = async { statements.send(&*shared.served[0].asks.take().await?, "begin", "commit").await };
    let rows = asked.await?;
    if rows.iter().flatten().next().is_some() {
        return Ok(());
    }
    let position = job(shared, &cursor.job).await?.unwrap_or_default();
    Err(Error::new(Reason::ImportPositionMismatch { position }))
}
