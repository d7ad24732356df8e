//! Fetching what two users have said about each other and ask of each other: one statement for all tables, since
//! what a statement costs beside its rows is more than the rows.

use super::Pair;
use super::columns::{column, column_of, keyed, uid};
use super::waiting::{AskedColumns, past_request};
use super::{Answered, BlockRow, FanRow, FollowRow, MirrorRow, MuteRow, PastRow, RequestRow, Rows, SentRow};
use guanxi_model::{MuteTerms, Stamp};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// Of each table either all columns are there or none, but for those that may be empty.
const PAIRS: &str = "select k.a, k.b, f.at, f.version, f.active, f.friend_at, n.at, n.version, n.active, b.at, \
    b.version, b.active, y.version, y.active, m.at, m.version, m.active, m.reposts_only, m.until_ms, r.gene is \
    not null, r.kind, r.at, r.mark, r.expires_ms, r.message, r.cooling_ms, r.rejected_at, r.first_at, s.waits, \
    s.kind, s.at, s.mark, s.expires_ms, s.message, s.cooling_ms \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    left join lateral (select * from gx.follow f \
    where f.gene = k.gene and f.subject = k.a and f.object = k.b limit 1) f on true \
    left join lateral (select * from gx.fan n \
    where n.gene = k.gene and n.object = k.a and n.subject = k.b limit 1) n on true \
    left join lateral (select * from gx.block b \
    where b.gene = k.gene and b.subject = k.a and b.object = k.b limit 1) b on true \
    left join lateral (select * from gx.blocked_by y \
    where y.gene = k.gene and y.object = k.a and y.subject = k.b limit 1) y on true \
    left join lateral (select * from gx.mute m \
    where m.gene = k.gene and m.subject = k.a and m.object = k.b limit 1) m on true \
    left join lateral (select * from gx.request r \
    where r.gene = k.gene and r.receiver = k.a and r.sender = k.b limit 1) r on true \
    left join lateral (select * from gx.sent s \
    where s.gene = k.gene and s.sender = k.a and s.receiver = k.b limit 1) s on true";

/// Pairs to be fetched.
#[derive(Default)]
pub(super) struct PairFetch(BTreeSet<Pair>);

impl PairFetch {
    /// Everything that the first of two users, who is of a locked shard, and the second have said about each other.
    pub(super) fn pair(&mut self, pair: Pair) {
        if pair.0 != pair.1 {
            self.0.insert(pair);
        }
    }

    /// Leaves out what is there.
    pub(super) fn retain_missing(&mut self, rows: &Rows) {
        self.0.retain(|pair| !rows.follows.has(*pair));
    }

    /// Adds the statements.
    pub(super) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.0.iter().map(|pair| (pair.0.gene(), *pair))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, pair) => column(pair.0)),
                column_of!(keys, (_, pair) => column(pair.1)),
            ];
            statements.add(PAIRS, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(super) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        for pair in &self.0 {
            rows.follows.fetched(*pair);
            rows.fans.fetched(*pair);
            rows.blocks.fetched(*pair);
            rows.blocked_by.fetched(*pair);
            rows.mutes.fetched(*pair);
            rows.requests.fetched(*pair);
            rows.sent.fetched(*pair);
        }
        let statements = usize::from(!self.0.is_empty());
        for row in answers.by_ref().take(statements).flatten() {
            let pair = (uid(&row, 0)?, uid(&row, 1)?);
            let mut columns = Columns { row: &row, at: 2 };
            take_relations(rows, pair, &mut columns);
            take_waiting(rows, pair, &mut columns)?;
        }
        Ok(())
    }
}

/// Reads a row from left to right.
struct Columns<'a> {
    row: &'a Row,
    at: usize,
}

impl<'a> Columns<'a> {
    fn next<T: FromSql<'a>>(&mut self) -> Option<T> {
        self.at += 1;
        self.row.get(self.at - 1)
    }

    fn stamp(&mut self) -> Option<Stamp> {
        self.next::<i64>().map(|raw| Stamp::from_raw(raw.cast_unsigned()))
    }

    fn ms(&mut self) -> Option<u64> {
        self.next::<i64>().map(i64::cast_unsigned)
    }

    /// Kind, place, mark, end and message of a request.
    fn asked(&mut self) -> AskedColumns<'a> {
        AskedColumns {
            kind: self.next(),
            at: self.stamp(),
            mark: self.stamp(),
            expires_ms: self.ms(),
            message: self.next(),
        }
    }
}

fn take_relations(rows: &mut Rows, pair: Pair, columns: &mut Columns<'_>) {
    let (at, version, active, friend_at) =
        (columns.stamp(), columns.stamp(), columns.next(), columns.stamp());
    if let (Some(at), Some(version), Some(active)) = (at, version, active) {
        rows.follows.found(pair, FollowRow { at, version, active, friend_at });
    }
    if let (Some(at), Some(version), Some(active)) = (columns.stamp(), columns.stamp(), columns.next()) {
        rows.fans.found(pair, FanRow { at, version, active });
    }
    if let (Some(at), Some(version), Some(active)) = (columns.stamp(), columns.stamp(), columns.next()) {
        rows.blocks.found(pair, BlockRow { at, version, active });
    }
    if let (Some(version), Some(active)) = (columns.stamp(), columns.next()) {
        rows.blocked_by.found(pair, MirrorRow { version, active });
    }
    let (at, version, active) = (columns.stamp(), columns.stamp(), columns.next());
    let (reposts_only, until_ms) = (columns.next(), columns.ms());
    if let (Some(at), Some(version), Some(active), Some(reposts_only)) = (at, version, active, reposts_only) {
        rows.mutes.found(pair, MuteRow { at, version, active, terms: MuteTerms { reposts_only, until_ms } });
    }
}

fn take_waiting(rows: &mut Rows, pair: Pair, columns: &mut Columns<'_>) -> Result<(), Fault> {
    let is_there = columns.next() == Some(true);
    let (asked, until_ms) = (columns.asked(), columns.ms());
    let (rejected_at, first) = (columns.stamp(), columns.stamp());
    if is_there {
        let rejected_at = rejected_at.unwrap_or(Stamp::ZERO);
        let past = until_ms.map(|until_ms| PastRow { past: past_request(until_ms, first), rejected_at });
        rows.requests.found(pair, RequestRow { asked: asked.read()?, past });
    }
    let waits = columns.next();
    let (asked, cooling_ms) = (columns.asked(), columns.ms());
    if let Some(waits) = waits {
        rows.sent.found(pair, SentRow { asked: asked.read()?, waits, cooling_ms });
    }
    Ok(())
}
