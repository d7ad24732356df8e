//! The log of events: the truth that everything derived follows.

use crate::BoxFuture;
use guanxi_model::{Event, Position, Result};

/// Events of the log, in order and without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBatch {
    /// The events after the position asked for; empty when there are none yet.
    pub events: Vec<Event>,
    /// Where to go on reading.
    pub position: Position,
}

/// Reading the log of a shard. Consumers store their position together with their effect.
pub trait Log: Send + Sync {
    /// The position of the last published event.
    fn head(&self) -> Position;

    /// Events after a position, at most `max` (itself at most
    /// [`EVENT_BATCH_MAX`](guanxi_model::limits::EVENT_BATCH_MAX)). Only published events appear.
    ///
    /// # Errors
    /// `Trimmed` when the log no longer holds the next event; `TokenFromOtherHistory`; `TokenAhead` when the
    /// position lies beyond the head.
    fn read(&self, after: Position, max: usize) -> BoxFuture<'_, Result<EventBatch>>;

    /// Completes when the head is beyond a position. It is only a wake-up: the reader reads the log itself.
    ///
    /// # Errors
    /// `ShuttingDown` when the store closes.
    fn wait(&self, after: Position) -> BoxFuture<'_, Result<()>>;
}
