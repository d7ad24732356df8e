//! Reading sessions, noting their use, and removing what is left of expired ones. What begins and ends sessions is planned.

use super::{ClusterCore, ClusterStore};
use crate::rows::{BY_ID, PAGE, column, column_of, gene, limit, read_session};
use futures_util::future::try_join_all;
use guanxi_model::limits::{SESSION_PAGE_MAX, SESSION_SWEEP_MAX};
use guanxi_model::{Gene, Result, Session, SessionCursor, SessionKey, SessionPage, Uid};
use guanxi_ports::{BoxFuture, Sessions};
use guanxi_postgres::{Fault, Statements, Term, term};
use std::sync::Arc;
use tokio_postgres::Row;

/// A use that is noted by somebody else later stays.
const USED: &str = "update gx.session set used_ms = $3 where gene = $1 and id = $2 and used_ms < $3";
const EXPIRED: &str =
    "select gene, id, expires_ms from gx.session where expires_ms <= $1 order by expires_ms, id limit $2";
/// Nothing prolongs an expired session, so that no lock is needed. The index of times is not for this: all sessions that have
/// expired may be many.
const SWEEP: &str = "with gone as (delete from gx.session t \
    using (select * from unnest($1::smallint[], $2::bytea[]) limit cardinality($1)) as k(gene, id) \
    where t.gene = k.gene and t.id = k.id and (t.expires_ms <= $3) is true returning 1) select count(*) from gone";

/// A session that has expired: when, its id, its shard.
type Expired = (i64, Vec<u8>, Gene);

impl ClusterStore {
    async fn ask_sessions(&self, home: Gene, sql: &'static str, terms: Vec<Term>) -> Result<Vec<Session>> {
        let asked = Statements::one(sql, terms);
        let database = self.shared.map().database(home);
        let rows = self.shared.served[database].others.rows(&asked).await?;
        rows.iter().map(|row| read_session(row).map_err(Fault::told)).collect()
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
            term(limit(max).saturating_add(1)),
        ];
        let mut sessions = self.ask_sessions(home, PAGE, terms).await?;
        let more = sessions.len() > max;
        sessions.truncate(max);
        let next = sessions.last().filter(|_| more).map(Session::cursor);
        Ok(SessionPage { sessions, next })
    }

    async fn note_session_use(&self, key: SessionKey, at_ms: u64) -> Result<()> {
        if !self.shared.clock_watch.is_right() {
            return Ok(());
        }
        let Some(session) = self.find_session(key).await? else { return Ok(()) };
        if session.used_ms < at_ms {
            let home = term(i16::from(key.gene.0));
            let terms = vec![home, term(key.id.to_vec()), term(at_ms.cast_signed())];
            self.ask_sessions(key.gene, USED, terms).await?;
        }
        Ok(())
    }
}

impl Sessions for ClusterStore {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(self.find_session(key))
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        Box::pin(self.list_sessions(uid, after, max))
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.note_session_use(key, at_ms))
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        Box::pin(sweep(&self.shared, max))
    }
}

/// Removes expired sessions, the earliest first. Returns how many; fewer than asked for are all that there were.
async fn sweep(shared: &Arc<ClusterCore>, max: usize) -> Result<usize> {
    shared.clock_watch.check()?;
    let (max, now_ms) = (max.min(SESSION_SWEEP_MAX as usize), shared.clock.now_ms());
    let mut swept = 0;
    // Some that were found may have been swept by another process meanwhile.
    while swept < max {
        let found = earliest(shared, now_ms, max - swept).await?;
        let are_all = found.len() < max - swept;
        let keys = found.into_iter().map(|(_, id, home)| (home, id));
        for (database, keys) in shared.map().by_database(keys, |(home, _)| *home) {
            swept += remove(shared, database, keys, now_ms).await?;
        }
        if are_all {
            break;
        }
    }
    Ok(swept)
}

/// The sessions of all databases that have expired first.
async fn earliest(shared: &Arc<ClusterCore>, now_ms: u64, max: usize) -> Result<Vec<Expired>> {
    let asked = shared.served.iter().map(async |database| {
        let limit = limit(max);
        let expired = Statements::one(EXPIRED, vec![term(now_ms.cast_signed()), term(limit)]);
        database.others.rows(&expired).await
    });
    let rows = try_join_all(asked).await?;
    let read = |row: &Row| Ok((row.get(2), row.get(1), gene(row, 0)?));
    let mut found = rows.iter().flatten().map(read).collect::<Result<Vec<Expired>>>()?;
    found.sort_unstable();
    found.truncate(max);
    Ok(found)
}

/// Removes sessions of one database that have expired.
async fn remove(
    shared: &Arc<ClusterCore>,
    database: usize,
    keys: Vec<(Gene, Vec<u8>)>,
    now_ms: u64,
) -> Result<usize> {
    let sweep = Statements::one(
        SWEEP,
        vec![
            column_of!(keys, (home, _) => i16::from(home.0)),
            column_of!(keys, (_, id) => id.clone()),
            term(now_ms.cast_signed()),
        ],
    );
    let rows = shared.served[database].others.rows(&sweep).await?;
    let many: i64 = rows.iter().map(|row| row.get::<_, i64>(0)).sum();
    Ok(usize::try_from(many).unwrap_or_default())
}
