//! The work of a process beside answering calls, by its roles: jobs that remove, mend and count things piece by piece, and
//! checks of a cluster when they are due.

use crate::config::{ProcessRole, Settings};
use crate::interrupted;
use crate::secret::random;
use crate::store::{OpenStore, schedule};
use futures_util::future::join_all;
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::jobs::{BackgroundJob, JobScope, JobTerms};
use guanxi_ports::BoxFuture;
use std::future::pending;
use std::time::Duration;

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
    let own = work_on(jobs(JobScope::EachProcess));
    let keep_house = || keep_house(jobs(JobScope::OnePerStore), affinity.clone());
    let OpenStore::Cluster(cluster) = opened else {
        tokio::join!(own, keep_house());
        return;
    };
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
    tokio::join!(own, house, checks);
    // A process without these roles, or without a check that is ever due, has nothing to do here.
    pending::<()>().await;
}

/// Random bits, by which processes do not ask for the same thing in step.
fn bits() -> u64 {
    // Without any they do, which only costs a few questions.
    u64::from_le_bytes(random().unwrap_or_default())
}

/// Does some jobs side by side, for ever. They are parts of one future: dropping it ends them between two pieces, and the panic
/// of one ends them all, and the process with them, so that no job is missing unseen.
async fn work_on(jobs: impl Iterator<Item = Box<dyn BackgroundJob>>) {
    join_all(jobs.map(work)).await;
}

/// Does what one process of a store does, for ever.
async fn keep_house(jobs: impl Iterator<Item = Box<dyn BackgroundJob>>, affinity: AffinityCenter) {
    let rest = || -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(COUNT_REST)) };
    let problem = interrupted("likes, replies and reposts were not counted; it goes on where it was");
    tokio::join!(work_on(jobs), affinity.count(pending(), rest, problem));
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

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Result;
    use std::future::ready;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A job that counts its pieces. Only the first of ten has nothing to do; the last panics.
    struct Counted(Arc<AtomicU32>);

    impl BackgroundJob for Counted {
        fn terms(&self) -> JobTerms {
            let (look_every, piece_pause) = (Duration::from_mins(1), Duration::from_millis(10));
            JobTerms {
                name: "test",
                problem: "nothing",
                look_every,
                piece_pause,
                scope: JobScope::OnePerStore,
            }
        }

        fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
            let before = self.0.fetch_add(1, Ordering::Relaxed);
            assert!(before < 9, "the job panics");
            Box::pin(ready(Ok(before > 0)))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn jobs_rest_by_their_terms_and_the_panic_of_one_ends_all() {
        let pieces = Arc::new(AtomicU32::new(0));
        let jobs: Vec<Box<dyn BackgroundJob>> = vec![Box::new(Counted(pieces.clone()))];
        let running = tokio::spawn(work_on(jobs.into_iter()));
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(pieces.load(Ordering::Relaxed), 1, "it rests after a look that found nothing");
        let ended = running.await;
        assert!(ended.is_err_and(|error| error.is_panic()), "a missing job is not unseen");
        assert_eq!(pieces.load(Ordering::Relaxed), 10);
    }
}
