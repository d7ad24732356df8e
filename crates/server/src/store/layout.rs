//! A cluster on PostgreSQL: laying it out and looking at it.

use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::secret;
use guanxi_cluster::{DatabaseError, Databases, InitTerms};
use guanxi_model::HistoryId;

pub use guanxi_cluster::{CheckReport, InitReport, InitStep, LossReport, ShardMap};

/// Lays out a cluster on the databases of the settings, or what is missing of it; `progress` is told of each step.
pub async fn init_cluster(
    settings: &Settings,
    mut progress: impl FnMut(InitStep) + Send,
) -> Outcome<InitReport> {
    let databases = databases(settings)?;
    let terms = InitTerms { history: HistoryId(u64::from_be_bytes(secret::random()?)) };
    let mut step = |step| {
        progress(step);
        Ok(())
    };
    guanxi_cluster::init(&databases, terms, &mut step).await.map_err(failure)
}

/// Accepts that a database of the cluster of the settings lost its newest commits.
pub async fn accept_loss(settings: &Settings, database: &str) -> Outcome<LossReport> {
    guanxi_cluster::accept_loss(&databases(settings)?, database).await.map_err(failure)
}

/// The map of the cluster of the settings.
pub async fn shard_map(settings: &Settings) -> Outcome<ShardMap> {
    guanxi_cluster::shard_map(&databases(settings)?).await.map_err(failure)
}

/// Returns whether the cluster of the settings can be served from its databases.
pub async fn check_cluster(settings: &Settings) -> Outcome<CheckReport> {
    Ok(guanxi_cluster::check(&databases(settings)?, &SystemClock).await)
}

pub(super) fn databases(settings: &Settings) -> Outcome<Databases> {
    Databases::parse(&settings.databases).map_err(failure)
}

pub(super) fn failure(error: DatabaseError) -> Failure {
    match error {
        DatabaseError::Terms(_) => Failure::usage(error),
        error => Failure::from(error),
    }
}
