//! Everything that an index holds, by rising ids.

use super::columns::{Values, column};
use super::kind::{DocKind, ID, id_of};
use crate::SearchError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::{DocId, Order, Searcher, SegmentReader};

/// The documents of one segment, from the one with the smallest id on.
struct Rising<'a> {
    reader: &'a SegmentReader,
    order: Order,
    ids: Values<u64>,
    columns: Vec<Values<u64>>,
    /// Documents that are passed.
    passed: u32,
}

impl<'a> Rising<'a> {
    fn after<K: DocKind>(reader: &'a SegmentReader, after: u64) -> Result<Self, SearchError> {
        let ids = column::<u64>(reader, ID)?;
        let columns = K::SCANNED.iter().map(|name| column(reader, name)).collect::<Result<_, _>>()?;
        let mut rising = Self { reader, order: K::ORDER, ids, columns, passed: 0 };
        let (mut low, mut high) = (0, rising.ids.num_vals());
        while low < high {
            let middle = low + (high - low) / 2;
            if rising.ids.get_val(rising.doc(middle)) <= after {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        rising.passed = low;
        Ok(rising)
    }

    /// The document before which so many others have smaller ids.
    fn doc(&self, passed: u32) -> DocId {
        match self.order {
            Order::Asc => passed,
            Order::Desc => self.ids.num_vals() - 1 - passed,
        }
    }

    /// The id of the next document that is not deleted, if there is one; it stays the next one.
    fn next_id(&mut self) -> Option<u64> {
        while self.passed < self.ids.num_vals() {
            let doc = self.doc(self.passed);
            if !self.reader.is_deleted(doc) {
                return Some(self.ids.get_val(doc));
            }
            self.passed += 1;
        }
        None
    }

    fn take<K: DocKind>(&mut self, id: u64) -> Result<K::Indexed, SearchError> {
        let doc = self.doc(self.passed);
        self.passed += 1;
        let values: Vec<u64> = self.columns.iter().map(|column| column.get_val(doc)).collect();
        Ok(K::indexed(id_of::<K>(id)?, &values))
    }
}

/// The first documents after an id.
pub(super) fn scan<K: DocKind>(
    searcher: &Searcher,
    after: u64,
    max: usize,
) -> Result<Vec<K::Indexed>, SearchError> {
    let readers = searcher.segment_readers().iter();
    let segments = readers.map(|reader| Rising::after::<K>(reader, after));
    let mut segments = segments.collect::<Result<Vec<_>, _>>()?;
    let mut next = BinaryHeap::new();
    for (segment, rising) in segments.iter_mut().enumerate() {
        next.extend(rising.next_id().map(|id| Reverse((id, segment))));
    }
    let mut found = Vec::new();
    while found.len() < max {
        let Some(Reverse((id, segment))) = next.pop() else { break };
        found.push(segments[segment].take::<K>(id)?);
        next.extend(segments[segment].next_id().map(|id| Reverse((id, segment))));
    }
    Ok(found)
}
