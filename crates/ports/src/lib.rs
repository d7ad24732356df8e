//! The traits that a backend implements.
//!
//! Slices in, pages out; closed commands, no interactive transactions; `Option` for not-found; every write says
//! what it changed. The traits are object-safe, with one boxed future per batch. Their specification is the
//! in-memory backend of the crate `spec`, with the suite that every backend passes.

pub mod checked_uids;
pub mod credentials;
pub mod external_ids;
pub mod facts;
pub mod graph;
mod group_layer;
pub mod groups;
pub mod inbox;
pub mod layer;
pub mod log;
pub mod metered;
pub mod named_sessions;
pub mod outboxes;
pub mod posts;
mod request_layer;
pub mod requests;
pub mod search;
pub mod session_cache;
pub mod sessions;
pub mod settings;
pub mod spool;
pub mod store_view;
pub mod suggestions;
pub mod upkeep;
pub mod users;

pub use checked_uids::CheckedUids;
pub use credentials::{CredentialWrites, Credentials};
pub use external_ids::ExternalIdView;
pub use facts::{Applied, Facts};
pub use graph::{ExportEdge, FollowedCounts, FollowsAsk, GraphView, KnownFollowers, MarkKind};
pub use groups::GroupView;
pub use guanxi_model::post::AuthorHead;
pub use inbox::{
    AbsentInbox, ActiveCursor, ActivePage, Coverage, FillTicket, Inbox, InboxFill, InboxLayer, InboxRead,
    InboxSlice, InboxStats, Offer, Offered, SKIPS_MAX, Skips,
};
pub use layer::ViewLayer;
pub use log::{EventBatch, Log};
pub use metered::Metered;
pub use named_sessions::NamedSessions;
pub use outboxes::{OutboxAsk, OutboxPart, OutboxView, Outboxes, RelationsVersion, ViewerRelations};
pub use posts::{ExportLike, PostView, UserLike, first_exported, first_posts};
pub use requests::{DueEnd, RequestPage, RequestView, UserNotes};
pub use search::{
    Circle, FoundPosts, FoundUsers, IndexChange, IndexDoc, IndexReplica, IndexReplicas, IndexStage, Indexing,
    NameAsker, PostAsk, PostDoc, PostSearch, SearchIndex, SearchUpkeep, UserAsk, UserDoc, UserSearch,
};
pub use session_cache::CachedSessions;
pub use sessions::{SessionWrites, Sessions};
pub use settings::{FollowLimit, SettingsView};
pub use spool::Spool;
pub use store_view::{Graph, Posts, StoreView};
pub use suggestions::SuggestionView;
pub use upkeep::{Difference, DifferenceKind, Progress, Upkeep, VerifyReport};
pub use users::{EndedUsers, UserView};

use std::future::Future;
use std::pin::Pin;

/// A boxed future: what keeps the traits object-safe, at one allocation per batch.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
