//! A stretch of ids as a part of a query: in a segment it is a stretch of documents, found by halving.

use crate::engine::columns::{Columns, passed};
use crate::engine::kind::ID;
use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

/// Posts of ids from `from` on, and below `below`.
///
/// Standing first among the parts that must match, it lets the others begin at its first document.
#[derive(Clone, Debug)]
pub(super) struct IdRange {
    pub(super) columns: Columns,
    pub(super) from: u64,
    pub(super) below: u64,
}

impl Query for IdRange {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for IdRange {
    fn scorer(&self, reader: &SegmentReader, _boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let ids =
            self.columns.full(reader, ID).map_err(|error| TantivyError::InternalError(error.to_string()))?;
        // The newest stand first.
        let first_below = |bound| passed(ids.num_vals(), |doc| ids.get_val(doc) >= bound);
        let docs = Docs { doc: first_below(self.below), end: first_below(self.from) };
        Ok(Box::new(docs.or_ended()))
    }

    fn explain(&self, _reader: &SegmentReader, _doc: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("a range of ids explains nothing".to_owned()))
    }
}

/// A stretch of documents.
struct Docs {
    doc: DocId,
    end: DocId,
}

impl Docs {
    fn or_ended(mut self) -> Self {
        if self.doc >= self.end {
            self.doc = TERMINATED;
        }
        self
    }

    fn at(&mut self, doc: DocId) -> DocId {
        self.doc = if doc < self.end { doc } else { TERMINATED };
        self.doc
    }
}

impl DocSet for Docs {
    fn advance(&mut self) -> DocId {
        self.at(self.doc.saturating_add(1))
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.at(target.max(self.doc))
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        self.end.saturating_sub(self.doc)
    }
}

impl Scorer for Docs {
    fn score(&mut self) -> Score {
        0.0
    }
}
