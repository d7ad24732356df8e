//! A cluster on PostgreSQL: laying it out and looking at it.

use super::secret;
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::progress::{Unit, bar};
use guanxi_cluster::{ClusterError, Databases, InitStep, InitTerms};
use guanxi_model::HistoryId;

use guanxi_cluster::ShardMap;
pub(crate) use guanxi_cluster::{CheckReport, InitReport};

/// Lays out a cluster on the databases of the settings, with a bar, or what is missing of it.
pub(crate) async fn init_cluster(settings: &Settings, schemas: Option<u16>) -> Outcome<InitReport> {
    let databases = databases(settings)?;
    let mut history = [0_u8; 8];
    secret::random(&mut history)?;
    let terms = InitTerms { history: HistoryId(u64::from_be_bytes(history)), schemas };
    let progress = bar("cluster init", Some(0), Unit::Rows);
    let mut step = |step: InitStep| {
        match step {
            InitStep::Mapped { steps } => progress.set_length(steps),
            InitStep::Made { database, schema } => {
                progress.set_message(format!("{database} {schema}"));
                progress.inc(1);
            }
        }
        Ok(())
    };
    let report = guanxi_cluster::init(&databases, terms, &mut step).await;
    progress.finish_and_clear();
    report.map_err(failure)
}

/// The map of the cluster of the settings.
pub(crate) async fn shard_map(settings: &Settings) -> Outcome<ShardMap> {
    guanxi_cluster::shard_map(&databases(settings)?).await.map_err(failure)
}

/// Whether the cluster of the settings can be served from its databases.
pub(crate) async fn check_cluster(settings: &Settings) -> Outcome<CheckReport> {
    Ok(guanxi_cluster::check(&databases(settings)?, &SystemClock).await)
}

pub(super) fn databases(settings: &Settings) -> Outcome<Databases> {
    Databases::parse(&settings.databases).map_err(failure)
}

pub(super) fn failure(error: ClusterError) -> Failure {
    match error {
        ClusterError::Terms(_) => Failure::usage(error),
        error => Failure::from(error),
    }
}
