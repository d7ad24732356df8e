//! Writes between two users of different shards, step by step: what requests and friendships take.
//!
//! `guanxi-shard` decides each step, and the [derivation](crate::derive) carries what it has done. If a write is cut off between two
//! steps, the logs continue the steps that were done, and a repetition under the request id comes to the same answer.

use super::ClusterCore;
use super::facts::{self, acted, applied, committed, head, heads, lane, open};
use crate::derive::{Marks, Targets};
use crate::lanes::missing;
use crate::rows::Asking;
use futures_util::future::join_all;
use guanxi_model::{Error, Gene, Logs, PairCommand, Position, Reason, RequestKey, Result, Write};
use guanxi_ports::Applied;
use guanxi_shard::batch::{ShardAnswer, ShardNext, ShardWork};
use guanxi_shard::meet::{
    FinishWork, OtherShards, Turn, Turns, WAYS_MAX, is_tried_again, looks_at_the_other, pair_of, turns,
};
use guanxi_shard::route::{Home, Part};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Does a write of one command about two users of different shards.
pub(super) async fn meet(shared: &Arc<ClusterCore>, write: Write) -> Result<Applied> {
    let command = pair_of(&write).ok_or_else(missing)?;
    let (own, other) = (command.subject.gene(), command.object.gene());
    if own == other {
        return Ok(applied(lane(shared, own, ShardWork::Meet(write)).await?));
    }
    let mut tries = 0;
    loop {
        if looks_at_the_other(command.op) {
            take_in(shared, own, other).await?;
        }
        let answer = lane(shared, own, ShardWork::Meet(write.clone())).await?;
        tries += 1;
        match answer.next() {
            ShardNext::TakeBack => {
                let (result, position) = take_back(shared, command, write.request.clone()).await?;
                if !is_tried_again(&result, tries) {
                    return finish(shared, (write, command), (result, position), None).await;
                }
            }
            ShardNext::Ask(asking) => return ask(shared, (write, command), asking, &answer).await,
            ShardNext::Stand => {
                return stand(shared, (own, &BTreeSet::from([other])), write.request, answer).await;
            }
        }
    }
}

/// Has a shard take in what another one has done so far.
async fn take_in(shared: &Arc<ClusterCore>, own: Gene, other: Gene) -> Result<()> {
    let seq = head(shared, other).await?;
    reach(shared, own, (other, seq)).await
}

/// Has a shard take in the events of another one.
async fn reach(shared: &Arc<ClusterCore>, own: Gene, (source, seq): (Gene, u64)) -> Result<()> {
    let database = shared.map().database(own);
    shared.appliers()?.reach(database, Marks::from([(source, seq)]), Targets::one(own)).await
}

/// Has a write that is done in one shard stand in all others that it is about.
async fn stand(
    shared: &Arc<ClusterCore>,
    (own, others): (Gene, &BTreeSet<Gene>),
    request: Option<RequestKey>,
    mut answer: ShardAnswer,
) -> Result<Applied> {
    let seq = seq_of(&answer.position, own);
    if !answer.is_sealed() {
        let mut position = answer.planned.repeated.take().unwrap_or(answer.position);
        position.join(&to_and_fro(shared, (own, others), seq).await.map_err(committed)?);
        if let Some(request) = request {
            let seal = ShardWork::Seal(request, position.clone());
            lane(shared, own, seal).await.map_err(committed)?;
        }
        answer.position = position;
    }
    Ok(applied(answer))
}

fn seq_of(position: &Position, gene: Gene) -> u64 {
    position.in_log(Logs::PerGene.of_gene(gene)).seq()
}

/// Does many answers to requests to follow, in one commit of the shard that was asked, and has them stand in all others.
pub(super) async fn answer_many(shared: &Arc<ClusterCore>, own: Gene, write: Write) -> Result<Applied> {
    let OtherShards { all: others, looked_at } = OtherShards::of(&write, own);
    if !looked_at.is_empty() {
        let marks = heads(shared, &looked_at).await?;
        shared.appliers()?.reach(shared.map().database(own), marks, Targets::one(own)).await?;
    }
    let request = write.request.clone();
    let answer = lane(shared, own, ShardWork::Meet(write)).await?;
    stand(shared, (own, &others), request, answer).await
}

/// Has what one shard has done up to an event, and what follows from that, stand in it and in others. Returns where that is.
async fn to_and_fro(
    shared: &Arc<ClusterCore>,
    (own, others): (Gene, &BTreeSet<Gene>),
    seq: u64,
) -> Result<Position> {
    let (mut position, mut seq) = (acted(shared, own, seq), seq);
    for _ in 0..WAYS_MAX / 2 {
        reach_all(shared, others, (own, seq)).await?;
        let marks = heads(shared, others).await?;
        for (gene, seq) in &marks {
            position.join(&acted(shared, *gene, *seq));
        }
        shared.appliers()?.reach(shared.map().database(own), marks, Targets::one(own)).await?;
        seq = head(shared, own).await?;
        if seq <= seq_of(&position, own) {
            break;
        }
        position.join(&acted(shared, own, seq));
    }
    reach_all(shared, others, (own, seq)).await?;
    Ok(position)
}

