//! Digests of follows and of blocks: for each pair of genes how many stand, and the sum of their hashes, kept on both sides in the
//! commits that change them. Where both sides agree, and nothing is under way, what follows is what the facts are.

use crate::cells::{BlockRow, FanRow, FollowRow, MirrorRow, Pair, Rows};
use guanxi_model::{Gene, HistoryId, Stamp};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What digests are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DigestKind {
    /// Follows that stand.
    Follows,
    /// Blocks that stand. Their place in lists is the blocker's own, and not hashed.
    Blocks,
}

impl DigestKind {
    /// As a column has it.
    pub const fn column(self) -> i16 {
        match self {
            Self::Follows => 1,
            Self::Blocks => 2,
        }
    }
}

/// The side of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DigestSide {
    /// In the shard of the facts.
    Facts,
    /// In the shard of what follows.
    Mirrors,
}

impl DigestSide {
    /// As a column has it.
    pub const fn column(self) -> i16 {
        match self {
            Self::Facts => 0,
            Self::Mirrors => 1,
        }
    }
}

/// A digest: of which gene, on which side, with which other gene.
pub type DigestCell = (Gene, DigestSide, Gene);

/// By how much a digest changes, or what it is: the sum is modulo 2^128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DigestDelta {
    /// Edges.
    pub count: i64,
    /// Of their hashes.
    pub sum: u128,
}

impl DigestDelta {
    /// One edge more.
    pub const fn add(&mut self, hash: u128) {
        (self.count, self.sum) = (self.count.wrapping_add(1), self.sum.wrapping_add(hash));
    }

    /// One edge less.
    pub const fn remove(&mut self, hash: u128) {
        (self.count, self.sum) = (self.count.wrapping_sub(1), self.sum.wrapping_sub(hash));
    }

    /// Returns what is to be added to another one so that it becomes this.
    #[must_use]
    pub const fn since(self, other: Self) -> Self {
        Self { count: self.count.wrapping_sub(other.count), sum: self.sum.wrapping_sub(other.sum) }
    }
}

/// Returns the hash of an edge with its place in lists and its version. Its key is the cluster, so that no attacker finds edges
/// whose hashes cancel out in all clusters.
pub fn digest_of(history: HistoryId, (subject, object): Pair, (at, version): (Stamp, Stamp)) -> u128 {
    let mut edge = [0; 32];
    for (part, value) in edge.chunks_exact_mut(8).zip([subject.get(), object.get(), at.raw(), version.raw()])
    {
        part.copy_from_slice(&value.to_le_bytes());
    }
    xxh3_128_with_seed(&edge, history.0)
}

/// Notes what a row was and is.
fn note(
    deltas: &mut BTreeMap<DigestCell, DigestDelta>,
    cell: DigestCell,
    (before, after): (Option<u128>, Option<u128>),
) {
    if before != after {
        let delta = deltas.entry(cell).or_default();
        before.into_iter().for_each(|hash| delta.remove(hash));
        after.into_iter().for_each(|hash| delta.add(hash));
    }
}

/// Returns by how much the digests of a kind change with the rows of a batch, on either side.
pub fn changed_digests(rows: &Rows, kind: DigestKind) -> BTreeMap<DigestCell, DigestDelta> {
    let history = rows.terms().history;
    let hash = |pair, active: bool, at, version| active.then(|| digest_of(history, pair, (at, version)));
    let facts = |(a, b): Pair| (a.gene(), DigestSide::Facts, b.gene());
    let mirrors = |(a, b): Pair| (a.gene(), DigestSide::Mirrors, b.gene());
    let mut deltas = BTreeMap::new();
    match kind {
        DigestKind::Follows => {
            for (pair, before, after) in rows.follows.compared() {
                let hash = |row: &FollowRow| hash(pair, row.active, row.at, row.version);
                note(&mut deltas, facts(pair), (hash(before), hash(after)));
            }
            for (pair, before, after) in rows.fans.compared() {
                let hash = |row: &FanRow| hash((pair.1, pair.0), row.active, row.at, row.version);
                note(&mut deltas, mirrors(pair), (hash(before), hash(after)));
            }
        }
        DigestKind::Blocks => {
            for (pair, before, after) in rows.blocks.compared() {
                let hash = |row: &BlockRow| hash(pair, row.active, Stamp::ZERO, row.version);
                note(&mut deltas, facts(pair), (hash(before), hash(after)));
            }
            for (pair, before, after) in rows.blocked_by.compared() {
                let hash = |row: &MirrorRow| hash((pair.1, pair.0), row.active, Stamp::ZERO, row.version);
                note(&mut deltas, mirrors(pair), (hash(before), hash(after)));
            }
        }
    }
    deltas.retain(|_, delta| *delta != DigestDelta::default());
    deltas
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Uid;

    #[test]
    fn what_is_added_and_removed_leaves_nothing() {
        let pair = |a, b| (Uid::new(a).unwrap(), Uid::new(b).unwrap());
        let history = HistoryId(7);
        let of = |history, a, b, at, version| {
            digest_of(history, pair(a, b), (Stamp::from_raw(at), Stamp::from_raw(version)))
        };
        let hashes = [(1, 2, 3, 3), (2, 1, 3, 3), (1, 3, 2, 2), (1, 2, 3, 4)]
            .map(|(a, b, at, version)| of(history, a, b, at, version));
        let mut digest = DigestDelta::default();
        hashes.iter().for_each(|hash| digest.add(*hash));
        assert_eq!(digest.count, 4);
        let whole = digest;
        hashes.iter().rev().for_each(|hash| digest.remove(*hash));
        assert_eq!(digest, DigestDelta::default());
        assert_eq!(whole.since(digest), whole);
        assert_ne!(of(HistoryId(8), 1, 2, 3, 3), hashes[0]);
        assert_ne!(hashes[0], hashes[3]);
    }
}
