//! Sweeping expired sessions while a server runs.

use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_ports::Sessions;
use std::sync::Arc;
use std::time::Duration;

/// How often expired sessions are looked for. They are not valid in the meantime; what is swept is room on the disk.
const SWEEP_EVERY: Duration = Duration::from_mins(1);

/// The pause between two slices of a sweep, so that writes go between them.
const SLICE_PAUSE: Duration = Duration::from_millis(100);

/// Sweeps expired sessions for ever, slice by slice.
pub(super) async fn sweep(sessions: Arc<dyn Sessions>) {
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
