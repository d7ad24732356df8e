//! Sessions: each lies in the shard of its user, which is held while one of them changes.

mod row;
mod sweep;

use super::transact::in_shards;
use super::{ClusterCore, ClusterStore};
use crate::postgres::{Fault, SchemaName, Statements, Term, term};
use crate::rows::column;
use guanxi_model::limits::{SESSION_PAGE_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{
    Error, Gene, Reason, Refresh, Refreshed, Result, Session, SessionCursor, SessionKey, SessionPage, Uid,
};
use guanxi_ports::{BoxFuture, Sessions};
pub(crate) use row::{ALL as ALL_SESSIONS, PUT as PUT_SESSION, put_terms as session_terms, read_session};
use row::{BY_ID, OF_USER, PAGE, PUT, put_terms};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_postgres::Row;

const REMOVE: &str = "delete from {s}.session where gene = $1 and id = $2";
const REMOVE_ALL: &str = "delete from {s}.session where gene = $1 and uid = $2";
const USED: &str = "update {s}.session set used_ms = $3 where gene = $1 and id = $2";

/// What is done in the shard of a session's user, at a time.
struct SessionWrite<'a> {
    shared: &'a Arc<ClusterCore>,
    home: Gene,
    schema: SchemaName,
    now_ms: u64,
}

impl<'a> SessionWrite<'a> {
    fn new(shared: &'a Arc<ClusterCore>, home: Gene) -> Self {
        let schema = shared.terms.layout.schema_of(home.0);
        Self { shared, home, schema, now_ms: shared.clock.now_ms() }
    }

    fn by_id(&self, id: [u8; 32]) -> Vec<Term> {
        vec![term(i16::from(self.home.0)), term(id.to_vec())]
    }

    fn by_user(&self, uid: Uid) -> Vec<Term> {
        vec![term(i16::from(self.home.0)), term(column(uid))]
    }

    /// Decides about the session of an id, expired or not, and others that `look` asks for.
    async fn about<T>(
        &self,
        id: [u8; 32],
        look: impl Fn(&mut Statements),
        decide: impl Fn(Option<Session>, &[Vec<Row>]) -> Result<(Statements, T)>,
    ) -> Result<T> {
        let questions = |statements: &mut Statements| {
            statements.add_in(self.schema, BY_ID, self.by_id(id));
            look(statements);
        };
        let decide = |rows: &[Vec<Row>]| {
            let found = rows.first().and_then(|rows| rows.first());
            decide(found.map(read).transpose()?, rows.get(1..).unwrap_or_default())
        };
        in_shards(self.shared, &BTreeSet::from([self.home]), questions, decide).await
    }

    fn stored(&self, statements: &mut Statements, session: &Session) {
        statements.add_in(self.schema, PUT, put_terms(session));
    }

    fn removed(&self, statements: &mut Statements, id: [u8; 32]) {
        statements.add_in(self.schema, REMOVE, self.by_id(id));
    }

    async fn put(&self, session: Session) -> Result<Option<Session>> {
        let uid = session.uid;
        let look = |statements: &mut Statements| statements.add_in(self.schema, OF_USER, self.by_user(uid));
        let decide = |known: Option<Session>, rows: &[Vec<Row>]| {
            let mut changes = Statements::default();
            if let Some(known) = known {
                let own = known.uid == uid;
                return if own { Ok((changes, None)) } else { Err(Error::new(Reason::AlreadyExists)) };
            }
            let own = rows.iter().flatten().map(read).collect::<Result<Vec<Session>>>()?;
            let live = own.into_iter().filter(|own| own.is_live(self.now_ms));
            let replaced = makes_room(live.collect(), &session)?;
            replaced.iter().for_each(|old| self.removed(&mut changes, old.id));
            self.stored(&mut changes, &session);
            Ok((changes, replaced))
        };
        self.about(session.id, look, decide).await
    }

    async fn refresh(&self, refresh: Refresh) -> Result<Option<Refreshed>> {
        let decide = |known: Option<Session>, _: &[Vec<Row>]| {
            let live = known.filter(|known| known.is_live(self.now_ms));
            let refreshed = live.and_then(|known| known.refreshed(&refresh, self.now_ms));
            let mut changes = Statements::default();
            match &refreshed {
                Some(Refreshed::New(session)) => self.stored(&mut changes, session),
                Some(Refreshed::Reused(_)) => self.removed(&mut changes, refresh.key.id),
                Some(Refreshed::Again(_)) | None => {}
            }
            Ok((changes, refreshed))
        };
        self.about(refresh.key.id, |_| (), decide).await
    }

    async fn note_use(&self, key: SessionKey, at_ms: u64) -> Result<()> {
        let decide = |known: Option<Session>, _: &[Vec<Row>]| {
            let mut changes = Statements::default();
            let is_later = |known: &Session| known.lets_in(key.hash, self.now_ms) && known.used_ms < at_ms;
            if known.as_ref().is_some_and(is_later) {
                let mut terms = self.by_id(key.id);
                terms.push(term(at_ms.cast_signed()));
                changes.add_in(self.schema, USED, terms);
            }
            Ok((changes, ()))
        };
        self.about(key.id, |_| (), decide).await
    }

