//! Jobs that remove, mend and count things piece by piece while a server runs.

use super::interrupted;
use guanxi_centers::affinity::AffinityCenter;
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

/// The rest after an error: the store says why, and the work goes on where it was.
const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// The rest after some likes, replies and reposts were counted: so that those of a second share a commit.
const COUNT_REST: Duration = Duration::from_secs(1);

/// Removes what deleted users left and what has been kept for long enough, mends claims of contacts, and counts what users do
/// about each other's posts, for ever.
pub(super) async fn run(
    mut erasure: Erasure,
    mut retention: Retention,
    mut claims: ClaimSweep,
    affinity: AffinityCenter,
) {
    let rest = || -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(COUNT_REST)) };
    let problem = interrupted("likes, replies and reposts were not counted; it goes on where it was");
    let erase = async || erasure.step().await;
    let end = async || retention.step().await;
    let mend = async || claims.step().await;
    tokio::join!(
        work("what deleted users left was not removed", DELETED_USERS_EVERY, erase),
        work("what was kept for long enough was not removed", KEPT_EVERY, end),
        work("claims of contacts were not mended", CLAIMS_EVERY, mend),
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
