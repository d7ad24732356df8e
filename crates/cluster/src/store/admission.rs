//! Taking databases in: at a start, and whenever one comes back.
//!
//! A database that went away may come back as another one: of another cluster, with tables of another version, or without its newest
//! commits. So it is looked at before anything is asked of it. Whether one lost commits is looked at now and then, too.

use super::{ClusterCore, HALF_FILLED, NOT_WHOLE};
use crate::fit::unfit;
use crate::lost::{self, SeenEvent};
use crate::rows::{gene, number, stamp};
use futures_util::future::join_all;
use guanxi_model::Gene;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::{Fault, PgSession, Shut, Statements};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_postgres::Row;

/// How often a database is looked at that is away: its users wait for that.
const AWAY_EVERY: Duration = Duration::from_millis(250);

/// How often one is looked at that somebody has to put right.
const WRONG_EVERY: Duration = Duration::from_secs(1);

const SHARDS: &str = "select gene, seq, epoch, stamp, post_high from gx.shard";

/// Takes in all databases of a start that can be reached. One that cannot is taken in by [`keep_watch`] when it can; but the first
/// one must be there, and all of them if this process does not serve.
///
/// # Errors
/// What is wrong with one of them.
pub(super) async fn admit_all(shared: &Arc<ClusterCore>, serves: bool) -> Result<(), DatabaseError> {
    let all = 0..shared.served.len();
    let looks = join_all(all.clone().map(|database| admit(shared, database, &[]))).await;
    for (database, looked) in all.clone().zip(looks) {
        if let Err(why) = looked {
            shared.served[database].breaker.shut(why);
        }
    }
    look_for_losses(shared).await;
    for place in all {
        let (breaker, database) = (&shared.served[place].breaker, name(shared, place).to_owned());
        match breaker.why() {
            None => {}
            Some(why @ (Shut::Away(_) | Shut::Lost(_))) if serves && place > 0 => tell_shut(&database, &why),
            Some(Shut::Away(problem)) => return Err(DatabaseError::Away { database, problem }),
            Some(Shut::Unfit(problem) | Shut::Lost(problem)) => {
                return Err(DatabaseError::Database { database, problem });
            }
        }
    }
    Ok(())
}

/// Looks at a database for as long as the store is open: while it is shut, until it can be taken in.
pub(super) async fn keep_watch(shared: Weak<ClusterCore>, database: usize) {
    let Some(breaker) = shared.upgrade().map(|shared| shared.served[database].breaker.clone()) else {
        return;
    };
    loop {
        match breaker.why() {
            None => {
                breaker.found().await;
                let Some(shared) = shared.upgrade() else { return };
                if let Some(why) = breaker.why() {
                    tell_shut(name(&shared, database), &why);
                }
            }
            Some(why) => {
                let every = if matches!(why, Shut::Away(_)) { AWAY_EVERY } else { WRONG_EVERY };
                let _found = timeout(every, breaker.found()).await;
            }
        }
        let Some(shared) = shared.upgrade() else { return };
        if let Some(why) = breaker.why() {
            look_again(&shared, database, &why).await;
        }
    }
}

/// Looks at a database that is shut.
async fn look_again(shared: &Arc<ClusterCore>, database: usize, was: &Shut) {
    let logs: Vec<Gene> = shared.map().genes(database).collect();
    let seen = seen(shared, &logs).await;
    match admit(shared, database, &seen).await {
        Ok(()) => {
            shared.take_in(database);
            tracing::info!(
                database = name(shared, database),
                "the database is taken in: its users are served"
            );
        }
        Err(why) => {
            if std::mem::discriminant(was) != std::mem::discriminant(&why) {
                tell_shut(name(shared, database), &why);
            }
            shared.served[database].breaker.shut(why);
        }
    }
}

/// Looks now and then whether databases lost something, until the store is closed.
pub(super) async fn watch_losses(shared: Weak<ClusterCore>, every: Duration) {
    loop {
        sleep(every).await;
        let Some(shared) = shared.upgrade() else { return };
        look_for_losses(&shared).await;
    }
}

