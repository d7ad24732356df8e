//! The one-machine backend: an LSM engine, one writer with group commit, and users in memory.
//!
//! The way of a write: [`EmbeddedStore`] queues it, the writer plans it, commits it with its events in one batch, updates
//! memory, publishes the view, and answers. The way of a read: pin the published view, probe users in memory,
//! scan tables at the view's snapshot. ARCHITECTURE.md walks both in detail.

mod bulk;
mod directory;
mod engine;
pub mod failpoints;
mod memory;
mod meters;
mod options;
mod progress;
mod reads;
mod rows;
mod shared;
mod signed_out;
mod standings;
mod store;
mod upkeep;
mod view;
mod writer;

use guanxi_rows::layout;

pub use bulk::{BulkEdge, BulkError, BulkJob, BulkLimits, BulkReport, RefusedEdge, load, loadable};
pub use directory::fork::fork;
pub use directory::mirror::{Mirror, mirror};
pub use directory::open::OpenError;
pub use engine::{EngineError, TABLES};
pub use layout::ErasedIdKey;
pub use memory::inboxes::Inboxes;
pub use options::{Durability, Options};
pub use store::{DiskUse, EmbeddedStore};
pub use upkeep::{DumpedTokens, RestoreError, RestoreReport, restore};

/// What the caches without a setting hold at most, in bytes: first pages, members of groups, scores.
pub const FIXED_CACHES_BYTES: u64 = memory::lists::Lists::budget(options::FIRST_PAGE_CACHE_BYTES)
    + memory::user_groups::BYTES_MAX as u64
    + memory::affinities::BYTES_MAX;
