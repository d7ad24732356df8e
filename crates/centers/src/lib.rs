//! The rules of the product, written on the ports alone.
//!
//! [`Centers`] holds them all, over one [`Ports`]. **Invariant:** nothing here names an engine, a query language or a
//! transport.
//!
//! | folder | contains |
//! |---|---|
//! | `relation/` | requests, lists with the viewer's relations, checks; `suggestions/` finds users to follow |
//! | `post/` | writes, reads and lists posts; `access.rs` decides what a viewer sees |
//! | `feed/` | home in four steps: `skeleton.rs`, `hydrate.rs`, `rules.rs`, `present.rs`; `fanout/` pushes, `stream.rs` follows a home |
//! | `user/` | accounts, profiles, passwords, sessions, ids from elsewhere, export |
//! | `group/` | groups, which are their owner's alone |
//! | `affinity/` | scores of users with each other, and counts of likes, replies and reposts from the logs |
//! | `search/` | searches of posts and users; the follower that keeps an index |
//! | `operator/` | what operators ask, of the admin API and of the command line on a directory; `jobs/` runs exports and long queries |
//! | `log_readers/` | the loop of a reader of the log, and the hub, the one reader for all open streams |
//! | `jobs/` | the work beside calls: erasure, retention, expiry, unlocking, claims, sessions |
//!
//! `viewer.rs` decides who may learn of a block: centers return answers that are masked already.
//!
//! # What it is not
//!
//! - It stores nothing and knows no backend. The traits in `guanxi-ports` are all that it sees of one.
//! - It does not decide what a single write changes. The planner in `guanxi-model` does.
//! - It authenticates no caller. `guanxi-rim` does; a center is told by [`Viewer`] for whom it answers.
//! - It converts no message. `guanxi-api` does.
//!
//! # Main types
//!
//! - [`relation::RelationCenter`], [`post::PostCenter`], [`feed::FeedCenter`], [`search::SearchCenter`] and
//!   [`group::GroupCenter`] answer end users and services.
//! - [`user::AccountCenter`] registers users and logs them in. [`operator::OperatorCenter`] answers operators.
//! - A [`log_readers::Follower`] derives an effect from the events of the logs, and keeps its position together with it.
//! - [`HeavyWork`] bounds how many costly calls run at once.
//!
//! # Example
//!
//! A follow, a read at the position of the write, and a block that its object does not learn of.
//!
//! ```
//! use guanxi_centers::{Centers, Ports, Viewer};
//! use guanxi_model::{HistoryId, Logs, ManualClock, Op, Reason, Uid};
//! use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};
//! use std::sync::Arc;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> guanxi_model::Result<()> {
//!     let clock = Arc::new(ManualClock::new(1_000));
//!     let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
//!     let inbox = Arc::new(MemoryInbox::new(HistoryId(1), Logs::One));
//!     let ports = Ports { store: store.clone(), inbox, log: store, clock };
//!     let relation = Centers::new(&ports).relation;
//!
//!     let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//!     let followed = relation.act(Viewer::EndUser(ann), Op::Follow, ann, bob, None).await?;
//!     assert!(followed.changed);
//!     let (counts, _) = relation.counts(Viewer::EndUser(ann), &[bob], Some(followed.position)).await?;
//!     assert_eq!(counts[0].followers, 1);
//!
//!     relation.act(Viewer::EndUser(bob), Op::Block, bob, ann, None).await?;
//!     let refused = relation.act(Viewer::EndUser(ann), Op::Follow, ann, bob, None).await.unwrap_err();
//!     assert_eq!(refused.reason, Reason::NotAllowed);
//!     Ok(())
//! }
//! ```
//!
//! # Where to begin
//!
//! - `relation/write.rs`: what does the simplest center do?
//! - `viewer.rs`: who may learn of a block?
//! - `feed/mod.rs`: how is an exact home made, and what are inboxes for?
//! - `log_readers/mod.rs`: how does anything follow the logs?

pub mod affinity;
mod answer_room;
mod apply_all;
mod confirm;
pub mod feed;
pub mod group;
mod heavy;
pub mod jobs;
pub mod log_readers;
mod opaque;
pub mod operator;
pub mod post;
pub mod relation;
pub mod search;
pub mod user;

mod ports;
mod random;
mod turn;
mod viewer;

pub use heavy::{HEAVY_CALLS_MAX, HEAVY_PER_USER_MAX, HEAVY_WORKING_REMOTE, HeavyWork};
pub use ports::Ports;
pub use random::Random;
pub use viewer::{ShownCounts, Viewer};

use opaque::opaque_debug;

use affinity::AffinityCenter;
use feed::FeedCenter;
use group::GroupCenter;
use log_readers::Hub;
use post::PostCenter;
use relation::RelationCenter;
use search::SearchCenter;
use user::UserCenter;

/// The centers of one backend. Cheap to clone.
#[derive(Clone)]
pub struct Centers {
    /// Relations.
    pub relation: RelationCenter,
    /// Posts.
    pub post: PostCenter,
    /// Home timelines.
    pub feed: FeedCenter,
    /// Users.
    pub user: UserCenter,
    /// The interactions between users.
    pub affinity: AffinityCenter,
    /// Groups.
    pub group: GroupCenter,
    /// Searching; it is off unless another center is put here.
    pub search: SearchCenter,
    /// Reads the logs for the open streams of both.
    pub hub: Hub,
    /// Places for heavy calls, which all of them share.
    pub heavy: HeavyWork,
}

impl Centers {
    /// The centers over a backend. Nothing is pushed until a worker of the feed center runs.
    pub fn new(backend: &Ports) -> Self {
        Self::sharing(backend, &HeavyWork::default())
    }

    /// The same, with places for heavy calls that the backend has room for.
    pub fn sharing(backend: &Ports, heavy: &HeavyWork) -> Self {
        let Ports { store, inbox, log, clock } = backend.clone();
        let hub = Hub::new(log);
        Self {
            user: UserCenter::new(store.clone(), clock.clone()),
            affinity: AffinityCenter::new(store.clone(), hub.log().clone(), clock.clone()),
            group: GroupCenter::new(store.clone()),
            relation: RelationCenter::new(store.clone(), hub.clone()).sharing(heavy.clone()),
            post: PostCenter::new(store.clone()),
            search: SearchCenter::off(store.clone(), &clock),
            feed: FeedCenter::new(store, inbox, hub.clone(), clock).sharing(heavy.clone()),
            hub,
            heavy: heavy.clone(),
        }
    }
}

crate::opaque_debug!(Centers);
