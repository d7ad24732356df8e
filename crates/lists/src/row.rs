//! The content of a line of a list.

use super::form::Form;
use super::time::Seen;
use guanxi_model::{Error, Gene, Reason, Uid};
use std::fmt;

/// Bytes of a refused line that a report shows: any line of edges as a whole.
pub const EXCERPT_LEN: usize = 1 << 10;

/// The rows of a list of one kind, one a line.
pub trait Row: Clone + Send + Sized + 'static {
    /// The name of the rows, as in `edges per second`.
    const NAME: &'static str;
    /// The longest line that is read; longer ones are refused without being held in memory.
    const LINE_LEN_MAX: usize;
    /// Rows of one batch: what one write takes.
    const BATCH_MAX: usize;
    /// Bytes of lines after which a batch ends, so that it fits a request.
    const BATCH_BYTES: usize;

    /// Reads one line, without its line break.
    ///
    /// # Errors
    /// Why it cannot be imported.
    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal>;

    /// The logical shard that the row is in.
    fn gene(&self) -> Gene;

    /// How a report tells of the row that a store refused.
    fn refused(&self, reason: &Reason) -> String;

    /// Returns the row as a sentence for people; `verb` is the act of sources on targets, such as `follows`.
    fn told(&self, verb: &str, user: &dyn Fn(Uid) -> String) -> String;
}

/// Why a line is refused before any store is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The name in a report.
    pub reason: &'static str,
    /// The problem, in words; empty when the name says it all.
    pub detail: String,
}

impl Refusal {
    /// A line that is none of its list.
    pub const MALFORMED: &'static str = "MALFORMED";

    /// A line that cannot be read at all.
    pub fn malformed(detail: impl fmt::Display) -> Self {
        Self { reason: Self::MALFORMED, detail: detail.to_string() }
    }

    /// A row that any store would refuse.
    pub fn of(reason: &Reason) -> Self {
        Self { reason: reason.name(), detail: reason.to_string() }
    }
}

/// A row that the model refuses.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::of(&error.reason)
    }
}
