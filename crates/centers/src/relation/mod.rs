//! The relation center: follow, lists, checks, blocks and mutes.
//!
//! [`RelationCenter`] is the whole public surface; writes are in [`write`], reads in [`read`]. Each method takes
//! model types, checks what a request may contain, and asks the graph once.

mod changes;
mod read;
mod write;

pub use changes::Changes;
pub use read::{Listed, ListedEdge, RelationsAt};
pub(crate) use write::check_request;
pub use write::{BatchWritten, Written};

use guanxi_model::Position;
use guanxi_ports::{Graph, Log};
use std::sync::Arc;

/// The relation center over a graph and its log. Cheap to clone.
#[derive(Clone)]
pub struct RelationCenter {
    graph: Arc<dyn Graph>,
    log: Arc<dyn Log>,
}

impl RelationCenter {
    /// A center over a backend's ports.
    pub fn new(graph: Arc<dyn Graph>, log: Arc<dyn Log>) -> Self {
        Self { graph, log }
    }

    /// The changes after a position, or from now on.
    pub fn changes(&self, after: Option<Position>) -> Changes {
        Changes { position: after.unwrap_or_else(|| self.log.head()), log: Arc::clone(&self.log) }
    }
}

#[cfg(test)]
mod tests;
