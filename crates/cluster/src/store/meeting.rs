//! Writes between two users of different shards, step by step: what requests and friendships take.
//!
//! `guanxi-shard` decides each step, and the [derivation](crate::derive) carries what it has done. If a write is cut off between two
//! steps, the logs continue the steps that were done, and a repetition under the request id comes to the same answer.

use super::ClusterCore;
use super::facts::{self, applied, committed, heads, lane, open};
use crate::derive::Marks;
use futures_util::future::join_all;
use guanxi_model::{Gene, Position, Result, Write};
use guanxi_ports::Applied;
use guanxi_shard::apply::Targets;
use guanxi_shard::batch::ShardWork;
use guanxi_shard::meet::{Turn, Turns, turns};
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
        MeetingStep::Heads(genes) => heads(shared, &genes).await.map(StepResult::Heads),
        MeetingStep::Reach(shards, marks) => {
            reach(shared, shards, marks).await?;
            Ok(StepResult::Reached)
        }
        MeetingStep::Work(home, work) => lane(shared, home, work).await.map(StepResult::Answer),
        MeetingStep::Done(answer) => Ok(StepResult::Answer(*answer)),
    }
}

/// Has shards take in the events of others.
async fn reach(shared: &Arc<ClusterCore>, shards: BTreeSet<Gene>, marks: Marks) -> Result<()> {
    let (map, appliers) = (shared.map(), shared.appliers()?);
    let reach = |(database, genes): (usize, Vec<Gene>)| {
        appliers.reach(database, marks.clone(), Targets::Shards(genes.into_iter().collect()))
    };
    let shards = map.by_database(shards, |gene| *gene);
    join_all(shards.into_iter().map(reach)).await.into_iter().collect()
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
