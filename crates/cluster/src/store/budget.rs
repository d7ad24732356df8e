//! How many connections a process may open to each database, and whether the servers have room for those of all processes.

use super::ClusterOptions;
use crate::lanes::LANES;
use crate::serving::{ServingAs, ServingRoles};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::PgSession;
use std::fmt;

/// Connections for short questions: what confirms views, looks at logs and wakes others.
const QUESTIONS: usize = 6;

/// Connections for settings and uses of sessions.
const SETTINGS: usize = 4;

/// Connections for what writes in other shards have to know: a few questions of some writes.
const LOOKS: usize = LANES;

/// A check reads on one connection and mends on another, and a dump holds shards on one and reads on another.
const CHECK: usize = 2;

/// Checks that a process in the role `repair` runs at once: each kind.
const CHECKS: usize = 4;

/// Connections for the map: to read it, and to look at a database that is shut.
const MAP: usize = 2;

/// Connections that a process may open to each database, by what they are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionBudget {
    /// For views, each of which holds one.
    pub views: usize,
    /// For lanes, each of which has a batch at work and one apart or whose outcome is not known yet, and for what applies events.
    pub writes: usize,
    /// For short questions beside views, so that these never wait for each other.
    pub questions: usize,
    /// For settings and sessions, which are not written by lanes.
    pub settings: usize,
    /// For what writes in other shards have to know of rows.
    pub looks: usize,
    /// For hearing notifications.
    pub notifications: usize,
    /// For checks and dumps.
    pub checks: usize,
    /// For the map.
    pub map: usize,
}

impl ConnectionBudget {
    /// That of a process with some options, in a cluster on so many databases.
    pub fn of(options: &ClusterOptions, databases: usize) -> Self {
        let none = ServingRoles { api: false, worker: false, repair: false, index: false };
        let roles = options.serving.map_or(none, |serving| serving.roles);
        let of_checks = if options.serving.is_none() { CHECK } else { 0 }
            + if roles.api { CHECK } else { 0 }
            + if roles.worker { CHECK } else { 0 }
            + if roles.repair { CHECK * CHECKS } else { 0 };
        Self {
            views: options.views_max,
            writes: LANES * 2 + databases,
            questions: QUESTIONS,
            settings: SETTINGS,
            looks: LOOKS,
            notifications: usize::from(options.notifies),
            checks: of_checks,
            map: MAP,
        }
    }

    /// That of a process in all roles.
    pub(crate) fn of_all_roles(databases: usize) -> Self {
        let roles = ServingRoles { api: true, worker: true, repair: true, index: true };
        let serving = Some(ServingAs { roles, program: "", host: "", pid: 0 });
        Self::of(&ClusterOptions { serving, ..ClusterOptions::default() }, databases)
    }

    /// Returns the parts, each with its name.
    const fn parts(&self) -> [(&'static str, usize); 8] {
        let Self { views, writes, questions, settings, looks, notifications, checks, map } = *self;
        [
            ("views", views),
            ("writes", writes),
            ("questions", questions),
            ("settings", settings),
            ("looks", looks),
            ("notifications", notifications),
            ("checks", checks),
            ("map", map),
        ]
    }

    /// Returns how many they are together.
    pub fn total(&self) -> usize {
        self.parts().iter().map(|(_, many)| many).sum()
    }
}

impl fmt::Display for ConnectionBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts();
        let parts: Vec<String> = parts.iter().map(|(name, many)| format!("{name} {many}")).collect();
        write!(f, "{} ({})", self.total(), parts.join(", "))
    }
}

/// What a server lets others than its administrators open.
const ROOM: &str = "select current_setting('max_connections')::bigint, \
    current_setting('superuser_reserved_connections')::bigint \
    + coalesce(current_setting('reserved_connections', true)::bigint, 0)";

/// Returns what to set if a server has too little room for the connections of all processes, which are so many to each database.
///
/// # Errors
/// What the server says.
pub(crate) async fn lacking_room(
    session: &PgSession,
    (databases, database): (&Databases, usize),
    wanted: i64,
) -> Result<Option<String>, DatabaseError> {
    let rows = session.rows(ROOM, &[]).await?;
    let (max, reserved): (i64, i64) = rows.first().map_or((0, 0), |row| (row.get(0), row.get(1)));
    let of_server = databases.on_the_server_of(database);
    let needed = wanted.saturating_mul(i64::try_from(of_server).unwrap_or(i64::MAX));
    if needed <= max - reserved {
        return Ok(None);
    }
    let shared = if of_server > 1 {
        format!(", which has {of_server} databases of the cluster")
    } else {
        String::new()
    };
    Ok(Some(format!(
        "processes may open {needed} connections to its server{shared}, and it lets them open {}: set max_connections to {} at \
         least (it is {max}, {reserved} of them reserved), or run fewer processes",
        max - reserved,
        needed + reserved
    )))
}
