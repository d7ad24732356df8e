//! The one-machine backend: an LSM engine, one writer with group commit, and users in memory.
//!
//! The way of a write: [`EmbeddedStore`] queues it, the writer plans it, commits it with its events in one batch, updates
//! memory, publishes the view, and answers. The way of a read: pin the published view, probe users in memory,
//! scan tables at the view's snapshot. ARCHITECTURE.md walks both in detail.
//!
//! An entry in memory carries the seq from which it is right. A reader whose view is older reads its own snapshot instead, so
//! every answer is of exactly one commit.
//!
//! # What it is not
//!
//! - It has no rules. The planner in `guanxi-model` decides writes, and `guanxi-centers` decides what a reader sees.
//! - It does not serve calls. `guanxi-server` opens a directory and serves it.
//! - It is not for many machines. `guanxi-cluster` is, and the dump of a directory fills a cluster.
//! - It does not say how an entry in memory looks. `guanxi-memory` does.
//! - It has no full-text index. `guanxi-search` has, in a directory of its own.
//!
//! # Main types
//!
//! - [`EmbeddedStore`] implements the traits of `guanxi-ports`. [`Options`] and [`Durability`] say how it is opened.
//! - [`OpenError`] says what is wrong with a directory, and what to do.
//! - [`Inboxes`] has the newest items of homes in memory.
//! - [`load`] imports edges into an empty directory without the writer. [`restore`] fills a directory from a dump.
//!
//! # Example
//!
//! A new directory, a follow, and a read that includes it.
//!
//! ```
//! use guanxi_embedded::{EmbeddedStore, Options};
//! use guanxi_model::{ManualClock, Op, PairCommand, Uid, Write};
//! use guanxi_ports::{Facts as _, Store as _};
//! use std::sync::Arc;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let dir = tempfile::tempdir()?;
//!     let options = Options { free_space_reserve: 0, ..Options::default() };
//!     let store = EmbeddedStore::open(dir.path(), options, Arc::new(ManualClock::new(1_000)))?;
//!
//!     let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//!     let follow = PairCommand { op: Op::Follow, subject: ann, object: bob };
//!     let applied = store.apply(Write::of(follow)).await?;
//!     assert_eq!(applied.changed(), 1);
//!
//!     let view = store.view(Some(&applied.position)).await?;
//!     assert_eq!(view.counts(&[ann, bob]).await?[1].followers, 1);
//!     drop(view);
//!     store.close().await?;
//!     Ok(())
//! }
//! ```
//!
//! # Where to begin
//!
//! - `writer/mod.rs`: how does a group of writes become one commit?
//! - `store/mod.rs`: what happens when a directory is opened and closed?
//! - `reads/mod.rs`: how does a read pin a view?
//! - `fills/relations.rs`: how does a user come into memory?
//!
//! # Folders
//!
//! | folder | contains |
//! |---|---|
//! | `engine/` | the LSM engine, which no other module names |
//! | `rows/` | reads of rows at a snapshot: memory is filled from them, and the writer plans over them |
//! | `fills/` | reads what memory lacks from the tables, and keeps it |
//! | `writer/` | the one thread that changes anything: `plan.rs` is the state of a group that the planner goes over |
//! | `reads/` | every read, at a pinned view |
//! | `store/` | opens, queues writes, serves the log and closes |
//! | `directory/` | whether a directory is ours and sound (`open.rs`, `file_head.rs`, `upgrade.rs`) |
//! | `upkeep/` | verify, dump and restore |
//! | `bulk/` | loads sorted files |

mod bulk;
pub mod damage;
mod directory;
mod engine;
pub mod failpoints;
mod fills;
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
pub use directory::look::{FORMATS_READ, format_of};
pub use directory::mirror::{Mirror, mirror};
pub use directory::open::OpenError;
pub use engine::{EngineError, TABLES};
pub use guanxi_memory::inboxes::Inboxes;
pub use layout::ErasedIdKey;
pub use options::{Durability, Options};
pub use store::{DiskUse, EmbeddedStore};
pub use upkeep::{DumpedTokens, RestoreError, RestoreReport, restore};

/// What the caches without a setting hold at most, in bytes: first pages, members of groups, scores.
pub const FIXED_CACHES_BYTES: u64 = guanxi_memory::lists::Lists::budget(options::FIRST_PAGE_CACHE_BYTES)
    + guanxi_memory::user_groups::BYTES_MAX as u64
    + guanxi_memory::affinities::BYTES_MAX;
