//! Digests of follows and of blocks: for each pair of genes how many stand, and the sum of their hashes, kept on both sides in the
//! commits that change them. Where both sides agree, and nothing is under way, what follows is what the facts are.

use super::{BlockRow, FanRow, FollowRow, MirrorRow, Pair};
use crate::postgres::{Statements, term};
use crate::rows::Rows;
use guanxi_model::{Gene, HistoryId, Stamp};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What digests are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DigestKind {
    /// Follows that stand.
    Follows,
    /// Blocks that stand. Their place in lists is the blocker's own, and not hashed.
    Blocks,
}

impl DigestKind {
    /// As a column has it.
    pub(crate) const fn column(self) -> i16 {
        match self {
            Self::Follows => 1,
            Self::Blocks => 2,
        }
    }
}

/// Sums are below 2^128.
const PUT: &str = "insert into gx.digest as d (gene, kind, side, other, count, sum, seq) \
    select v.gene, $1, v.side, v.other, v.count, v.sum::numeric, v.seq \
    from unnest($2::smallint[], $3::smallint[], $4::smallint[], $5::bigint[], $6::text[], $7::bigint[]) \
    as v(gene, side, other, count, sum, seq) \
    on conflict (gene, kind, side, other) do update set count = d.count + excluded.count, \
    sum = mod(d.sum + excluded.sum, 340282366920938463463374607431768211456), seq = excluded.seq";

/// The side of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DigestSide {
    /// In the shard of the facts.
    Facts,
    /// In the shard of what follows.
    Mirrors,
}

impl DigestSide {
    /// As a column has it.
    pub(crate) const fn column(self) -> i16 {
        match self {
            Self::Facts => 0,
            Self::Mirrors => 1,
        }
    }
}

/// A digest: of which gene, on which side, with which other gene.
pub(crate) type DigestCell = (Gene, DigestSide, Gene);

/// By how much a digest changes, or what it is: the sum is modulo 2^128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DigestDelta {
    /// Edges.
    pub count: i64,
    /// Of their hashes.
    pub sum: u128,
}

impl DigestDelta {
    /// One edge more.
    pub(crate) const fn add(&mut self, hash: u128) {
        (self.count, self.sum) = (self.count.wrapping_add(1), self.sum.wrapping_add(hash));
    }

    /// One edge less.
    pub(crate) const fn remove(&mut self, hash: u128) {
        (self.count, self.sum) = (self.count.wrapping_sub(1), self.sum.wrapping_sub(hash));
    }

    /// Returns what is to be added to another one so that it becomes this.
    pub(crate) const fn since(self, other: Self) -> Self {
        Self { count: self.count.wrapping_sub(other.count), sum: self.sum.wrapping_sub(other.sum) }
    }
}

/// Returns the hash of an edge with its place in lists and its version. Its key is the cluster, so that no attacker finds edges
/// whose hashes cancel out in all clusters.
pub(crate) fn digest_of(history: HistoryId, (subject, object): Pair, (at, version): (Stamp, Stamp)) -> u128 {
    let mut edge = [0; 32];
    for (part, value) in edge.chunks_exact_mut(8).zip([subject.get(), object.get(), at.raw(), version.raw()])
    {
        part.copy_from_slice(&value.to_le_bytes());
    }
    xxh3_128_with_seed(&edge, history.0)
}

/// Adds the statement that changes digests of a kind. `seq` is where the log of a gene stands.
pub(crate) fn put_deltas(
    statements: &mut Statements,
    kind: DigestKind,
    deltas: &BTreeMap<DigestCell, DigestDelta>,
    seq: impl Fn(Gene) -> u64,
) {
    if deltas.is_empty() {
        return;
    }
    statements.add(
        PUT,
        vec![
            term(kind.column()),
            term(deltas.keys().map(|(gene, _, _)| i16::from(gene.0)).collect::<Vec<_>>()),
            term(deltas.keys().map(|(_, side, _)| side.column()).collect::<Vec<_>>()),
            term(deltas.keys().map(|(_, _, other)| i16::from(other.0)).collect::<Vec<_>>()),
            term(deltas.values().map(|delta| delta.count).collect::<Vec<_>>()),
            term(deltas.values().map(|delta| delta.sum.to_string()).collect::<Vec<_>>()),
            term(deltas.keys().map(|(gene, _, _)| seq(*gene).cast_signed()).collect::<Vec<_>>()),
        ],
    );
}

/// By how much the digests of one kind change.
#[derive(Default)]
struct DigestDeltas(BTreeMap<DigestCell, DigestDelta>);

impl DigestDeltas {
    /// Notes what a row was and is.
    fn note(&mut self, cell: DigestCell, before: Option<u128>, after: Option<u128>) {
        if before != after {
            let delta = self.0.entry(cell).or_default();
            before.into_iter().for_each(|hash| delta.remove(hash));
            after.into_iter().for_each(|hash| delta.add(hash));
        }
    }

    fn put(mut self, statements: &mut Statements, kind: DigestKind, seq: impl Fn(Gene) -> u64) {
        self.0.retain(|_, delta| *delta != DigestDelta::default());
        put_deltas(statements, kind, &self.0, seq);
    }
}

impl Rows {
    /// Adds what changed of follows and blocks, on either side, to the digests.
    pub(super) fn put_digests(&self, statements: &mut Statements) {
        let history = self.terms.history;
        let hash = |pair, active: bool, at, version| active.then(|| digest_of(history, pair, (at, version)));
        let seq = |gene| self.shards.seq(gene);
        let facts = |(a, b): Pair| (a.gene(), DigestSide::Facts, b.gene());
        let mirrors = |(a, b): Pair| (a.gene(), DigestSide::Mirrors, b.gene());
        let mut follows = DigestDeltas::default();
        for (pair, before, after) in self.follows.compared() {
            let hash = |row: &FollowRow| hash(pair, row.active, row.at, row.version);
            follows.note(facts(pair), hash(before), hash(after));
        }
        for (pair, before, after) in self.fans.compared() {
            let hash = |row: &FanRow| hash((pair.1, pair.0), row.active, row.at, row.version);
            follows.note(mirrors(pair), hash(before), hash(after));
        }
        follows.put(statements, DigestKind::Follows, seq);
        let mut blocks = DigestDeltas::default();
        for (pair, before, after) in self.blocks.compared() {
            let hash = |row: &BlockRow| hash(pair, row.active, Stamp::ZERO, row.version);
            blocks.note(facts(pair), hash(before), hash(after));
        }
        for (pair, before, after) in self.blocked_by.compared() {
            let hash = |row: &MirrorRow| hash((pair.1, pair.0), row.active, Stamp::ZERO, row.version);
            blocks.note(mirrors(pair), hash(before), hash(after));
        }
        blocks.put(statements, DigestKind::Blocks, seq);
    }
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
