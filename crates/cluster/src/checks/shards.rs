//! Shards that are not as the map says: their users cannot be reached, and no event is applied to them.

use super::{Checker, RepairCheck};
use crate::misplaced::{Misplaced, SHARDS, misplaced};
use crate::shard_map;
use crate::store::{ClusterCore, heads, settle};
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Connection, Statements};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long events are waited for where some can never be applied.
const MISPLACED_WAIT: Duration = Duration::from_millis(500);

/// Returns the shards of all databases that are not as the map says. Checks of events leave that to the others.
pub(super) async fn misplaced_shards(
    shared: &ClusterCore,
    check: RepairCheck,
    readers: &[Connection],
) -> Result<Vec<Misplaced>> {
    if !matches!(check, RepairCheck::Full | RepairCheck::Digests) {
        return Ok(Vec::new());
    }
    let map = shard_map(shared.databases()).await;
    let map = map.map_err(|error| Error::with_detail(Reason::SHARD_UNAVAILABLE, error))?;
    let mut found = Vec::new();
    for (database, reader) in shared.databases().all().iter().zip(readers) {
        let shards = Statements::one(SHARDS, Vec::new()).rows(reader).await?;
        found.extend(misplaced(&map, database.name(), &shards));
    }
    Ok(found)
}

impl Checker<'_> {
    /// Reports the shards that are not as the map says.
    pub(super) fn tell_misplaced(&mut self) {
        for shard in &self.misplaced {
            self.report.add_of(DifferenceKind::ShardMisplaced, None, None, shard.problem.clone());
        }
    }

    /// Has everything applied that the logs have now.
    pub(super) async fn settle(&self) -> Result<()> {
        settle_or_go_on(&self.shared, &self.misplaced).await.map(drop)
    }
}

/// Has everything applied that the logs have now; returns where they stood. Where shards are not as the map says, some events are
/// never applied: what follows from them is missing, and everything is compared all the same.
pub(super) async fn settle_or_go_on(shared: &Arc<ClusterCore>, misplaced: &[Misplaced]) -> Result<Position> {
    let settled = settle(shared);
    if misplaced.is_empty() {
        return settled.await;
    }
    match timeout(MISPLACED_WAIT, settled).await {
        Ok(Ok(position)) => Ok(position),
        Ok(Err(_)) | Err(_) => Ok(heads(shared).await?),
    }
}
