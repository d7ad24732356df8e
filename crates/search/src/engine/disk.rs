//! The one place that opens the directory of an index.

use super::failed::failed;
use crate::SearchError;
use std::path::Path;
use tantivy::Directory;
use tantivy::directory::MmapDirectory;

/// Opens a directory. What bounds or counts its writes is put around it here.
pub(super) fn open_directory(path: &Path) -> Result<Box<dyn Directory>, SearchError> {
    let directory = MmapDirectory::open(path).map_err(|error| failed(error.into()))?;
    Ok(Box::new(directory))
}
