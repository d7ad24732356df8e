//! A graph of follows with what is said beside it, on all systems.

use super::circles::Circles;
use super::in_process::InProcess;
use super::right::Blocks;
use crate::feed::store;
use crate::peers::guanxi::{Installation, Running};
use crate::run::Place;
use guanxi_load::fill::written;
use guanxi_load::graph::FollowGraph;
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Command as Said, Op, PairCommand, Uid, Write};
use guanxi_ports::Store;
use std::path::Path;

/// When scores were added, in Unix milliseconds, and in which time they halve: the product's default.
const SCORED_MS: u64 = 1_790_000_000_000;
/// See [`SCORED_MS`].
const HALF_LIFE_MS: u64 = 7 * 24 * 3_600 * 1_000;

/// guanxi with a graph: served, and a copy of it in this process.
pub(crate) struct Both {
    /// The server.
    pub(crate) running: Running,
    /// The copy.
    pub(crate) inside: InProcess,
}

impl Both {
    /// Loads a graph with blocks and scores, copies it, opens the copy and serves the other.
    pub(crate) fn start(place: &Place, graph: &FollowGraph, said: Vec<Said>) -> Result<Self, String> {
        let installation = Installation::new(place)?;
        installation.load(graph)?;
        crate::machine::runtime()?.block_on(say(&installation.data, said))?;
        let copy = installation.copied()?;
        Ok(Self { inside: InProcess::open(&copy.data)?, running: installation.serve(&[])? })
    }
}

/// The blocks of a graph as guanxi writes them.
pub(crate) fn blocks_of(graph: &FollowGraph, blocks: &Blocks) -> Result<Vec<Said>, String> {
    let block = |(subject, object): &(u32, u32)| {
        let (subject, object) = (uid(graph, *subject)?, uid(graph, *object)?);
        Ok(PairCommand { op: Op::Block, subject, object }.into())
    };
    blocks.pairs().iter().map(block).collect()
}

/// Blocks and scores of circles.
pub(crate) fn said_in(circles: &Circles) -> Result<Vec<Said>, String> {
    let graph = &circles.graph;
    let mut said = blocks_of(graph, &circles.blocks)?;
    for (viewer, scored) in &circles.scored {
        let weights = (1..=scored.len() as u64).rev();
        let additions = scored.iter().zip(weights).map(|(other, weight)| {
            Ok::<_, String>((uid(graph, *other)?, Score::of(weight, SCORED_MS, HALF_LIFE_MS)))
        });
        let additions = additions.collect::<Result<Vec<_>, _>>()?;
        let actor = uid(graph, *viewer)?;
        let command = AffinityCommand { actor, half_life_ms: HALF_LIFE_MS, additions, is_fact: true };
        said.push(command.into());
    }
    Ok(said)
}

fn uid(graph: &FollowGraph, user: u32) -> Result<Uid, String> {
    Uid::new(graph.uid(user)).map_err(|error| format!("{error:?}"))
}

/// Writes commands into a directory.
pub(crate) async fn say(dir: &Path, said: Vec<Said>) -> Result<(), String> {
    let opened = store::open(dir)?;
    let written = write_all(&*opened.backend.store, said).await;
    opened.close().await?;
    written.map_err(|error| format!("{}: {error:?}", dir.display()))
}

/// Pairs in batches, and scores each by themselves: a batch of them all would be too large.
async fn write_all(graph: &dyn Store, said: Vec<Said>) -> guanxi_model::Result<()> {
    let (scores, pairs): (Vec<Said>, Vec<Said>) =
        said.into_iter().partition(|command| matches!(command, Said::Affinity(_)));
    for batch in pairs.chunks(BATCH_MAX as usize).chain(scores.chunks(1)) {
        written(&graph.apply(Write::all(batch.to_vec())).await?)?;
    }
    Ok(())
}
