//! Fetching requests, cooldowns, and who has unlocked itself.

use super::{AskedRow, RequestRow, SentRow};
use crate::postgres::{Fault, Layout, Statements};
use crate::rows::columns::{by_schema, column, column_of, damaged, maybe_stamp, stamp, text_of, uid};
use crate::rows::relations::Pair;
use crate::rows::{Answered, Rows};
use guanxi_model::{RequestKind, Uid};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const REQUESTS: &str = "select k.a, k.b, t.kind, t.at, t.mark, t.expires_ms, t.message, t.cooling_ms, true \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.request t on t.gene = k.gene and t.receiver = k.a and t.sender = k.b";
const SENT: &str = "select k.a, k.b, t.kind, t.at, t.mark, t.expires_ms, t.message, t.cooling_ms, t.waits \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.sent t on t.gene = k.gene and t.sender = k.a and t.receiver = k.b";
const UNLOCKING: &str = "select k.uid, t.since from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    join {s}.unlocking t on t.gene = k.gene and t.uid = k.uid";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct WaitingFetch {
    pairs: BTreeSet<Pair>,
    unlocking: BTreeSet<Uid>,
}

impl WaitingFetch {
    /// What the first of two users, who is of a locked shard, and the second ask of each other.
    pub(in crate::rows) fn pair(&mut self, pair: Pair) {
        if pair.0 != pair.1 {
            self.pairs.insert(pair);
        }
    }

    /// Since when a user of a locked shard lets those who wait.
    pub(in crate::rows) fn unlocking(&mut self, uid: Uid) {
        self.unlocking.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.pairs.retain(|pair| !rows.sent.has(*pair));
        self.unlocking.retain(|uid| !rows.unlocking.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, layout: Layout, statements: &mut Statements) {
        for (schema, keys) in by_schema(layout, self.pairs.iter().map(|pair| (pair.0.gene(), *pair))) {
            for sql in [REQUESTS, SENT] {
                let terms = vec![
                    column_of!(keys, (home, _) => i16::from(home.0)),
                    column_of!(keys, (_, pair) => column(pair.0)),
                    column_of!(keys, (_, pair) => column(pair.1)),
                ];
                statements.add_in(schema, sql, terms);
            }
        }
        for (schema, keys) in by_schema(layout, self.unlocking.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add_in(schema, UNLOCKING, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(
        self,
        layout: Layout,
        answers: &mut Answered,
        rows: &mut Rows,
    ) -> Result<(), Fault> {
        for pair in &self.pairs {
            rows.requests.fetched(*pair);
            rows.sent.fetched(*pair);
        }
        self.unlocking.iter().for_each(|uid| rows.unlocking.fetched(*uid));
        for _ in by_schema(layout, self.pairs.iter().map(|pair| (pair.0.gene(), ()))) {
            for row in answers.next().iter().flatten() {
                let (asked, cooling_ms) = (asked(row)?, cooling(row));
                rows.requests.found((uid(row, 0)?, uid(row, 1)?), RequestRow { asked, cooling_ms });
            }
            for row in answers.next().iter().flatten() {
                let (asked, cooling_ms) = (asked(row)?, cooling(row));
                let sent = SentRow { asked, waits: row.get(8), cooling_ms };
                rows.sent.found((uid(row, 0)?, uid(row, 1)?), sent);
            }
        }
        for _ in by_schema(layout, self.unlocking.iter().map(|uid| (uid.gene(), ()))) {
            for row in answers.next().iter().flatten() {
                rows.unlocking.found(uid(row, 0)?, Some(stamp(row, 1)));
            }
        }
        Ok(())
    }
}

fn cooling(row: &Row) -> Option<u64> {
    row.get::<_, Option<i64>>(7).map(i64::cast_unsigned)
}

fn asked(row: &Row) -> Result<Option<AskedRow>, Fault> {
    let Some(kind) = row.get::<_, Option<&str>>(2) else { return Ok(None) };
    let expires_ms = row.get::<_, Option<i64>>(5).map(i64::cast_unsigned);
    let asked = || {
        Some(AskedRow {
            kind: request_kind_of(kind)?,
            at: maybe_stamp(row, 3)?,
            mark: maybe_stamp(row, 4)?,
            expires_ms: expires_ms?,
            message: text_of(row.get::<_, Option<String>>(6)?),
        })
    };
    asked().map(Some).ok_or_else(|| damaged("a request"))
}

/// The kind of a request in a column.
pub(crate) fn request_kind_of(column: &str) -> Option<RequestKind> {
    match column {
        "follow" => Some(RequestKind::Follow),
        "friend" => Some(RequestKind::Friend),
        _ => None,
    }
}
