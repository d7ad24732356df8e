//! Fetching and writing up to where homes were seen.

use super::columns::{column, column_of, damaged, elements, gene_column, keyed, number_array, uid};
use super::{Answered, Rows};
use guanxi_model::{HistoryId, LogId, LogMark, Position, Uid};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const SEEN: &str = "select t.uid, t.logs, t.seqs from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.seen t where t.gene = k.gene and t.uid = k.uid limit 1) t";
const PUT_SEEN: &str = "insert into gx.seen (gene, uid, logs, seqs) \
    select v.gene, v.uid, v.logs::smallint[], v.seqs::bigint[] \
    from unnest($1::smallint[], $2::bigint[], $3::text[], $4::text[]) as v(gene, uid, logs, seqs) \
    on conflict (gene, uid) do update set logs = excluded.logs, seqs = excluded.seqs";
const NO_SEEN: &str = "delete from gx.seen t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, uid) \
    where t.gene = k.gene and t.uid = k.uid";

/// Rows to be fetched.
#[derive(Default)]
pub(super) struct FeedFetch(BTreeSet<Uid>);

impl FeedFetch {
    /// Up to where a user has seen its home.
    pub(super) fn seen(&mut self, uid: Uid) {
        self.0.insert(uid);
    }

    /// Leaves out what is there.
    pub(super) fn retain_missing(&mut self, rows: &Rows) {
        self.0.retain(|uid| !rows.feed.seen.has(*uid));
    }

    /// Adds the statements.
    pub(super) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.0.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add(SEEN, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(super) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let statements = usize::from(!self.0.is_empty());
        self.0.into_iter().for_each(|uid| rows.feed.seen.fetched(uid));
        for row in answers.by_ref().take(statements).flatten() {
            let seen = seen_of(rows.terms().history, &row, 1)?;
            rows.feed.seen.found(uid(&row, 0)?, Some(seen));
        }
        Ok(())
    }
}

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_feed(batch: &Rows, statements: &mut Statements) {
    let (marked, gone): (Vec<_>, Vec<_>) = batch.feed.seen.changed().partition(|(_, seen)| seen.is_some());
    if !marked.is_empty() {
        let marks = |seen: &Option<Position>| -> Vec<(LogId, LogMark)> {
            seen.iter().flat_map(Position::marks).collect()
        };
        let logs = |seen| number_array(marks(seen).into_iter().map(|(log, _)| log.0.into()));
        let seqs = |seen| number_array(marks(seen).into_iter().map(|(_, mark)| mark.seen.cast_signed()));
        statements.add(
            PUT_SEEN,
            vec![
                column_of!(marked, (uid, _) => gene_column(*uid)),
                column_of!(marked, (uid, _) => column(*uid)),
                column_of!(marked, (_, seen) => logs(*seen)),
                column_of!(marked, (_, seen) => seqs(*seen)),
            ],
        );
    }
    let gone = gone.into_iter().map(|(uid, _)| (uid.gene(), uid));
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, uid) => column(*uid)),
        ];
        statements.add(NO_SEEN, terms);
    }
}

/// Returns up to where a home was seen, of two columns.
pub(crate) fn seen_of(history: HistoryId, row: &Row, index: usize) -> Result<Position, Fault> {
    let (logs, seqs) = (elements::<i16>(row, index)?, elements::<i64>(row, index + 1)?);
    let mark = |(log, seq): (i16, i64)| {
        let log = u8::try_from(log).map(LogId).map_err(|_| damaged("a log"))?;
        Ok((log, LogMark { seen: seq.cast_unsigned(), acted: 0 }))
    };
    let marks = logs.into_iter().zip(seqs).map(mark).collect::<Result<Vec<_>, Fault>>()?;
    Ok(Position::sparse(history, marks))
}
