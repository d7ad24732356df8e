//! The conformance suite: what every backend must do, as named cases.
//!
//! A backend plugs in with a function that makes an empty store, and one macro:
//!
//! ```ignore
//! async fn make(settings: Settings) -> Backend { ... }
//! guanxi_spec::conformance_suite!(make);
//! ```
//!
//! which becomes one test per case. Each case gets a store of its own. After its own checks, every case ends with
//! [`World::finish`]: the store verifies clean, its lists, counters and export say what its log says, and all of
//! it is the same after a reopening. What a backend cannot express is named with its reason in
//! [`Backend::cannot`]; a case that needs it says so and ends early.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "these are test bodies: they fail by panicking, say what they leave out, and count small things"
)]

pub mod affinities;
pub mod audit;
pub mod batches;
pub mod batches_of_one;
pub mod blocks;
pub mod contacts;
pub mod counters;
pub mod credentials;
pub mod deletions;
pub mod dismissals;
pub mod external_ids;
pub mod external_ids_world;
pub mod followed;
pub mod groups;
pub mod groups_model_check;
pub mod groups_world;
pub mod idempotency;
pub mod imported_users;
pub mod imports;
mod inbox_suite;
pub mod inboxes;
pub mod inboxes_model_check;
pub mod limits;
pub mod lists;
pub mod log;
pub mod model_check;
pub mod operators;
pub mod pairs;
pub mod posts_exports;
pub mod posts_groups;
pub mod posts_imports;
pub mod posts_likes;
pub mod posts_model_check;
pub mod posts_reposts;
pub mod posts_views;
mod posts_world;
pub mod posts_write;
pub mod racing;
pub mod refreshes;
pub mod rejections;
mod replay;
pub mod requests;
pub mod resent;
pub mod retention;
mod rng;
pub mod session_writes;
pub mod sessions;
pub mod sets;
pub mod shards;
pub mod sign_outs;
pub mod standings;
mod suite;
pub mod takedowns;
pub mod tokens;
pub mod traces;
pub mod uids;
pub mod users;
pub mod users_world;
pub mod views;
pub mod walks;
mod world;

pub use inbox_suite::{inbox_cases, run_inbox};
pub use posts_world::{draft, edit, for_whom, image, old_post, reply, repost, text};
pub use replay::Replay;
pub use rng::Rng;
pub use suite::{Case, Playing, cases};
pub use users_world::UserPortrait;
pub use world::{World, follow, u};

use crate::memory::Options as MemoryOptions;
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_model::{HistoryId, ManualClock};
use guanxi_ports::{BoxFuture, CheckedUids, Credentials, EndedUsers, Log, Sessions, Store, Upkeep};
use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How the store of a case is made. Every backend must honour every field; [`Settings::clock`] is its only time.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The identity of the store's history.
    pub history: HistoryId,
    /// Follows per user by default: small, so that cases reach it.
    pub follow_limit: u32,
    /// Blocks per user: small, too.
    pub block_limit: u32,
    /// Mutes per user: small, and another number.
    pub mute_limit: u32,
    /// Events kept in the log.
    pub log_events_max: u64,
    /// The policy of uids: the uids that [`CheckedUids`] in front of the store admits.
    pub uids: UidPolicy,
    /// The store's clock. It moves only when a case moves it.
    pub clock: Arc<ManualClock>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            history: HistoryId(0x5eed),
            follow_limit: 60,
            block_limit: 12,
            mute_limit: 9,
            log_events_max: 1_000_000,
            uids: UidPolicy::Both,
            clock: Arc::new(ManualClock::new(START_MS)),
        }
    }
}

impl Settings {
    /// The settings of most cases.
    pub fn usual() -> Self {
        Self::default()
    }

    /// The options of a memory store with these settings and one log.
    pub fn memory(&self) -> MemoryOptions {
        MemoryOptions {
            history: self.history,
            follow_limit: self.follow_limit,
            block_limit: self.block_limit,
            mute_limit: self.mute_limit,
            log_events_max: self.log_events_max,
            ..MemoryOptions::default()
        }
    }

    /// Limits that a handful of users reaches.
    pub fn tight() -> Self {
        Self { follow_limit: 5, block_limit: 3, mute_limit: 2, ..Self::default() }
    }

    /// A store whose log holds few events.
    pub fn short_log() -> Self {
        Self { log_events_max: 40, ..Self::default() }
    }

    /// A store that mints uids in the upper half of their numbers; the lower half is foreign.
    pub fn minting() -> Self {
        let range = UidRange::new(1 << 62, i64::MAX as u64).unwrap();
        Self { uids: UidPolicy::Minted(range), ..Self::default() }
    }

    /// The range of a store that mints in one.
    pub(crate) fn range(&self) -> UidRange {
        match self.uids {
            UidPolicy::Minted(range) => range,
            UidPolicy::Both | UidPolicy::Foreign => panic!("the store has no range"),
        }
    }
}

/// When the clock of a case starts: 2025-06-15, in Unix milliseconds.
pub const START_MS: u64 = 1_750_000_000_000;