/// Has many shards take in the events of another one.
async fn reach_all(shared: &Arc<ClusterCore>, others: &BTreeSet<Gene>, source: (Gene, u64)) -> Result<()> {
    let (map, appliers) = (shared.map(), shared.appliers()?);
    let reach = |(database, genes): (usize, Vec<Gene>)| {
        appliers.reach(database, Marks::from([source]), Targets::Shards(genes.into_iter().collect()))
    };
    let others = map.by_database(others.iter().copied(), |gene| *gene);
    join_all(others.into_iter().map(reach)).await.into_iter().collect()
}

/// Takes a request back in the shard of the receiver.
async fn take_back(
    shared: &Arc<ClusterCore>,
    command: PairCommand,
    request: Option<RequestKey>,
) -> Result<(Result<bool, Reason>, Position)> {
    let (own, other) = (command.subject.gene(), command.object.gene());
    let first = lane(shared, other, ShardWork::TakeBack(command, request)).await?;
    let result = first.result().ok_or_else(missing)?;
    let others = BTreeSet::from([own]);
    let stands = to_and_fro(shared, (other, &others), seq_of(&first.position, other)).await;
    let position = stands.map_err(|error| if result == Ok(true) { committed(error) } else { error })?;
    Ok((result, position))
}

/// Ends a write in the shard of the actor.
async fn finish(
    shared: &Arc<ClusterCore>,
    (write, command): (Write, PairCommand),
    (result, position): (Result<bool, Reason>, Position),
    asking: Option<Asking>,
) -> Result<Applied> {
    let is_done = result == Ok(true);
    let work = FinishWork::of((write, command), (result, position.clone()), asking.as_ref());
    let finished = lane(shared, command.subject.gene(), ShardWork::Finish(Box::new(work))).await;
    let mut answer = finished.map_err(|error| if is_done { committed(error) } else { error })?;
    answer.position.join(&position);
    Ok(applied(answer))
}

/// Takes a request back that a user has sent.
pub(super) async fn cancel(shared: &Arc<ClusterCore>, write: Write) -> Result<Applied> {
    let command = pair_of(&write).ok_or_else(missing)?;
    if let Some(known) = recalled(shared, command.subject.gene(), write.request.as_ref()).await? {
        return Ok(known);
    }
    let done = take_back(shared, command, write.request.clone()).await?;
    finish(shared, (write, command), done, None).await
}

/// Returns what was answered under a request id in the shard of the actor.
async fn recalled(
    shared: &Arc<ClusterCore>,
    own: Gene,
    request: Option<&RequestKey>,
) -> Result<Option<Applied>> {
    let Some(request) = request else { return Ok(None) };
    let known = lane(shared, own, ShardWork::Recall(request.clone())).await?;
    Ok(known.planned.repeated.is_some().then(|| applied(known)))
}

/// Asks in the other's shard what a place was reserved for.
async fn ask(
    shared: &Arc<ClusterCore>,
    (write, command): (Write, PairCommand),
    asking: Asking,
    reserved: &ShardAnswer,
) -> Result<Applied> {
    let (own, other) = (command.subject.gene(), command.object.gene());
    reach(shared, other, (own, seq_of(&reserved.position, own))).await?;
    let first = lane(shared, other, ShardWork::Ask(asking.clone(), write.request.clone())).await?;
    let result = first.result().ok_or_else(missing)?;
    if result == Err(Reason::SHARD_UNAVAILABLE) {
        return Err(Error::new(Reason::SHARD_UNAVAILABLE));
    }
    let others = BTreeSet::from([own]);
    let stands = to_and_fro(shared, (other, &others), seq_of(&first.position, other)).await;
    let position = stands.map_err(|error| if result == Ok(true) { committed(error) } else { error })?;
    finish(shared, (write, command), (result, position), Some(asking)).await
}

/// Does the things of a write one by one, of which some meet requests. The things between these go together, unless each has
/// to be known again under the request id.
pub(super) async fn each(
    shared: &Arc<ClusterCore>,
    home: Gene,
    write: Write,
    concerned: &[usize],
) -> Result<Applied> {
    let Write { commands, request, .. } = write;
    let turns = match turns(commands, request.as_ref(), concerned) {
        Turns::One(write) => return meet(shared, write).await,
        Turns::Many(turns) => turns,
    };
    let mut done = Applied { position: Position::sparse(shared.terms.history, []), outcomes: Vec::new() };
    for turn in turns {
        let more = match turn {
            Turn::Alone(write) => meet(shared, write).await,
            Turn::Together(write) => {
                let part = Part {
                    home: Home::Shard(home),
                    write,
                    partings: Vec::new(),
                    ends_in: None,
                    meets: false,
                    places: Vec::new(),
                };
                Box::pin(facts::part(shared, part)).await
            }
        };
        let more = more.map_err(open)?;
        done.position.join(&more.position);
        done.outcomes.extend(more.outcomes);
    }
    if let Some(request) = request {
        let work = ShardWork::Keep(request, done.outcomes.clone(), done.position.clone());
        lane(shared, home, work).await?;
    }
    Ok(done)
}
