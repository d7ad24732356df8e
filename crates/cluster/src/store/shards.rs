//! Where the shards are, and how far each database is, as this process sees it.

use super::{ClusterCore, ClusterStore};
use crate::derive::{Marks, all_marks, read_marks};
use crate::map::{self, ShardMap};
use crate::serving::{ServingProcess, serving};
use crate::tail::look;
use futures_util::future::{join, join_all};
use guanxi_model::{Gene, Result};
use guanxi_ports::shards::{SeenDatabase, SeenProcess, SeenShard, SeenState, ShardReport};
use guanxi_ports::{BoxFuture, Shards};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::{Fault, PgSession};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a database may take to answer one question.
const ANSWER_MAX: Duration = Duration::from_millis(700);

impl Shards for ClusterStore {
    fn shards(&self) -> BoxFuture<'_, Result<ShardReport>> {
        Box::pin(async { Ok(report(&self.shared).await) })
    }
}

async fn report(shared: &Arc<ClusterCore>) -> ShardReport {
    let all = 0..shared.served.len();
    let asked = join_all(all.clone().map(|database| heads(shared, database)));
    let (told, heads) = join(timeout(ANSWER_MAX, told(shared)), asked).await;
    let (map, processes) = match told {
        Ok(Ok((map, processes))) => (map, processes),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the map cannot be read");
            (None, Vec::new())
        }
        Err(_) => (None, Vec::new()),
    };
    // Marks are asked for after all heads: an event that is applied meanwhile is not counted as late.
    let behind = join_all(all.map(|database| behind(shared, database))).await;
    let names = shared.databases().all().iter().map(|database| database.name().to_owned());
    let answers = heads.iter().zip(behind);
    let databases = names.zip(answers).map(|(name, (heads, behind))| SeenDatabase {
        name,
        answered_in: heads.as_ref().map(|(_, took)| *took).filter(|_| behind.is_some()),
        behind,
    });
    ShardReport {
        is_of_cluster: true,
        databases: databases.collect(),
        shards: shards(shared, map.as_ref(), &heads),
        processes: processes.into_iter().map(seen).collect(),
    }
}

/// The logs of a database, and how long it took to ask for them.
type HeadsIn = Option<(Arc<Marks>, Duration)>;

/// What the first database tells of all.
async fn told(shared: &ClusterCore) -> Result<(Option<ShardMap>, Vec<ServingProcess>), DatabaseError> {
    let first = PgSession::open(shared.databases().first()).await?;
    Ok((map::read(&first).await?, serving(&first).await?))
}

async fn heads(shared: &Arc<ClusterCore>, database: usize) -> HeadsIn {
    // How long the database took, not how long the caller waited for others' looks.
    let looked = answered(look(shared, database)).await?;
    Some((looked.heads, looked.took))
}

/// Events of all logs that are not applied in a database.
async fn behind(shared: &ClusterCore, database: usize) -> Option<u64> {
    let rows = answered(shared.served[database].asks.rows(&all_marks())).await?;
    let marks = read_marks(&rows).ok()?;
    Some(marks.iter().map(|(log, mark)| shared.head(*log).saturating_sub(mark.whole())).sum())
}

async fn answered<T>(question: impl Future<Output = Result<T, Fault>>) -> Option<T> {
    timeout(ANSWER_MAX, question).await.ok()?.ok()
}

/// The shards of all genes: by the map of the first database, or as this process knows them.
fn shards(shared: &ClusterCore, map: Option<&ShardMap>, heads: &[HeadsIn]) -> Vec<SeenShard> {
    let known = shared.map();
    let index = |name: &str| shared.databases().all().iter().position(|database| database.name() == name);
    let seen_at = |number: u8| {
        let gene = Gene(number);
        let place = map.and_then(|map| map.places.iter().find(|place| place.gene == number));
        let place =
            place.and_then(|place| Some((index(&place.database)?, place.epoch, place.state.as_str())));
        let (database, epoch, state) = match place {
            Some((database, epoch, state)) => (database, epoch, state_of(state)),
            None => (known.database(gene), known.epoch(gene), None),
        };
        let log = heads[database].as_ref().and_then(|(heads, _)| heads.get(&gene));
        SeenShard { gene, database, epoch: epoch.cast_unsigned(), state, events: log.copied() }
    };
    (0..=u8::MAX).map(seen_at).collect()
}

fn state_of(word: &str) -> Option<SeenState> {
    match word {
        "open" => Some(SeenState::Open),
        "moving" => Some(SeenState::Moving),
        _ => None,
    }
}

fn seen(process: ServingProcess) -> SeenProcess {
    let ServingProcess { number, program, roles, clock_ahead_ms, host, pid, .. } = process;
    let roles = roles.split(',').filter(|role| !role.is_empty()).map(str::to_owned).collect();
    let pid = u32::try_from(pid).unwrap_or_default();
    SeenProcess { number: number.cast_unsigned(), program, roles, clock_ahead_ms, host, pid }
}
