//! The stream of changes, for those who follow the logs.

use guanxi_model::{Event, LogId, Position, Result};
use guanxi_ports::Log;
use std::sync::Arc;

/// A reader of the changes in the logs that its position names. Its position is its whole state.
pub struct Changes {
    pub(super) log: Arc<dyn Log>,
    pub(super) position: Position,
}

impl Changes {
    /// After which events it stands.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The next events, at most `max`, each log in its order; none when it has caught up.
    ///
    /// # Errors
    /// `TRIMMED`, `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn read(&mut self, max: usize) -> Result<Vec<Event>> {
        let mut events: Vec<Event> = Vec::new();
        let logs: Vec<LogId> = self.position.marks().map(|(log, _)| log).collect();
        for log in logs {
            let room = max - events.len();
            if room == 0 {
                break;
            }
            let batch = self.log.read(log, &self.position, room).await?;
            self.position = batch.position;
            events.extend(batch.events);
        }
        Ok(events)
    }

    /// Completes when there may be more to read.
    ///
    /// # Errors
    /// `SHUTTING_DOWN` when the store closes.
    pub async fn wait(&self) -> Result<()> {
        self.log.wait(&self.position).await
    }
}
