//! The work of a process beside answering calls, by its roles: jobs that remove, mend and count things piece by piece, and
//! checks of a cluster when they are due.

use crate::config::{ProcessRole, Settings};
use crate::interrupted;
use crate::secret::random;
use crate::store::{OpenStore, schedule};
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::jobs::{BackgroundJob, JobScope, JobTerms};
use guanxi_ports::BoxFuture;
use std::future::pending;
use std::time::Duration;
use tokio::task::JoinSet;

/// The name of the jobs that remove, mend and count things, which one process of a cluster does at a time.
const HOUSEKEEPING: &str = "housekeeping";

/// The rest after an error: the store says why, and the work goes on where it was.
const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// The rest after some likes, replies and reposts were counted: so that those of a second share a commit.
const COUNT_REST: Duration = Duration::from_secs(1);

/// Does what the roles of this process ask for, for ever.
pub(super) async fn run(opened: &OpenStore, settings: &Settings, affinity: AffinityCenter) {
    let jobs = |scope| {
        let all = opened.ports().jobs(settings.kept_for()).into_iter();
        all.filter(move |job| job.terms().scope == scope)
    };
    let _own = start(jobs(JobScope::EachProcess));
    let keep_house = || keep_house(start(jobs(JobScope::OnePerStore)), affinity.clone());
    let OpenStore::Cluster(cluster) = opened else { return keep_house().await };
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

/// Starts jobs. They end between two pieces when the set is dropped.
fn start(jobs: impl Iterator<Item = Box<dyn BackgroundJob>>) -> JoinSet<()> {
    jobs.map(work).collect()
}

/// Does what one process of a store does, beside jobs that are running, for ever.
async fn keep_house(_jobs: JoinSet<()>, affinity: AffinityCenter) {
    let rest = || -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(COUNT_REST)) };
    let problem = interrupted("likes, replies and reposts were not counted; it goes on where it was");
    affinity.count(pending(), rest, problem).await;
}

/// Does a job piece by piece, and looks for more work every so often.
async fn work(mut job: Box<dyn BackgroundJob>) {
    let JobTerms { name, problem, look_every, piece_pause, .. } = job.terms();
    loop {
        let pause = match job.step().await {
            Ok(true) => piece_pause,
            Ok(false) => look_every,
            Err(error) => {
                tracing::warn!(%error, job = name, "{problem}; the job goes on later");
                ERROR_PAUSE
            }
        };
        tokio::time::sleep(pause).await;
    }
}
