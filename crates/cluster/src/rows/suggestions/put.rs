//! Writing back whom users have dismissed, and their scores: what differs from what the tables have.

use crate::rows::columns::{column, column_of, gene_column, keyed, stamp_column};
use crate::rows::{Rows, WholeRow};
use guanxi_model::affinity::Affinities;
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Statements, Term};
use std::collections::BTreeMap;

const DISMISSED: &str = "insert into gx.dismissed (gene, viewer, uid, at) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    on conflict (gene, viewer, uid) do update set at = excluded.at";
const NOT_DISMISSED: &str = "delete from gx.dismissed t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, a, b) \
    where t.gene = k.gene and t.viewer = k.a and t.uid = k.b";
const SCORES: &str = "insert into gx.affinity (gene, actor, uid, score) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    on conflict (gene, actor, uid) do update set score = excluded.score";
const NO_SCORES: &str = "delete from gx.affinity t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, a, b) \
    where t.gene = k.gene and t.actor = k.a and t.uid = k.b";
const HALF_LIVES: &str = "insert into gx.affinity_half_life (gene, actor, half_life_ms) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    on conflict (gene, actor) do update set half_life_ms = excluded.half_life_ms";
const NO_HALF_LIVES: &str = "delete from gx.affinity_half_life t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, uid) \
    where t.gene = k.gene and t.actor = k.uid";

/// A row of two users with a number, to be written, or removed without one.
type PairNumber = (Uid, Uid, Option<i64>);

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_suggestions(batch: &Rows, statements: &mut Statements) {
    let mut dismissed: Vec<PairNumber> = Vec::new();
    for (viewer, WholeRow { stored, now }) in batch.suggestions.dismissed.changed() {
        differences(viewer, stored, now, |at| stamp_column(*at), &mut dismissed);
    }
    put_numbers((DISMISSED, NOT_DISMISSED), &dismissed, statements);
    let (mut scores, mut half_lives) = (Vec::new(), Vec::new());
    for (actor, WholeRow { stored, now }) in batch.suggestions.affinities.changed() {
        differences(actor, &by_uid(stored), &by_uid(now), |score| *score, &mut scores);
        if stored.half_life_ms != now.half_life_ms {
            half_lives.push((actor, now.half_life_ms.cast_signed()));
        }
    }
    put_numbers((SCORES, NO_SCORES), &scores, statements);
    put_half_lives(&half_lives, statements);
}

fn put_numbers(
    (written, removed): (&'static str, &'static str),
    rows: &[PairNumber],
    statements: &mut Statements,
) {
    let there: Vec<_> = rows.iter().filter_map(|(a, b, number)| Some((a, b, (*number)?))).collect();
    if !there.is_empty() {
        statements.add(
            written,
            vec![
                column_of!(there, (a, ..) => gene_column(**a)),
                column_of!(there, (a, ..) => column(**a)),
                column_of!(there, (_, b, _) => column(**b)),
                column_of!(there, (.., number) => *number),
            ],
        );
    }
    let gone = rows.iter().filter(|(.., number)| number.is_none());
    if let Some(keys) = keyed(gone.map(|(a, b, _)| (a.gene(), (*a, *b)))) {
        let mut terms = users_of(&keys, |(a, _)| *a);
        terms.push(column_of!(keys, (_, (_, b)) => column(*b)));
        statements.add(removed, terms);
    }
}

fn put_half_lives(rows: &[(Uid, i64)], statements: &mut Statements) {
    let (gone, there): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, half_life_ms)| *half_life_ms == 0);
    if !there.is_empty() {
        statements.add(
            HALF_LIVES,
            vec![
                column_of!(there, (actor, _) => gene_column(*actor)),
                column_of!(there, (actor, _) => column(*actor)),
                column_of!(there, (_, half_life_ms) => *half_life_ms),
            ],
        );
    }
    let gone = gone.into_iter().map(|(actor, _): (Uid, i64)| (actor.gene(), actor));
    if let Some(keys) = keyed(gone) {
        statements.add(NO_HALF_LIVES, users_of(&keys, |actor| *actor));
    }
}
fn by_uid(affinities: &Affinities) -> BTreeMap<Uid, i64> {
    affinities.all.iter().map(|known| (known.uid, known.score.raw().cast_signed())).collect()
}

/// Adds the rows that have to be written of a user so that the stored state becomes the present one.
fn differences<V: PartialEq>(
    of: Uid,
    stored: &BTreeMap<Uid, V>,
    now: &BTreeMap<Uid, V>,
    number: impl Fn(&V) -> i64,
    rows: &mut Vec<PairNumber>,
) {
    let new = now.iter().filter(|(uid, value)| stored.get(uid) != Some(value));
    rows.extend(new.map(|(uid, value)| (of, *uid, Some(number(value)))));
    let gone = stored.keys().filter(|uid| !now.contains_key(uid));
    rows.extend(gone.map(|uid| (of, *uid, None)));
}

/// The genes and first users of keys, as columns.
fn users_of<K>(keys: &[(Gene, K)], of: impl Fn(&K) -> Uid) -> Vec<Term> {
    vec![column_of!(keys, (home, _) => i16::from(home.0)), column_of!(keys, (_, key) => column(of(key)))]
}
