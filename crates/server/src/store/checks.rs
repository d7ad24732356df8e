//! Checks of a cluster, as an operator asks for them.

use super::cluster::Cluster;
use crate::config::Settings;
use crate::failure::{Context as _, Outcome};
use guanxi_ports::Progress;

pub use guanxi_cluster::{RepairCheck, RepairReport, RepairTerms};

/// Connects to the cluster of the settings and runs checks one after the other; `progress` is told of each.
pub async fn run_checks(
    settings: &Settings,
    checks: &[RepairCheck],
    terms: RepairTerms,
    progress: &mut (dyn FnMut(RepairCheck, Progress) + Send + Sync),
) -> Outcome<Vec<(RepairCheck, RepairReport)>> {
    let cluster = Cluster::open_to_work(settings).await?;
    let mut reports = Vec::with_capacity(checks.len());
    for check in checks {
        let mut tell = |now| progress(*check, now);
        let report = cluster.store().repair(*check, terms, &mut tell).await;
        reports.push((*check, report.context(format_args!("cannot run the check `{}`", check.name()))?));
    }
    Ok(reports)
}
