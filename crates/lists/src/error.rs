//! Why a list is not read or written.

use std::io;

/// Why a file of a list cannot be opened or created.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// It cannot be read; the name is that of a file, or says that it is standard input.
    #[error("cannot read {name}")]
    Read {
        /// The file that cannot be read.
        name: String,
        /// The reason of the system.
        #[source]
        cause: io::Error,
    },
    /// It cannot be created, or is there already and is to stay.
    #[error("cannot write {name}")]
    Write {
        /// The name of the file.
        name: String,
        /// The reason of the system.
        #[source]
        cause: io::Error,
    },
    /// A directory has the name.
    #[error("cannot write {0}: it is a directory")]
    Directory(String),
    /// The compressor does not start.
    #[error("cannot start zstd")]
    Zstd(#[source] io::Error),
}

impl ListError {
    /// Returns the error that a file cannot be read, with the reason of the system.
    pub(crate) fn reading(name: &str, cause: io::Error) -> Self {
        Self::Read { name: name.to_owned(), cause }
    }

    /// Returns the error that a file cannot be written, with the reason of the system.
    pub(crate) fn writing(name: &str, cause: io::Error) -> Self {
        Self::Write { name: name.to_owned(), cause }
    }
}
