//! What a served memory store is searched with: itself.

use guanxi_ports::search::{PostTable, ProvedIndexes, UserTable};
use guanxi_ports::{PostSearch, SearchUpkeep, UserSearch};
use guanxi_spec::memory::MemoryStore;
use std::sync::Arc;

/// The indexes of a server.
pub(crate) struct SearchedBy {
    pub posts: Arc<dyn PostSearch>,
    pub users: Arc<dyn UserSearch>,
    /// The port of operators.
    pub upkeep: Arc<dyn SearchUpkeep>,
}

impl SearchedBy {
    /// A memory store as its own index, or another index of its posts.
    pub(crate) fn memory(store: &Arc<MemoryStore>, posts: Option<Arc<dyn PostSearch>>) -> Self {
        let posts = posts.unwrap_or_else(|| store.clone());
        Self { posts, users: store.clone(), upkeep: Arc::new(NoRebuild(store.clone())) }
    }
}

/// Search indexes that are as they are: the store itself.
struct NoRebuild(Arc<MemoryStore>);

impl SearchUpkeep for NoRebuild {
    fn rebuild(&self) {}

    fn proved(&self) -> Option<ProvedIndexes> {
        Some(ProvedIndexes { users: self.0.clone(), posts: self.0.clone() })
    }

    fn users(&self) -> Arc<dyn UserTable> {
        self.0.clone()
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        self.0.clone()
    }
}
