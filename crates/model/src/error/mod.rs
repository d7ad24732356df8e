//! The one closed set of errors that users can meet.

mod reason;
mod rules;
mod table;

#[cfg(test)]
mod tests;

pub use reason::Reason;
pub use table::{FIELDS, Value, ValueKind};

use std::fmt;

/// A write of which nothing is known to stand, or not all of it: the same request id makes it whole, and does nothing twice.
pub const WRITE_OPEN: &str = "open";

/// A write whose facts are durable, and of which what follows in other shards was not seen to stand: that comes by itself.
pub const WRITE_COMMITTED: &str = "committed";

/// What class of failure it is: decides the status code on every transport, in one place (the `api` crate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is wrong by itself; repeating it cannot help.
    InvalidArgument,
    /// What was named does not exist.
    NotFound,
    /// The request is right but the state forbids it.
    FailedPrecondition,
    /// Somebody else's change came between.
    Aborted,
    /// A position is older than what is kept.
    OutOfRange,
    /// The caller is not known.
    Unauthenticated,
    /// The caller is known and may not.
    PermissionDenied,
    /// Too much, too often, or too large; `retry_after` may say when to come back.
    ResourceExhausted,
    /// The store cannot answer now; the same request may succeed later.
    Unavailable,
    /// The caller's or the server's deadline passed.
    DeadlineExceeded,
    /// Stored data is damaged.
    DataLoss,
    /// A defect of the server.
    Internal,
}

/// An error of the product: a reason for programs, and a detail for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The machine-readable reason.
    pub reason: Reason,
    /// What the reason alone does not say, such as a file's name. Shown to operators, never to callers.
    pub detail: Option<Box<str>>,
}

impl Error {
    /// An error that its reason explains fully.
    pub const fn new(reason: Reason) -> Self {
        Self { reason, detail: None }
    }

    /// An error with a detail for the operator.
    pub fn with_detail(reason: Reason, detail: impl fmt::Display) -> Self {
        Self { reason, detail: Some(detail.to_string().into_boxed_str()) }
    }

    /// The class of its reason.
    pub const fn code(&self) -> Code {
        self.reason.code()
    }
}

impl Reason {
    /// Returns what follows its text: the rule of a field that breaks one.
    fn rule(&self) -> &'static str {
        match self {
            Self::InvalidField { field } => rules::of(field),
            _ => "",
        }
    }
}

impl Reason {
    /// A database cannot be asked, and nothing is known to be written.
    pub const SHARD_UNAVAILABLE: Self = Self::ShardUnavailable { write: WRITE_OPEN };
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Self::new(reason)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}

impl std::error::Error for Error {}

/// The result of everything that can fail for a user.
pub type Result<T, E = Error> = std::result::Result<T, E>;
