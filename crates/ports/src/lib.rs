//! The traits that a backend implements.
//!
//! Slices in, pages out; closed commands, no interactive transactions; `Option` for not-found; every write says
//! what it changed. The traits are object-safe, with one boxed future per batch. Their specification is the
//! in-memory backend of the crate `spec`, with the suite that every backend passes.
//!
//! `Facts` writes. `Graph` and `Posts` pin views, which are split by reader: `GraphView`, `OutboxView`, `PostView`, `UserView`,
//! `SettingsView`, `SuggestionView`, `GroupView` and others. `Sessions` and `Credentials` are writes of `Facts` behind ports of their
//! own, so that wrappers that keep sessions in memory, or wait for the end of one, are told.

pub mod checked_uids;
pub mod credentials;
pub mod facts;
pub mod graph;
pub mod inbox;
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
pub use inbox::{
    AbsentInbox, ActiveCursor, ActivePage, Coverage, FillTicket, Inbox, InboxFill, InboxLayer, InboxRead,
    InboxSlice, InboxStats, Offer, Offered, SKIPS_MAX, Skips,
};
pub use log::{EventBatch, Log};
pub use metered::Metered;
pub use named_sessions::NamedSessions;
pub use outboxes::{OutboxAsk, OutboxPart, Outboxes, RelationsVersion, ViewerRelations};
pub use posts::{ExportLike, UserLike, first_exported, first_posts};
pub use requests::{DueEnd, RequestPage, UserNotes};
pub use search::{
    Circle, FoundPosts, FoundUsers, IndexChange, IndexDoc, IndexReplica, IndexReplicas, IndexStage, Indexing,
    NameAsker, PostAsk, PostDoc, PostSearch, SearchIndex, SearchUpkeep, UserAsk, UserDoc, UserSearch,
};
pub use session_cache::CachedSessions;
pub use sessions::{SessionWrites, Sessions};
pub use settings::FollowLimit;
pub use spool::Spool;
pub use store::Store;
pub use upkeep::{Difference, DifferenceKind, Progress, Upkeep, VerifyReport};
pub use users::EndedUsers;
pub use view::{
    BaseView, Layer, PostLayer, PostView, RelationLayer, RelationView, Scan, ScanLayer, StoreView, UserLayer,
    UserView, Walk, group_uids,
};

use std::future::Future;
use std::pin::Pin;

/// A boxed future: what keeps the traits object-safe, at one allocation per batch.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
