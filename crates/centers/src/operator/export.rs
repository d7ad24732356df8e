//! Exports: rows of one kind, chunk by chunk, at one position.

use super::OperatorCenter;
use super::deleted::DeletedUsers;
use guanxi_model::{Position, RestrictionKind, Result, Uid};
use guanxi_ports::{ExportEdge, StoreView, Walk};

/// Rows of one kind in the order in which they are exported, from a place on.
pub trait ListedRows: Send {
    /// A row.
    type Row;

    /// Reads the next rows of a view, at most `max`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn next(
        &mut self,
        view: &dyn StoreView,
        max: usize,
    ) -> impl Future<Output = Result<ExportChunk<Self::Row>>> + Send;
}

/// Some rows of an export.
pub struct ExportChunk<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// How many rows were left out beside these, since they name users who are deleted.
    pub left_out: u64,
    /// Whether no rows follow.
    pub is_last: bool,
}

/// An export under way: a pinned view, and the place up to which it was read.
pub struct Export<R> {
    view: Box<dyn StoreView>,
    rows: R,
    left: u64,
    left_out: u64,
    ended: bool,
}

impl<R: ListedRows> Export<R> {
    /// An export of at most `left` rows.
    pub(super) const fn new(view: Box<dyn StoreView>, rows: R, left: u64) -> Self {
        Self { view, rows, left, left_out: 0, ended: false }
    }

    /// Where all of it stands.
    pub fn position(&self) -> Position {
        self.view.position()
    }

    /// The rows, which say where the last chunk ended.
    pub const fn rows(&self) -> &R {
        &self.rows
    }

    /// How many rows of the last chunk were left out.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next of them, at most `max`; `None` after the last. A chunk may be empty, and the first one comes in any case.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, max: usize) -> Result<Option<Vec<R::Row>>> {
        if self.ended {
            return Ok(None);
        }
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(max);
        let ExportChunk { rows, left_out, is_last } = self.rows.next(&*self.view, max).await?;
        self.left -= rows.len() as u64;
        self.left_out = left_out;
        self.ended = is_last || self.left == 0;
        Ok(Some(rows))
    }
}

/// Follows, or restrictions of a kind, in the order of subject and object.
pub struct ListedEdges {
    kind: Option<RestrictionKind>,
    after: Option<(Uid, Uid)>,
    deleted: DeletedUsers,
}

impl OperatorCenter {
    /// Starts an export of at most `max_edges` follows, or restrictions of a kind, in the order of subject and object, after
    /// a pair. Edges that name deleted users are left out, and counted.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn export(
        &self,
        kind: Option<RestrictionKind>,
        after: Option<(Uid, Uid)>,
        max_edges: u64,
        at_least: Option<Position>,
    ) -> Result<Export<ListedEdges>> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(Export::new(view, ListedEdges { kind, after, deleted: DeletedUsers::default() }, max_edges))
    }
}

impl ListedRows for ListedEdges {
    type Row = ExportEdge;

    async fn next(&mut self, view: &dyn StoreView, max: usize) -> Result<ExportChunk<ExportEdge>> {
        let mut edges = match self.kind {
            None => view.edges(Walk::new(self.after, max)).await?,
            Some(kind) => view.restrictions(kind, Walk::new(self.after, max)).await?,
        };
        self.after = edges.last().map(|edge| (edge.subject, edge.object)).or(self.after);
        let is_last = edges.len() < max;
        let left_out = self.deleted.leave_out(view, &mut edges, |edge| [edge.subject, edge.object]).await?;
        Ok(ExportChunk { rows: edges, left_out, is_last })
    }
}
