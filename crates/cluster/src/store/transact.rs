//! Transactions of what is not planned: sessions, credentials and settings. Each looks, decides and changes, and is durable
//! when it answers.

use super::ClusterCore;
use crate::postgres::{Connections, Fault, Statements, discard, undo};
use crate::rows::{Locked, lock_shards, locked};
use guanxi_model::{Error, Gene, Reason, Result};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;

/// How long a transaction is tried.
const TRIED_MAX: Duration = Duration::from_secs(3);

/// How long it waits before it is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// Why a transaction changes nothing.
enum Stop {
    /// A shard is not where the map says.
    Moved,
    /// Whoever asked is refused.
    Refused(Error),
    /// The database says so.
    Failed(Fault),
    /// The answer to the commit was lost.
    Unknown,
}

/// Does something in one transaction of the first database. `look` adds the questions, and `decide` what is changed.
pub(super) async fn in_first<T>(
    shared: &Arc<ClusterCore>,
    look: impl Fn(&mut Statements),
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T)>,
) -> Result<T> {
    let questions = || {
        let mut statements = Statements::default();
        look(&mut statements);
        statements
    };
    tried(shared, || 0, questions, |rows| decide(rows).map_err(Stop::Refused)).await
}

/// Does something in one transaction that holds some shards of one database.
pub(super) async fn in_shards<T>(
    shared: &Arc<ClusterCore>,
    genes: &BTreeSet<Gene>,
    look: impl Fn(&mut Statements),
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T)>,
) -> Result<T> {
    let questions = || {
        let mut statements = Statements::default();
        lock_shards(&mut statements, genes);
        look(&mut statements);
        statements
    };
    let of_shards = |rows: &[Vec<Row>]| {
        let (shards, rows) = rows.split_first().ok_or(Stop::Moved)?;
        match locked(shards, genes, &shared.map(), shared.stamps.clone()).map_err(Stop::Failed)? {
            Locked::All(_) => decide(rows).map_err(Stop::Refused),
            Locked::Moved => Err(Stop::Moved),
        }
    };
    let place = || genes.first().map_or(0, |gene| shared.map().database(*gene));
    tried(shared, place, questions, of_shards).await
}

/// Tries a transaction until it is settled. It goes on when nobody waits for it any more if its caller has seen to that.
async fn tried<T>(
    shared: &Arc<ClusterCore>,
    place: impl Fn() -> usize,
    look: impl Fn() -> Statements,
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T), Stop>,
) -> Result<T> {
    let deadline = Instant::now() + TRIED_MAX;
    loop {
        let fault = match once(&shared.served[place()].others, &look(), &decide).await {
            Ok(done) => return Ok(done),
            Err(Stop::Refused(error)) => return Err(error),
            Err(Stop::Unknown) => return Err(Error::new(Reason::OutcomeUnknown)),
            Err(Stop::Failed(fault)) => fault,
            Err(Stop::Moved) => {
                if let Err(error) = shared.reload().await {
                    tracing::debug!(%error, "the map cannot be read");
                }
                Fault::Again("a shard is moving".to_owned())
            }
        };
        let goes_on = matches!(fault, Fault::Again(_) | Fault::Away(_)) && Instant::now() < deadline;
        if !goes_on {
            return Err(fault.told());
        }
        sleep(PAUSE).await;
    }
}

async fn once<T>(
    connections: &Connections,
    look: &Statements,
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T), Stop>,
) -> Result<T, Stop> {
    let connection = connections.take().await.map_err(Stop::Failed)?;
    let decided = look.send(&connection, "begin", "").await.map_err(Stop::Failed);
    let (changes, done) = match decided.and_then(|rows| decide(&rows)) {
        Ok((changes, done)) if !changes.is_empty() => (changes, done),
        without_changes => {
            undo(connection).await;
            return without_changes.map(|(_, done)| done);
        }
    };
    match changes.send(&connection, "", "commit").await {
        Ok(_) => Ok(done),
        Err(fault) if fault.is_away() => {
            discard(connection);
            Err(Stop::Unknown)
        }
        Err(fault) => {
            undo(connection).await;
            Err(Stop::Failed(fault))
        }
    }
}
