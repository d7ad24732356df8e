//! Finding out which differences stand, and reading both sides of pairs.

use super::Checker;
use super::sides::{PairSide, SeenPair};
use crate::rows::{Pair, Rows, Shards, fetch_pairs, not_fetched};
use crate::store::in_one_moment;
use guanxi_model::Result;
use guanxi_postgres::{Connection, Fault};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs that are read at once.
const PAIRS_MAX: usize = 1_024;

/// How often rows are looked at that change at every look.
const LOOKS_MAX: usize = 4;

/// The result of looking at differences again.
pub(super) struct Looked<K, V> {
    /// Those that stand.
    pub standing: BTreeMap<K, V>,
    /// How many changed at every look.
    pub unsettled: u64,
    /// How many were looked at, each look counted.
    pub again: u64,
}

/// Wrong rows, by pair.
pub(super) type WrongPairs = BTreeMap<Pair, SeenPair>;

impl Checker<'_> {
    /// Returns which of some differences still are, unchanged, after everything under way was applied. `look` returns which of
    /// some keys differ as they are read now.
    pub(super) async fn look_again<
        K: Ord + Copy,
        V: PartialEq,
        F: Future<Output = Result<BTreeMap<K, V>>>,
    >(
        &self,
        mut before: BTreeMap<K, V>,
        look: impl Fn(BTreeSet<K>) -> F,
    ) -> Result<Looked<K, V>> {
        let (mut standing, mut again) = (BTreeMap::new(), 0);
        for _ in 1..LOOKS_MAX {
            if before.is_empty() {
                break;
            }
            again += before.len() as u64;
            self.settle().await?;
            let after = look(before.keys().copied().collect()).await?;
            let (same, moved): (BTreeMap<K, V>, BTreeMap<K, V>) =
                after.into_iter().partition(|(key, seen)| before.get(key) == Some(seen));
            standing.extend(same);
            before = moved;
        }
        Ok(Looked { standing, unsettled: before.len() as u64, again })
    }

    /// Returns which of some pairs differ as they are read now.
    pub(super) async fn wrong(&self, pairs: BTreeSet<Pair>) -> Result<WrongPairs> {
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
        let pairs = pairs.iter().copied();
        let mut sides = BTreeMap::new();
        for (database, pairs) in self.shared.map().by_database(pairs, |pair| pair.0.gene()) {
            for pairs in pairs.chunks(PAIRS_MAX) {
                sides.extend(self.read(&self.readers[database], pairs).await?);
            }
        }
        Ok(sides)
    }

    async fn read(&self, connection: &Connection, pairs: &[Pair]) -> Result<Vec<(Pair, PairSide)>, Fault> {
        let mut rows = Rows::new(self.shared.terms, Shards::new([], self.shared.stamps.clone()));
        in_one_moment(connection, fetch_pairs(connection, &mut rows, pairs.iter().copied())).await?;
        pairs.iter().map(|pair| Ok((*pair, PairSide::of(&rows, *pair).map_err(not_fetched)?))).collect()
    }
}
