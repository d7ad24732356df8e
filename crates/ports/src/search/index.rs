//! What indexes of all kinds of documents have in common.

use crate::BoxFuture;
use guanxi_model::{Position, Result};
use std::fmt::Debug;
use std::hash::Hash;

/// An index that is asked, of any kind.
pub trait SearchIndex: Send + Sync {
    /// Returns which events the index has taken in. It goes back when an index is opened again after a crash.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn as_of(&self) -> Result<Position>;

    /// Completes when the index has taken in every event that a position includes. The caller gives up by dropping it.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>>;
}

/// Keeps an index: the effect of a follower of the logs. Documents are kept together with the position that they stand at, so
/// that after a crash the index stands at an earlier position and lacks nothing of it.
///
/// After an error the follower ends, and another one takes a new [`Indexing`], which stands at what is kept.
pub trait Indexing<D: IndexDoc>: Send {
    /// After which events it stands. What is kept may stand at an earlier position.
    fn position(&self) -> &Position;

    /// Returns up to where counters in documents are those of the facts, if that is before the position.
    fn counters(&self) -> Option<&Position>;

    /// Returns whether there is an index.
    fn stage(&self) -> IndexStage<D::Id>;

    /// Takes in the present state of everything that some events are about, and the position after these events. Without
    /// changes only the position moves, which may be kept much later. `counters` says up to where counters in documents are
    /// those of the facts from then on, if that is before the position.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when it cannot be written.
    fn apply(
        &mut self,
        changes: Vec<IndexChange<D>>,
        position: Position,
        counters: Option<Position>,
    ) -> BoxFuture<'_, Result<()>>;

    /// Completes when what was taken in is kept, and found. It may let a moment pass first, to keep more at once.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn keep(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Begins to build an empty index beside the one that is searched, which answers until [`finish`](Self::finish). The
    /// changes that follow are by rising ids, and go to the new one, which stands at `head`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn begin_anew(&mut self, head: Position) -> BoxFuture<'_, Result<()>>;

    /// Keeps the index that was built, and lets it be searched in place of the one before.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn finish(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// What there is of an index; `I` is what its documents are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStage<I> {
    /// None that can be used: one is to be built from all facts.
    Absent,
    /// One that is being built, and has the documents up to this one.
    Building(Option<I>),
    /// One that follows the logs.
    Whole,
}

/// What an index is told of one post or user.
pub trait IndexDoc: Send + 'static {
    /// What it is of. A later one has a larger id.
    type Id: Copy + Ord + Hash + Debug + Send + Sync + 'static;

    /// Returns what it is of: there is one document of each at most.
    fn id(&self) -> Self::Id;
}

/// A change of an index. Doing one twice is doing it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexChange<D: IndexDoc> {
    /// The present state; a document of the same id that is there is replaced.
    Put(D),
    /// There is no document of it.
    Remove(D::Id),
    /// The same of what is gone for good: in the end no byte of an earlier document stays.
    Erase(D::Id),
}

impl<D: IndexDoc> IndexChange<D> {
    /// Returns what it is about.
    pub fn id(&self) -> D::Id {
        match self {
            Self::Put(doc) => doc.id(),
            Self::Remove(id) | Self::Erase(id) => *id,
        }
    }
}
