//! The job that removes expired sessions.

use super::{BackgroundJob, JobScope, JobTerms};
use guanxi_model::Result;
use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_ports::{BoxFuture, Sessions};
use std::sync::Arc;
use std::time::Duration;

/// Removes expired sessions. An expired session is not valid in the meantime: the job gives room on the disk back.
pub struct SessionSweep(Arc<dyn Sessions>);

impl SessionSweep {
    /// Returns the job over the sessions of a store.
    pub fn new(sessions: Arc<dyn Sessions>) -> Self {
        Self(sessions)
    }
}

crate::opaque_debug!(SessionSweep);

impl BackgroundJob for SessionSweep {
    fn terms(&self) -> JobTerms {
        JobTerms {
            name: "session-sweep",
            problem: "expired sessions were not removed",
            look_every: Duration::from_mins(1),
            piece_pause: Duration::from_millis(100),
            scope: JobScope::OnePerStore,
        }
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        let slice = SESSION_SWEEP_MAX as usize;
        Box::pin(async move { Ok(self.0.sweep(slice).await? == slice) })
    }
}
