//! Jobs that remove, mend and count things piece by piece while a server runs.

use crate::interrupted;
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::relation::{Expiry, Unlock};
use guanxi_centers::retention::Retention;
use guanxi_centers::user::{ClaimSweep, Erasure};
use guanxi_model::Result;
use guanxi_ports::BoxFuture;
use std::time::Duration;

/// The pause between two pieces of the work, so that other writes go between them: 64 rows every 10 ms are at most 6,400 a
/// second.
const PIECE_PAUSE: Duration = Duration::from_millis(10);

/// How often somebody who is deleted is looked for. Nobody sees them in the meantime.
const DELETED_USERS_EVERY: Duration = Duration::from_secs(1);

/// How often it is looked for what has been kept for long enough, which is days, and for purges that were cut off, of which
/// nobody sees anything.
const KEPT_EVERY: Duration = Duration::from_secs(10);

/// How often it is looked whether the daily look at claims of contacts is due.
const CLAIMS_EVERY: Duration = Duration::from_mins(1);

/// How often it is looked for what is over by now: so much later than its time a request or a mute may end.
const ENDS_EVERY: Duration = Duration::from_secs(1);

/// How often it is looked for who has unlocked itself.
const UNLOCKED_EVERY: Duration = Duration::from_secs(1);

/// The rest after an error: the store says why, and the work goes on where it was.
const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// The rest after some likes, replies and reposts were counted: so that those of a second share a commit.
const COUNT_REST: Duration = Duration::from_secs(1);

/// The jobs of a server.
pub(crate) struct Jobs {
    /// What deleted users left.
    pub erasure: Erasure,
    /// What has been kept for long enough.
    pub retention: Retention,
    /// Claims of contacts that were left half done.
    pub claims: ClaimSweep,
    /// Requests and mutes whose time is over.
    pub expiry: Expiry,
    /// Who waits to follow somebody that is not locked any more.
    pub unlock: Unlock,
    /// What users do about each other's posts.
    pub affinity: AffinityCenter,
}

/// Does them, for ever.
pub(super) async fn run(jobs: Jobs) {
    let Jobs { mut erasure, mut retention, mut claims, mut expiry, mut unlock, affinity } = jobs;
    let rest = || -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(COUNT_REST)) };
    let problem = interrupted("likes, replies and reposts were not counted; it goes on where it was");
    let erase = async || erasure.step().await;
    let end = async || retention.step().await;
    let mend = async || claims.step().await;
    let expire = async || expiry.step().await;
    let approve = async || unlock.step().await;
    tokio::join!(
        work("what deleted users left was not removed", DELETED_USERS_EVERY, erase),
        work("what was kept for long enough was not removed", KEPT_EVERY, end),
        work("claims of contacts were not mended", CLAIMS_EVERY, mend),
        work("what is over did not end", ENDS_EVERY, expire),
        work("who waited for an account to unlock was not let", UNLOCKED_EVERY, approve),
        affinity.count(std::future::pending(), rest, problem),
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
