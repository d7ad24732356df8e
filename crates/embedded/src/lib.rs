//! The one-machine backend: an LSM engine, one writer with group commit, and users in memory.
//!
//! The way of a write: [`Store`] queues it, the writer plans it, commits it with its events in one batch, updates
//! memory, publishes the view, and answers. The way of a read: pin the published view, probe users in memory,
//! scan tables at the view's snapshot. ARCHITECTURE.md walks both in detail.

mod authors;
mod bulk;
mod cache;
mod credentials;
mod engine;
mod facts;
pub mod failpoints;
mod fans;
mod head;
mod import;
mod inboxes;
mod items;
mod layout;
mod log;
mod open;
mod options;
mod pinned;
mod pinned_posts;
mod posts;
mod shared;
mod space;
mod store;
mod upkeep;
mod users;
mod view;
mod viewer_relations;
mod writer;

pub use bulk::{BulkEdge, BulkError, BulkJob, BulkLimits, BulkReport, RefusedEdge, load, loadable};
pub use engine::EngineError;
pub use inboxes::Inboxes;
pub use open::OpenError;
pub use options::{Durability, Options};
pub use store::{DiskUse, Store};
pub use upkeep::{RestoreError, RestoreReport, restore};
