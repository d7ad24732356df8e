//! Whether the databases of a cluster can be served from.

use crate::claim::refuse_foreign;
use crate::fit::unfit;
use crate::lost;
use crate::map::{GeneMap, ShardMap};
use crate::migrations::{TABLES_VERSION, lacking};
use crate::misplaced::{SHARDS, misplaced};
use crate::server::{server_problems, standby_warning};
use crate::serving::{CLOCK_SKEW_MS_MAX, ServingProcess, clock_ahead_ms, serving};
use crate::store::{ConnectionBudget, NOT_WHOLE, lacking_room};
use guanxi_model::{Clock, Gene};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use guanxi_postgres::{Database, Databases};
use std::collections::BTreeMap;

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
    /// What may go wrong, each with what to do. It can be served from all the same.
    pub warnings: Vec<String>,
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
    /// How many connections a process in all roles opens to each database at most.
    pub budget: ConnectionBudget,
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
        Err(error) => problem = Some(error.problem()),
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
    if let Some(map) = &map {
        add_losses(databases, map, &mut checked).await;
    }
    let processes = of_processes(databases, checked.first_mut()).await;
    let budget = ConnectionBudget::of_all_roles(databases.all().len());
    let wanted: i64 = processes.iter().map(|process| process.connections).sum();
    let wanted = wanted.max(i64::try_from(budget.total()).unwrap_or(i64::MAX));
    for (place, checked) in checked.iter_mut().enumerate() {
        // What is wrong with one that cannot be asked was said already.
        checked.warnings.extend(warnings(databases, place, wanted).await.unwrap_or_default());
    }
    CheckReport { map, databases: checked, processes, budget }
}

/// Adds which databases lost their newest commits, by what others have applied of their logs. What is wrong with one that cannot be
/// asked was said already.
async fn add_losses(databases: &Databases, map: &ShardMap, checked: &mut [Checked]) {
    let Ok(genes) = GeneMap::new(map, databases) else { return };
    let (mut sessions, mut all) = (BTreeMap::new(), Vec::new());
    for (place, database) in databases.all().iter().enumerate() {
        let Ok(session) = PgSession::open(database).await else { continue };
        let others = (0..=u8::MAX).map(Gene).filter(|log| genes.database(*log) != place);
        if let Ok(marks) = session.ask(&lost::marks(others)).await {
            all.extend(lost::seen_by(database.name(), &marks).unwrap_or_default());
        }
        sessions.insert(place, session);
    }
    for (place, seen) in genes.by_database(all, |seen| seen.log) {
        let (Some(session), Some(checked)) = (sessions.get(&place), checked.get_mut(place)) else { continue };
        let Ok(ends) = session.ask(&lost::question(&seen)).await else { continue };
        checked.problems.extend(lost::lost(&checked.database, &seen, &ends).ok().flatten());
    }
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
        Ok::<_, DatabaseError>((tables, serving(&session).await?))
    };
    // What is wrong with the database itself was said already.
    let Ok((tables, processes)) = asked.await else { return Vec::new() };
    if let Some(first) = first {
        first.problems.extend(processes.iter().flat_map(|process| process.problems(tables)));
    }
    processes
}

/// What may go wrong with a database whose processes may open so many connections.
async fn warnings(databases: &Databases, place: usize, wanted: i64) -> Result<Vec<String>, DatabaseError> {
    let session = PgSession::open(&databases.all()[place]).await?;
    let room = lacking_room(&session, (databases, place), wanted).await?;
    Ok(room.into_iter().chain(standby_warning(&session).await?).collect())
}

async fn check_one(database: &Database, map: Option<&ShardMap>, clock: &dyn Clock) -> Checked {
    let mut checked = Checked {
        database: database.name().to_owned(),
        version: String::new(),
        clock_ahead_ms: 0,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    if let Err(error) = look(&mut checked, database, map, clock).await {
        checked.problems.push(error.problem());
    }
    checked
}

async fn look(
    checked: &mut Checked,
    database: &Database,
    map: Option<&ShardMap>,
    clock: &dyn Clock,
) -> Result<(), DatabaseError> {
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
    if let Some(problem) = unfit(&session, map.history, database.name()).await? {
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
