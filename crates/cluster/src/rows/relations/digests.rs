//! Writing digests of follows and of blocks, in the commits that change them.

use crate::rows::Rows;
use guanxi_model::Gene;
use guanxi_postgres::{Statements, term};
use guanxi_shard::digest::{DigestCell, DigestDelta, DigestKind, changed_digests};
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

/// Adds what changed of follows and blocks, on either side, to the digests.
pub(super) fn put_digests(batch: &Rows, statements: &mut Statements) {
    for kind in [DigestKind::Follows, DigestKind::Blocks] {
        put_deltas(statements, kind, &changed_digests(batch, kind), |gene| batch.shards.seq(gene));
    }
}
