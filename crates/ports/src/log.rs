//! The logs of events: the truth that everything derived follows.

use crate::BoxFuture;
use guanxi_model::{Event, LogId, Logs, Position, Result};

/// Events of one log, in order and without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBatch {
    /// The events after the position asked for; empty when there are none yet.
    pub events: Vec<Event>,
    /// The position asked for, moved on past these events in this log: where to go on reading.
    pub position: Position,
}

/// Reading the logs of a store. Each log is gapless and in the order of its commits; between logs there is no order.
/// Consumers store their position together with their effect.
pub trait Log: Send + Sync {
    /// Returns which logs there are. It never changes.
    fn logs(&self) -> Logs;

    /// The position of the last published event of every log: names them all, as something seen.
    fn head(&self) -> BoxFuture<'_, Result<Position>>;

    /// Events of one log after a position, at most `max` (itself at most
    /// [`EVENT_BATCH_MAX`](guanxi_model::limits::EVENT_BATCH_MAX)). Only published events appear.
    ///
    /// # Errors
    /// `Trimmed` when the log no longer holds the next event; `TokenFromOtherHistory`; `TokenAhead` when the position
    /// lies beyond the head of the log.
    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>>;

    /// Completes when the head of any log that a position names is beyond it. It is only a wake-up: the reader reads
    /// the logs itself.
    ///
    /// # Errors
    /// `ShuttingDown` when the store closes.
    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>>;
}
