//! The columns of a segment.

use super::failed::failed;
use super::kind::ID;
use crate::SearchError;
use guanxi_ports::search::RowColumn;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use tantivy::columnar::{Column, ColumnValues, DynamicColumn, HasAssociatedColumnType};
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentReader};

/// A column of a segment.
pub(super) type Values<T> = Arc<dyn ColumnValues<T>>;

/// A column that every document has a value in.
pub(super) fn column<T>(reader: &SegmentReader, name: &str) -> Result<Values<T>, SearchError>
where
    T: HasAssociatedColumnType,
    DynamicColumn: Into<Option<Column<T>>>,
{
    reader.fast_fields().column_first_or_default::<T>(name).map_err(failed)
}

/// Columns that searches have opened. Opening one reads something of every few hundred documents, so that a column is opened once for a
/// segment, and not for each search. Segments never change but for what is removed from them.
#[derive(Default)]
pub(super) struct OpenedColumns(RwLock<HashMap<(SegmentId, &'static str), Values<u64>>>);

impl OpenedColumns {
    /// A column that every document has a value in.
    pub(super) fn get(&self, reader: &SegmentReader, name: &'static str) -> Result<Values<u64>, SearchError> {
        let key = (reader.segment_id(), name);
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let opened = column::<u64>(reader, name)?;
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, opened.clone());
        Ok(opened)
    }

    /// Forgets those of segments that are searched no more.
    pub(super) fn keep(&self, searcher: &Searcher) {
        let segments: HashSet<SegmentId> =
            searcher.segment_readers().iter().map(SegmentReader::segment_id).collect();
        let mut opened = self.0.write().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|(segment, _), _| segments.contains(segment));
    }
}

/// A column that documents may lack a number in.
pub(super) fn optional<C: RowColumn>(reader: &SegmentReader, number: C) -> Result<Column<u64>, SearchError> {
    let column = reader.fast_fields().column_opt::<u64>(number.name()).map_err(failed)?;
    Ok(column.unwrap_or_else(|| Column::build_empty_column(reader.max_doc())))
}

/// The first document with an id below a bound, of documents in falling order of their ids.
pub(super) fn first_below(ids: &dyn ColumnValues<u64>, bound: u64) -> DocId {
    let (mut low, mut high) = (0, ids.num_vals());
    while low < high {
        let middle = low + (high - low) / 2;
        if ids.get_val(middle) < bound {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The largest id that any document has or had.
pub(super) fn highest_id(searcher: &Searcher) -> Result<u64, SearchError> {
    let mut highest = 0;
    for reader in searcher.segment_readers() {
        highest = highest.max(column::<u64>(reader, ID)?.max_value());
    }
    Ok(highest)
}
