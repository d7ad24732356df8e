//! Locking shards, which every transaction that writes does first, in the order of their genes.

use super::{ProcessClock, ShardRow, Shards, columns};
use crate::map::GeneMap;
use guanxi_model::Gene;
use guanxi_postgres::{Connection, Fault, Statements, term};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_postgres::Row;

/// In the order of the genes, so that two transactions never wait for each other.
const LOCK: &str = "select gene, epoch, writable, seq, stamp, post_high, noted from gx.shard \
    where gene = any($1) order by gene for update";

/// The same of those that no other transaction holds.
const LOCK_FREE: &str = "select gene, epoch, writable, seq, stamp, post_high from gx.shard \
    where gene = any($1) order by gene for update skip locked";

/// Where all of them are.
const PLACES: &str = "select gene, epoch, writable from gx.shard where gene = any($1)";

/// Those of some shards that no other transaction holds.
const FREE: &str = "select gene from gx.shard where gene = any($1) order by gene for update skip locked";

/// Begins a transaction that waits for a moment for the rows of shards: what has none of the held ones goes on behind it.
pub(crate) const BEGIN_SOON: &str = "begin; set local lock_timeout = 100";

/// Begins a transaction that waits longer, and holds up nothing else meanwhile.
pub(crate) const BEGIN_APART: &str = "begin; set local lock_timeout = 300";

/// The result of locking shards.
pub(crate) enum Locked {
    /// They are locked.
    All(Shards),
    /// One of them is not here, or moves: the map has changed since it was read.
    Moved,
}

/// Adds the statement that locks shards.
pub(crate) fn lock_shards(statements: &mut Statements, genes: &BTreeSet<Gene>) {
    let genes: Vec<i16> = genes.iter().map(|gene| gene.0.into()).collect();
    statements.add(LOCK, vec![term(genes)]);
}

/// Locks those of some shards whose rows no other transaction holds. Returns them with the others; none if one of all is not where
/// the map says.
pub(crate) async fn lock_free(
    connection: &Connection,
    genes: &BTreeSet<Gene>,
    map: &GeneMap,
    clock: Arc<ProcessClock>,
) -> Result<Option<(Shards, BTreeSet<Gene>)>, Fault> {
    let all: Vec<i16> = genes.iter().map(|gene| gene.0.into()).collect();
    let mut lock = Statements::one(LOCK_FREE, vec![term(all.clone())]);
    lock.add(PLACES, vec![term(all)]);
    let mut answers = lock.send(connection, "", "").await?.into_iter();
    let (found, places) = (answers.next().unwrap_or_default(), answers.next().unwrap_or_default());
    if !are_here(&places, genes, map)? {
        return Ok(None);
    }
    let mut held = genes.clone();
    for row in &found {
        held.remove(&columns::gene(row, 0)?);
    }
    let free = genes.difference(&held).copied().collect();
    Ok(match locked(&found, &free, map, clock)? {
        Locked::All(shards) => Some((shards, held)),
        Locked::Moved => None,
    })
}

/// Returns whether all of some shards are where the map says, by the rows of their places.
fn are_here(rows: &[Row], genes: &BTreeSet<Gene>, map: &GeneMap) -> Result<bool, Fault> {
    for row in rows {
        if row.get::<_, i64>(1) != map.epoch(columns::gene(row, 0)?) || !row.get::<_, bool>(2) {
            return Ok(false);
        }
    }
    Ok(rows.len() == genes.len())
}

/// Returns those of some shards whose rows other transactions hold.
pub(crate) async fn held(connection: &Connection, genes: &BTreeSet<Gene>) -> Result<BTreeSet<Gene>, Fault> {
    let all: Vec<i16> = genes.iter().map(|gene| gene.0.into()).collect();
    let free = Statements::one(FREE, vec![term(all)]).send(connection, "begin", "rollback").await?;
    let mut held = genes.clone();
    for row in free.iter().flatten() {
        held.remove(&columns::gene(row, 0)?);
    }
    Ok(held)
}

/// Reads its answer.
pub(crate) fn locked(
    rows: &[Row],
    genes: &BTreeSet<Gene>,
    map: &GeneMap,
    clock: Arc<ProcessClock>,
) -> Result<Locked, Fault> {
    let mut shards = Vec::with_capacity(rows.len());
    for row in rows {
        let gene = columns::gene(row, 0)?;
        let (epoch, is_writable): (i64, bool) = (row.get(1), row.get(2));
        if epoch != map.epoch(gene) || !is_writable {
            return Ok(Locked::Moved);
        }
        let number = |index: usize| row.get::<_, i64>(index).cast_unsigned();
        let stamp = columns::stamp(row, 4);
        shards.push((gene, ShardRow { seq: number(3), stamp, post_high: number(5) }));
    }
    if shards.len() < genes.len() {
        return Ok(Locked::Moved);
    }
    Ok(Locked::All(Shards::new(shards, clock)))
}
