//! Filling a cluster from a dump, of a directory or of another cluster.
//!
//! The rows of a dump go to their shards, and their effects to the shards of the others, by the code that writes what plans
//! change. Each transaction notes up to which row of the dump its database has come, so that an operator repeats the same command
//! after an interruption. No process serves the cluster, or writes to it, before it is whole. Its logs begin where those of the
//! dump ended, and its history is its own, so that tokens from before are refused.

mod error;
mod filling;
mod loader;
mod names;
mod place;
mod rows;
mod source;

pub use error::LoadError;

use guanxi_model::{LogMark, Logs, Position};
use guanxi_ports::Progress;
use guanxi_postgres::Databases;
use guanxi_rows::DumpDigest;
use loader::Loader;
use place::{LoadPlace, shards};
use source::DumpSource;
use std::io::Read;

/// What a load does with the bearer tokens and sessions in a dump. Those that were revoked after it was written are in
/// it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpedSecrets {
    /// They are restored with the rest.
    Keep,
    /// They are left out.
    Revoke,
}

/// What a load does with a cluster that has all of the dump already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeCluster {
    /// It refuses: the cluster holds something.
    Refuse,
    /// It reads the dump again and writes nothing, if no process has written to the cluster since.
    ReadAgain,
}

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadReport {
    /// Where the cluster stands.
    pub position: Position,
    /// Follows.
    pub edges: u64,
    /// Other records.
    pub records: u64,
    /// Posts, deleted ones too.
    pub posts: u64,
    /// Bearer tokens in the dump: all of them are valid again, or none.
    pub tokens: u64,
    /// What the rows of the dump come to, those of tokens as well.
    pub digest: DumpDigest,
}

/// Fills a cluster that is laid out and has no users from a dump, or what is missing of it. `progress` is told of rows of the dump.
///
/// # Errors
/// [`LoadError`]; with the same dump the next call goes on where this one ended.
pub async fn restore_cluster(
    databases: &Databases,
    input: Box<dyn Read + Send>,
    (secrets, whole): (DumpedSecrets, WholeCluster),
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LoadReport, LoadError> {
    let mut source = DumpSource::open(input).await?;
    let header = source.header.clone();
    let place = LoadPlace::take(databases, &header, whole).await?;
    let mut loader = Loader::open(place, databases, header.clone(), secrets).await?;
    while let Some(rows) = source.next().await {
        loader.take(rows).await?;
        progress(Progress { done: loader.row, total: loader.row });
    }
    let (dumped, digest) = source.finish().await?;
    loader.write().await?;
    let [facts, mirrors] = loader.follows().await?;
    if [facts, mirrors] != [dumped.forward; 2] {
        return Err(LoadError::Differs(format!(
            "the dump has {} follows, the cluster {facts} and {mirrors} that follow from them",
            dumped.forward
        )));
    }
    if !loader.was_whole() {
        loader.finish().await?;
    }
    let mark = |row: crate::rows::ShardRow| LogMark { seen: row.seq, acted: 0 };
    let marks = shards(&header).map(|(gene, row)| (Logs::PerGene.of_gene(gene), mark(row)));
    Ok(LoadReport {
        position: Position::sparse(loader.history, marks),
        edges: dumped.forward,
        records: dumped.records - loader.left_out,
        posts: dumped.posts,
        tokens: loader.tokens,
        digest,
    })
}
