//! Sessions, in the shards of their users.

mod columns;
mod fetch;
mod put;

pub(crate) use columns::{
    ALL as ALL_SESSIONS, BY_ID, PAGE, PUT as PUT_SESSION, put_terms as session_terms, read_session,
};
pub(super) use fetch::SessionFetch;

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::SessionRows;
use guanxi_model::{Gene, Session, Uid};
use std::collections::BTreeMap;

/// What a batch has of sessions.
#[derive(Debug, Default)]
pub(crate) struct SessionCells {
    /// Whose a session is, by its id in a shard.
    users: Cells<(Gene, [u8; 32]), Option<Uid>>,
    /// All of a user, by their ids.
    of_users: Cells<Uid, BTreeMap<[u8; 32], Session>>,
}

impl Rows {
    /// Whose the session of an id is, if that was fetched.
    pub(in crate::rows) fn known_session_user(&self, gene: Gene, id: [u8; 32]) -> Option<Uid> {
        *self.sessions.users.get((gene, id)).ok()?
    }
}

impl SessionRows for Rows {
    fn session_user(&mut self, gene: Gene, id: [u8; 32]) -> Result<Option<Uid>, NotFetched> {
        self.sessions.users.get((gene, id)).copied()
    }

    fn sessions(&mut self, uid: Uid) -> Result<Vec<Session>, NotFetched> {
        Ok(self.sessions.of_users.get(uid)?.values().cloned().collect())
    }

    fn put_session(&mut self, session: Session) -> Result<(), NotFetched> {
        self.sessions.users.put((session.uid.gene(), session.id), Some(session.uid));
        self.sessions.of_users.change(session.uid)?.insert(session.id, session);
        Ok(())
    }

    fn remove_session(&mut self, session: &Session) -> Result<(), NotFetched> {
        self.sessions.users.put((session.uid.gene(), session.id), None);
        self.sessions.of_users.change(session.uid)?.remove(&session.id);
        Ok(())
    }
}
