//! Removing what deleted users left while a server runs.

use guanxi_centers::user::Erasure;
use std::time::Duration;

/// The pause between two pieces of the work, so that other writes go between them: 64 rows every 10 ms are at most 6,400 a
/// second.
const PIECE_PAUSE: Duration = Duration::from_millis(10);

/// How often somebody who is deleted is looked for. Nobody sees them in the meantime.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The rest after an error: the store says why, and the work goes on where it was.
const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// Does the work for ever, piece by piece.
pub(super) async fn run(mut erasure: Erasure) {
    loop {
        let pause = match erasure.step().await {
            Ok(true) => PIECE_PAUSE,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "what deleted users left was not removed; it goes on later");
                ERROR_PAUSE
            }
        };
        tokio::time::sleep(pause).await;
    }
}
