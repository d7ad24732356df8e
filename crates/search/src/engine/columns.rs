//! The columns of segments.

use super::failed::failed;
use crate::SearchError;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use tantivy::columnar::{Column, ColumnIndex, ColumnValues};
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentReader};

/// The numbers of a column that every document has a number in.
pub(super) type Values = Arc<dyn ColumnValues<u64>>;

/// The columns of one segment that were opened, by their names.
type OfSegment = Arc<RwLock<HashMap<String, Column<u64>>>>;

/// The columns of the segments of one moment; clones are the same ones. Opening a column reads something of every few hundred
/// documents, so that a column is opened once for a segment, and not for each question. Segments never change but for what is
/// removed from them: a later moment takes over the columns of the segments that it still has.
#[derive(Clone, Default)]
pub(super) struct Columns(Arc<HashMap<SegmentId, OfSegment>>);

impl Columns {
    /// The columns of the segments of a searcher, with those that were opened at the moment before.
    pub(super) fn of(searcher: &Searcher, before: &Self) -> Self {
        let segments = searcher.segment_readers().iter().map(SegmentReader::segment_id);
        let columns = |id| (id, before.0.get(&id).cloned().unwrap_or_default());
        Self(Arc::new(segments.map(columns).collect()))
    }

    /// A column that documents may lack a number in.
    pub(super) fn optional(&self, reader: &SegmentReader, name: &str) -> Result<Column<u64>, SearchError> {
        let opened = self.0.get(&reader.segment_id());
        let known = opened
            .and_then(|opened| opened.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let column = reader.fast_fields().column_opt::<u64>(name).map_err(failed)?;
        let column = column.unwrap_or_else(|| Column::build_empty_column(reader.max_doc()));
        if let Some(opened) = opened {
            let mut opened = opened.write().unwrap_or_else(PoisonError::into_inner);
            opened.insert(name.to_owned(), column.clone());
        }
        Ok(column)
    }

    /// A column that every document has a number in.
    pub(super) fn full(&self, reader: &SegmentReader, name: &str) -> Result<Values, SearchError> {
        let column = self.optional(reader, name)?;
        Ok(match column.index {
            ColumnIndex::Full => column.values,
            _ => column.first_or_default_col(0),
        })
    }
}

impl fmt::Debug for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Columns").field("segments", &self.0.len()).finish()
    }
}

/// Returns how many of the first documents are passed, where all that are passed stand before the others.
pub(super) fn passed(all: DocId, is_passed: impl Fn(DocId) -> bool) -> DocId {
    let (mut low, mut high) = (0, all);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_passed(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
