//! Reading both sides of pairs, and finding out which differences stand.

use super::Checker;
use super::sides::{PairSide, SeenPair};
use crate::postgres::{Connection, Fault};
use crate::rows::{NotFetched, Pair, Rows, Shards};
use guanxi_model::Result;
use std::collections::{BTreeMap, BTreeSet};

/// One moment of a database.
const BEGIN: &str = "begin isolation level repeatable read read only";

/// Pairs that are read at once.
const PAIRS_MAX: usize = 1_024;

/// How often pairs are looked at that change at every look.
const LOOKS_MAX: usize = 4;

/// Wrong rows, by pair.
pub(super) type WrongPairs = BTreeMap<Pair, SeenPair>;

impl Checker<'_> {
    /// Returns which of some pairs differ, and still do, unchanged, after everything under way was applied.
    pub(super) async fn standing(&mut self, suspects: BTreeSet<Pair>) -> Result<WrongPairs> {
        let mut standing = WrongPairs::new();
        let mut before = self.wrong(suspects).await?;
        for _ in 1..LOOKS_MAX {
            if before.is_empty() {
                return Ok(standing);
            }
            crate::store::settle(&self.shared).await?;
            let mut after = self.wrong(before.keys().copied().collect()).await?;
            after.retain(|pair, seen| {
                let is_same = before.get(pair) == Some(seen);
                if is_same {
                    standing.insert(*pair, seen.clone());
                }
                !is_same
            });
            before = after;
        }
        self.report.unsettled += before.len() as u64;
        Ok(standing)
    }

    /// Returns which of some pairs differ as they are read now.
    async fn wrong(&self, pairs: BTreeSet<Pair>) -> Result<WrongPairs> {
        let mut seen = self.look(&pairs).await?;
        let now_ms = self.shared.clock.now_ms();
        seen.retain(|_, seen| !seen.differences(now_ms).is_empty());
        Ok(seen)
    }

    /// Both sides of pairs: what follows first, then the facts. A fact's version only rises, so that what follows is never newer
    /// than a fact that was read later.
    async fn look(&self, pairs: &BTreeSet<Pair>) -> Result<WrongPairs> {
        let reverse: BTreeSet<Pair> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        let their = self.sides(&reverse).await?;
        let own = self.sides(pairs).await?;
        let side =
            |sides: &BTreeMap<Pair, PairSide>, pair: Pair| sides.get(&pair).cloned().unwrap_or_default();
        let seen = |pair: &Pair| {
            let (own, their) = (side(&own, *pair), side(&their, (pair.1, pair.0)));
            (*pair, SeenPair { own, their })
        };
        Ok(pairs.iter().map(seen).collect())
    }

    /// One side of each pair, from the shard of its first user.
    pub(super) async fn sides(&self, pairs: &BTreeSet<Pair>) -> Result<BTreeMap<Pair, PairSide>> {
        let map = self.shared.map();
        let mut by_database: BTreeMap<usize, Vec<Pair>> = BTreeMap::new();
        for pair in pairs {
            by_database.entry(map.database(pair.0.gene())).or_default().push(*pair);
        }
        let mut sides = BTreeMap::new();
        for (database, pairs) in by_database {
            for pairs in pairs.chunks(PAIRS_MAX) {
                let read = self.read(&self.readers[database], pairs).await;
                sides.extend(read.map_err(Fault::told)?);
            }
        }
        Ok(sides)
    }

    async fn read(&self, connection: &Connection, pairs: &[Pair]) -> Result<Vec<(Pair, PairSide)>, Fault> {
        let mut rows = Rows::new(self.shared.terms, Shards::new([], self.shared.stamps.clone()));
        connection.run(BEGIN).await?;
        let fetched = rows.fetch_pairs(connection, pairs.iter().copied()).await;
        connection.run("rollback").await?;
        fetched?;
        pairs.iter().map(|pair| Ok((*pair, PairSide::of(&rows, *pair).map_err(unread)?))).collect()
    }
}

/// A row that was not fetched: a defect.
pub(super) fn unread(NotFetched(what): NotFetched) -> Fault {
    Fault::Refused(format!("{what} was not fetched"))
}
