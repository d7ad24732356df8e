//! Sessions, in the shards of their users.

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::SessionRows;
use guanxi_model::{Gene, Session, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// What a batch has of sessions.
#[derive(Debug, Default)]
pub struct SessionCells {
    /// By shard and id.
    pub by_id: Cells<(Gene, [u8; 32]), Option<Session>>,
    /// The ids of all that a user has, of those users whose sessions were fetched whole.
    pub of_users: BTreeMap<Uid, BTreeSet<[u8; 32]>>,
}

impl Rows {
    /// Returns whose the session of an id is, if that was fetched.
    pub(super) fn known_session_user(&self, gene: Gene, id: [u8; 32]) -> Option<Uid> {
        Some(self.sessions.by_id.get((gene, id)).ok()?.as_ref()?.uid)
    }
}

impl SessionRows for Rows {
    fn session(&mut self, gene: Gene, id: [u8; 32]) -> Result<Option<Session>, NotFetched> {
        self.sessions.by_id.get((gene, id)).cloned()
    }

    fn sessions(&mut self, uid: Uid) -> Result<Vec<Session>, NotFetched> {
        let ids = self.sessions.of_users.get(&uid);
        let ids = ids.ok_or_else(|| NotFetched(format!("the sessions of user {uid}")))?;
        let found = ids.iter().map(|id| self.sessions.by_id.get((uid.gene(), *id)).cloned());
        Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn put_session(&mut self, session: Session) -> Result<(), NotFetched> {
        if let Some(ids) = self.sessions.of_users.get_mut(&session.uid) {
            ids.insert(session.id);
        }
        let key = (session.uid.gene(), session.id);
        *self.sessions.by_id.change(key)? = Some(session);
        Ok(())
    }

    fn remove_session(&mut self, session: &Session) -> Result<(), NotFetched> {
        *self.sessions.by_id.change((session.uid.gene(), session.id))? = None;
        Ok(())
    }
}
