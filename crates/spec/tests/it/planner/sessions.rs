//! Sessions as a database would hold them.

use super::rows::{NotFetched, Selected};
use guanxi_model::plan::{RowKey, SessionRows};
use guanxi_model::{Gene, Result, Session, Uid};

impl SessionRows for Selected<'_, &mut super::rows::Rows> {
    fn session(&mut self, gene: Gene, id: [u8; 32]) -> Result<Option<Session>, NotFetched> {
        self.check(RowKey::Session(gene, id))?;
        Ok(self.rows().sessions.get(&id).cloned())
    }

    fn sessions(&mut self, uid: Uid) -> Result<Vec<Session>, NotFetched> {
        self.check(RowKey::Sessions(uid))?;
        Ok(self.rows().sessions.values().filter(|session| session.uid == uid).cloned().collect())
    }

    fn put_session(&mut self, session: Session) -> Result<(), NotFetched> {
        self.check(RowKey::Session(session.uid.gene(), session.id))?;
        self.rows().sessions.insert(session.id, session);
        Ok(())
    }

    fn remove_session(&mut self, session: &Session) -> Result<(), NotFetched> {
        self.rows().sessions.remove(&session.id);
        Ok(())
    }
}
