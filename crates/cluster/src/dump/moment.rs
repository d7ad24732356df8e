//! One moment of all databases, in which a dump reads them.
//!
//! Every shard is held for as long as it takes to open a snapshot of each database: writers wait that long. So the cause of
//! each row of a database is in the dump, too: an answer with its original, a block with what it ended.

use futures_util::future::{join_all, try_join_all};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::PgSession;

/// Holds the shards of a database. A writer needs them alone, and none of them waits for another database. A holder that waits
/// for one that is held elsewhere gives the others up before their writers do.
const HOLD: &str =
    "begin; set local lock_timeout = '250ms'; select gene from gx.shard order by gene for share";
const RELEASE: &str = "rollback";

/// How often all shards are tried to be held.
const TRIES: u32 = 20;

/// A question of a dump takes as long as it takes, and meanwhile the snapshots of other databases wait.
const SETTINGS: &str = "begin isolation level repeatable read read only; \
    set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/// Where the logs of a database stand, and its clock and ids: what a snapshot begins with.
const SHARDS: &str = "select gene, seq, stamp, post_high from gx.shard";

/// Up to where its logs come from one.
const BASE: &str = "select base from gx.load";

/// A shard in the moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardThen {
    /// Which.
    pub gene: i16,
    /// Its last event.
    pub seq: i64,
    /// The last version minted in it.
    pub stamp: i64,
    /// The highest id of a post.
    pub post_high: i64,
}

/// The databases as they were.
pub(super) struct DumpMoment {
    /// A snapshot of each, in the order of the list.
    pub snapshots: Vec<PgSession>,
    /// All shards.
    pub shards: Vec<ShardThen>,
    /// Up to where all logs come from one; 0 if they do not.
    pub base: i64,
}

impl DumpMoment {
    /// Opens a snapshot of each database, while no process writes to any.
    pub(super) async fn open(databases: &Databases) -> Result<Self, DatabaseError> {
        let all = databases.all();
        let (holders, snapshots) = tokio::try_join!(
            try_join_all(all.iter().map(PgSession::open)),
            try_join_all(all.iter().map(PgSession::open)),
        )?;
        hold(&holders).await?;
        let opened = async |session: &PgSession| {
            session.run(SETTINGS).await?;
            let rows = session.rows(SHARDS, &[]).await?;
            let shard = |row: &tokio_postgres::Row| ShardThen {
                gene: row.get(0),
                seq: row.get(1),
                stamp: row.get(2),
                post_high: row.get(3),
            };
            Ok::<_, DatabaseError>(rows.iter().map(shard).collect::<Vec<_>>())
        };
        let shards = try_join_all(snapshots.iter().map(opened)).await?;
        try_join_all(holders.iter().map(|holder| holder.run(RELEASE))).await?;
        let base = match snapshots.first() {
            Some(first) => first.rows(BASE, &[]).await?.first().map_or(0, |row| row.get(0)),
            None => 0,
        };
        Ok(Self { snapshots, shards: shards.concat(), base })
    }
}

/// Holds all shards.
async fn hold(holders: &[PgSession]) -> Result<(), DatabaseError> {
    for tries in 1.. {
        let held = join_all(holders.iter().map(|holder| holder.run(HOLD))).await;
        let Some(error) = held.into_iter().find_map(Result::err) else { break };
        if tries == TRIES {
            return Err(error);
        }
        try_join_all(holders.iter().map(|holder| holder.run(RELEASE))).await?;
    }
    Ok(())
}
