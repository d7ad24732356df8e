//! Everything that an index holds, by rising ids.

use super::columns::{Values, column, first_below};
use super::fields::{DIGEST, ID, REVISION, post_id};
use crate::{IndexedPost, SearchError};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::{Searcher, SegmentReader};

/// The documents of one segment, from its last one, which has the smallest id, to its first one.
struct Rising<'a> {
    reader: &'a SegmentReader,
    ids: Values<u64>,
    revisions: Values<u64>,
    digests: Values<u64>,
    /// Documents that are still to come.
    left: u32,
}

impl<'a> Rising<'a> {
    fn after(reader: &'a SegmentReader, after: u64) -> Result<Self, SearchError> {
        let ids = column::<u64>(reader, ID)?;
        let left = first_below(&*ids, after.saturating_add(1));
        let (revisions, digests) = (column(reader, REVISION)?, column(reader, DIGEST)?);
        Ok(Self { reader, ids, revisions, digests, left })
    }

    /// The id of the next document that is not deleted, if there is one; it stays the next one.
    fn next_id(&mut self) -> Option<u64> {
        while let Some(doc) = self.left.checked_sub(1) {
            if !self.reader.is_deleted(doc) {
                return Some(self.ids.get_val(doc));
            }
            self.left = doc;
        }
        None
    }

    fn take(&mut self, id: u64) -> Result<IndexedPost, SearchError> {
        self.left -= 1;
        let revision = self.revisions.get_val(self.left) as u32;
        Ok(IndexedPost { id: post_id(id)?, revision, digest: self.digests.get_val(self.left) })
    }
}

/// The first documents after an id.
pub(super) fn scan(searcher: &Searcher, after: u64, max: usize) -> Result<Vec<IndexedPost>, SearchError> {
    let readers = searcher.segment_readers().iter();
    let mut segments = readers.map(|reader| Rising::after(reader, after)).collect::<Result<Vec<_>, _>>()?;
    let mut next = BinaryHeap::new();
    for (segment, rising) in segments.iter_mut().enumerate() {
        next.extend(rising.next_id().map(|id| Reverse((id, segment))));
    }
    let mut posts = Vec::new();
    while posts.len() < max {
        let Some(Reverse((id, segment))) = next.pop() else { break };
        posts.push(segments[segment].take(id)?);
        next.extend(segments[segment].next_id().map(|id| Reverse((id, segment))));
    }
    Ok(posts)
}
