//! Writing digests of follows and of blocks, in the commits that change them.

use super::{BlockRow, FanRow, FollowRow, MirrorRow, Pair};
use crate::postgres::{Statements, term};
use crate::rows::Rows;
use guanxi_model::{Gene, Stamp};
use guanxi_shard::digest::{DigestCell, DigestDelta, DigestKind, DigestSide, digest_of};
use std::collections::BTreeMap;

/// Sums are below 2^128.
const PUT: &str = "insert into gx.digest as d (gene, kind, side, other, count, sum, seq) \
    select v.gene, $1, v.side, v.other, v.count, v.sum::numeric, v.seq \
    from unnest($2::smallint[], $3::smallint[], $4::smallint[], $5::bigint[], $6::text[], $7::bigint[]) \
    as v(gene, side, other, count, sum, seq) \
    on conflict (gene, kind, side, other) do update set count = d.count + excluded.count, \
    sum = mod(d.sum + excluded.sum, 340282366920938463463374607431768211456), seq = excluded.seq";

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

/// Adds what changed of follows and blocks, on either side, to the digests.
pub(super) fn put_digests(batch: &Rows, statements: &mut Statements) {
    let history = batch.terms().history;
    let hash = |pair, active: bool, at, version| active.then(|| digest_of(history, pair, (at, version)));
    let seq = |gene| batch.shards.seq(gene);
    let facts = |(a, b): Pair| (a.gene(), DigestSide::Facts, b.gene());
    let mirrors = |(a, b): Pair| (a.gene(), DigestSide::Mirrors, b.gene());
    let mut follows = DigestDeltas::default();
    for (pair, before, after) in batch.follows.compared() {
        let hash = |row: &FollowRow| hash(pair, row.active, row.at, row.version);
        follows.note(facts(pair), hash(before), hash(after));
    }
    for (pair, before, after) in batch.fans.compared() {
        let hash = |row: &FanRow| hash((pair.1, pair.0), row.active, row.at, row.version);
        follows.note(mirrors(pair), hash(before), hash(after));
    }
    follows.put(statements, DigestKind::Follows, seq);
    let mut blocks = DigestDeltas::default();
    for (pair, before, after) in batch.blocks.compared() {
        let hash = |row: &BlockRow| hash(pair, row.active, Stamp::ZERO, row.version);
        blocks.note(facts(pair), hash(before), hash(after));
    }
    for (pair, before, after) in batch.blocked_by.compared() {
        let hash = |row: &MirrorRow| hash((pair.1, pair.0), row.active, Stamp::ZERO, row.version);
        blocks.note(mirrors(pair), hash(before), hash(after));
    }
    blocks.put(statements, DigestKind::Blocks, seq);
}
