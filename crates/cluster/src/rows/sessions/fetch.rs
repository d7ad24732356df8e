//! Fetching sessions: all of a user, which are bounded, and whose one is by its id.

use super::columns::{OF_USERS, read_session};
use crate::postgres::{Fault, Layout, Statements};
use crate::rows::columns::{by_schema, column, column_of, gene, uid};
use crate::rows::{Answered, Rows};
use guanxi_model::{Gene, Uid};
use std::collections::BTreeSet;

const USERS: &str = "select t.gene, t.id, t.uid from unnest($1::smallint[], $2::bytea[]) as k(gene, id) \
    join {s}.session t on t.gene = k.gene and t.id = k.id";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct SessionFetch {
    users: BTreeSet<(Gene, [u8; 32])>,
    of_users: BTreeSet<Uid>,
}

impl SessionFetch {
    /// Whose a session is, by its id in a locked shard.
    pub(in crate::rows) fn user(&mut self, gene: Gene, id: [u8; 32]) {
        self.users.insert((gene, id));
    }

    /// All of a user of a locked shard.
    pub(in crate::rows) fn of_user(&mut self, uid: Uid) {
        self.of_users.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.users.retain(|key| !rows.sessions.users.has(*key));
        self.of_users.retain(|uid| !rows.sessions.of_users.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, layout: Layout, statements: &mut Statements) {
        for (schema, keys) in by_schema(layout, self.users.iter().copied()) {
            let genes = column_of!(keys, (home, _) => i16::from(home.0));
            statements.add_in(schema, USERS, vec![genes, column_of!(keys, (_, id) => id.to_vec())]);
        }
        for (schema, keys) in by_schema(layout, self.of_users.iter().map(|uid| (uid.gene(), *uid))) {
            let genes = column_of!(keys, (home, _) => i16::from(home.0));
            statements.add_in(schema, OF_USERS, vec![genes, column_of!(keys, (_, uid) => column(*uid))]);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(
        self,
        layout: Layout,
        answers: &mut Answered,
        rows: &mut Rows,
    ) -> Result<(), Fault> {
        let cells = &mut rows.sessions;
        let schemas = by_schema(layout, self.users.iter().copied()).len();
        let users: Vec<_> = answers.by_ref().take(schemas).flatten().collect();
        self.users.into_iter().for_each(|key| cells.users.fetched(key));
        for row in &users {
            let id = row.get::<_, &[u8]>(1).try_into().map_err(|_| crate::rows::damaged("a session"))?;
            cells.users.found((gene(row, 0)?, id), Some(uid(row, 2)?));
        }
        let schemas = by_schema(layout, self.of_users.iter().map(|uid| (uid.gene(), ()))).len();
        let sessions: Vec<_> = answers.by_ref().take(schemas).flatten().collect();
        self.of_users.into_iter().for_each(|uid| cells.of_users.fetched(uid));
        for row in &sessions {
            let session = read_session(row)?;
            let mut of_user = cells.of_users.get(session.uid).cloned().unwrap_or_default();
            let uid = session.uid;
            of_user.insert(session.id, session);
            cells.of_users.found(uid, of_user);
        }
        Ok(())
    }
}
