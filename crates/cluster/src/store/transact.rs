//! Transactions of what is not planned: the credentials and settings of the first database. Each looks, decides and changes, and
//! is durable when it answers.

use super::ClusterCore;
use crate::postgres::{Connections, Fault, Statements, discard, undo};
use guanxi_model::{Error, Reason, Result};
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
    /// Whoever asked is refused.
    Refused(Error),
    /// The database says so.
    Failed(Fault),
    /// The answer to the commit was lost.
    Unknown,
}

/// Does something in one transaction of the first database, and tries it until it is settled. `look` adds the questions, and
/// `decide` what is changed. It goes on when nobody waits for it any more if its caller has seen to that.
pub(super) async fn in_first<T>(
    shared: &Arc<ClusterCore>,
    look: impl Fn(&mut Statements),
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T)>,
) -> Result<T> {
    let deadline = Instant::now() + TRIED_MAX;
    loop {
        let mut questions = Statements::default();
        look(&mut questions);
        let fault = match once(&shared.served[0].others, &questions, &decide).await {
            Ok(done) => return Ok(done),
            Err(Stop::Refused(error)) => return Err(error),
            Err(Stop::Unknown) => return Err(Error::new(Reason::OutcomeUnknown)),
            Err(Stop::Failed(fault)) => fault,
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
    decide: impl Fn(&[Vec<Row>]) -> Result<(Statements, T)>,
) -> Result<T, Stop> {
    let connection = connections.take().await.map_err(Stop::Failed)?;
    let decided = look.send(&connection, "begin", "").await.map_err(Stop::Failed);
    let (changes, done) = match decided.and_then(|rows| decide(&rows).map_err(Stop::Refused)) {
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
