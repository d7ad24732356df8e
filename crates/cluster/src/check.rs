//! Whether the databases of a cluster can be served from.

use crate::ClusterError;
use crate::claim::refuse_foreign;
use crate::databases::{Database, Databases};
use crate::fit::unfit;
use crate::map::ShardMap;
use crate::misplaced::{SHARDS, misplaced};
use crate::postgres::{PgSession, TABLES_VERSION, lacking};
use crate::server::server_problems;
use crate::serving::{CLOCK_SKEW_MS_MAX, ServingProcess, clock_ahead_ms, serving};
use crate::store::NOT_WHOLE;
use guanxi_model::Clock;

/// What to do about shards that are not as the map says.
const PUT_RIGHT: &str =
    "somebody has changed gx.shard, or meta.shard in the first database: restore the cluster from a backup";

/// Things that are missing of a database that are named; the others are counted.
const LACKING_NAMED_MAX: usize = 3;

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
    /// The processes that serve the cluster, as far as they say so. What is wrong with them is told of the first database.
    pub processes: Vec<ServingProcess>,
}

impl CheckReport {
    /// Returns whether nothing is wrong.
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
    let processes = of_processes(databases, checked.first_mut()).await;
    CheckReport { map, databases: checked, processes }
}

/// The processes that serve the cluster; what is wrong with them is added to the first database.
async fn of_processes(databases: &Databases, first: Option<&mut Checked>) -> Vec<ServingProcess> {
    let asked = async {
        let session = PgSession::open(databases.first()).await?;
        let versions = if session.has("gx.migration").await? {
            session.rows("select coalesce(max(version), 0) from gx.migration", &[]).await?
        } else {
            Vec::new()
        };
        let tables = versions.first().map_or(TABLES_VERSION, |row| row.get(0));
        Ok::<_, ClusterError>((tables, serving(&session).await?))
    };
    // What is wrong with the database itself was said already.
    let Ok((tables, processes)) = asked.await else { return Vec::new() };
    if let Some(first) = first {
        first.problems.extend(processes.iter().flat_map(|process| process.problems(tables)));
    }
    processes
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
    refuse_foreign(&session).await?;
    let Some(map) = map else { return Ok(()) };
    checked.problems.extend(server_problems(&session).await?);
    if let Some(problem) = unfit(&session, map, database.name()).await? {
        checked.problems.push(problem);
        return Ok(());
    }
    let lacking = lacking(&session).await?;
    if !lacking.is_empty() {
        let named = named(lacking.iter().map(String::as_str), ", ");
        checked.problems.push(format!(
            "it has noted that these were made, and they are not there: {named}: somebody dropped them, so restore it from a \
             backup"
        ));
        return Ok(());
    }
    if !session.rows("select from gx.load where done_at is null", &[]).await?.is_empty() {
        checked.problems.push(NOT_WHOLE.to_owned());
    } else if map.is_done {
        let shards = misplaced(map, database.name(), &session.rows(SHARDS, &[]).await?);
        if !shards.is_empty() {
            let named = named(shards.iter().map(|shard| shard.problem.as_str()), "; ");
            checked
                .problems
                .push(format!("users of {} genes cannot be reached: {named}; {PUT_RIGHT}", shards.len()));
        }
    }
    Ok(())
}

/// The first of some things, and how many more there are.
fn named<'a>(things: impl ExactSizeIterator<Item = &'a str>, between: &str) -> String {
    let more = things.len().saturating_sub(LACKING_NAMED_MAX);
    let named = things.take(LACKING_NAMED_MAX).collect::<Vec<_>>().join(between);
    if more > 0 { format!("{named} and {more} more") } else { named }
}
