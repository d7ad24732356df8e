//! Changing an index.

use super::columns::Columns;
use super::disk::open_directory;
use super::failed::failed;
use super::index::DocIndex;
use super::kind::{DocKind, Row};
use super::merges::RoomyMerges;
use super::open::{self, Files, Moment, check_room};
use super::rewriting::Rewriting;
use crate::payload::Payload;
use crate::{IndexOptions, MEMORY_BYTES_MIN, MOVES_MAX, SearchError, Unusable};
use guanxi_model::{HistoryId, Position};
use guanxi_ports::IndexChange;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use tantivy::index::SegmentId;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Directory, IndexWriter};

/// The most memory that the library takes for documents, in bytes.
const MEMORY_BYTES_MAX: usize = 4_000_000_000;

/// The one writer of an index. It has a thread that makes segments and one that merges them.
///
/// What is applied is found, and kept, from the next commit on. Dropping the writer drops what is not committed; merges
/// that are under way are given up.
pub struct DocWriter<K: DocKind> {
    /// `None` after an error, until it is opened again.
    writer: Option<IndexWriter<Row>>,
    files: Files<K>,
    path: PathBuf,
    options: IndexOptions,
    index: DocIndex<K>,
    /// Where it stands in memory, which may be after the last commit.
    position: Position,
    /// Up to where counters are those of the facts, if that is before the position.
    counters: Option<Position>,
    /// Whether changes were applied since the last commit.
    has_changes: bool,
    /// Moves since the last commit.
    moves: u32,
    /// No document has or had a larger id, so that one above it is in the index nowhere.
    highest: u64,
}

impl<K: DocKind> DocWriter<K> {
    /// Makes an empty index in a directory that is there and has none, standing at a position.
    ///
    /// # Errors
    /// [`SearchError::Occupied`], [`SearchError::Locked`], [`SearchError::NoRoom`]; else what failed.
    pub fn create(path: &Path, options: IndexOptions, at: Position) -> Result<Self, SearchError> {
        check_room(&options)?;
        let files = Files::create(open_directory(path, &options.pace)?)?;
        let payload = Payload { analyser: options.analyser, position: at.clone(), counters: None };
        let mut made = Self::begin(files, path, options, payload)?;
        made.commit(at)?;
        Ok(made)
    }

    /// Opens the index of a directory at its last commit.
    ///
    /// # Errors
    /// [`SearchError::Absent`]; [`SearchError::Unusable`] when it is of another history, analyser or format, or
    /// damaged; [`SearchError::Locked`]; else what failed.
    pub fn open(path: &Path, options: IndexOptions, history: HistoryId) -> Result<Self, SearchError> {
        Self::open_in(open_directory(path, &options.pace)?, path, options, history)
    }

    pub(super) fn open_in(
        directory: Box<dyn Directory>,
        path: &Path,
        options: IndexOptions,
        history: HistoryId,
    ) -> Result<Self, SearchError> {
        let files = Files::open(directory)?;
        let payload = files.payload(options.analyser, history)?;
        Self::begin(files, path, options, payload)
    }

    fn begin(files: Files<K>, path: &Path, options: IndexOptions, at: Payload) -> Result<Self, SearchError> {
        let Payload { position, counters, .. } = at;
        let moment = files.moment((position.clone(), counters.clone()), &Columns::default())?;
        let highest = moment.highest_id()?;
        let index = DocIndex { now: Arc::new(RwLock::new(Arc::new(moment))), fields: files.fields };
        let writer = Some(library_writer(&files, path, &options)?);
        let path = path.to_owned();
        let (has_changes, moves) = (false, 0);
        Ok(Self { writer, files, path, options, index, position, counters, has_changes, moves, highest })
    }

    /// The index, to search it.
    pub fn index(&self) -> DocIndex<K> {
        self.index.clone()
    }

