//! Whether the databases of a cluster can be served from.

use crate::ClusterError;
use crate::claim::claim_of;
use crate::databases::{Database, Databases};
use crate::map::ShardMap;
use crate::postgres::{Layout, PgSession, missing};
use crate::server::server_problems;
use guanxi_model::Clock;

/// By how much the clock of a server and ours may differ, in milliseconds.
const CLOCK_SKEW_MS_MAX: u64 = 500;

/// A database as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its name.
    pub database: String,
    /// The version of its server; empty if it could not be asked.
    pub version: String,
    /// By how many milliseconds its clock is ahead of ours, as far as the way there lets that be known.
    pub clock_ahead_ms: i64,
    /// What is wrong, each with what to do.
    pub problems: Vec<String>,
}

/// All databases of a cluster as they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The map, if it could be read.
    pub map: Option<ShardMap>,
    /// Each database.
    pub databases: Vec<Checked>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.databases.iter().all(|checked| checked.problems.is_empty())
    }
}

/// Asks every database of a list whether the cluster can be served from it. What is wrong is in the report.
pub async fn check(databases: &Databases, clock: &dyn Clock) -> CheckReport {
    let (mut map, mut problem) = (None, None);
    match crate::shard_map(databases).await {
        Ok(found) => map = Some(found),
        Err(ClusterError::Database { problem: found, .. }) => problem = Some(found),
        Err(error) => problem = Some(error.to_string()),
    }
    let mut checked = Vec::new();
    for database in databases.all() {
        let mut one = check_one(database, map.as_ref(), clock).await;
        if let Some(problem) = &problem {
            // Of the first; what is wrong with its connection was said already.
            let problem =
                if checked.is_empty() { problem } else { "it was not looked at: the map is missing" };
            if !one.problems.iter().any(|known| known == problem) {
                one.problems.push(problem.to_owned());
            }
        }
        checked.push(one);
    }
    if let (Some(map), Some(first)) = (&map, checked.first_mut()) {
        let named: Vec<&str> = databases.all().iter().map(Database::name).collect();
        if map.databases != named {
            let wanted = map.databases.join(", ");
            first
                .problems
                .push(format!("the cluster is on {wanted}: `databases` has to name these, in this order"));
        }
        if !map.is_done {
            first.problems.push("laying it out did not end: run `guanxi cluster init` again".to_owned());
        }
    }
    CheckReport { map, databases: checked }
}

async fn check_one(database: &Database, map: Option<&ShardMap>, clock: &dyn Clock) -> Checked {
    let mut checked = Checked {
        database: database.name().to_owned(),
        version: String::new(),
        clock_ahead_ms: 0,
        problems: Vec::new(),
    };
    if let Err(error) = look(&mut checked, database, map, clock).await {
        checked.problems.push(match error {
            ClusterError::Database { problem, .. } => problem,
            error => error.to_string(),
        });
    }
    checked
}

async fn look(
    checked: &mut Checked,
    database: &Database,
    map: Option<&ShardMap>,
    clock: &dyn Clock,
) -> Result<(), ClusterError> {
    let session = PgSession::open(database).await?;
    checked.version = session.setting("server_version").await?;
    checked.clock_ahead_ms = clock_ahead_ms(&session, clock).await?;
    if checked.clock_ahead_ms.unsigned_abs() > CLOCK_SKEW_MS_MAX {
        let ahead = checked.clock_ahead_ms;
        checked.problems.push(format!(
            "its clock is {ahead} ms ahead of ours, and {CLOCK_SKEW_MS_MAX} ms are allowed: synchronize both"
        ));
    }
    let Some(map) = map else { return Ok(()) };
    let layout = Layout::new(map.schemas)?;
    checked.problems.extend(server_problems(&session, layout).await?);
    let Some(claim) = claim_of(&session).await? else {
        return Err(session.problem("it is not laid out: run `guanxi cluster init` again"));
    };
    if claim.history != map.history {
        return Err(session.problem(format!(
            "it is `{}` of cluster {:016x}, and the first database is of {:016x}: one of the addresses is wrong",
            claim.name, claim.history.0, map.history.0
        )));
    }
    if claim.name != database.name() || claim.schemas.cast_unsigned() != map.schemas {
        return Err(session.problem(format!("it is `{}`: the address of another was given", claim.name)));
    }
    let schemas = map.schemas_in(database.name())?;
    let missing = missing(&session, &schemas).await?;
    if let Some(first) = missing.first() {
        checked.problems.push(format!(
            "{} of its parts are not of this program's version, the first is {}: run `guanxi cluster init` again",
            missing.len(),
            first.schema
        ));
    }
    Ok(())
}

/// By how much the clock of a server is ahead of ours: it was read somewhere between two looks at ours.
async fn clock_ahead_ms(session: &PgSession, clock: &dyn Clock) -> Result<i64, ClusterError> {
    let question = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";
    let before = clock.now_ms();
    let rows = session.rows(question, &[]).await?;
    let after = clock.now_ms();
    let theirs: i64 = rows.first().map_or(0, |row| row.get(0));
    let (before, after) = (before.cast_signed(), after.cast_signed());
    Ok(if theirs < before { theirs - before } else { (theirs - after).max(0) })
}
