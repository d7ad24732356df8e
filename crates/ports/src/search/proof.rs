//! The proof of an index.

use super::index::{IndexDoc, SearchIndex};
use crate::BoxFuture;
use guanxi_model::{Position, Result};

/// An index whose documents are compared with what they should be.
pub trait ProvedIndex<D: IndexDoc>: SearchIndex {
    /// Compares the documents after one id, up to another one or to the last, with what they should be, all at one moment of the
    /// index. It compares all fields, except counters while some are owed.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn compare(
        &self,
        range: (Option<D::Id>, Option<D::Id>),
        wanted: Vec<D>,
    ) -> BoxFuture<'_, Result<ComparedDocs<D::Id>>>;
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedDocs<I> {
    /// The documents that are not as they should be.
    pub differing: Vec<(I, DocDiffers)>,
    /// The last one that was compared, where so many were there that should not be that the comparison ended before the range.
    pub reached: Option<I>,
    /// Where the index stands: events up to here are in what was compared.
    pub as_of: Position,
}

/// How a document is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocDiffers {
    /// It is not there.
    Missing,
    /// It is there, and should not be.
    Surplus,
    /// This field says something else.
    Field(String),
}
