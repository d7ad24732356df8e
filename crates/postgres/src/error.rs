//! What goes wrong with a cluster.

use std::error::Error as _;
use std::fmt::Write as _;
use tokio_postgres::error::SqlState;

/// Why something was not done to a cluster. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The list of databases, or a term, is none.
    #[error("{0}")]
    Terms(String),
    /// A database cannot be used as it is.
    #[error("database `{database}`: {problem}")]
    Database {
        /// Its name in the list.
        database: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A database cannot be reached, or does not answer.
    #[error("database `{database}`: {problem}")]
    Away {
        /// Its name in the list.
        database: String,
        /// What its server or the network says.
        problem: String,
    },
    /// The watcher of the progress stopped it.
    #[error("stopped before it was done: the same command goes on where this ended")]
    Stopped,
}

impl DatabaseError {
    /// Returns what is wrong, without the name of the database that it is wrong with.
    pub fn problem(self) -> String {
        match self {
            Self::Database { problem, .. } | Self::Away { problem, .. } => problem,
            error => error.to_string(),
        }
    }
}

/// An error with its causes: what the server says is in the last one.
pub fn told(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let _written = write!(text, ": {next}");
        cause = next.source();
    }
    if text.contains(NO_TLS) {
        text.push_str(": set `ssl` to on there, or say `sslmode=disable` in its address to go in the clear");
    }
    let names = [&SqlState::DUPLICATE_PSTATEMENT, &SqlState::INVALID_SQL_STATEMENT_NAME];
    if error.code().is_some_and(|code| names.contains(&code)) {
        text.push_str(": a pooler of transactions is in between, so say `pooler=transaction` in its address");
    }
    text
}

/// What the driver says of a server without TLS, in a text alone.
const NO_TLS: &str = "server does not support TLS";
