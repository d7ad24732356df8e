//! The work of a process beside answering calls, by its roles: jobs that remove, mend and count things piece by piece, and
//! checks of a cluster when they are due.

use crate::config::{ProcessRole, Settings};
use crate::interrupted;
use crate::ports::StorePorts;
use crate::secret::random;
use crate::store::{OpenStore, schedule};
use guanxi_centers::Ports;
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::relation::{Expiry, Unlock};
use guanxi_centers::retention::{KeptFor, Retention};
use guanxi_centers::user::ClaimSweep;
use guanxi_model::Result;
use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_ports::{BoxFuture, Sessions};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

/// The name of the jobs that remove, mend and count things, which one process of a cluster does at a time.
const HOUSEKEEPING: &str = "housekeeping";

/// The pause between two pieces of the work, so that other writes go between them: 64 rows every 10 ms are at most 6,400 a
/// second.
const PIECE_PAUSE: Duration = Duration::from_millis(10);

/// How often the job looks for deleted users. They are hidden in the meantime.
const DELETED_USERS_EVERY: Duration = Duration::from_secs(1);

/// How often the job looks for rows that have been kept for long enough, which is days, and for purges that were cut off, of
/// which no reader sees anything.
const KEPT_EVERY: Duration = Duration::from_secs(10);

/// How often it is looked whether the daily look at claims of contacts is due.
const CLAIMS_EVERY: Duration = Duration::from_mins(1);

/// How often it is looked for what is over by now: so much later than its time a request or a mute may end.
const ENDS_EVERY: Duration = Duration::from_secs(1);

/// How often the job looks for users that have unlocked themselves.
const UNLOCKED_EVERY: Duration = Duration::from_secs(1);

/// The rest after an error: the store says why, and the work goes on where it was.
const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// The rest after some likes, replies and reposts were counted: so that those of a second share a commit.
const COUNT_REST: Duration = Duration::from_secs(1);

/// How often expired sessions are looked for. They are not valid in the meantime; what is swept is room on the disk.
const SWEEP_EVERY: Duration = Duration::from_mins(1);

/// The pause between two slices of a sweep of sessions, so that writes go between them.
const SLICE_PAUSE: Duration = Duration::from_millis(100);

/// Does what the roles of this process ask for, for ever.
pub(super) async fn run(opened: &OpenStore, settings: &Settings, affinity: AffinityCenter) {
    let keep_house = || keep_house(opened.ports().clone(), settings.kept_for(), affinity.clone());
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

/// Does all jobs, for ever.
async fn keep_house(ports: StorePorts, kept: KeptFor, affinity: AffinityCenter) {
    let Ports { graph, posts, clock, .. } = ports.of_jobs().clone();
    let mut erasure = ports.erasure();
    let mut retention = Retention::new(graph.clone(), posts, clock.clone(), kept);
    let mut claims = ClaimSweep::new(graph.clone(), clock.clone());
    let mut over = Expiry::new(graph.clone(), clock);
    let mut unlock = Unlock::new(graph);
    let rest = || -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(COUNT_REST)) };
    let problem = interrupted("likes, replies and reposts were not counted; it goes on where it was");
    let erase = async || erasure.step().await;
    let end = async || retention.step().await;
    let mend = async || claims.step().await;
    let expire = async || over.step().await;
    let approve = async || unlock.step().await;
    tokio::join!(
        sweep_sessions(ports.sessions().clone()),
        work("what deleted users left was not removed", DELETED_USERS_EVERY, erase),
        work("what was kept for long enough was not removed", KEPT_EVERY, end),
        work("claims of contacts were not mended", CLAIMS_EVERY, mend),
        work("what is over did not end", ENDS_EVERY, expire),
        work("who waited for an account to unlock was not let", UNLOCKED_EVERY, approve),
        affinity.count(pending(), rest, problem),
    );
}

/// Does some work piece by piece, and looks for more of it every so often.
async fn work(problem: &str, look_every: Duration, mut step: impl AsyncFnMut() -> Result<bool>) {
    loop {
        let pause = match step().await {
            Ok(true) => PIECE_PAUSE,
            Ok(false) => look_every,
            Err(error) => {
                tracing::warn!(%error, "{problem}; it goes on later");
                ERROR_PAUSE
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Sweeps expired sessions for ever, slice by slice.
async fn sweep_sessions(sessions: Arc<dyn Sessions>) {
    let slice = SESSION_SWEEP_MAX as usize;
    loop {
        let pause = match sessions.sweep(slice).await {
            Ok(swept) if swept == slice => SLICE_PAUSE,
            Ok(_) => SWEEP_EVERY,
            Err(error) => {
                tracing::warn!(%error, "expired sessions were not swept");
                SWEEP_EVERY
            }
        };
        tokio::time::sleep(pause).await;
    }
}
