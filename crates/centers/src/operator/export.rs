//! Export: all follows, blocks or mutes, chunk by chunk, at one position.

use super::OperatorCenter;
use super::deleted::DeletedUsers;
use guanxi_model::{Position, RestrictionKind, Result, Uid};
use guanxi_ports::Walk;
use guanxi_ports::{ExportEdge, StoreView};

/// An export under way: a pinned view, and the last edge that was read.
pub struct EdgeExport {
    view: Box<dyn StoreView>,
    kind: Option<RestrictionKind>,
    after: Option<(Uid, Uid)>,
    left: u64,
    deleted: DeletedUsers,
    left_out: u64,
    ended: bool,
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
    ) -> Result<EdgeExport> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(EdgeExport {
            view,
            kind,
            after,
            left: max_edges,
            deleted: DeletedUsers::default(),
            left_out: 0,
            ended: false,
        })
    }
}

impl EdgeExport {
    /// Where all of it stands.
    pub fn position(&self) -> Position {
        self.view.position()
    }

    /// How many of the last chunk were left out, since they name users who are deleted.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next of them, at most `max`; `None` after the last. A chunk may be empty, and the first one comes in any case.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, max: usize) -> Result<Option<Vec<ExportEdge>>> {
        if self.ended {
            return Ok(None);
        }
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(max);
        let mut edges = match self.kind {
            None => self.view.edges(Walk::new(self.after, max)).await?,
            Some(kind) => self.view.restrictions(kind, Walk::new(self.after, max)).await?,
        };
        self.after = edges.last().map(|edge| (edge.subject, edge.object)).or(self.after);
        let looked_at = edges.len();
        let users = edges.iter().flat_map(|edge| [edge.subject, edge.object]);
        self.deleted.note(&*self.view, users).await?;
        edges.retain(|edge| !self.deleted.has(edge.subject) && !self.deleted.has(edge.object));
        self.left_out = (looked_at - edges.len()) as u64;
        self.left -= edges.len() as u64;
        self.ended = looked_at < max || self.left == 0;
        Ok(Some(edges))
    }
}
