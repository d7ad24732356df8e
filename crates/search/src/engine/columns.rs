//! The columns of a segment.

use super::failed::failed;
use super::kind::ID;
use crate::SearchError;
use guanxi_ports::search::RowColumn;
use std::sync::Arc;
use tantivy::columnar::{Column, ColumnValues, DynamicColumn, HasAssociatedColumnType};
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
