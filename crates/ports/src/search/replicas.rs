//! Processes that keep indexes and answer others.

use crate::BoxFuture;
use guanxi_model::{Position, Result};

/// A process that keeps indexes of its own, and answers questions of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexReplica {
    /// Where it answers: `ADDRESS:PORT`.
    pub address: String,
    /// Which events its index of posts has taken in, as it said last; none while that cannot be asked.
    pub posts: Option<Position>,
    /// The same of its index of users.
    pub users: Option<Position>,
}

/// Knows the processes that keep indexes.
pub trait IndexReplicas: Send + Sync {
    /// Those that have said lately that they answer.
    ///
    /// # Errors
    /// When the source that knows them cannot be asked.
    fn replicas(&self) -> BoxFuture<'_, Result<Vec<IndexReplica>>>;
}
