//! What can go wrong in the engine, in our words.

use std::io;
use thiserror::Error;

/// A failure of the storage engine.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Stored bytes failed a check; the text names what.
    #[error("a stored file is damaged: {0}")]
    Damaged(String),
    /// The directory is open in another process.
    #[error("the directory is in use by another process")]
    InUse,
    /// The files are of another engine version.
    #[error("the files were written by another version of the engine: {0}")]
    Version(String),
    /// A write failed before; nothing more is accepted.
    #[error("an earlier write to disk failed; the engine has stopped")]
    Stopped,
}

impl From<fjall::Error> for EngineError {
    fn from(error: fjall::Error) -> Self {
        match error {
            fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => Self::Io(error),
            fjall::Error::Locked => Self::InUse,
            fjall::Error::Poisoned => Self::Stopped,
            fjall::Error::InvalidVersion(version) => Self::Version(format!("{version:?}")),
            other => Self::Damaged(other.to_string()),
        }
    }
}
