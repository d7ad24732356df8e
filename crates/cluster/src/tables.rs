//! The version of the tables of databases, beside the version that this program works with. Nothing is written.

use crate::claim::{claim_of, refuse_foreign};
use crate::map::{self, ShardMap};
use crate::migrations::{TABLES_VERSION, TablesState};
use crate::serving::{ServingProcess, serving};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use guanxi_postgres::{Database, Databases};
use std::ops::RangeInclusive;

/// The version of the first tables that a release has made.
pub const TABLES_FIRST: i32 = crate::migrations::FIRST_TABLES;

/// The versions of tables that this program serves from: its own and the next.
pub const TABLES_SERVED: RangeInclusive<i32> = TABLES_VERSION..=TABLES_VERSION + 1;

/// What a start of this program would do with the tables of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TablesStart {
    /// It serves from them as they are.
    Serves,
    /// It refuses until `guanxi cluster init` has brought them up, which this program can do.
    AfterInit,
    /// It refuses. The text says why, and what to do.
    Refuses(String),
}

/// The tables of one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablesFound {
    /// The name that the database has in its cluster; that of the list if it tells none.
    pub database: String,
    /// The version of its tables, if it can be read and any are made.
    pub version: Option<i32>,
    /// What a start would do.
    pub start: TablesStart,
}

/// The tables of the databases that were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablesReport {
    /// Each database.
    pub databases: Vec<TablesFound>,
    /// Databases of the cluster that were not in the list, as far as the list has the first database of the cluster.
    pub unseen: Vec<String>,
    /// The processes that serve the cluster now, by its first database.
    pub processes: Vec<ServingProcess>,
    /// Those of them beside which `guanxi cluster init` of this program makes nothing, each with what to do.
    pub left_behind: Vec<String>,
}

/// Reads the versions of the tables of databases, in sessions that cannot write. A database that cannot be asked is one from
/// which this program would refuse to serve.
pub async fn tables(databases: &Databases) -> TablesReport {
    let (map, processes) = of_first(databases.first()).await.unwrap_or_default();
    let mut found = Vec::new();
    for database in databases.all() {
        let one = look(database).await.unwrap_or_else(|error| TablesFound {
            database: database.name().to_owned(),
            version: None,
            start: TablesStart::Refuses(error.problem()),
        });
        found.push(one);
    }
    let seen = |name: &String| found.iter().any(|one| one.database == *name);
    let all = map.map(|map| map.databases).unwrap_or_default();
    let unseen = all.into_iter().filter(|name| !seen(name)).collect();
    let left_behind = processes.iter().filter(|process| !process.knows(TABLES_VERSION));
    let left_behind = left_behind.map(|process| process.is_left_behind_by(TABLES_VERSION)).collect();
    TablesReport { databases: found, unseen, processes, left_behind }
}

/// A connection that cannot write: it has one transaction, which reads alone.
async fn reading(database: &Database) -> Result<PgSession, DatabaseError> {
    let session = PgSession::open(database).await?;
    session.run("begin read only").await?;
    Ok(session)
}

/// What the first database knows of the whole cluster.
async fn of_first(first: &Database) -> Result<(Option<ShardMap>, Vec<ServingProcess>), DatabaseError> {
    let session = reading(first).await?;
    Ok((map::read(&session).await?, serving(&session).await?))
}

async fn look(database: &Database) -> Result<TablesFound, DatabaseError> {
    let session = reading(database).await?;
    refuse_foreign(&session).await?;
    let Some(claim) = claim_of(&session).await? else {
        return Err(session.problem("it is not laid out: run `guanxi cluster init`"));
    };
    let state = TablesState::read(&session).await?;
    let version = state.made();
    let start = match (state.problem(), state.unknown()) {
        (None, _) => TablesStart::Serves,
        (Some(_), None) if version >= Some(TABLES_FIRST) => TablesStart::AfterInit,
        (Some(problem), _) => TablesStart::Refuses(problem),
    };
    Ok(TablesFound { database: claim.name, version, start })
}
