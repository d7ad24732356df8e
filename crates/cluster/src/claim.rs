//! What a database is a part of, as it says itself: it is never taken for a part of another cluster.

use crate::ClusterError;
use crate::map::{ShardMap, column_of, history_of};
use crate::postgres::{PgSession, note};
use guanxi_model::HistoryId;

/// What a database says that it is a part of.
pub(crate) struct Claim {
    pub history: HistoryId,
    pub id: i16,
    pub name: String,
    pub schemas: i16,
}

/// Reads what a database is a part of, if of anything.
pub(crate) async fn claim_of(session: &PgSession) -> Result<Option<Claim>, ClusterError> {
    if !session.has("gx.database").await? {
        return Ok(None);
    }
    let rows = session.rows("select history, id, name, schemas from gx.database", &[]).await?;
    let claim = |row: &tokio_postgres::Row| Claim {
        history: history_of(row.get(0)),
        id: row.get(1),
        name: row.get(2),
        schemas: row.get(3),
    };
    Ok(rows.first().map(claim))
}

/// Refuses a database with schemas of our names that are not ours.
pub(crate) async fn refuse_foreign(session: &PgSession) -> Result<(), ClusterError> {
    for (schema, table) in [("gx", "gx.migration"), ("meta", "meta.cluster")] {
        let rows = session.rows("select to_regnamespace($1) is not null", &[&schema]).await?;
        if rows.first().is_some_and(|row| row.get(0)) && !session.has(table).await? {
            return Err(session
                .problem(format!("it has a schema `{schema}` that is not ours: use a database of its own")));
        }
    }
    Ok(())
}

/// Refuses a database that is a part of some cluster.
pub(crate) async fn refuse_claimed(session: &PgSession) -> Result<(), ClusterError> {
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
) -> Result<(), ClusterError> {
    note(session).await?;
    let (history, schemas) = (column_of(map.history), map.schemas.cast_signed());
    let statement = "insert into gx.database (history, id, name, schemas) values ($1, $2, $3, $4) \
                     on conflict do nothing";
    session.rows(statement, &[&history, &id, &name, &schemas]).await?;
    match claim_of(session).await? {
        Some(claim) if claim.history == map.history && claim.id == id && claim.name == name => Ok(()),
        _ => refuse_claimed(session).await,
    }
}
