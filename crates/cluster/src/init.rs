//! Laying out a cluster on empty databases.
//!
//! The map is written first, in one transaction of the first database; then each database is claimed, and its tables are
//! made. Each step is one transaction that a repetition finds done, so that an operator repeats the same command after an
//! interruption.

use crate::claim::{alone, claim, refuse_claimed, refuse_foreign, refuse_map};
use crate::map::{self, ShardMap};
use crate::migrations::{TABLES_VERSION, migrate};
use crate::server::server_problems;
use crate::serving::serving;
use guanxi_model::HistoryId;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::{PgSession, term};

/// Databases of a cluster at most: each has a gene.
const DATABASES_MAX: usize = 256;

/// What a cluster is laid out as.
#[derive(Clone, Copy, Debug)]
pub struct InitTerms {
    /// Which cluster it will be: a number that no other has.
    pub history: HistoryId,
}

/// A step that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitStep {
    /// The map stands.
    Mapped {
        /// Steps to come.
        steps: u64,
    },
    /// A version of the tables of a database.
    Made {
        /// The database.
        database: String,
        /// The version.
        version: i32,
    },
}

/// The result of laying out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitReport {
    /// The cluster that stands now.
    pub map: ShardMap,
    /// How many versions of tables were missing, those of all databases together; 0 of one that was laid out before.
    pub made: u64,
}

/// Lays out a cluster, or what is missing of it. `step` is told of each step after it is done, and may end it there.
///
/// # Errors
/// [`DatabaseError`]: what is wrong with a database. Nothing is changed in one that is not ours.
pub async fn init(
    databases: &Databases,
    terms: InitTerms,
    step: &mut dyn FnMut(InitStep) -> Result<(), DatabaseError>,
) -> Result<InitReport, DatabaseError> {
    let (mut sessions, mut held) = (Vec::new(), Vec::new());
    for database in databases.all() {
        held.push(alone(database).await?);
        sessions.push(PgSession::open(database).await?);
    }
    let first = &sessions[0];
    let standing_map = map::read(first).await?;
    if sessions.len() > DATABASES_MAX {
        let many = sessions.len();
        return Err(DatabaseError::Terms(format!(
            "a cluster has at most {DATABASES_MAX} databases, not {many}"
        )));
    }
    for (session, database) in sessions.iter().zip(databases.all()) {
        if let Some(problem) = server_problems(session).await?.into_iter().next() {
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
        map::write(first, terms.history, databases.all()).await?;
    }
    let map = standing(first, databases).await?;
    refuse_left_behind(first).await?;
    step(InitStep::Mapped { steps: sessions.len() as u64 })?;
    let mut made = 0;
    for ((session, database), id) in sessions.iter().zip(databases.all()).zip(0..) {
        claim(session, &map, id, database.name()).await?;
        let mut done = |version| {
            made += 1;
            step(InitStep::Made { database: database.name().to_owned(), version })
        };
        migrate(session, &mut done).await?;
        if !map.is_done {
            open_shards(session, map.genes_in(database.name())).await?;
        }
    }
    first.run("update meta.cluster set done_at = now() where done_at is null").await?;
    drop(held);
    Ok(InitReport { map: ShardMap { is_done: true, ..map }, made })
}

/// Refuses to make tables that a process does not know which is at work.
async fn refuse_left_behind(first: &PgSession) -> Result<(), DatabaseError> {
    let processes = serving(first).await?;
    match processes.iter().find(|process| !process.knows(TABLES_VERSION)) {
        None => Ok(()),
        Some(process) => Err(first.problem(process.is_left_behind_by(TABLES_VERSION))),
    }
}

/// The map that stands, which has to be of these databases and terms.
async fn standing(session: &PgSession, databases: &Databases) -> Result<ShardMap, DatabaseError> {
    let map = map::read(session).await?.ok_or_else(|| session.problem("its map went away meanwhile"))?;
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
async fn open_shards(session: &PgSession, genes: impl Iterator<Item = u8>) -> Result<(), DatabaseError> {
    let genes: Vec<i16> = genes.map(i16::from).collect();
    let shards = "insert into gx.shard (gene, epoch, writable, seq, stamp, post_high) \
                  select gene, 1, true, 0, 0, 0 from unnest($1::smallint[]) gene on conflict do nothing";
    session.rows(shards, &[term(genes)]).await?;
    let applied = "insert into gx.applied (source, seq) \
                   select source, 0 from generate_series(0, 255) source on conflict do nothing";
    session.rows(applied, &[]).await?;
    Ok(())
}