    async fn revoke(&self, uid: Uid, id: [u8; 32]) -> Result<bool> {
        let decide = |known: Option<Session>, _: &[Vec<Row>]| {
            let mut changes = Statements::default();
            let is_own = known.is_some_and(|known| known.uid == uid && known.is_live(self.now_ms));
            if is_own {
                self.removed(&mut changes, id);
            }
            Ok((changes, is_own))
        };
        self.about(id, |_| (), decide).await
    }

    async fn revoke_all(&self, uid: Uid) -> Result<u64> {
        let look = |statements: &mut Statements| statements.add_in(self.schema, OF_USER, self.by_user(uid));
        let decide = |rows: &[Vec<Row>]| {
            let mut changes = Statements::default();
            let all = rows.iter().flatten().map(read).collect::<Result<Vec<Session>>>()?;
            if !all.is_empty() {
                changes.add_in(self.schema, REMOVE_ALL, self.by_user(uid));
            }
            let live = all.iter().filter(|session| session.is_live(self.now_ms)).count();
            Ok((changes, u64::try_from(live).unwrap_or(u64::MAX)))
        };
        in_shards(self.shared, &BTreeSet::from([self.home]), look, decide).await
    }
}

fn read(row: &Row) -> Result<Session> {
    read_session(row).map_err(Fault::told)
}

/// The session of a user that has to go for a new one, if there are too many.
fn makes_room(live: Vec<Session>, new: &Session) -> Result<Option<Session>> {
    if live.len() < SESSIONS_PER_USER_MAX as usize {
        return Ok(None);
    }
    let both_rotate = |old: &Session| old.rotation.is_some() && new.rotation.is_some();
    let oldest = live.into_iter().filter(both_rotate);
    let oldest = oldest.min_by_key(|old| (old.used_ms, old.created_ms, old.id));
    oldest.map(Some).ok_or(Error::new(Reason::LimitReached { limit: SESSIONS_PER_USER_MAX }))
}

impl ClusterStore {
    /// Does something that goes on when nobody waits for it any more: its connection is never left in a transaction.
    async fn session_write<T: Send + 'static>(
        &self,
        write: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        tokio::spawn(write).await.map_err(|_| Error::new(Reason::OutcomeUnknown))?
    }

    async fn ask_sessions(&self, home: Gene, sql: &'static str, terms: Vec<Term>) -> Result<Vec<Session>> {
        let mut statements = Statements::default();
        statements.add_in(self.shared.terms.layout.schema_of(home.0), sql, terms);
        let database = self.shared.map().database(home);
        let rows = self.shared.served[database].others.ask(&statements).await.map_err(Fault::told)?;
        rows.iter().flatten().map(read).collect()
    }

    async fn find_session(&self, key: SessionKey) -> Result<Option<Session>> {
        let terms = vec![term(i16::from(key.gene.0)), term(key.id.to_vec())];
        let found = self.ask_sessions(key.gene, BY_ID, terms).await?.pop();
        let now_ms = self.shared.clock.now_ms();
        Ok(found.filter(|session| session.lets_in(key.hash, now_ms)))
    }

    async fn list_sessions(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> Result<SessionPage> {
        let (home, max) = (uid.gene(), max.min(SESSION_PAGE_MAX as usize));
        let after =
            after.unwrap_or(SessionCursor { created_ms: i64::MAX.cast_unsigned(), id: [u8::MAX; 32] });
        let terms = vec![
            term(i16::from(home.0)),
            term(column(uid)),
            term(self.shared.clock.now_ms().cast_signed()),
            term(after.created_ms.cast_signed()),
            term(after.id.to_vec()),
            // One beyond the page says whether the list goes on.
            term(i64::try_from(max).unwrap_or(i64::MAX).saturating_add(1)),
        ];
        let mut sessions = self.ask_sessions(home, PAGE, terms).await?;
        let more = sessions.len() > max;
        sessions.truncate(max);
        let next = sessions.last().filter(|_| more).map(Session::cursor);
        Ok(SessionPage { sessions, next })
    }
}

impl Sessions for ClusterStore {
    fn put(&self, session: Session) -> BoxFuture<'_, Result<Option<Session>>> {
        let shared = self.shared.clone();
        Box::pin(
            self.session_write(
                async move { SessionWrite::new(&shared, session.uid.gene()).put(session).await },
            ),
        )
    }

    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(self.find_session(key))
    }

    fn refresh(&self, refresh: Refresh) -> BoxFuture<'_, Result<Option<Refreshed>>> {
        let shared = self.shared.clone();
        Box::pin(self.session_write(async move {
            SessionWrite::new(&shared, refresh.key.gene).refresh(refresh).await
        }))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        Box::pin(self.list_sessions(uid, after, max))
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        let shared = self.shared.clone();
        Box::pin(
            self.session_write(
                async move { SessionWrite::new(&shared, key.gene).note_use(key, at_ms).await },
            ),
        )
    }

    fn revoke(&self, uid: Uid, id: [u8; 32]) -> BoxFuture<'_, Result<bool>> {
        let shared = self.shared.clone();
        Box::pin(
            self.session_write(async move { SessionWrite::new(&shared, uid.gene()).revoke(uid, id).await }),
        )
    }

    fn revoke_all(&self, uid: Uid) -> BoxFuture<'_, Result<u64>> {
        let shared = self.shared.clone();
        Box::pin(
            self.session_write(async move { SessionWrite::new(&shared, uid.gene()).revoke_all(uid).await }),
        )
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        let shared = self.shared.clone();
        Box::pin(self.session_write(async move { sweep::sweep(&shared, max).await }))
    }
}
