//! Removes rows that would grow for ever when they are over: answers of request ids, notes of batches, old events of the
//! logs, and abandoned reservations.
//!
//! Of each database one process at a time keeps house, in slices, each of which is followed by a rest: callers never wait long
//! for it, and it takes a small share of the database's time.

mod answers;
mod logs;
mod rebuild;
mod reservations;

use crate::rows::number;
use crate::store::ClusterCore;
use guanxi_model::Result;
use guanxi_postgres::{Connections, Fault, Statements, term};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;

/// How often somebody keeps house.
const EVERY: Duration = Duration::from_secs(10);

/// How long a process keeps house without saying so again, in seconds: longer than a round takes.
const KEEPS_SECONDS: f64 = 60.0;

/// How many times as long as a slice took the database is left alone.
const REST_TIMES: u32 = 4;

/// A process begins to keep house, or goes on, unless another one does.
const KEEP: &str = "insert into gx.housekeeper as h (process, until) \
    values ($1, clock_timestamp() + make_interval(secs => $2)) \
    on conflict (one) do update set process = excluded.process, until = excluded.until \
    where h.process = excluded.process or h.until < clock_timestamp() returning process";

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseReport {
    /// Answers of request ids that may be used anew.
    pub answers: u64,
    /// Events of logs.
    pub events: u64,
    /// Logs whose effects were compared with the facts, because they were trimmed before all of them was applied.
    pub rebuilt: u64,
}

impl HouseReport {
    fn join(&mut self, other: Self) {
        self.answers += other.answers;
        self.events += other.events;
        self.rebuilt += other.rebuilt;
    }
}

/// Keeps house in a database every now and then, until the store is closed.
pub(crate) async fn keep_house(shared: Weak<ClusterCore>, database: usize) {
    loop {
        sleep(EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        match round(&shared, database).await {
            Ok(report) if report != HouseReport::default() => {
                tracing::debug!(database, ?report, "house was kept");
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(database, %error, "house cannot be kept"),
        }
    }
}

/// Removes what is over in every database, once.
///
/// # Errors
/// When a database cannot be asked.
pub(crate) async fn rounds(shared: &Arc<ClusterCore>) -> Result<HouseReport> {
    let mut report = HouseReport::default();
    for database in 0..shared.served.len() {
        report.join(round(shared, database).await?);
    }
    Ok(report)
}

/// Removes what is over in a database, unless another process does.
async fn round(shared: &Arc<ClusterCore>, database: usize) -> Result<HouseReport> {
    shared.clock_watch.check()?;
    let slices = Slices { connections: &shared.served[database].others };
    let keep = Statements::one(KEEP, vec![term(shared.process), term(KEEPS_SECONDS)]);
    if slices.ask(&keep).await?.iter().flatten().next().is_none() {
        return Ok(HouseReport::default());
    }
    let answers = answers::forget(shared, database, &slices).await?;
    let events = logs::trim(shared, database, &slices).await?;
    reservations::release(shared, database).await?;
    let rebuilt = rebuild::run(shared, database, &slices).await?;
    Ok(HouseReport { answers, events, rebuilt })
}

/// Slices of work in a database.
struct Slices<'a> {
    connections: &'a Connections,
}

impl Slices<'_> {
    /// Does a slice, and rests.
    async fn ask(&self, statements: &Statements) -> Result<Vec<Vec<Row>>, Fault> {
        let began = Instant::now();
        let answer = self.connections.ask(statements).await;
        sleep(began.elapsed() * REST_TIMES).await;
        answer
    }

    /// Does a slice that answers how many rows each of its statements has removed.
    async fn removed(&self, statements: &Statements) -> Result<u64, Fault> {
        let rows = self.ask(statements).await?;
        Ok(rows.iter().flatten().map(|row| number(row, 0)).sum())
    }
}
