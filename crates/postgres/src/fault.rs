//! What goes wrong while a database serves.

use crate::DatabaseError;
use guanxi_model::{Error, Reason};
use std::fmt;
use tokio_postgres::error::SqlState;

/// When a caller may try again for whom a server had no connection left: others have given theirs back by then.
const CROWDED_RETRY_MS: u32 = 250;

/// Why a database did not answer as it should.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It, or the network, is away: what was sent last may have been done or not.
    Away(String),
    /// It has undone the transaction; the same may go well another time.
    Again(String),
    /// It has undone the transaction, since another one held a row that it waited for.
    Locked(String),
    /// A shard is not where the map says, or moves.
    Moved,
    /// It has undone the transaction, and would do so again.
    Refused(String),
    /// Tables are not there: a version of them was never made.
    Elsewhere(String),
    /// It has no connection left for this process.
    Crowded(String),
    /// It has no room left.
    Full(String),
    /// It lost its newest commits, so that nothing is asked of it.
    Lost(String),
}

impl Fault {
    /// It did not answer in time.
    pub fn late() -> Self {
        Self::Away("it did not answer in time".to_owned())
    }

    /// Returns whether the connection can be asked no more.
    pub const fn is_away(&self) -> bool {
        matches!(self, Self::Away(_))
    }

    /// Returns whether the database takes no part now, and is looked at until it does.
    pub const fn is_shut(&self) -> bool {
        matches!(self, Self::Away(_) | Self::Lost(_))
    }

    /// Returns whether the same may go well within a moment.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Away(_) | Self::Again(_) | Self::Locked(_) | Self::Elsewhere(_) | Self::Full(_))
    }

    /// Returns whether the same fails for as long as the rows are as they are.
    pub const fn lies_in_rows(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Moved)
    }

    /// Returns the error for the caller. The words of the database are in the detail, which only logs have.
    pub fn told(self) -> Error {
        match self {
            Self::Away(detail) | Self::Again(detail) | Self::Locked(detail) | Self::Elsewhere(detail) => {
                Error::with_detail(Reason::SHARD_UNAVAILABLE, detail)
            }
            Self::Moved => Error::with_detail(Reason::SHARD_UNAVAILABLE, "a shard is moving"),
            Self::Refused(detail) => Error::with_detail(Reason::Internal, detail),
            Self::Crowded(detail) => {
                Error::with_detail(Reason::Overloaded { retry_after_ms: CROWDED_RETRY_MS }, detail)
            }
            Self::Lost(detail) => Error::with_detail(Reason::DatabaseLostWrites, detail),
            Self::Full(detail) => Error::with_detail(Reason::DiskFull { reserve: 0 }, detail),
        }
    }
}

/// What is wrong, in the words of the database.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = match self {
            Self::Moved => "a shard is moving",
            Self::Away(detail)
            | Self::Again(detail)
            | Self::Locked(detail)
            | Self::Refused(detail)
            | Self::Elsewhere(detail)
            | Self::Crowded(detail)
            | Self::Full(detail)
            | Self::Lost(detail) => detail,
        };
        f.write_str(detail)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        fault.told()
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        let detail = crate::error::told(&error);
        let Some(state) = error.code() else { return Self::Away(detail) };
        match state {
            &SqlState::LOCK_NOT_AVAILABLE => Self::Locked(detail),
            &SqlState::QUERY_CANCELED
            | &SqlState::T_R_DEADLOCK_DETECTED
            | &SqlState::T_R_SERIALIZATION_FAILURE
            | &SqlState::OUT_OF_MEMORY => Self::Again(detail),
            &SqlState::TOO_MANY_CONNECTIONS => Self::Crowded(detail),
            &SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME => Self::Elsewhere(detail),
            &SqlState::DISK_FULL => Self::Full(detail),
            &SqlState::ADMIN_SHUTDOWN
            | &SqlState::CRASH_SHUTDOWN
            | &SqlState::CANNOT_CONNECT_NOW
            | &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Self::Away(detail),
            _ => Self::Refused(detail),
        }
    }
}

/// Turns the error of a statement into one of a database.
pub(crate) fn of_database(name: &str) -> impl Fn(tokio_postgres::Error) -> DatabaseError {
    move |error| of_fault(name)(Fault::from(error))
}

/// Turns what is wrong while a database serves into an error of it. What may be over at another try is as if it were away.
pub fn of_fault(name: &str) -> impl Fn(Fault) -> DatabaseError {
    move |fault| {
        let (database, problem) = (name.to_owned(), fault.to_string());
        match fault {
            Fault::Away(_) | Fault::Again(_) | Fault::Locked(_) | Fault::Crowded(_) => {
                DatabaseError::Away { database, problem }
            }
            _ => DatabaseError::Database { database, problem },
        }
    }
}
