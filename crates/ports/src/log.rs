//! The logs of events: the truth that everything derived follows.

use crate::BoxFuture;
use guanxi_model::{Event, EventAt, LogId, Logs, Position, Result, Uid};

/// Events of one log, in order, and without a gap but for those that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBatch {
    /// The events after the position asked for; empty when there are none yet.
    pub events: Vec<Event>,
    /// Events between these that are stored and cannot be read. A reader passes them over, and takes anything that they
    /// may have changed for changed.
    pub unreadable: Vec<UnreadableEvent>,
    /// The position asked for, moved on past all of these in this log: where to go on reading.
    pub position: Position,
}

/// An event that is stored and cannot be read: damage, of which a verification tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadableEvent {
    /// Its place.
    pub at: EventAt,
    /// The user of the event, as far as the row names one.
    pub subject: Option<Uid>,
    /// The other user or the post that the row names, if it names one.
    pub object: Option<u64>,
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
