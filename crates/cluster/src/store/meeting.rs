//! Writes between two users of different shards, step by step: what requests and friendships take.
//!
//! `guanxi-shard` decides each step, and the [derivation](crate::derive) carries what it has done. If a write is cut off between two
//! steps, the logs continue the steps that were done, and a repetition under the request id comes to the same answer.

use super::ClusterCore;
use super::facts::{self, acted, applied, committed, head, heads, lane, open};
use crate::derive::Marks;
use futures_util::future::join_all;
use guanxi_model::{Gene, Logs, Position, Result, Write};
use guanxi_ports::Applied;
use guanxi_shard::apply::Targets;
use guanxi_shard::batch::ShardWork;
use guanxi_shard::meet::{Turn, Turns, WAYS_MAX, turns};
use guanxi_shard::meeting::{Meeting, MeetingStep, StepResult};
use guanxi_shard::route::{Home, Part};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Does a write about users of different shards.
pub(super) async fn meet(shared: &Arc<ClusterCore>, mut meeting: Meeting) -> Result<Applied> {
    let mut result = StepResult::Begun;
    loop {
        let step = match meeting.next(result)? {
            MeetingStep::Done(answer) => return Ok(applied(*answer)),
            step => self::step(shared, step).await,
        };
        result = step.map_err(|error| if meeting.is_committed() { committed(error) } else { error })?;
    }
}

/// Does one step of it.
async fn step(shared: &Arc<ClusterCore>, step: MeetingStep) -> Result<StepResult> {
    match step {
        MeetingStep::TakeIn(own, sources) => {
            let marks = heads(shared, &sources).await?;
            reach(shared, own, marks).await?;
            Ok(StepResult::TakenIn)
        }
        MeetingStep::Reach(own, source) => {
            reach(shared, own, Marks::from([source])).await?;
            Ok(StepResult::TakenIn)
        }
        MeetingStep::Work(home, work) => lane(shared, home, work).await.map(StepResult::Answer),
        MeetingStep::Stand((own, seq), others) => {
            to_and_fro(shared, (own, &others), seq).await.map(StepResult::Stands)
        }
        MeetingStep::Done(answer) => Ok(StepResult::Answer(*answer)),
    }
}

/// Has a shard take in the events of others.
async fn reach(shared: &Arc<ClusterCore>, own: Gene, marks: Marks) -> Result<()> {
    shared.appliers()?.reach(shared.map().database(own), marks, Targets::one(own)).await
}

fn seq_of(position: &Position, gene: Gene) -> u64 {
    position.in_log(Logs::PerGene.of_gene(gene)).seq()
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
        reach(shared, own, marks).await?;
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
        Turns::One(write) => return meet(shared, Meeting::of_one(write)?).await,
        Turns::Many(turns) => turns,
    };
    let mut done = Applied { position: Position::sparse(shared.terms.history, []), outcomes: Vec::new() };
    for turn in turns {
        let more = match turn {
            Turn::Alone(write) => meet(shared, Meeting::of_one(write)?).await,
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
