//! Making and opening the index of a directory, and what readers see of it.

use super::columns::Columns;
use super::disk::open_directory;
use super::failed::{damaged, failed};
use super::kind::{DocKind, ID, IndexFields, settings};
use super::parts::files;
use crate::payload::Payload;
use crate::{IndexOptions, Pace, SearchError, Unusable};
use guanxi_model::{HistoryId, Position};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tantivy::{Directory, Index, ReloadPolicy, Searcher};

/// What readers see: documents, and the position that they stand at.
pub(super) struct Moment {
    pub(super) searcher: Searcher,
    pub(super) as_of: Position,
    /// Up to where counters are those of the facts, if that is before `as_of`.
    pub(super) counters: Option<Position>,
    pub(super) columns: Columns,
}

impl Moment {
    /// The largest id that any document has or had.
    pub(super) fn highest_id(&self) -> Result<u64, SearchError> {
        let mut highest = 0;
        for reader in self.searcher.segment_readers() {
            highest = highest.max(self.columns.full(reader, ID)?.max_value());
        }
        Ok(highest)
    }
}

/// The files of an index, opened.
pub(super) struct Files<K: DocKind> {
    pub(super) index: Index,
    pub(super) fields: IndexFields<K>,
}

impl<K: DocKind> Files<K> {
    /// Makes the files of an empty index, without a commit.
    pub(super) fn create(directory: Box<dyn Directory>) -> Result<Self, SearchError> {
        if Index::exists(&*directory).map_err(|error| failed(error.into()))? {
            return Err(SearchError::Occupied);
        }
        let (fields, schema) = IndexFields::new();
        let index = Index::create(directory, schema, settings::<K>()).map_err(failed)?;
        Ok(Self { index, fields })
    }

    /// Opens the files of an index.
    pub(super) fn open(directory: Box<dyn Directory>) -> Result<Self, SearchError> {
        if !Index::exists(&*directory).map_err(|error| failed(error.into()))? {
            return Err(SearchError::Absent);
        }
        let index = Index::open(directory).map_err(failed)?;
        let (fields, schema) = IndexFields::new();
        if index.schema() == schema && index.settings().sort_by_field == settings::<K>().sort_by_field {
            return Ok(Self { index, fields });
        }
        let payload = index.load_metas().map_err(failed)?.payload;
        Err(match payload.as_deref().and_then(Payload::later_format) {
            Some(later) => Unusable::NewerFormat(later).into(),
            None => damaged("its fields are others".to_owned()),
        })
    }

    /// Returns what the last commit says.
    pub(super) fn payload(&self, analyser: u32, history: HistoryId) -> Result<Payload, SearchError> {
        let meta = self.index.load_metas().map_err(failed)?;
        let text = meta.payload.ok_or_else(|| damaged("it was never finished".to_owned()))?;
        Ok(Payload::read(&text, analyser, history)?)
    }

    /// Opens the documents of the last commit, with the columns of the moment before.
    pub(super) fn moment(
        &self,
        (as_of, counters): (Position, Option<Position>),
        before: &Columns,
    ) -> Result<Moment, SearchError> {
        let reader =
            self.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(failed)?;
        let searcher = reader.searcher();
        let columns = Columns::of(&searcher, before);
        Ok(Moment { searcher, as_of, counters, columns })
    }

    /// Compares the checksums of all files of the last commit.
    ///
    /// # Errors
    /// [`crate::Unusable::Damaged`] with the files that are damaged.
    pub(super) fn check(&self) -> Result<(), SearchError> {
        let meta = self.index.load_metas().map_err(failed)?;
        let mut wrong = Vec::new();
        let directory = self.index.directory();
        for file in meta.segments.iter().flat_map(files) {
            // A file that is cut has no checksum, and one that is gone cannot be read: the same to the caller.
            if !directory.validate_checksum(&file).unwrap_or(false) {
                wrong.push(file);
            }
        }
        // The files of a segment that was merged away meanwhile are gone for good reason.
        let now = self.index.load_metas().map_err(failed)?;
        let stand: HashSet<PathBuf> = now.segments.iter().flat_map(files).collect();
        wrong.retain(|file| stand.contains(file));
        wrong.sort();
        let wrong: Vec<String> = wrong.iter().map(|file| file.display().to_string()).collect();
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(damaged(format!("{} differ from their checksums", wrong.join(", "))))
        }
    }
}

/// Checks the files of the index in a directory, whether or not it can be opened. Reads every byte.
pub(super) fn check<K: DocKind>(path: &Path) -> Result<(), SearchError> {
    Files::<K>::open(open_directory(path, &Pace::unbounded())?)?.check()
}

/// Whether the disk has room to write.
pub(super) fn check_room(options: &IndexOptions) -> Result<(), SearchError> {
    let free = (options.free_bytes)().map_err(super::failed::io_failed)?;
    let reserve = options.reserve_bytes;
    if free < reserve { Err(SearchError::NoRoom { free, reserve }) } else { Ok(()) }
}
