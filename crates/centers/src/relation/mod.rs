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

use guanxi_model::{Position, Result};
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
    ///
    /// # Errors
    /// When the log cannot be asked where it stands.
    pub async fn changes(&self, after: Option<Position>) -> Result<Changes> {
        let position = match after {
            Some(after) => after,
            None => self.log.head().await?,
        };
        Ok(Changes { position, log: Arc::clone(&self.log) })
    }
}

#[cfg(test)]
mod tests;
