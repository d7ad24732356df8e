//! The tables of a database, brought from version to version.
//!
//! Each version is one transaction that also notes that it is done, so that an interrupted migration goes on from there. A
//! process that migrates a database holds its lock.

mod lacking;

pub(crate) use lacking::lacking;

use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;

/// The versions of tables that a program knows: the first one, which is the whole layout, and one more for each step after it.
#[derive(Clone, Copy)]
struct Migrations(&'static [&'static str]);

/// Those that this program knows. What has been released is never changed.
const MIGRATIONS: Migrations = Migrations(&[
    include_str!("0016.sql"),
    include_str!("0017.sql"),
    include_str!("0018.sql"),
    include_str!("0019.sql"),
]);

/// The first version. Tables of the numbers below it were laid out otherwise: those from 11 on had a schema for each group of
/// genes, and those before were never released. Their numbers are never given again.
pub(crate) const FIRST_TABLES: i32 = 16;

/// The version that this program works with.
pub const TABLES_VERSION: i32 = MIGRATIONS.last();

/// The tables that say what a database is a part of, so that it is never taken for a part of another cluster, and what is done
/// in it.
const NOTES: &str = "
create schema if not exists gx;
create table if not exists gx.database (
    one boolean primary key default true check (one),
    history bigint not null, id smallint not null, name text not null
);
create table if not exists gx.migration (
    version int primary key, done_at timestamptz not null default now()
);
";

/// Makes the tables that say what a database is and what is done in it, unless they are there.
///
/// # Errors
/// What the database says.
pub(crate) async fn note(session: &PgSession) -> Result<(), DatabaseError> {
    session.run(NOTES).await
}

/// Brings a database to [`TABLES_VERSION`]. `done` is told of each version that was missing, after it is made, and may end it.
///
/// # Errors
/// What the database says, also that its tables are of a version that this program does not bring up; every error of
/// `done`.
pub(crate) async fn migrate(
    session: &PgSession,
    done: &mut dyn FnMut(i32) -> Result<(), DatabaseError>,
) -> Result<(), DatabaseError> {
    MIGRATIONS.migrate(session, done).await
}

impl Migrations {
    /// The version that databases are brought to.
    #[expect(clippy::cast_possible_wrap, reason = "there are a handful of versions")]
    const fn last(self) -> i32 {
        FIRST_TABLES + self.0.len() as i32 - 1
    }

    async fn migrate(
        self,
        session: &PgSession,
        done: &mut dyn FnMut(i32) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let state = self.state(session).await?;
        if let Some(problem) = state.unknown() {
            return Err(session.problem(problem));
        }
        for (version, statements) in (FIRST_TABLES..).zip(self.0) {
            if version > state.latest {
                let note = format!("insert into gx.migration (version) values ({version});");
                session.run(&format!("{statements}\n{note}")).await?;
                done(version)?;
            }
        }
        Ok(())
    }

    /// Reads what is noted in a database.
    async fn state(self, session: &PgSession) -> Result<TablesState, DatabaseError> {
        let rows = session.rows("select coalesce(max(version), 0) from gx.migration", &[]).await?;
        Ok(TablesState { known: self.last(), latest: rows.first().map_or(0, |row| row.get(0)) })
    }
}

/// How the tables of a database stand, as it has noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TablesState {
    /// The version that the program works with.
    known: i32,
    /// The latest version that is made; 0 of a database that has none.
    pub latest: i32,
}

/// Versions that tables may be ahead of a program that serves from them: what a step adds, a program of the step before lets
/// alone, so that processes may be replaced one after the other.
const AHEAD_MAX: i32 = 1;

impl TablesState {
    /// Reads what is noted in a database.
    pub(crate) async fn read(session: &PgSession) -> Result<Self, DatabaseError> {
        MIGRATIONS.state(session).await
    }

    /// Returns the version that is made, if any is.
    pub(crate) fn made(self) -> Option<i32> {
        (self.latest > 0).then_some(self.latest)
    }

    /// Returns the obstacle to serving from them, with what to do.
    pub(crate) fn problem(self) -> Option<String> {
        let Self { known, latest } = self;
        if self.is_older() {
            return self.unknown();
        }
        if latest > known + AHEAD_MAX {
            return Some(format!(
                "its tables are of version {latest}, and this program serves from {known} and {}: run the newer program",
                known + AHEAD_MAX
            ));
        }
        (latest < known).then(|| {
            let found = if latest == 0 { "not made".to_owned() } else { format!("of version {latest}") };
            format!(
                "its tables are {found}, and this program works with {known}: run `guanxi cluster init` again"
            )
        })
    }

    /// Returns the obstacle to bringing them to the known version, with what to do.
    pub(crate) fn unknown(self) -> Option<String> {
        let Self { known, latest } = self;
        if self.is_older() {
            return Some(format!(
                "its tables are of version {latest}, whose layout is not read any more: write a dump with the program that made \
                 them (`guanxi backup`), and restore it into a new cluster (`guanxi restore`)"
            ));
        }
        (latest > known).then(|| {
            format!(
                "its tables are of version {latest}, and this program knows {known}: run the newer program"
            )
        })
    }

    /// Returns whether they are of a layout from before the first version.
    const fn is_older(self) -> bool {
        self.latest > 0 && self.latest < FIRST_TABLES
    }
}

#[cfg(test)]
mod owners;
#[cfg(test)]
mod tests;
