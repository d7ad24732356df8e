//! Processes that serve a cluster, as they have said themselves.

use guanxi_model::Clock;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use std::fmt;

/// By how much the clock of a server and that of a process may differ, in milliseconds.
pub const CLOCK_SKEW_MS_MAX: u64 = 500;

/// What a process does for a cluster.
#[expect(clippy::struct_excessive_bools, reason = "a process has any of the roles")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingRoles {
    /// It answers calls.
    pub api: bool,
    /// It applies logs, and removes what is over.
    pub worker: bool,
    /// It runs checks.
    pub repair: bool,
    /// It keeps indexes of search.
    pub index: bool,
}

impl fmt::Display for ServingRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all =
            [(self.api, "api"), (self.worker, "worker"), (self.repair, "repair"), (self.index, "index")];
        let named: Vec<&str> = all.into_iter().filter_map(|(has, name)| has.then_some(name)).collect();
        f.write_str(&named.join(","))
    }
}

/// How a process serves a cluster, as it tells others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingAs {
    /// What it does.
    pub roles: ServingRoles,
    /// The version of its program.
    pub program: &'static str,
    /// The name of its machine, and its number there.
    pub host: &'static str,
    /// See `host`.
    pub pid: u32,
}

/// A process that served a cluster a moment ago.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServingProcess {
    /// Its number among those of the cluster.
    pub number: i64,
    /// The version of the tables that it works with.
    pub tables_version: i32,
    /// The version of its program.
    pub program: String,
    /// What it does, as words with commas.
    pub roles: String,
    /// By how many milliseconds the clock of the first database is ahead of its own.
    pub clock_ahead_ms: i64,
    /// The name of its machine.
    pub host: String,
    /// Its number on that machine.
    pub pid: i64,
    /// How many connections it may open to each database.
    pub connections: i64,
}

impl fmt::Display for ServingProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, tables_version, program, roles, host, pid, .. } = self;
        write!(
            f,
            "process {number} (host {host}, pid {pid}, guanxi {program}, {roles}, tables of version {tables_version})"
        )
    }
}

impl ServingProcess {
    /// Returns whether it can serve from tables of a version: its own or the next.
    pub(crate) const fn knows(&self, tables: i32) -> bool {
        self.tables_version + 1 >= tables
    }

    /// Returns what is said of one that does not know tables of a version.
    pub(crate) fn is_left_behind_by(&self, tables: i32) -> String {
        format!("{self} does not know tables of version {tables}: end it, and start a newer program instead")
    }

    /// Returns what is wrong with it beside tables of a version, with what to do.
    pub(crate) fn problems(&self, tables: i32) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.knows(tables) {
            problems.push(self.is_left_behind_by(tables));
        }
        let ahead = self.clock_ahead_ms;
        if ahead.unsigned_abs() > CLOCK_SKEW_MS_MAX {
            problems.push(format!(
                "the clock of {self} is {} ms ahead of the first database's, and {CLOCK_SKEW_MS_MAX} ms are allowed: \
                 synchronize both",
                -ahead
            ));
        }
        problems
    }
}

/// Processes that said something lately; the others have ended.
const SERVING: &str = "select process, tables_version, program, roles, clock_ahead_ms, host, pid, connections from gx.serving \
    where seen_at > now() - interval '30 seconds' order by process";

/// The processes that serve a cluster, by its first database.
///
/// # Errors
/// What the database says.
pub(crate) async fn serving(first: &PgSession) -> Result<Vec<ServingProcess>, DatabaseError> {
    // A database that is not laid out yet has none.
    if !first.has("gx.serving").await? {
        return Ok(Vec::new());
    }
    let rows = first.rows(SERVING, &[]).await?;
    let process = |row: &tokio_postgres::Row| ServingProcess {
        number: row.get(0),
        tables_version: row.get(1),
        program: row.get(2),
        roles: row.get(3),
        clock_ahead_ms: row.get(4),
        host: row.get(5),
        pid: row.get(6),
        connections: row.get(7),
    };
    Ok(rows.iter().map(process).collect())
}

/// What a server is asked for its clock.
pub(crate) const NOW: &str = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";

/// By how much the clock of a server is ahead of ours: it was read somewhere between two looks at ours.
pub(crate) fn ahead_ms(before: u64, theirs: i64, after: u64) -> i64 {
    let (before, after) = (before.cast_signed(), after.cast_signed());
    if theirs < before { theirs - before } else { (theirs - after).max(0) }
}

/// The same, asked on a connection.
pub(crate) async fn clock_ahead_ms(session: &PgSession, clock: &dyn Clock) -> Result<i64, DatabaseError> {
    let before = clock.now_ms();
    let rows = session.rows(NOW, &[]).await?;
    let after = clock.now_ms();
    Ok(ahead_ms(before, rows.first().map_or(0, |row| row.get(0)), after))
}
