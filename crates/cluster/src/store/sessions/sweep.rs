//! Removing what is left of expired sessions, of all shards.

use crate::postgres::{Fault, SchemaName, Statements, Term, term};
use crate::rows::{by_schema, column_of, gene};
use crate::store::ClusterCore;
use crate::store::transact::in_shards;
use futures_util::future::try_join_all;
use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_model::{Gene, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio_postgres::Row;

const EXPIRED: &str =
    "select gene, id, expires_ms from gx.session where expires_ms <= $1 order by expires_ms, id limit $2";
const STILL_EXPIRED: &str = "select t.gene, t.id, t.expires_ms from unnest($1::smallint[], $2::bytea[]) as k(gene, id) \
    join {s}.session t on t.gene = k.gene and t.id = k.id where t.expires_ms <= $3";
const REMOVE: &str = "delete from {s}.session t using unnest($1::smallint[], $2::bytea[]) as k(gene, id) \
    where t.gene = k.gene and t.id = k.id";

/// Shards of one transaction.
const SHARDS_MAX: usize = 64;

/// A session that has expired: when, its id, its shard.
type Expired = (i64, Vec<u8>, Gene);

/// Removes expired sessions, the earliest first. Answers how many; fewer than asked for are all that there were.
pub(super) async fn sweep(shared: &Arc<ClusterCore>, max: usize) -> Result<usize> {
    let (max, now_ms) = (max.min(SESSION_SWEEP_MAX as usize), shared.clock.now_ms());
    let mut swept = 0;
    // Some that were found may have been swept by somebody else meanwhile.
    while swept < max {
        let found = earliest(shared, now_ms, max - swept).await?;
        let are_all = found.len() < max - swept;
        let mut places: BTreeMap<usize, Vec<Expired>> = BTreeMap::new();
        for one in found {
            places.entry(shared.map().database(one.2)).or_default().push(one);
        }
        for found in places.into_values() {
            swept += remove(shared, found, now_ms).await?;
        }
        if are_all {
            break;
        }
    }
    Ok(swept)
}

/// The sessions of all databases that have expired first.
async fn earliest(shared: &Arc<ClusterCore>, now_ms: u64, max: usize) -> Result<Vec<Expired>> {
    let asked = shared.served.iter().map(async |database| {
        let mut statements = Statements::default();
        let limit = i64::try_from(max).unwrap_or(i64::MAX);
        statements.add(EXPIRED, vec![term(now_ms.cast_signed()), term(limit)]);
        database.others.ask(&statements).await
    });
    let rows = try_join_all(asked).await.map_err(Fault::told)?;
    let mut found = rows.iter().flatten().flatten().map(read).collect::<Result<Vec<Expired>>>()?;
    found.sort_unstable();
    found.truncate(max);
    Ok(found)
}

fn read(row: &Row) -> Result<Expired> {
    Ok((row.get(2), row.get(1), gene(row, 0).map_err(Fault::told)?))
}

/// Removes sessions of one database.
async fn remove(shared: &Arc<ClusterCore>, found: Vec<Expired>, now_ms: u64) -> Result<usize> {
    let mut by_shard: BTreeMap<Gene, Vec<Vec<u8>>> = BTreeMap::new();
    for (_, id, home) in found {
        by_shard.entry(home).or_default().push(id);
    }
    let shards: Vec<(Gene, Vec<Vec<u8>>)> = by_shard.into_iter().collect();
    let mut removed = 0;
    for shards in shards.chunks(SHARDS_MAX) {
        let genes: BTreeSet<Gene> = shards.iter().map(|(home, _)| *home).collect();
        let keys = shards.iter().flat_map(|(home, ids)| ids.iter().map(|id| (*home, id.clone())));
        let schemas: BTreeMap<SchemaName, Vec<(Gene, Vec<u8>)>> = by_schema(shared.terms.layout, keys);
        let look = |statements: &mut Statements| {
            for (schema, keys) in &schemas {
                let mut terms = terms(keys);
                terms.push(term(now_ms.cast_signed()));
                statements.add_in(*schema, STILL_EXPIRED, terms);
            }
        };
        let decide = |rows: &[Vec<Row>]| {
            let still = rows.iter().flatten().map(read).collect::<Result<Vec<Expired>>>()?;
            let (mut changes, many) = (Statements::default(), still.len());
            let keys = still.into_iter().map(|(_, id, home)| (home, id));
            for (schema, keys) in by_schema(shared.terms.layout, keys) {
                changes.add_in(schema, REMOVE, terms(&keys));
            }
            Ok((changes, many))
        };
        removed += in_shards(shared, &genes, look, decide).await?;
    }
    Ok(removed)
}

fn terms(keys: &[(Gene, Vec<u8>)]) -> Vec<Term> {
    vec![column_of!(keys, (home, _) => i16::from(home.0)), column_of!(keys, (_, id) => id.clone())]
}
