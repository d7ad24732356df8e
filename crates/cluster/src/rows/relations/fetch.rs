//! Fetching the counters of users.

use crate::rows::columns::{column, column_of, keyed, stamp, uid};
use crate::rows::{Answered, Rows, UserRow};
use guanxi_model::{Counts, Uid};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const USERS: &str = "select k.uid, t.following, t.followers, t.friends, t.blocks, t.mutes, t.follow_limit, \
    t.audience_seq, t.blocked_seq, t.sent, t.asking, t.requests_seen \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.user_state t where t.gene = k.gene and t.uid = k.uid limit 1) t";
/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct RelationFetch {
    users: BTreeSet<Uid>,
}

impl RelationFetch {
    /// The counters of a user of a locked shard.
    pub(in crate::rows) fn user(&mut self, uid: Uid) {
        self.users.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.users.retain(|uid| !rows.users.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.users.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add(USERS, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        self.users.iter().for_each(|uid| rows.users.fetched(*uid));
        if !self.users.is_empty() {
            answers.next().iter().flatten().try_for_each(|row| take_user(rows, row))?;
        }
        Ok(())
    }
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
