//! The tables of a database, brought from version to version.
//!
//! A migration has two parts: what is done once in a database, and what is done in each of its schemas. Each part is one
//! transaction that also notes that it is done, so that whoever is cut off goes on where that was. Who migrates a database
//! holds its lock.

mod lacking;

pub(crate) use lacking::lacking;

use super::session::PgSession;
use super::{Layout, SchemaName};
use crate::ClusterError;

/// A step from one version of the tables to the next.
struct Migration {
    /// Once in the database.
    database: &'static str,
    /// In each schema: `{schema}` stands for its name, `{genes}` for its genes.
    schema: &'static str,
}

/// All of them, the first is version 1. What has been released is never changed.
const MIGRATIONS: &[Migration] = &[
    Migration { database: include_str!("0001_database.sql"), schema: include_str!("0001_schema.sql") },
    Migration { database: include_str!("0002_database.sql"), schema: include_str!("0002_schema.sql") },
    Migration { database: include_str!("0003_database.sql"), schema: include_str!("0003_schema.sql") },
    Migration { database: include_str!("0004_database.sql"), schema: include_str!("0004_schema.sql") },
    Migration { database: include_str!("0005_database.sql"), schema: include_str!("0005_schema.sql") },
    Migration { database: include_str!("0006_database.sql"), schema: include_str!("0006_schema.sql") },
    Migration { database: include_str!("0007_database.sql"), schema: include_str!("0007_schema.sql") },
    Migration { database: include_str!("0008_database.sql"), schema: include_str!("0008_schema.sql") },
    Migration { database: include_str!("0009_database.sql"), schema: include_str!("0009_schema.sql") },
    Migration { database: include_str!("0010_database.sql"), schema: include_str!("0010_schema.sql") },
];

/// The version that this program works with.
pub const VERSION: i32 = 10;

/// What a migration of the database itself is noted under.
const DATABASE: &str = "gx";

/// The tables that say what a database is a part of, so that it is never taken for a part of another cluster, and what is done
/// in it.
const NOTES: &str = "
create schema if not exists gx;
create table if not exists gx.database (
    one boolean primary key default true check (one),
    history bigint not null, id smallint not null, name text not null, schemas smallint not null
);
create table if not exists gx.migration (
    schema text not null, version int not null, done_at timestamptz not null default now(),
    primary key (schema, version)
);
";

/// Makes the tables that say what a database is and what is done in it, unless they are there.
///
/// # Errors
/// What the database says.
pub(crate) async fn note(session: &PgSession) -> Result<(), ClusterError> {
    session.run(NOTES).await
}

/// A part that is done: of which schema, of which version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MigrationPart {
    /// `gx`, or a schema of genes.
    pub schema: String,
    /// The version.
    pub version: i32,
}

/// Brings a database and some of its schemas to [`VERSION`]. `done` is told of each part that was missing, after it is done,
/// and may end it.
///
/// # Errors
/// What the database says; whatever `done` says.
pub(crate) async fn migrate(
    session: &PgSession,
    layout: Layout,
    schemas: &[SchemaName],
    done: &mut dyn FnMut(MigrationPart) -> Result<(), ClusterError>,
) -> Result<(), ClusterError> {
    for MigrationPart { schema, version } in missing(session, schemas).await? {
        let Some(migration) = usize::try_from(version - 1).ok().and_then(|at| MIGRATIONS.get(at)) else {
            continue;
        };
        let statements = match schemas.iter().find(|name| name.to_string() == schema) {
            None => migration.database.to_owned(),
            Some(name) => {
                let genes: Vec<String> = layout.genes(*name).map(|gene| gene.to_string()).collect();
                migration.schema.replace("{schema}", &schema).replace("{genes}", &genes.join(", "))
            }
        };
        let note = format!("insert into gx.migration (schema, version) values ('{schema}', {version});");
        session.run(&format!("{statements}\n{note}")).await?;
        done(MigrationPart { schema, version })?;
    }
    Ok(())
}

/// How the tables of a database stand, as it has noted.
#[derive(Clone, Debug)]
pub(crate) struct TablesState {
    /// The latest version of which anything is made.
    pub latest: i32,
    /// The parts that are missing for [`VERSION`], in their order.
    pub missing: Vec<MigrationPart>,
}

/// Versions that tables may be ahead of a program that serves from them: what a step adds, a program of the step before lets
/// alone, so that processes may be replaced one after the other.
const AHEAD_MAX: i32 = 1;

impl TablesState {
    /// Reads what is noted in a database that has some of the schemas.
    pub(crate) async fn read(session: &PgSession, schemas: &[SchemaName]) -> Result<Self, ClusterError> {
        let rows = session.rows("select schema, version from gx.migration", &[]).await?;
        let there: Vec<MigrationPart> =
            rows.iter().map(|row| MigrationPart { schema: row.get(0), version: row.get(1) }).collect();
        let latest = there.iter().map(|applied| applied.version).max().unwrap_or(0);
        let names = || std::iter::once(DATABASE.to_owned()).chain(schemas.iter().map(ToString::to_string));
        let wanted =
            (1..=VERSION).flat_map(|version| names().map(move |schema| MigrationPart { schema, version }));
        Ok(Self { latest, missing: wanted.filter(|applied| !there.contains(applied)).collect() })
    }

    /// What stands in the way of serving from them, with what to do.
    pub(crate) fn problem(&self) -> Option<String> {
        let latest = self.latest;
        if latest > VERSION + AHEAD_MAX {
            return Some(format!(
                "its tables are of version {latest}, and this program serves from {VERSION} and {}: run the newer program",
                VERSION + AHEAD_MAX
            ));
        }
        let first = self.missing.first()?;
        Some(format!(
            "{} of its parts are not of this program's version, the first is {}: run `guanxi cluster init` again",
            self.missing.len(),
            first.schema
        ))
    }
}

/// The parts that are missing for [`VERSION`], in their order.
///
/// # Errors
/// What the database says; that its tables are of a later version, which only a later program changes.
async fn missing(session: &PgSession, schemas: &[SchemaName]) -> Result<Vec<MigrationPart>, ClusterError> {
    let TablesState { latest, missing } = TablesState::read(session, schemas).await?;
    if latest > VERSION {
        return Err(session.problem(format!(
            "its tables are of version {latest}, and this program knows {VERSION}: run the newer program"
        )));
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_last_migration() {
        assert_eq!(usize::try_from(VERSION), Ok(MIGRATIONS.len()));
        assert!(MIGRATIONS.iter().all(|migration| !migration.database.contains('{')));
    }

    #[test]
    fn a_program_serves_from_its_own_tables_and_the_next() {
        let state = |latest| TablesState { latest, missing: Vec::new() };
        assert_eq!(state(VERSION).problem(), None);
        assert_eq!(state(VERSION + 1).problem(), None);
        assert!(state(VERSION + 2).problem().unwrap().contains("run the newer program"));
        let part = MigrationPart { schema: "g03".to_owned(), version: VERSION };
        let behind = TablesState { latest: VERSION + 1, missing: vec![part] };
        assert!(behind.problem().unwrap().contains("the first is g03: run `guanxi cluster init`"));
    }
}
