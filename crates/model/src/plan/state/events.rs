//! The logs of a batch, and the answers that make a repeated write happen once.

use crate::command::Outcome;
use crate::error::Result;
use crate::event::Change;
use crate::id::Uid;
use crate::log::EventAt;
use crate::position::Position;
use crate::request_key::RequestKey;
use crate::stamp::Stamp;

/// An answer under a request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Of what was asked.
    pub fingerprint: u64,
    /// Its time, in Unix milliseconds.
    pub ms: u64,
    /// Where the answer stands.
    pub position: Position,
    /// What was answered.
    pub outcomes: Vec<Outcome>,
}

/// The logs of a batch, and what is minted under them.
pub trait EventRows {
    /// Why a row cannot be read. The batch is lost then.
    type Error;

    /// Mints the version of the next change of a user's facts: above every one before.
    fn stamp(&mut self, actor: Uid, now_ms: u64) -> Stamp;

    /// Returns the place of the next event of a user's log.
    fn next_event(&self, subject: Uid) -> EventAt;

    /// Adds an event to the log of its subject, and returns its place.
    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt;

    /// Checks that a position names nothing that is not committed or planned.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    fn check_position(&self, position: &Position) -> Result<()>;
}

/// What makes a repeated write happen once.
pub trait RequestRows: EventRows {
    /// Returns the answer under a request id, expired or not.
    ///
    /// # Errors
    /// When the row cannot be read.
    fn remembered(&mut self, request: &RequestKey) -> Result<Option<Remembered>, Self::Error>;

    /// Keeps the answer to a request, which stands with this batch.
    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]);

    /// Returns where an import job stands; 0 for a new one.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn job(&mut self, job: &str) -> Result<u64, Self::Error>;

    /// Moves an import job.
    fn put_job(&mut self, job: &str, position: u64);
}
