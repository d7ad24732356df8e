//! Data into and out of a cluster: restoring a dump, and moving a directory.

use super::cluster::Cluster;
use super::directory::{Directory, Dump, Restored};
use super::layout::{databases, failure};
use crate::config::Settings;
use crate::failure::{Context, Failure, Outcome};
use guanxi_cluster::{DumpedSecrets, LoadError, LoadReport, WholeCluster, restore_cluster};
use guanxi_model::{Position, Result};
use guanxi_ports::{Progress, Upkeep};
use guanxi_rows::{DumpDigest, DumpReader};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufReader, BufWriter, PipeReader, Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinHandle;

/// Bytes of a pipe that are written at once.
const BUFFER_LEN: usize = 256 << 10;

/// The result of moving a directory.
#[derive(Clone, Debug, Serialize)]
pub struct Migrated {
    /// What was restored.
    #[serde(flatten)]
    pub restored: Restored,
    /// Rows of each kind, which are the same on both sides.
    pub compared: BTreeMap<String, u64>,
}

/// Reads a dump into the cluster of the settings.
pub async fn restore_into_cluster(
    Dump { name, bytes }: Dump,
    settings: &Settings,
    revoke_tokens: bool,
    mut progress: impl FnMut(Progress) + Send,
) -> Outcome<Restored> {
    let (databases, secrets) = (databases(settings)?, secrets(revoke_tokens));
    let input = Box::new(BufReader::with_capacity(BUFFER_LEN, bytes));
    let report = restore_cluster(&databases, input, (secrets, WholeCluster::Refuse), &mut progress).await;
    let report =
        report.map_err(|error| load_failure(error).while_doing(format_args!("cannot restore {name}")))?;
    Ok(restored(&report, revoke_tokens))
}

/// Moves a directory into the cluster of the settings, and compares both.
pub async fn migrate(
    from: &Path,
    settings: &Settings,
    revoke_tokens: bool,
    mut progress: impl FnMut(&'static str, Progress) + Send,
) -> Outcome<Migrated> {
    let databases = databases(settings)?;
    let local = Directory::open(from, settings)?;
    let total = Arc::new(AtomicU64::new(0));
    let moved = async {
        let (input, dump) = piped(local.ports().upkeep().clone(), &total)?;
        let mut told = |now: Progress| {
            progress("move", Progress { total: total.load(Ordering::Relaxed).max(now.total), ..now });
        };
        // One that was cut off while it compared finds a cluster that has everything.
        let terms = (secrets(revoke_tokens), WholeCluster::ReadAgain);
        let loaded = restore_cluster(&databases, Box::new(input), terms, &mut told).await;
        // A writer whose pipe has no reader any more says only that; the reader knows why.
        let dumped = dump.await?;
        let report = loaded.map_err(load_failure)?;
        dumped.context("cannot read the directory")?;
        Ok::<_, Failure>(report)
    };
    let report = moved.await;
    local.close().await?;
    let report = report?;
    let there = cluster_digest(settings, &mut progress).await?;
    let compared = compare(&report.digest, &there, revoke_tokens)?;
    Ok(Migrated { restored: restored(&report, revoke_tokens), compared })
}

/// Returns the digest of the rows of the cluster.
async fn cluster_digest(
    settings: &Settings,
    progress: &mut (impl FnMut(&'static str, Progress) + Send),
) -> Outcome<DumpDigest> {
    let cluster = Cluster::open_to_work(settings).await?;
    let total = Arc::new(AtomicU64::new(0));
    let (mut input, dump) = piped(cluster.store().clone(), &total)?;
    progress("compare", Progress { done: 0, total: 0 });
    let digest = tokio::task::spawn_blocking(move || DumpReader::new(&mut input)?.digest());
    let digest = digest.await?;
    dump.await?.context("cannot read the cluster")?;
    digest.context("cannot read the cluster")
}

/// Rows of each kind, if both sides have the same.
fn compare(ours: &DumpDigest, theirs: &DumpDigest, tokens_left_out: bool) -> Outcome<BTreeMap<String, u64>> {
    // Credentials, sessions, and where these are listed.
    let of_tokens = ["records K", "records H", "records U", "records e"];
    let left_out = |kind: &str| tokens_left_out && of_tokens.contains(&kind);
    let differing = ours.differing(theirs).into_iter().filter(|(kind, ..)| !left_out(kind));
    let differing: Vec<String> = differing
        .map(|(kind, here, there)| format!("{kind}: {here} in the directory, {there} in the cluster"))
        .collect();
    if differing.is_empty() {
        return Ok(ours.counts().filter(|(kind, _)| !left_out(kind)).collect());
    }
    Err(Failure::new(format_args!(
        "the cluster does not have what the directory has ({}); go on with the directory, and report this",
        differing.join("; ")
    )))
}

/// A dump that is written while it is read.
fn piped(
    upkeep: Arc<dyn Upkeep>,
    total: &Arc<AtomicU64>,
) -> Outcome<(impl Read + Send + use<>, JoinHandle<Result<Position>>)> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let (reader, total): (BufReader<PipeReader>, _) =
        (BufReader::with_capacity(BUFFER_LEN, reader), total.clone());
    let dump = tokio::task::spawn_blocking(move || {
        let mut writer = BufWriter::with_capacity(BUFFER_LEN, writer);
        let position = upkeep.dump(&mut writer, &mut |now| total.store(now.total, Ordering::Relaxed))?;
        let flushed = writer.flush();
        flushed.map_err(|error| guanxi_model::Error::with_detail(guanxi_model::Reason::Internal, error))?;
        Ok(position)
    });
    Ok((reader, dump))
}

const fn secrets(revoke_tokens: bool) -> DumpedSecrets {
    if revoke_tokens { DumpedSecrets::Revoke } else { DumpedSecrets::Keep }
}

fn restored(report: &LoadReport, tokens_revoked: bool) -> Restored {
    Restored {
        edges: report.edges,
        records: report.records,
        seq: report.position.event_count(),
        token: report.position.to_token(),
        dumped_tokens: report.tokens,
        tokens_revoked,
    }
}

fn load_failure(error: LoadError) -> Failure {
    match error {
        LoadError::Cluster(error) => failure(error),
        error => Failure::from(error),
    }
}
