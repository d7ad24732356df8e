//! Writing requests, cooldowns, and who has unlocked itself.

use crate::rows::columns::{column, column_of, gene_column, keyed, stamp_column, text_column};
use crate::rows::{AskedRow, Cells, Pair, PastRow, RequestRow, Rows, SentRow};
use guanxi_model::{PastRequest, RequestKind};
use guanxi_postgres::{Statements, Term};

const REQUESTS: &str = "insert into gx.request \
    (gene, receiver, sender, kind, at, mark, expires_ms, message, cooling_ms, rejected_at, first_at) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[]) \
    on conflict (gene, receiver, sender) do update set kind = excluded.kind, at = excluded.at, mark = excluded.mark, \
    expires_ms = excluded.expires_ms, message = excluded.message, cooling_ms = excluded.cooling_ms, \
    rejected_at = excluded.rejected_at, first_at = excluded.first_at";
const NO_REQUESTS: &str = "delete from gx.request t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, a, b) \
    where t.gene = k.gene and t.receiver = k.a and t.sender = k.b";
const SENT: &str = "insert into gx.sent \
    (gene, sender, receiver, kind, at, mark, expires_ms, message, cooling_ms, waits) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::bigint[], $10::bool[]) \
    on conflict (gene, sender, receiver) do update set kind = excluded.kind, at = excluded.at, mark = excluded.mark, \
    expires_ms = excluded.expires_ms, message = excluded.message, cooling_ms = excluded.cooling_ms, waits = excluded.waits";
const NOT_SENT: &str = "delete from gx.sent t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, a, b) \
    where t.gene = k.gene and t.sender = k.a and t.receiver = k.b";
const UNLOCKING: &str = "insert into gx.unlocking (gene, uid, since) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    on conflict (uid, gene) do update set since = excluded.since";
const NOT_UNLOCKING: &str = "delete from gx.unlocking t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, uid) \
    where t.gene = k.gene and t.uid = k.uid";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_waiting(batch: &Rows, statements: &mut Statements) {
    let of_request = |row: &RequestRow| (row.asked.clone(), row.past.map(|row| row.past.until_ms()));
    let past = |rows: &[(Pair, &RequestRow)]| {
        vec![
            column_of!(rows, (_, row) => row.past.and_then(rejected_column)),
            column_of!(rows, (_, row) => row.past.and_then(|row| place_column(row.past))),
        ]
    };
    put_asked_rows(statements, &batch.requests, of_request, (REQUESTS, NO_REQUESTS), past);
    let of_sent = |row: &SentRow| (row.asked.clone(), row.cooling_ms);
    let waits = |rows: &[(Pair, &SentRow)]| vec![column_of!(rows, (_, row) => row.waits)];
    put_asked_rows(statements, &batch.sent, of_sent, (SENT, NOT_SENT), waits);
    put_all_unlocking(batch, statements);
}

fn put_all_unlocking(batch: &Rows, statements: &mut Statements) {
    let (gone, rows): (Vec<_>, Vec<_>) = batch.unlocking.changed().partition(|(_, since)| since.is_none());
    if !rows.is_empty() {
        statements.add(
            UNLOCKING,
            vec![
                column_of!(rows, (uid, _) => gene_column(*uid)),
                column_of!(rows, (uid, _) => column(*uid)),
                column_of!(rows, (_, since) => since.map(stamp_column)),
            ],
        );
    }
    if let Some(keys) = keyed(gone.into_iter().map(|(uid, _)| (uid.gene(), uid))) {
        let terms = vec![
            column_of!(keys, (home, _) => i16::from(home.0)),
            column_of!(keys, (_, uid) => column(*uid)),
        ];
        statements.add(NOT_UNLOCKING, terms);
    }
}

/// A row that says nothing any more is removed.
fn put_asked_rows<V: Default + Clone>(
    statements: &mut Statements,
    cells: &Cells<Pair, V>,
    of: impl Fn(&V) -> (Option<AskedRow>, Option<u64>),
    (put, remove): (&'static str, &'static str),
    more: impl Fn(&[(Pair, &V)]) -> Vec<Term>,
) {
    let (gone, rows): (Vec<_>, Vec<_>) = cells.changed().partition(|(_, row)| of(row) == (None, None));
    if !rows.is_empty() {
        let asked: Vec<(Option<AskedRow>, Option<u64>)> = rows.iter().map(|(_, row)| of(row)).collect();
        let mut terms = vec![
            column_of!(rows, ((a, _), _) => gene_column(*a)),
            column_of!(rows, ((a, _), _) => column(*a)),
            column_of!(rows, ((_, b), _) => column(*b)),
            column_of!(asked, (asked, _) => asked.as_ref().map(|asked| request_kind(asked.kind))),
            column_of!(asked, (asked, _) => asked.as_ref().map(|asked| stamp_column(asked.at))),
            column_of!(asked, (asked, _) => asked.as_ref().map(|asked| stamp_column(asked.mark))),
            column_of!(asked, (asked, _) => asked.as_ref().map(|asked| asked.expires_ms.cast_signed())),
            column_of!(asked, (asked, _) => asked.as_ref().map(|asked| text_column(&asked.message))),
            column_of!(asked, (_, cooling_ms) => cooling_ms.map(u64::cast_signed)),
        ];
        terms.extend(more(&rows));
        statements.add(put, terms);
    }
    let gone = gone.into_iter().map(|(pair, _)| (pair.0.gene(), pair));
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (home, _) => i16::from(home.0)),
            column_of!(keys, (_, (a, _)) => column(*a)),
            column_of!(keys, (_, (_, b)) => column(*b)),
        ];
        statements.add(remove, terms);
    }
}

/// The version of a rejection.
fn rejected_column(row: PastRow) -> Option<i64> {
    row.past.rejected_until_ms().map(|_| stamp_column(row.rejected_at))
}

/// The place of a request that was taken back.
pub(crate) const fn place_column(past: PastRequest) -> Option<i64> {
    match past {
        PastRequest::TakenBack { first, .. } => Some(stamp_column(first)),
        PastRequest::Rejected { .. } => None,
    }
}

/// The kind of a request, as a column has it.
pub(crate) const fn request_kind(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Follow => "follow",
        RequestKind::Friend => "friend",
    }
}
