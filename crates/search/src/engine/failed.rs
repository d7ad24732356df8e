//! What an error of the library means here.

use crate::{SearchError, Unusable};
use std::io;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError};

/// The error in the words of this crate.
pub(super) fn failed(error: TantivyError) -> SearchError {
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => SearchError::Locked,
        TantivyError::IndexAlreadyExists => SearchError::Occupied,
        TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => SearchError::Absent,
        TantivyError::IncompatibleIndex(why)
        | TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(why)) => {
            Unusable::OtherLibrary(format!("{why:?}")).into()
        }
        TantivyError::DataCorruption(what) => damaged(format!("{what:?}")),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => {
            damaged(format!("{} is missing", file.display()))
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath })
            if is_damage(&io_error) =>
        {
            damaged(format!("{}: {io_error}", filepath.display()))
        }
        TantivyError::IoError(io_error) if is_damage(&io_error) => damaged(io_error.to_string()),
        other => SearchError::Failed(Box::new(other)),
    }
}

/// The same for an error of the system.
pub(super) fn io_failed(error: io::Error) -> SearchError {
    failed(TantivyError::from(error))
}

pub(super) fn damaged(what: String) -> SearchError {
    Unusable::Damaged(what).into()
}

/// Returns whether the system could read the file, and what was read is wrong.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
}
