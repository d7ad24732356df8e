//! A job: the rows that it writes, how far it is, and how it ended.

use crate::operator::RowQuery;
use guanxi_model::post::Body;
use guanxi_model::{Error, User};
use guanxi_ports::search::{PostColumn, Row, RowSummed, UserColumn};
use std::fmt;
use std::sync::Arc;

/// Writes a row with its texts, or with none, behind what was written before.
pub type RowForm<C, T> = Arc<dyn Fn(u64, &Row<C>, Option<T>, &mut Vec<u8>) + Send + Sync>;

/// Puts the steps of sums together, as the operator asked for them.
pub type SumForm = Arc<dyn Fn(Vec<RowSummed>) -> Vec<RowSummed> + Send + Sync>;

/// How the rows of an export are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// They are not: only the total and the sums are asked for.
    Totals,
    /// As comma-separated values, the names of columns first.
    Csv,
    /// As one JSON object a line.
    JsonLines,
}

/// Which rows.
#[derive(Clone)]
pub enum ExportRows {
    /// The rows of users.
    Users(RowQuery<UserColumn>, RowForm<UserColumn, User>),
    /// The rows of posts.
    Posts(RowQuery<PostColumn>, RowForm<PostColumn, Body>),
}

impl ExportRows {
    /// Returns whether they come in the order of a column.
    pub(super) const fn by_column(&self) -> bool {
        match self {
            Self::Users(query, _) => query.ask.order.by.is_some(),
            Self::Posts(query, _) => query.ask.order.by.is_some(),
        }
    }
}

/// The task of a job.
#[derive(Clone)]
pub struct ExportPlan {
    /// Which rows; paging is the job's.
    pub rows: ExportRows,
    /// How they are written.
    pub format: ExportFormat,
    /// Whether their texts are read from the store; it takes ten times as long.
    pub with_texts: bool,
    /// The beginning of the file.
    pub head: Vec<u8>,
    /// How sums are put together.
    pub sums: SumForm,
}

crate::opaque_debug!(ExportPlan { format });

/// The name of a job: its number, of this process and of none before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExportId(pub u64);

impl ExportId {
    /// The job of a name.
    pub fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(Self).filter(|id| id.to_string() == text)
    }
}

impl fmt::Display for ExportId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

guanxi_model::kinds! {
    /// How a job stands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ExportState: name {
        /// It waits for its turn.
        Queued = "queued",
        /// It runs.
        Running = "running",
        /// It is done, and its file is there.
        Done = "done",
        /// It has failed.
        Failed = "failed",
        /// An operator has cancelled it.
        Cancelled = "cancelled",
        /// It was done, and its file and sums have been removed, since its time was over or something was erased.
        Expired = "expired",
    }
}

impl ExportState {
    /// Returns whether it goes on.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportFailure {
    /// The spool has no room for more of it.
    SpoolFull,
    /// Its file could not be written.
    NotWritten(Error),
    /// It has taken longer than a job may.
    TimeOver,
    /// Something was erased again and again while it ran.
    Erasures,
    /// The index or the store refuses.
    Refused(Error),
}

/// How far a job is, as operators are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportStatus {
    /// Which.
    pub id: ExportId,
    /// How it stands.
    pub state: ExportState,
    /// Whether its rows are users; posts otherwise.
    pub is_of_users: bool,
    /// How they are written.
    pub format: ExportFormat,
    /// Rows that are written.
    pub done: u64,
    /// Rows that there are; known once it has begun.
    pub total: Option<u64>,
    /// Bytes of its file.
    pub bytes: u64,
    /// When it was asked for, in Unix milliseconds, as all its times.
    pub created_ms: u64,
    /// When it began.
    pub started_ms: Option<u64>,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// When its file is removed, or was.
    pub expires_ms: Option<u64>,
    /// How often it has begun anew, since something was erased.
    pub restarts: usize,
    /// Why it failed.
    pub failure: Option<ExportFailure>,
    /// The sums of its rows.
    pub sums: Vec<RowSummed>,
}
