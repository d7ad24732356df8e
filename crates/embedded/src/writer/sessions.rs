//! Sessions of a group: what the planner reads of them, the rows that its changes come to, and what is noted beside plans.

use super::changes::PlanRows;
use crate::engine::EngineResult;
use crate::rows::sessions::{
    expired, places_of_user, put_session, put_session_alone, remove_session, replace_session, stored_session,
};
use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_model::plan::SessionRows;
use guanxi_model::{Gene, Session, SessionKey, Uid};

/// What changes sessions and is no write of a caller.
pub(crate) enum SessionNote {
    /// One was used at a time, in Unix milliseconds.
    Used(SessionKey, u64),
    /// At most so many that have expired are removed.
    Sweep(usize),
}

impl PlanRows<'_> {
    /// Does what is no write of a caller. Returns how many sessions it has changed.
    pub(super) fn note_sessions(&mut self, note: &SessionNote) -> EngineResult<u64> {
        match note {
            SessionNote::Used(key, at_ms) => self.note_use(*key, *at_ms),
            SessionNote::Sweep(max) => self.sweep(*max),
        }
    }

    fn note_use(&mut self, key: SessionKey, at_ms: u64) -> EngineResult<u64> {
        let lets_in = |found: &Session| found.uid.gene() == key.gene && found.lets_in(key.hash, self.now_ms);
        let found = self.stored(key.id)?.filter(|found| lets_in(found) && found.used_ms < at_ms);
        let Some(session) = found else { return Ok(0) };
        let session = Session { used_ms: at_ms, ..session };
        put_session_alone(&mut self.batch, &session);
        self.sessions.insert(key.id, Some(session));
        Ok(1)
    }

    fn sweep(&mut self, max: usize) -> EngineResult<u64> {
        let max = max.min(SESSION_SWEEP_MAX as usize);
        let ids: Vec<[u8; 32]> = expired(&self.snapshot, self.now_ms).take(max).collect::<Result<_, _>>()?;
        let mut swept = 0;
        for id in ids {
            // One that the group has removed or replaced is gone already.
            if let Some(session) = self.stored(id)?.filter(|session| !session.is_live(self.now_ms)) {
                self.remove_session(&session)?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// The session of an id as of now in the group, expired or not.
    fn stored(&self, id: [u8; 32]) -> EngineResult<Option<Session>> {
        self.sessions.get(&id).map_or_else(|| stored_session(&self.snapshot, id), |known| Ok(known.clone()))
    }
}

impl SessionRows for PlanRows<'_> {
    /// Ids are of one space here, so that one of another shard is found, too.
    fn session(&mut self, _gene: Gene, id: [u8; 32]) -> EngineResult<Option<Session>> {
        self.stored(id)
    }

    fn sessions(&mut self, uid: Uid) -> EngineResult<Vec<Session>> {
        let changed = &self.sessions;
        let own = changed.values().flatten().filter(|session| session.uid == uid);
        let mut sessions: Vec<Session> = own.cloned().collect();
        for place in places_of_user(&self.snapshot, uid, None) {
            let id = place?.id;
            if !changed.contains_key(&id) {
                sessions.extend(stored_session(&self.snapshot, id)?);
            }
        }
        Ok(sessions)
    }

    fn put_session(&mut self, session: Session) -> EngineResult<()> {
        match self.stored(session.id)? {
            Some(before) => replace_session(&mut self.batch, &before, &session),
            None => put_session(&mut self.batch, &session),
        }
        self.sessions.insert(session.id, Some(session));
        Ok(())
    }

    fn remove_session(&mut self, session: &Session) -> EngineResult<()> {
        remove_session(&mut self.batch, session);
        self.sessions.insert(session.id, None);
        Ok(())
    }
}
