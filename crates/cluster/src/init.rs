//! Laying out a cluster on empty databases.
//!
//! The map is written first, in one transaction of the first database; then each database is claimed, and its tables are
//! made, a schema at a time. Each step is one transaction that a repetition finds done, so that an operator repeats the same
//! command after an interruption.

use crate::ClusterError;
use crate::claim::{alone, claim, refuse_claimed, refuse_foreign, refuse_map};
use crate::databases::Databases;
use crate::map::{self, ShardMap};
use crate::postgres::{Layout, MigrationPart, PgSession, SchemaName, TABLES_VERSION, migrate};
use crate::server::server_problems;
use crate::serving::serving;
use guanxi_model::HistoryId;

/// What a cluster is laid out as.
#[derive(Clone, Copy, Debug)]
pub struct InitTerms {
    /// Which cluster it will be: a number that no other has.
    pub history: HistoryId,
    /// How many schemas: a power of two up to 256, fixed for ever; by default [`SCHEMAS_DEFAULT`] of a new cluster, and as many
    /// as there are of one that stands. More can be moved in smaller pieces.
    pub schemas: Option<u16>,
}

/// Schemas of a cluster whose operator did not say.
pub const SCHEMAS_DEFAULT: u16 = 64;

/// A step that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitStep {
    /// The map stands.
    Mapped {
        /// Steps to come.
        steps: u64,
    },
    /// The tables that are once in a database, or those of a schema.
    Made {
        /// The database.
        database: String,
        /// `gx`, or the schema.
        schema: String,
    },
}

/// The result of laying out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitReport {
    /// The cluster that stands now.
    pub map: ShardMap,
    /// How many parts of it were missing; 0 of one that was laid out before.
    pub made: u64,
}

/// Lays out a cluster, or what is missing of it. `step` is told of each step after it is done, and may end it there.
///
/// # Errors
/// [`ClusterError`]: what is wrong with a database. Nothing is changed in one that is not ours.
pub async fn init(
    databases: &Databases,
    terms: InitTerms,
    step: &mut dyn FnMut(InitStep) -> Result<(), ClusterError>,
) -> Result<InitReport, ClusterError> {
    let mut sessions = Vec::new();
    for database in databases.all() {
        let session = PgSession::open(database).await?;
        alone(&session).await?;
        sessions.push(session);
    }
    let first = &sessions[0];
    let standing_map = map::read(first).await?;
    let schemas = terms.schemas.or(standing_map.as_ref().map(|map| map.schemas));
    let layout = Layout::new(schemas.unwrap_or(SCHEMAS_DEFAULT))?;
    if sessions.len() > usize::from(layout.len()) {
        let (databases, schemas) = (sessions.len(), layout.len());
        return Err(ClusterError::Terms(format!("{schemas} schemas do not go around {databases} databases")));
    }
    for (session, database) in sessions.iter().zip(databases.all()) {
        if let Some(problem) = server_problems(session, layout).await?.into_iter().next() {
            return Err(session.problem(problem));
        }
        refuse_foreign(session).await?;
        if standing_map.is_none() || database.name() != databases.first().name() {
            refuse_map(session).await?;
        }
    }
    if standing_map.is_none() {
        for session in &sessions {
            refuse_claimed(session).await?;
        }
        map::write(first, terms.history, layout, databases.all()).await?;
    }
    let map = standing(first, databases, layout).await?;
    refuse_left_behind(first).await?;
    step(InitStep::Mapped { steps: u64::from(map.schemas) + sessions.len() as u64 })?;
    let mut made = 0;
    for ((session, database), id) in sessions.iter().zip(databases.all()).zip(0..) {
        claim(session, &map, id, database.name()).await?;
        let schemas = map.schemas_in(database.name())?;
        let mut done = |MigrationPart { schema, .. }: MigrationPart| {
            made += 1;
            step(InitStep::Made { database: database.name().to_owned(), schema })
        };
        migrate(session, layout, &schemas, &mut done).await?;
        if !map.is_done {
            open_shards(session, layout, &schemas).await?;
        }
    }
    first.run("update meta.cluster set done_at = now() where done_at is null").await?;
    Ok(InitReport { map: ShardMap { is_done: true, ..map }, made })
}

/// Refuses to make tables that a process does not know which is at work.
async fn refuse_left_behind(first: &PgSession) -> Result<(), ClusterError> {
    let processes = serving(first).await?;
    match processes.iter().find(|process| !process.knows(TABLES_VERSION)) {
        None => Ok(()),
        Some(process) => Err(first.problem(process.is_left_behind_by(TABLES_VERSION))),
    }
}

/// The map that stands, which has to be of these databases and terms.
async fn standing(
    session: &PgSession,
    databases: &Databases,
    layout: Layout,
) -> Result<ShardMap, ClusterError> {
    let map = map::read(session).await?.ok_or_else(|| session.problem("its map went away meanwhile"))?;
    if map.schemas != layout.len() {
        let schemas = map.schemas;
        return Err(
            session.problem(format!("it was laid out with {schemas} schemas, which stay as they are"))
        );
    }
    let named: Vec<&str> = databases.all().iter().map(crate::Database::name).collect();
    if map.databases != named {
        return Err(session.problem(format!(
            "it is the first of a cluster on {}: `databases` has to name these, in this order",
            map.databases.join(", ")
        )));
    }
    Ok(map)
}

/// The rows of the shards that a database has.
async fn open_shards(
    session: &PgSession,
    layout: Layout,
    schemas: &[SchemaName],
) -> Result<(), ClusterError> {
    let genes = schemas.iter().flat_map(|schema| layout.genes(*schema));
    let genes: Vec<i16> = genes.map(i16::from).collect();
    let shards = "insert into gx.shard (gene, epoch, writable, seq, stamp, post_high) \
                  select gene, 1, true, 0, 0, 0 from unnest($1::smallint[]) gene on conflict do nothing";
    session.rows(shards, &[&genes]).await?;
    let applied = "insert into gx.applied (source, seq) \
                   select source, 0 from generate_series(0, 255) source on conflict do nothing";
    session.rows(applied, &[]).await?;
    Ok(())
}
