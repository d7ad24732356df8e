//! What a process does beside answering calls, by its roles.

use crate::config::{ProcessRole, Settings};
use crate::secret::random;
use crate::store::ServedStore;
use crate::store::cluster::schedule;
use crate::{jobs, sessions};
use guanxi_centers::affinity::AffinityCenter;
use std::future::pending;

/// What removes, mends and counts things, which one process of a cluster does at a time.
const HOUSEKEEPING: &str = "housekeeping";

/// Does it for ever.
pub(super) async fn run(opened: &ServedStore, settings: &Settings, affinity: AffinityCenter) {
    let local = opened.stored();
    let keep_house = || {
        let (jobs, sessions) = (local.jobs(settings.kept_for(), affinity.clone()), local.sessions());
        async move {
            tokio::join!(sessions::sweep(sessions), jobs::run(jobs));
        }
    };
    let ServedStore::Cluster(cluster) = opened else { return keep_house().await };
    let store = cluster.store();
    let house = async {
        if settings.has_role(ProcessRole::Worker) {
            Box::pin(store.do_alone(HOUSEKEEPING, &bits, keep_house)).await;
        }
    };
    let checks = async {
        if settings.has_role(ProcessRole::Repair) {
            store.check_on_schedule(&schedule(settings), &bits).await;
        }
    };
    tokio::join!(house, checks);
    // A process without these roles, or without a check that is ever due, has nothing to do here.
    pending::<()>().await;
}

/// Random bits, by which processes do not ask for the same thing in step.
fn bits() -> u64 {
    let mut bytes = [0; 8];
    // Without any they do, which only costs a few questions.
    let _unknown = random(&mut bytes);
    u64::from_le_bytes(bytes)
}
