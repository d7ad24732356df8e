//! The stream of changes, for those who follow the log.

use guanxi_model::{Event, Position, Result};
use guanxi_ports::Log;
use std::sync::Arc;

/// A reader of the changes. Its position is its whole state.
pub struct Changes {
    pub(super) log: Arc<dyn Log>,
    pub(super) position: Position,
}

impl Changes {
    /// After which event it stands.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The next events, at most `max`; none when it has caught up.
    ///
    /// # Errors
    /// `TRIMMED`, `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn read(&mut self, max: usize) -> Result<Vec<Event>> {
        let batch = self.log.read(self.position, max).await?;
        self.position = batch.position;
        Ok(batch.events)
    }

    /// Completes when there may be more to read.
    ///
    /// # Errors
    /// `SHUTTING_DOWN` when the store closes.
    pub async fn wait(&self) -> Result<()> {
        self.log.wait(self.position).await
    }
}