/// Shuts each database that lost something that this process, or another database, has seen. One that cannot be asked is passed
/// over.
async fn look_for_losses(shared: &Arc<ClusterCore>) {
    let logs: Vec<Gene> = (0..=u8::MAX).map(Gene).collect();
    let seen = shared.map().by_database(seen(shared, &logs).await, |seen| seen.log);
    join_all(seen.into_iter().map(async |(database, seen)| {
        let Ok(ends) = ask(shared, database, &lost::question(&seen)).await else { return };
        match lost::lost(name(shared, database), &seen, &ends) {
            Ok(Some(problem)) => shared.served[database].breaker.note(Shut::Lost(problem)),
            Ok(None) => {}
            Err(fault) => tracing::debug!(database, %fault, "the ends of its logs cannot be read"),
        }
    }))
    .await;
}

/// Returns what this process has seen of some logs, and what databases have applied of those of others.
async fn seen(shared: &Arc<ClusterCore>, logs: &[Gene]) -> Vec<SeenEvent> {
    let own = logs.iter().map(|log| (*log, shared.head(*log))).filter(|(_, seq)| *seq > 0);
    let by = || "this process".to_owned();
    let mut all: Vec<SeenEvent> =
        own.map(|(log, seq)| SeenEvent { log, seq, version: None, by: by() }).collect();
    let map = shared.map();
    let marks = (0..shared.served.len()).map(async |database| {
        let others = logs.iter().copied().filter(|log| map.database(*log) != database);
        let marks = ask(shared, database, &lost::marks(others)).await?;
        lost::seen_by(name(shared, database), &marks)
    });
    all.extend(join_all(marks).await.into_iter().flatten().flatten());
    all
}

async fn ask(shared: &ClusterCore, database: usize, statements: &Statements) -> Result<Vec<Row>, Fault> {
    shared.served[database].asks.rows(statements).await
}

/// Looks whether a database can be reached, and is what it has to be: of this cluster, by its name, with tables of a version that
/// this program works with, whole, and with all events that were seen of its logs. Takes in where its clocks stand.
async fn admit(shared: &Arc<ClusterCore>, database: usize, seen: &[SeenEvent]) -> Result<(), Shut> {
    let why = |error: DatabaseError| match error {
        DatabaseError::Away { problem, .. } => Shut::Away(problem),
        error => Shut::Unfit(error.problem()),
    };
    let damaged = |fault: Fault| Shut::Unfit(fault.to_string());
    let named = &shared.databases().all()[database];
    let session = PgSession::open(named).await.map_err(why)?;
    if let Some(problem) = unfit(&session, shared.terms.history, named.name()).await.map_err(why)? {
        return Err(Shut::Unfit(problem));
    }
    if !session.rows(HALF_FILLED, &[]).await.map_err(why)?.is_empty() {
        return Err(Shut::Unfit(NOT_WHOLE.to_owned()));
    }
    let ends = session.ask(&lost::question(seen)).await.map_err(why)?;
    if let Some(problem) = lost::lost(named.name(), seen, &ends).map_err(damaged)? {
        return Err(Shut::Lost(problem));
    }
    let (map, mut elsewhere) = (shared.map(), shared.map().genes(database).count());
    for row in &session.rows(SHARDS, &[]).await.map_err(why)? {
        let gene = gene(row, 0).map_err(damaged)?;
        shared.stamps.observe(stamp(row, 3));
        shared.stamps.observe_posts(number(row, 4));
        if map.database(gene) == database && row.get::<_, i64>(2) == map.epoch(gene) {
            elsewhere -= 1;
        }
    }
    if elsewhere > 0 {
        // Each of them is refused by itself until the map and the database agree.
        shared.reload_soon();
        tracing::warn!(
            database = named.name(),
            shards = elsewhere,
            "shards that the map has there are not there, or of another epoch"
        );
    }
    Ok(())
}

fn name(shared: &ClusterCore, database: usize) -> &str {
    shared.databases().all()[database].name()
}

fn tell_shut(database: &str, why: &Shut) {
    let problem = why.problem();
    if matches!(why, Shut::Away(_)) {
        tracing::warn!(database, problem, "the database is away: its users are refused until it is back");
    } else {
        tracing::error!(database, problem, "the database is not as it has to be: its users are refused");
    }
}
