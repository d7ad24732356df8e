//! Fetching sessions: all of a user, which are bounded, and one by its id.

use super::columns::{BY_IDS, OF_USERS, read_session};
use crate::rows::columns::{column, column_of, keyed};
use crate::rows::{Answered, Rows};
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct SessionFetch {
    by_id: BTreeSet<(Gene, [u8; 32])>,
    of_users: BTreeSet<Uid>,
}

impl SessionFetch {
    /// One by its id in a locked shard.
    pub(in crate::rows) fn by_id(&mut self, gene: Gene, id: [u8; 32]) {
        self.by_id.insert((gene, id));
    }

    /// All of a user of a locked shard.
    pub(in crate::rows) fn of_user(&mut self, uid: Uid) {
        self.of_users.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.by_id.retain(|key| !rows.sessions.by_id.has(*key));
        self.of_users.retain(|uid| !rows.sessions.of_users.contains_key(uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.by_id.iter().copied()) {
            let genes = column_of!(keys, (home, _) => i16::from(home.0));
            statements.add(BY_IDS, vec![genes, column_of!(keys, (_, id) => id.to_vec())]);
        }
        if let Some(keys) = keyed(self.of_users.iter().map(|uid| (uid.gene(), *uid))) {
            let genes = column_of!(keys, (home, _) => i16::from(home.0));
            statements.add(OF_USERS, vec![genes, column_of!(keys, (_, uid) => column(*uid))]);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let cells = &mut rows.sessions;
        let statements = usize::from(!self.by_id.is_empty()) + usize::from(!self.of_users.is_empty());
        let found: Vec<_> = answers.by_ref().take(statements).flatten().collect();
        self.by_id.into_iter().for_each(|key| cells.by_id.fetched(key));
        cells.of_users.extend(self.of_users.into_iter().map(|uid| (uid, BTreeSet::new())));
        for row in &found {
            let session = read_session(row)?;
            if let Some(ids) = cells.of_users.get_mut(&session.uid) {
                ids.insert(session.id);
            }
            cells.by_id.found((session.uid.gene(), session.id), Some(session));
        }
        Ok(())
    }
}
