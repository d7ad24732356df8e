//! What may go wrong.

use guanxi_model::HistoryId;
use std::error::Error as StdError;
use thiserror::Error;

/// Why an index in a directory is of no use. The caller builds another one in a new directory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// It was made of the data of another history.
    #[error("it is of the history {0:?}")]
    OtherHistory(HistoryId),
    /// Its words were made by another version of the analyser.
    #[error("its words are of version {0} of the analyser")]
    OtherAnalyser(u32),
    /// It was written in a later format.
    #[error(
        "it has the format {0}, which is later than this program's: start the later program, or remove the directory of the index"
    )]
    NewerFormat(u32),
    /// It was written by a version of the library whose files this one does not read.
    #[error("it was written by another version of the library: {0}")]
    OtherLibrary(String),
    /// A file is damaged or missing, or the index was never finished.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

impl Unusable {
    /// The cause that callers are told.
    pub(crate) const fn cause(&self) -> &'static str {
        match self {
            Self::NewerFormat(_) => "newer_format",
            Self::OtherHistory(_) | Self::OtherAnalyser(_) | Self::OtherLibrary(_) => "building",
            Self::Damaged(_) => "damaged",
        }
    }
}

impl SearchError {
    /// The cause that callers are told.
    pub(crate) const fn cause(&self) -> &'static str {
        match self {
            Self::Unusable(why) => why.cause(),
            Self::Absent => "building",
            Self::NoRoom { .. } => "no_room",
            _ => "failed",
        }
    }
}

/// An error of the index.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The index cannot be used.
    #[error("the search index cannot be used: {0}")]
    Unusable(#[from] Unusable),
    /// There is no index in the directory.
    #[error("there is no search index in the directory")]
    Absent,
    /// There is an index in the directory where one was to be made.
    #[error("there is a search index in the directory already")]
    Occupied,
    /// Another process, or another writer of this one, has the index open for writing.
    #[error("another writer has the search index open")]
    Locked,
    /// The disk has less room than is kept free. Nothing was written, and the writer can go on once there is more.
    #[error("the disk of the search index has {free} bytes left, and {reserve} are kept free")]
    NoRoom {
        /// Bytes that the disk has left.
        free: u64,
        /// Bytes that are kept free.
        reserve: u64,
    },
    /// An error ended the writer; what was not committed is gone. `reopen` brings it back to the last commit.
    #[error("an earlier error ended the writer of the search index")]
    WriterEnded,
    /// A document is larger than the limits; of which id.
    #[error("the document of {0} is too large")]
    DocTooLarge(u64),
    /// The query breaks a rule.
    #[error("the query cannot be asked: {0}")]
    BadQuery(&'static str),
    /// More than [`crate::PREFIX_TERMS_MAX`] words begin so.
    #[error("too many words begin with `{0}`")]
    PrefixTooWide(String),
    /// A sum has more steps or values than this.
    #[error("a sum has more than {0} steps or values")]
    TooMuch(usize),
    /// The disk or the library failed.
    #[error("the search index failed: {0}")]
    Failed(#[source] Box<dyn StdError + Send + Sync>),
}
