//! The traits that a backend implements.
//!
//! Slices in, pages out; closed commands, no interactive transactions; `Option` for not-found; every write says
//! what it changed. The traits are object-safe, with one boxed future per batch. Their specification is the
//! in-memory backend of the crate `spec`, with the suite that every backend passes.
//!
//! Views are split by reader: `RelationView`, `PostView`, `UserView` and `Scan`; a `StoreView` is all of them. `Sessions` and
//! `Credentials` are writes of `Facts` behind ports of their own, so that wrappers that keep sessions in memory, or wait for the
//! end of one, are told.
//!
//! # What it is not
//!
//! - It is no backend. `guanxi-spec` has one in memory, `guanxi-embedded` one for a directory, `guanxi-cluster` one for
//!   PostgreSQL.
//! - It has no rules of the product. Those of a single write are in `guanxi-model`, all others in `guanxi-centers`.
//! - It is no network protocol. `guanxi-remote` puts these traits over the API, for tests.
//!
//! # Main types
//!
//! - [`Facts`] takes writes. A [`Store`] takes writes and pins a [`StoreView`], which answers all questions and
//!   stands still.
//! - [`Log`] reads events. [`Inbox`] keeps the newest items of homes. [`PostSearch`] and [`UserSearch`] ask an index.
//! - [`Upkeep`] verifies and dumps a store. [`Sessions`] and [`Credentials`] are the secrets by which callers are known.
//! - [`CheckedUids`], [`CachedSessions`], [`NamedSessions`] and [`Metered`] are wrappers. A [`Layer`] changes single
//!   answers of a view.
//!
//! # Example
//!
//! A wrapper implements a trait over another implementation of it.
//!
//! ```
//! use guanxi_model::{Error, Reason, Result, Write};
//! use guanxi_ports::{Applied, BoxFuture, Facts};
//! use std::future::{Future as _, ready};
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::task::{Context, Poll, Waker};
//!
//! /// Counts the writes that a store gets.
//! struct Counted<F>(F, AtomicU64);
//!
//! impl<F: Facts> Facts for Counted<F> {
//!     fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
//!         self.1.fetch_add(1, Ordering::Relaxed);
//!         self.0.apply(write)
//!     }
//! }
//!
//! /// A store that shuts down.
//! struct Closed;
//!
//! impl Facts for Closed {
//!     fn apply(&self, _: Write) -> BoxFuture<'_, Result<Applied>> {
//!         Box::pin(ready(Err(Error::new(Reason::ShuttingDown))))
//!     }
//! }
//!
//! let store = Counted(Closed, AtomicU64::new(0));
//! let mut answer = store.apply(Write::default());
//! let refused = Error::new(Reason::ShuttingDown);
//! assert_eq!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Err(refused)));
//! assert_eq!(store.1.load(Ordering::Relaxed), 1);
//! ```
//!
//! # Where to begin
//!
//! - `facts.rs` and `store.rs`: what does a backend promise about a write, and about a read at a position?
//! - `view/mod.rs`: what may be asked, and how do the traits of a view belong together?
//! - `view/relations.rs`: what does a declared question look like? The macro `questions` makes its trait, meter and
//!   layer.
//! - `log.rs`: how is a log read, and what happens when its events were trimmed?

pub mod checked_uids;
pub mod credentials;
pub mod facts;
pub mod graph;
pub mod heat;
pub mod inbox;
pub mod lists;
pub mod log;
mod meter;
pub mod metered;
pub mod named_sessions;
pub mod outboxes;
pub mod posts;
pub mod requests;
pub mod search;
pub mod session_cache;
pub mod sessions;
pub mod settings;
pub mod shards;
pub mod spool;
pub mod store;
pub mod upkeep;
pub mod users;
pub mod view;

pub use checked_uids::CheckedUids;
pub use credentials::{CredentialWrites, Credentials};
pub use facts::{Applied, Facts, Revised, RevisedId};
pub use graph::{ExportEdge, FollowedCounts, FollowsAsk, KnownFollowers, MarkKind};
pub use guanxi_model::post::AuthorHead;
pub use heat::{GENE_GROUPS, HeatCell, HeatMap, HeatSide};
pub use inbox::{
    AbsentInbox, ActiveCursor, ActivePage, Coverage, FillTicket, Inbox, InboxFill, InboxLayer, InboxRead,
    InboxSlice, InboxStats, Offer, Offered, SKIPS_MAX, Skips,
};
pub use lists::{BesideUsers, ListAnswer, ListAsk};
pub use log::{EventBatch, Log, UnreadableEvent};
pub use metered::Metered;
pub use named_sessions::NamedSessions;
pub use outboxes::{OutboxAsk, OutboxPart, Outboxes, RelationsVersion, ViewerRelations};
pub use posts::{ExportLike, UserLike, first_exported, first_posts, first_shown};
pub use requests::{DueEnd, RequestPage, UserNotes};
pub use search::{
    Circle, FoundPosts, FoundUsers, IndexChange, IndexDoc, IndexReplica, IndexReplicas, IndexStage, Indexing,
    NameAsker, PostAsk, PostDoc, PostSearch, SearchIndex, SearchUpkeep, UserAsk, UserDoc, UserSearch,
};
pub use session_cache::CachedSessions;
pub use sessions::{SessionWrites, Sessions};
pub use settings::FollowLimit;
pub use shards::Shards;
pub use spool::Spool;
pub use store::Store;
pub use upkeep::{
    Difference, DifferenceKind, MendProgress, MendReport, MendStage, Progress, Remedy, Upkeep, VerifyReport,
};
pub use users::{ENDS_REMEMBERED_MS, EndHearer, EndOfAccess, EndedUsers};
pub use view::{
    BaseView, Layer, PostLayer, PostView, RelationLayer, RelationView, Scan, ScanLayer, StoreView, UserLayer,
    UserView, Walk, group_uids,
};

use std::future::Future;
use std::pin::Pin;

/// A boxed future: what keeps the traits object-safe, at one allocation per batch.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
