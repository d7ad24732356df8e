//! Sessions: none is held in memory; a point read finds one.

use super::EmbeddedStore;
use crate::engine::EngineResult;
use crate::rows::sessions::{places_of_user, stored_session};
use crate::writer::{Job, SessionNote};
use guanxi_model::limits::SESSION_PAGE_MAX;
use guanxi_model::{Result, Session, SessionCursor, SessionKey, SessionPage, Uid};
use guanxi_ports::{BoxFuture, Sessions};
use std::future::ready;

impl EmbeddedStore {
    fn find_session(&self, key: SessionKey) -> Result<Option<Session>> {
        let view = self.shared().published.pin();
        let now_ms = self.shared().clock.now_ms();
        let found = stored_session(&view.snapshot, key.id)?;
        Ok(found.filter(|session| session.uid.gene() == key.gene && session.lets_in(key.hash, now_ms)))
    }

    fn list_sessions(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> EngineResult<SessionPage> {
        let (view, now_ms) = (self.shared().published.pin(), self.shared().clock.now_ms());
        let max = max.min(SESSION_PAGE_MAX as usize);
        let mut page = SessionPage::default();
        for place in places_of_user(&view.snapshot, uid, after) {
            let Some(session) = stored_session(&view.snapshot, place?.id)? else { continue };
            if !session.is_live(now_ms) {
                continue;
            }
            if page.sessions.len() == max {
                page.next = page.sessions.last().map(Session::cursor);
                break;
            }
            page.sessions.push(session);
        }
        Ok(page)
    }

    /// Returns how many sessions have changed.
    async fn note_sessions(&self, note: SessionNote) -> Result<u64> {
        self.ask(|answer| Job::Sessions(note, answer)).await
    }
}

impl Sessions for EmbeddedStore {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(ready(self.find_session(key)))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        Box::pin(ready(self.list_sessions(uid, after, max).map_err(Into::into)))
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.note_sessions(SessionNote::Used(key, at_ms)).await.map(drop) })
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move {
            let swept = self.note_sessions(SessionNote::Sweep(max)).await?;
            // At most SESSION_SWEEP_MAX.
            Ok(usize::try_from(swept).unwrap_or(usize::MAX))
        })
    }
}
