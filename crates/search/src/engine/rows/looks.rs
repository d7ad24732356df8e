//! Which documents of a segment are looked at, and in which order.

use crate::SearchError;
use crate::engine::columns::{Values, passed};
use crate::engine::failed::failed;
use crate::engine::kind::DocKind;
use guanxi_ports::search::{RowAsk, RowColumn};
use tantivy::query::Weight;
use tantivy::{DocId, Order, SegmentReader, TERMINATED};

/// What a question looks at in every segment.
#[derive(Clone, Copy)]
pub(super) enum Looks {
    /// All documents, since all are counted.
    All,
    /// Only those behind an id, if there is one, in an order of ids, until the page is full: what fits is counted already.
    Page { after: Option<u64>, falling: bool },
}

impl Looks {
    pub(super) fn of<C: RowColumn, T>(ask: &RowAsk<C, T>) -> Self {
        if ask.total.is_none() || ask.order.by.is_some() || !ask.sums.is_empty() {
            return Self::All;
        }
        Self::Page { after: ask.after.map(|place| place.id), falling: ask.order.falling }
    }

    /// Looks at the documents of a segment that stand, of those that a query finds. `look` returns whether one behind may count.
    pub(super) fn each<K: DocKind>(
        self,
        (reader, ids): (&SegmentReader, &Values),
        weight: Option<&dyn Weight>,
        mut look: impl FnMut(DocId) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        let is_alive = |doc| reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc));
        let mut alive = |doc| if is_alive(doc) { look(doc) } else { Ok(true) };
        let max = reader.max_doc();
        let Self::Page { after, falling } = self else {
            return found(reader, weight, 0, |doc| alive(doc).map(|_| true));
        };
        let is_forward = falling == (K::ORDER == Order::Desc);
        let passed = after.map_or(0, |after| {
            let id = |passed: DocId| ids.get_val(if is_forward { passed } else { max - 1 - passed });
            passed(max, |doc| if falling { id(doc) >= after } else { id(doc) <= after })
        });
        match weight {
            _ if is_forward => found(reader, weight, passed, alive),
            // A list of documents with a word goes one way only: the page takes what is on it.
            Some(_) => found(reader, weight, 0, |doc| alive(doc).map(|_| true)),
            None => {
                for doc in (0..max - passed).rev() {
                    if !alive(doc)? {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// The documents that a query finds from one on, or all without a query, until `look` wants no more.
fn found(
    reader: &SegmentReader,
    weight: Option<&dyn Weight>,
    from: DocId,
    mut look: impl FnMut(DocId) -> Result<bool, SearchError>,
) -> Result<(), SearchError> {
    let Some(weight) = weight else {
        for doc in from..reader.max_doc() {
            if !look(doc)? {
                break;
            }
        }
        return Ok(());
    };
    let mut docs = weight.scorer(reader, 1.0).map_err(failed)?;
    if docs.doc() < from {
        docs.seek(from);
    }
    while docs.doc() != TERMINATED {
        if !look(docs.doc())? {
            break;
        }
        docs.advance();
    }
    Ok(())
}
