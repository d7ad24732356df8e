//! The relation center: follow, lists, checks, blocks and mutes.
//!
//! [`RelationCenter`] is the whole public surface; writes are in [`write`], reads in [`read`]. Each method takes
//! model types, checks what a request may contain, and asks the graph once.

mod read;
mod write;

pub use read::{Listed, ListedEdge, RelationsAt};
pub(crate) use write::check_request;
pub use write::{BatchWritten, Written};

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

    /// The graph itself, for operators' calls that have no rules of their own (import, export, limits).
    pub fn graph(&self) -> &Arc<dyn Graph> {
        &self.graph
    }

    /// The log of changes, for watching.
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.log
    }
}

#[cfg(test)]
mod tests;
