//! What can go wrong in the engine, in our words.

use super::engine_log;
use rustix::io::Errno;
use std::io;
use thiserror::Error;

/// A failure of the storage engine. Its text says what happened, and where something can be done, what.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The operating system refused.
    #[error("{0}")]
    Io(io::Error),
    /// The file system has no room left.
    #[error("the disk is full ({0}); make room")]
    Full(io::Error),
    /// No file can be opened, since the process or the system has too many open; nothing is wrong with the disk.
    #[error(
        "the limit of open files is reached ({0}); raise it: `ulimit -n 65536`, LimitNOFILE=65536 in a systemd unit, \
         and fs.file-max for the whole system"
    )]
    OpenFiles(io::Error),
    /// Stored bytes failed a check; the text names what.
    #[error("a stored file is damaged: {0}")]
    Damaged(String),
    /// The directory is open in another process.
    #[error("the directory is in use by another process")]
    InUse,
    /// The files are of another engine version.
    #[error("the files were written by another version of the engine: {0}")]
    Version(String),
    /// A flush or compaction failed; nothing more is accepted.
    #[error("a flush or compaction failed: {0}")]
    Background(Box<Self>),
    /// An unknown write failed before; nothing more is accepted.
    #[error("an earlier write to disk failed")]
    Stopped,
}

/// What something of the storage engine returns.
pub(crate) type EngineResult<T> = Result<T, EngineError>;

impl From<io::Error> for EngineError {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::MFILE | Errno::NFILE) => Self::OpenFiles(error),
            Some(Errno::NOSPC | Errno::DQUOT) => Self::Full(error),
            _ => Self::Io(error),
        }
    }
}

impl From<fjall::Error> for EngineError {
    fn from(error: fjall::Error) -> Self {
        match error {
            fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error.into(),
            fjall::Error::Locked => Self::InUse,
            fjall::Error::Poisoned => engine_log::last_failure()
                .map_or(Self::Stopped, |error| Self::Background(Box::new(error.into()))),
            fjall::Error::InvalidVersion(version) => Self::Version(format!("{version:?}")),
            other => Self::Damaged(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_open_files_and_a_full_disk_are_told_apart_from_a_failed_one() {
        let text = |errno: Errno| EngineError::from(fjall::Error::Io(errno.into())).to_string();
        for errno in [Errno::MFILE, Errno::NFILE] {
            assert!(text(errno).contains("LimitNOFILE"), "{}", text(errno));
        }
        for errno in [Errno::NOSPC, Errno::DQUOT] {
            assert!(text(errno).contains("make room"), "{}", text(errno));
        }
        assert!(matches!(EngineError::from(io::Error::from(Errno::IO)), EngineError::Io(_)));
    }
}
