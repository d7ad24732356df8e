//! What a line of a list can be.

use guanxi_model::{Gene, Reason};
use std::fmt;

/// Bytes of a refused line that a report shows: any line of edges as a whole.
pub(crate) const EXCERPT_LEN: usize = 1 << 10;

/// Whether a list begins with the names of its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Header {
    /// If its first line looks like that.
    Auto,
    /// Yes: its first line is no row.
    Yes,
    /// No: its first line is a row.
    #[default]
    No,
}

/// What lists of one kind hold, one a line.
pub(crate) trait Row: Clone + Send + Sized + 'static {
    /// What the rows are called, as in `edges per second`.
    const NAME: &'static str;
    /// The longest line that is read; longer ones are refused without being held in memory.
    const LINE_LEN_MAX: usize;
    /// Rows of one batch: what one write takes.
    const BATCH_MAX: usize;
    /// Bytes of lines after which a batch ends, so that it fits a request.
    const BATCH_BYTES: usize;

    /// Reads one line, without its line break.
    fn parse(line: &[u8]) -> Line<Self>;

    /// Whether a line names columns.
    fn is_header(_line: &[u8]) -> bool {
        false
    }

    /// The logical shard that the row is in.
    fn gene(&self) -> Gene;

    /// How a report tells of the row that a store refused.
    fn refused(&self, reason: &Reason) -> String;
}

/// What a line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line<R> {
    /// A row.
    Row(R),
    /// Nothing: blank, or a comment.
    Nothing,
    /// Something that cannot be imported.
    Refused(Refusal),
}

/// Why a line is refused before any store is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The name in a report.
    pub reason: &'static str,
    /// What is wrong, in words; empty when the name says it all.
    pub detail: String,
}

impl Refusal {
    /// A line that is none of its list.
    pub(crate) const MALFORMED: &'static str = "MALFORMED";

    /// A line that cannot be read at all.
    pub(crate) fn malformed(detail: impl fmt::Display) -> Self {
        Self { reason: Self::MALFORMED, detail: detail.to_string() }
    }

    /// A row that any store would refuse.
    pub(crate) fn of(reason: &Reason) -> Self {
        Self { reason: reason.name(), detail: reason.to_string() }
    }
}

/// Whether a line is skipped: blank, or a comment.
pub(crate) fn is_nothing(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line[0] == b'#'
}
