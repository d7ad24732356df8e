//! What a database is a part of, as it says itself: it is never taken for a part of another cluster.

use crate::map::{ShardMap, column_of, history_of};
use crate::migrations::note;
use guanxi_model::HistoryId;
use guanxi_postgres::Database;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::{PgSession, term};
use std::time::Duration;
use tokio::time::sleep;

/// What a database says that it is a part of.
pub(crate) struct Claim {
    pub history: HistoryId,
    pub id: i16,
    pub name: String,
}

/// Reads what a database is a part of, if of anything.
pub(crate) async fn claim_of(session: &PgSession) -> Result<Option<Claim>, DatabaseError> {
    if !session.has("gx.database").await? {
        return Ok(None);
    }
    let rows = session.rows("select history, id, name from gx.database", &[]).await?;
    let claim = |row: &tokio_postgres::Row| Claim {
        history: history_of(row.get(0)),
        id: row.get(1),
        name: row.get(2),
    };
    Ok(rows.first().map(claim))
}

/// Refuses a database with schemas of our names that are not ours.
pub(crate) async fn refuse_foreign(session: &PgSession) -> Result<(), DatabaseError> {
    for (schema, table) in [("gx", "gx.migration"), ("meta", "meta.cluster")] {
        let rows = session.rows("select to_regnamespace($1) is not null", &[term(schema)]).await?;
        if rows.first().is_some_and(|row| row.get(0)) && !session.has(table).await? {
            return Err(session
                .problem(format!("it has a schema `{schema}` that is not ours: use a database of its own")));
        }
    }
    Ok(())
}

/// The lock that a process that lays out a cluster holds on each of its databases: `guanxi` in ASCII. It goes with its
/// transaction, which no pooler ends before its connection.
const LOCK: i64 = 0x6775_616e_7869;

/// How often the lock is asked for, and when again: a server takes a moment to notice that its holder has gone.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// Takes the lock of a database, before anything of it is read: no other process lays it out, and no two of the list are
/// one. It is held until the session that is returned is dropped.
pub(crate) async fn alone(database: &Database) -> Result<PgSession, DatabaseError> {
    let session = PgSession::open(database).await?;
    session.run("begin; set local idle_in_transaction_session_timeout = 0").await?;
    for _ in 0..LOCK_TRIES {
        let rows = session.rows("select pg_try_advisory_xact_lock($1)", &[term(LOCK)]).await?;
        if rows.first().is_some_and(|row| row.get(0)) {
            return Ok(session);
        }
        sleep(LOCK_PAUSE).await;
    }
    Err(session.problem(
        "another `guanxi cluster init` is at work there, or two of `databases` are the same database",
    ))
}

/// Refuses a database that is the first of some cluster.
pub(crate) async fn refuse_map(session: &PgSession) -> Result<(), DatabaseError> {
    let Some(map) = crate::map::read(session).await? else { return Ok(()) };
    let (history, databases) = (map.history.0, map.databases.join(", "));
    Err(session.problem(format!(
        "it is the first of cluster {history:016x} on {databases}: name these, in this order, or use an empty one"
    )))
}

/// Refuses a database that is a part of some cluster.
pub(crate) async fn refuse_claimed(session: &PgSession) -> Result<(), DatabaseError> {
    match claim_of(session).await? {
        None => Ok(()),
        Some(Claim { name, history, .. }) => Err(session.problem(format!(
            "it is `{name}` of cluster {:016x}: name the databases of that, its first one first, or use an empty one",
            history.0
        ))),
    }
}

/// Says in a database what it is a part of from now on.
pub(crate) async fn claim(
    session: &PgSession,
    map: &ShardMap,
    id: i16,
    name: &str,
) -> Result<(), DatabaseError> {
    let is_claimed = claim_of(session).await?.is_some();
    if map.is_done && !is_claimed {
        return Err(session.problem(format!(
            "it is empty, and the cluster was laid out: its address is wrong, or what was `{name}` is lost and has to be \
             restored"
        )));
    }
    note(session).await?;
    // Tables of an older layout have more columns, which this statement does not know.
    if !is_claimed {
        let history = column_of(map.history);
        let statement = "insert into gx.database (history, id, name) values ($1, $2, $3) \
                         on conflict do nothing";
        session.rows(statement, &[term(history), term(id), term(name.to_owned())]).await?;
    }
    match claim_of(session).await? {
        Some(claim) if claim.history == map.history && claim.id == id && claim.name == name => Ok(()),
        _ => refuse_claimed(session).await,
    }
}
