//! What must not match.
//!
//! The library asks a set of documents that are taken away for documents before the one where it stands, which phrases
//! do not bear: their `seek_danger` demands that it goes on. Here the set is one that answers that, by `seek` alone.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader};

/// A query that is safe to take away.
#[derive(Debug)]
pub(super) struct Without(pub(super) Box<dyn Query>);

impl Clone for Without {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for Without {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(WithoutWeight(self.0.weight(scoring)?)))
    }
}

struct WithoutWeight(Box<dyn Weight>);

impl Weight for WithoutWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(Seeking(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

/// The documents of a scorer, with the trait's own `seek_danger`, which goes nowhere for a document that is passed.
struct Seeking(Box<dyn Scorer>);

impl DocSet for Seeking {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for Seeking {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