    /// Returns where the writer stands. The last commit may be before that.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns up to where counters are those of the facts, if that is before the position.
    pub const fn counters(&self) -> Option<&Position> {
        self.counters.as_ref()
    }

    /// From the next commit or move on, counters are those of the facts up to there, or up to its position.
    pub fn set_counters(&mut self, counters: Option<Position>) {
        self.counters = counters;
    }

    /// Returns whether there are changes that no commit has.
    pub const fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Applies changes in their order. After an error any part of them may be applied; doing it again does no harm.
    ///
    /// A document above every id so far replaces nothing, and costs no look for what it replaces: an index is built fastest
    /// by rising ids.
    ///
    /// # Errors
    /// [`SearchError::NoRoom`] and [`SearchError::DocTooLarge`], after which the writer goes on;
    /// [`SearchError::WriterEnded`]; else what failed, and ended the writer.
    pub fn apply(
        &mut self,
        changes: impl IntoIterator<Item = IndexChange<K::Doc>>,
    ) -> Result<(), SearchError> {
        check_room(&self.options)?;
        for change in changes {
            let writer = self.writer.as_ref().ok_or(SearchError::WriterEnded)?;
            if let IndexChange::Put(doc) = &change {
                K::check(doc)?;
            }
            let id = K::number(change.id());
            if id <= self.highest {
                writer.delete_term(self.files.fields.id_term(id));
                self.has_changes = true;
            }
            if let IndexChange::Put(doc) = change {
                self.highest = self.highest.max(id);
                self.has_changes = true;
                if let Err(error) = writer.add_document(self.files.fields.row(doc)) {
                    return Err(self.end(failed(error)));
                }
            }
        }
        Ok(())
    }

    /// Keeps what was applied, with the position that it stands at, and shows it to searches.
    ///
    /// # Errors
    /// [`SearchError::NoRoom`], after which the writer goes on; [`SearchError::WriterEnded`]; else what failed, and
    /// ended the writer: the commit before stands, or this one.
    pub fn commit(&mut self, position: Position) -> Result<(), SearchError> {
        self.check_history(&position)?;
        check_room(&self.options)?;
        if let Err(error) = self.try_commit(&position) {
            return Err(self.end(error));
        }
        self.position = position;
        (self.has_changes, self.moves) = (false, 0);
        Ok(())
    }