/// Something that a backend may be unable to express. The list is closed: everything else is required of all.
///
/// Four of them one machine has by itself and many shards have not: [`MixedBatches`](Self::MixedBatches),
/// [`OneView`](Self::OneView), [`OneOrder`](Self::OneOrder) and [`NoLag`](Self::NoLag). Nothing above the ports may count on
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A view that stands still while writes go on.
    PinnedViews,
    /// One moment for all that a view says, of whichever users. Without it each shard's part of a view begins at the
    /// first question about that shard, and stands still from then on.
    OneView,
    /// One log, so that all events have one order. Without it events of two logs have none.
    OneOrder,
    /// What follows from an act for another user stands with the act. Without it that comes later, for everybody but who
    /// brings the token of the act; only what parts two users stands on both sides at once.
    NoLag,
    /// A batch of several operations, subjects or none at all; every backend can follow several users at once.
    MixedBatches,
    /// Offsets into blocks, mutes, known followers and mutual following.
    OffsetsEverywhere,
    /// Storing and finding a credential by its hash.
    Credentials,
    /// Entries of the audit log as they are stored.
    Audit,
    /// Sessions at all.
    Sessions,
    /// A dump into a sink.
    Dump,
    /// Posts at all.
    Posts,
    /// Accounts as they are stored: with a given uid, and passwords as hashes.
    Accounts,
    /// What an end user is told, apart from a service.
    EndUsers,
    /// The steps by which a contact is bound, one by one.
    ContactSteps,
    /// What feeds are made of: outboxes and their heads, viewer's relations, seen marks, and what a deleted post was.
    Outboxes,
    /// What ends by itself, and the commands by which the server ends it.
    Ends,
    /// What leads from a user to what it has left in the rows of others, and what forgets it: likes by user, who has set a
    /// mark on whom, and removed follows.
    Traces,
    /// Scores of users with each other as they are stored.
    Affinity,
    /// A remembered answer names the places that it named, in every log. Without it, it may name later ones.
    SamePlaces,
}

/// Opens the store of a backend again, after everything else that holds it was dropped.
pub type Reopen = Box<dyn FnOnce() -> BoxFuture<'static, Backend> + Send>;

/// A backend with an empty store of its own.
pub struct Backend {
    /// Its facts, and the views of them.
    pub store: Arc<dyn Store>,
    /// Its log.
    pub log: Arc<dyn Log>,
    /// Its credentials.
    pub credentials: Arc<dyn Credentials>,
    /// Its sessions, if it has any.
    pub sessions: Option<Arc<dyn Sessions>>,
    /// The users whose credentials have ended, if it tells.
    pub ended: Option<Arc<dyn EndedUsers>>,
    /// Its operator's tasks.
    pub upkeep: Arc<dyn Upkeep>,
    /// What it cannot express, with the reason.
    pub cannot: Vec<(Need, &'static str)>,
    /// Closes the store and opens it again, if it can be.
    pub reopen: Option<Reopen>,
    /// Whether the rows lie in another process: a reopening reads none of them anew, so that verifying them once is enough.
    pub keeps_rows_elsewhere: bool,
    /// Kept until the case ends, and dropped last: temporary directories, servers.
    pub guard: Option<Box<dyn Any + Send>>,
}

impl Backend {
    /// A backend whose one value implements every port, and which can express everything.
    pub fn of<S>(store: Arc<S>) -> Self
    where
        S: Store + Log + Credentials + Sessions + EndedUsers + Upkeep + 'static,
    {
        Self { sessions: Some(store.clone()), ended: Some(store.clone()), ..Self::without_sessions(store) }
    }

    /// A backend whose one value implements every port but those of logins of end users.
    pub fn without_sessions<S: Store + Log + Credentials + Upkeep + 'static>(store: Arc<S>) -> Self {
        Self {
            store: store.clone(),
            log: store.clone(),
            credentials: store.clone(),
            sessions: None,
            ended: None,
            upkeep: store,
            cannot: Vec::new(),
            reopen: None,
            keeps_rows_elsewhere: false,
            guard: None,
        }
    }
}

impl Backend {
    /// The same behind the check of uids, which every server has in front of its store.
    #[must_use]
    pub fn checking(self, uids: UidPolicy) -> Self {
        Self { store: Arc::new(CheckedUids::new(self.store.clone(), uids)), ..self }
    }
}

/// A case that takes longer hangs.
const CASE_TIME_MAX: Duration = Duration::from_mins(5);

/// Runs one case on a runtime of its own. The macro calls it.
pub fn run(name: &str, settings: Settings, make: impl AsyncFnOnce(Settings) -> Backend, case: Case) {
    let backend = Box::pin(make(settings.clone()));
    run_made(name, settings, backend, case);
}

fn run_made(
    name: &str,
    settings: Settings,
    backend: Pin<Box<dyn Future<Output = Backend> + '_>>,
    case: Case,
) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let whole = async {
            let world = World::open(name, settings, backend.await).await;
            case(&world).await;
            world.finish().await;
        };
        tokio::time::timeout(CASE_TIME_MAX, whole).await.unwrap_or_else(|_| panic!("{name} hangs"));
    });
}
