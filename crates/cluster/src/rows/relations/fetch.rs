//! Fetching what users have said about each other: one statement per table and schema.

use super::{BlockRow, FanRow, FollowRow, MirrorRow, MuteRow, Pair, UserRow};
use crate::postgres::{Fault, Layout, Statements};
use crate::rows::columns::{by_schema, column, column_of, maybe_stamp, stamp, uid};
use crate::rows::{Answered, Rows};
use guanxi_model::{Counts, MuteTerms, Uid};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const FOLLOWS: &str = "select k.a, k.b, t.at, t.version, t.active, t.friend_at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.follow t on t.gene = k.gene and t.subject = k.a and t.object = k.b";
const FANS: &str = "select k.a, k.b, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.fan t on t.gene = k.gene and t.object = k.a and t.subject = k.b";
const BLOCKS: &str = "select k.a, k.b, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.block t on t.gene = k.gene and t.subject = k.a and t.object = k.b";
const BLOCKED_BY: &str = "select k.a, k.b, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.blocked_by t on t.gene = k.gene and t.object = k.a and t.subject = k.b";
const MUTES: &str = "select k.a, k.b, t.at, t.version, t.active, t.reposts_only, t.until_ms \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.mute t on t.gene = k.gene and t.subject = k.a and t.object = k.b";
const USERS: &str = "select k.uid, t.following, t.followers, t.friends, t.blocks, t.mutes, t.follow_limit, \
    t.audience_seq, t.blocked_seq, t.sent, t.asking, t.requests_seen from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    join {s}.user_state t on t.gene = k.gene and t.uid = k.uid";
/// The statements about two users.
const OF_PAIRS: [&str; 5] = [FOLLOWS, FANS, BLOCKS, BLOCKED_BY, MUTES];

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct RelationFetch {
    pairs: BTreeSet<Pair>,
    users: BTreeSet<Uid>,
}

impl RelationFetch {
    /// Everything that the first of two users, who is of a locked shard, and the second have said about each other.
    pub(in crate::rows) fn pair(&mut self, pair: Pair) {
        if pair.0 != pair.1 {
            self.pairs.insert(pair);
        }
    }

    /// The counters of a user of a locked shard.
    pub(in crate::rows) fn user(&mut self, uid: Uid) {
        self.users.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.pairs.retain(|pair| !rows.follows.has(*pair));
        self.users.retain(|uid| !rows.users.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, layout: Layout, statements: &mut Statements) {
        for (schema, keys) in by_schema(layout, self.pairs.iter().map(|pair| (pair.0.gene(), *pair))) {
            for sql in OF_PAIRS {
                let terms = vec![
                    column_of!(keys, (home, _) => i16::from(home.0)),
                    column_of!(keys, (_, pair) => column(pair.0)),
                    column_of!(keys, (_, pair) => column(pair.1)),
                ];
                statements.add_in(schema, sql, terms);
            }
        }
        for (schema, keys) in by_schema(layout, self.users.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add_in(schema, USERS, terms);
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
            rows.follows.fetched(*pair);
            rows.fans.fetched(*pair);
            rows.blocks.fetched(*pair);
            rows.blocked_by.fetched(*pair);
            rows.mutes.fetched(*pair);
        }
        self.users.iter().for_each(|uid| rows.users.fetched(*uid));
        for _ in by_schema(layout, self.pairs.iter().map(|pair| (pair.0.gene(), ()))) {
            for sql in OF_PAIRS {
                answers.next().iter().flatten().try_for_each(|row| take_pair(rows, sql, row))?;
            }
        }
        for _ in by_schema(layout, self.users.iter().map(|uid| (uid.gene(), ()))) {
            answers.next().iter().flatten().try_for_each(|row| take_user(rows, row))?;
        }
        Ok(())
    }
}

fn take_pair(rows: &mut Rows, sql: &str, row: &Row) -> Result<(), Fault> {
    let pair = (uid(row, 0)?, uid(row, 1)?);
    match sql {
        FOLLOWS => {
            let (at, version, friend_at) = (stamp(row, 2), stamp(row, 3), maybe_stamp(row, 5));
            rows.follows.found(pair, FollowRow { at, version, active: row.get(4), friend_at });
        }
        FANS => {
            let (at, version) = (stamp(row, 2), stamp(row, 3));
            rows.fans.found(pair, FanRow { at, version, active: row.get(4) });
        }
        BLOCKS => {
            let (at, version) = (stamp(row, 2), stamp(row, 3));
            rows.blocks.found(pair, BlockRow { at, version, active: row.get(4) });
        }
        BLOCKED_BY => {
            rows.blocked_by.found(pair, MirrorRow { version: stamp(row, 2), active: row.get(3) });
        }
        _ => {
            let (at, version) = (stamp(row, 2), stamp(row, 3));
            let until_ms = row.get::<_, Option<i64>>(6).map(i64::cast_unsigned);
            let terms = MuteTerms { reposts_only: row.get(5), until_ms };
            rows.mutes.found(pair, MuteRow { at, version, active: row.get(4), terms });
        }
    }
    Ok(())
}

fn take_user(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    let count = |index: usize| row.get::<_, i32>(index).cast_unsigned();
    let counts = Counts {
        following: count(1),
        followers: row.get::<_, i64>(2).cast_unsigned(),
        friends: count(3),
        blocks: count(4),
        mutes: count(5),
    };
    let follow_limit = row.get::<_, Option<i32>>(6).map(i32::cast_unsigned);
    let seq = |index: usize| row.get::<_, i64>(index).cast_unsigned();
    let user = UserRow {
        counts,
        follow_limit,
        audience_seq: seq(7),
        blocked_seq: seq(8),
        sent: count(9),
        asking: count(10),
        requests_seen: stamp(row, 11),
    };
    rows.users.found(uid(row, 0)?, user);
    Ok(())
}