    /// Takes in events that changed no document. The position is kept in memory alone until the next commit; after
    /// [`MOVES_MAX`] moves this is one.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn move_to(&mut self, position: Position) -> Result<(), SearchError> {
        self.check_history(&position)?;
        if self.moves >= MOVES_MAX {
            return self.commit(position);
        }
        self.moves += 1;
        self.position = position;
        // With changes that no commit has, searches do not see all events up to here.
        if !self.has_changes {
            let now = self.index.moment();
            let (searcher, columns) = (now.searcher.clone(), now.columns.clone());
            let (as_of, counters) = (self.position.clone(), self.counters.clone());
            self.show(Moment { searcher, as_of, counters, columns });
        }
        Ok(())
    }

    /// Goes back to the last commit, with a new writer: after an error, or to drop what was applied since.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn reopen(&mut self) -> Result<(), SearchError> {
        // The lock of the old one is free before the new one takes it.
        self.writer = None;
        let payload = self.files.payload(self.options.analyser, self.position.history())?;
        let moment = self
            .files
            .moment((payload.position.clone(), payload.counters.clone()), &self.index.moment().columns)?;
        self.highest = moment.highest_id()?;
        self.writer = Some(library_writer(&self.files, &self.path, &self.options)?);
        (self.position, self.counters) = (payload.position, payload.counters);
        (self.has_changes, self.moves) = (false, 0);
        self.show(moment);
        Ok(())
    }

    /// Begins to write every segment anew from which documents were removed: of a removed document, the words stay in the
    /// files until then. The thread of merges does it, while the writer goes on.
    ///
    /// # Errors
    /// [`SearchError::NoRoom`]; [`SearchError::WriterEnded`]; else what failed.
    pub fn rewrite(&mut self) -> Result<Rewriting, SearchError> {
        check_room(&self.options)?;
        let writer = self.writer.as_mut().ok_or(SearchError::WriterEnded)?;
        let segments = self.files.index.searchable_segment_metas().map_err(failed)?;
        let segments = segments.into_iter().filter(|segment| segment.num_deleted_docs() > 0);
        // The library keeps the files of a segment whose description is held: only ids are, while the merges run.
        let ids: Vec<SegmentId> = segments.map(|segment| segment.id()).collect();
        Ok(Rewriting::of(ids.iter().map(|id| writer.merge(&[*id])).collect()))
    }

    /// Lets searches use the files that stand now, so that those from before are closed. They show the same documents.
    ///
    /// # Errors
    /// What failed.
    pub fn refresh(&self) -> Result<(), SearchError> {
        let now = self.index.moment();
        self.show(self.files.moment((now.as_of.clone(), now.counters.clone()), &now.columns)?);
        Ok(())
    }

    /// Removes the files that no segment has any more. A merge does it, too, but for files of which a reader held the
    /// description just then.
    ///
    /// # Errors
    /// [`SearchError::WriterEnded`]; else what failed.
    pub fn remove_files(&self) -> Result<(), SearchError> {
        let writer = self.writer.as_ref().ok_or(SearchError::WriterEnded)?;
        writer.garbage_collect_files().wait().map(drop).map_err(failed)
    }

    /// Waits for merges and ends. What is not committed is dropped.
    ///
    /// # Errors
    /// What failed.
    pub fn close(mut self) -> Result<(), SearchError> {
        match self.writer.take() {
            Some(writer) => writer.wait_merging_threads().map_err(failed),
            None => Ok(()),
        }
    }

    /// Reads every file of the index in a directory and compares it with its checksum, whether or not a writer has it.
    ///
    /// # Errors
    /// [`Unusable::Damaged`] with the names of the files that differ; [`SearchError::Absent`]; else what failed.
    pub fn check(path: &Path) -> Result<(), SearchError> {
        open::check::<K>(path)
    }

    fn try_commit(&mut self, position: &Position) -> Result<(), SearchError> {
        let writer = self.writer.as_mut().ok_or(SearchError::WriterEnded)?;
        let (position, counters) = (position.clone(), self.counters.clone());
        let payload = Payload { analyser: self.options.analyser, position, counters };
        let mut commit = writer.prepare_commit().map_err(failed)?;
        commit.set_payload(&payload.to_text());
        commit.commit().map_err(failed)?;
        let moment = self.files.moment((payload.position, payload.counters), &self.index.moment().columns)?;
        self.show(moment);
        Ok(())
    }

    fn show(&self, moment: Moment) {
        *self.index.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(moment);
    }

    fn check_history(&self, position: &Position) -> Result<(), SearchError> {
        if position.history() == self.position.history() {
            Ok(())
        } else {
            Err(Unusable::OtherHistory(position.history()).into())
        }
    }

    /// Ends the writer after an error.
    fn end(&mut self, error: SearchError) -> SearchError {
        self.writer = None;
        error
    }
}

/// The library's writer: one thread that makes segments, one that merges them.
fn library_writer<K: DocKind>(
    files: &Files<K>,
    path: &Path,
    options: &IndexOptions,
) -> Result<IndexWriter<Row>, SearchError> {
    let memory = options.memory_bytes.clamp(MEMORY_BYTES_MIN, MEMORY_BYTES_MAX);
    let threads = IndexWriterOptions::builder()
        .memory_budget_per_thread(memory)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer: IndexWriter<Row> = files.index.writer_with_options(threads).map_err(failed)?;
    writer.set_merge_policy(Box::new(RoomyMerges::new(path.to_owned(), options.clone())));
    Ok(writer)
}
