//! The tables of a database, brought from version to version.
//!
//! A migration has two parts: statements that run once in a database, and statements that run in each of its schemas. Each
//! part is one transaction that also notes that it is done, so that an interrupted migration goes on from there. A process
//! that migrates a database holds its lock.

mod lacking;

pub(crate) use lacking::lacking;

use super::session::PgSession;
use super::{Layout, SchemaName};
use crate::ClusterError;

/// What makes a version of the tables of the one before.
#[derive(Clone, Copy)]
struct Migration {
    /// Once in the database.
    database: &'static str,
    /// In each schema: `{schema}` stands for its name, `{genes}` for its genes.
    schema: &'static str,
}

/// The versions of tables that a program knows: the first one, which is the whole layout, and one more for each step after it.
#[derive(Clone, Copy)]
struct Migrations(&'static [Migration]);

/// Those that this program knows. What has been released is never changed.
const MIGRATIONS: Migrations = Migrations(&[
    Migration { database: include_str!("0011_database.sql"), schema: include_str!("0011_schema.sql") },
    Migration { database: include_str!("0012_database.sql"), schema: "" },
    Migration { database: include_str!("0013_database.sql"), schema: "" },
    Migration { database: include_str!("0014_database.sql"), schema: "" },
    Migration { database: include_str!("0015_database.sql"), schema: "" },
]);

/// The first version. The numbers below it are of programs that were never released, and are never given again.
pub(crate) const FIRST_VERSION: i32 = 11;

/// The version that this program works with.
pub const VERSION: i32 = MIGRATIONS.last();

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
/// What the database says, also that its tables are of a version that this program does not bring up; every error of
/// `done`.
pub(crate) async fn migrate(
    session: &PgSession,
    layout: Layout,
    schemas: &[SchemaName],
    done: &mut dyn FnMut(MigrationPart) -> Result<(), ClusterError>,
) -> Result<(), ClusterError> {
    MIGRATIONS.migrate(session, layout, schemas, done).await
}

impl Migrations {
    /// The version that databases are brought to.
    #[expect(clippy::cast_possible_wrap, reason = "there are a handful of versions")]
    const fn last(self) -> i32 {
        FIRST_VERSION + self.0.len() as i32 - 1
    }

    async fn migrate(
        self,
        session: &PgSession,
        layout: Layout,
        schemas: &[SchemaName],
        done: &mut dyn FnMut(MigrationPart) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        let state = self.state(session, schemas).await?;
        if let Some(problem) = state.unknown() {
            return Err(session.problem(problem));
        }
        for MigrationPart { schema, version } in state.missing {
            let at = usize::try_from(version - FIRST_VERSION).ok();
            let Some(migration) = at.and_then(|at| self.0.get(at)) else { continue };
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

    /// Reads what is noted in a database that has some of the schemas.
    async fn state(self, session: &PgSession, schemas: &[SchemaName]) -> Result<TablesState, ClusterError> {
        let rows = session.rows("select schema, version from gx.migration", &[]).await?;
        let there: Vec<MigrationPart> =
            rows.iter().map(|row| MigrationPart { schema: row.get(0), version: row.get(1) }).collect();
        let latest = there.iter().map(|applied| applied.version).max().unwrap_or(0);
        let is_first = |schema: &str| there.iter().any(|a| a.schema == schema && a.version >= FIRST_VERSION);
        let older = there.iter().filter(|applied| !is_first(&applied.schema));
        let older = older.map(|applied| applied.version).max();
        let names = || std::iter::once(DATABASE.to_owned()).chain(schemas.iter().map(ToString::to_string));
        let wanted = (FIRST_VERSION..=self.last())
            .flat_map(|version| names().map(move |schema| MigrationPart { schema, version }));
        let missing = wanted.filter(|applied| !there.contains(applied)).collect();
        Ok(TablesState { known: self.last(), latest, older, missing })
    }
}

/// How the tables of a database stand, as it has noted.
#[derive(Clone, Debug)]
pub(crate) struct TablesState {
    /// The version that the program works with.
    known: i32,
    /// The latest version of which anything is made.
    pub latest: i32,
    /// The version of a part from before the first one, if there is such a part.
    older: Option<i32>,
    /// The parts that are missing for the version that is known, in their order.
    pub missing: Vec<MigrationPart>,
}

/// Versions that tables may be ahead of a program that serves from them: what a step adds, a program of the step before lets
/// alone, so that processes may be replaced one after the other.
const AHEAD_MAX: i32 = 1;

impl TablesState {
    /// Reads what is noted in a database that has some of the schemas.
    pub(crate) async fn read(session: &PgSession, schemas: &[SchemaName]) -> Result<Self, ClusterError> {
        MIGRATIONS.state(session, schemas).await
    }

    /// Returns the latest known version of which every part is made; `None` if even the first one is not whole. Tables of a
    /// newer program have the version of its latest part, and those of before the first release their own.
    pub(crate) fn whole(&self) -> Option<i32> {
        let newer = (self.latest > self.known).then_some(self.latest);
        let whole =
            newer.or_else(|| self.missing.first().map(|part| part.version - 1)).unwrap_or(self.latest);
        self.older.or_else(|| (whole >= FIRST_VERSION).then_some(whole))
    }

    /// Returns the obstacle to serving from them, with what to do.
    pub(crate) fn problem(&self) -> Option<String> {
        let Self { known, latest, older, .. } = *self;
        if older.is_some() {
            return self.unknown();
        }
        if latest > known + AHEAD_MAX {
            return Some(format!(
                "its tables are of version {latest}, and this program serves from {known} and {}: run the newer program",
                known + AHEAD_MAX
            ));
        }
        let first = self.missing.first()?;
        Some(format!(
            "{} of its parts are not of this program's version, the first is {}: run `guanxi cluster init` again",
            self.missing.len(),
            first.schema
        ))
    }

    /// Returns the obstacle to bringing them to the known version, with what to do.
    pub(crate) fn unknown(&self) -> Option<String> {
        let Self { known, latest, older, .. } = *self;
        if let Some(older) = older {
            return Some(format!(
                "its tables are of version {older}, which was made before 0.1.0 and is not read: export what is in it with the \
                 program that made it, and import that into a new cluster"
            ));
        }
        (latest > known).then(|| {
            format!(
                "its tables are of version {latest}, and this program knows {known}: run the newer program"
            )
        })
    }
}

#[cfg(test)]
mod owners;
#[cfg(test)]
mod tests;
