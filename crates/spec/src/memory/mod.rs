//! The in-memory backend: the specification.
//!
//! Plain ordered maps behind one mutex, made to be read rather than to be fast. Any difference between it and
//! another backend is a bug of one of them. [`MemoryStore`] and [`MemoryInbox`] are the public surface, with the scans that searches are compared with, over the view of any backend; the maps are in `state`, and what a write does to them in `commit`, `relations` for the graph, and `posts` and `posts_import` for posts, what follows from it for another user in `derived`, what a
//! read answers in `view` and `posts_view`, users are in `users`, `contacts` and `external_ids`, groups in `groups`, searching in `search`, tokens in `credentials`, what operators did in `audit`, proof and dump in `upkeep`; `sessions` stands alone.
//!
//! It takes four shapes, so that a backend of many shards has a specification, too. The first has one log for all. The second
//! has a log for each gene, with the effects of an event in other shards at once. In the third these effects are
//! [delayed](Carrying::Delayed). In the fourth they are delayed, repeated and [reordered](Carrying::Disordered), with writes
//! whose outcome is unknown. In the last two each shard's part of a view begins at the first question about that shard.

mod answers;
mod audit;
mod carrier;
mod commit;
mod contacts;
mod credentials;
mod derived;
mod external_ids;
mod groups;
mod inbox;
mod message;
mod posts;
mod posts_import;
mod posts_view;
mod questions;
mod relations;
mod rows;
mod search;
mod sessions;
mod spool;
mod state;
mod store;
mod suggestions;
mod upkeep;
pub mod upkeep_cases;
mod user_search;
mod users;
mod view;
mod waiting;

use guanxi_ports::{Applied, BoxFuture, EndedUsers, EventBatch, Facts, Log, Store, StoreView};
pub use inbox::MemoryInbox;
pub use search::scan_posts;
pub use spool::{MemorySpool, MemoryWalks};
pub use user_search::scan_users;

use guanxi_model::limits::{BLOCK_LIMIT, FOLLOW_LIMIT_DEFAULT, MUTE_LIMIT};
use guanxi_model::{Clock, EventAt, HistoryId, LogId, Logs, Position, Result, Uid, Write};
use state::Maps;
use std::future::ready;
use std::sync::Arc;
use store::SharedMaps;
use view::MemoryView;

/// How a memory store is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The identity of its history.
    pub history: HistoryId,
    /// How users are spread over logs.
    pub logs: Logs,
    /// How what follows from an event comes to the log of another user; within one log it stands at once.
    pub carrying: Carrying,
    /// Follows per user, unless the operator set a user's own limit.
    pub follow_limit: u32,
    /// Blocks per user.
    pub block_limit: u32,
    /// Mutes per user.
    pub mute_limit: u32,
    /// Events kept in the log; older ones are trimmed by the commit that adds new ones.
    pub log_events_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            history: HistoryId(1),
            logs: Logs::One,
            carrying: Carrying::AtOnce,
            follow_limit: FOLLOW_LIMIT_DEFAULT,
            block_limit: BLOCK_LIMIT,
            mute_limit: MUTE_LIMIT,
            log_events_max: 10_000_000,
        }
    }
}

/// How what follows from an event comes to the shard of the other user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrying {
    /// In the commit of the event. One machine does so, and so does a store whose shards lie in one database.
    #[default]
    AtOnce,
    /// Some time after it; what one log sends arrives in order. Blocks and their like stand at once all the same.
    Delayed {
        /// Where the moments come from.
        seed: u64,
    },
    /// Some time after it, in any order, and sometimes twice. Some writes under a request id have an unknown outcome.
    Disordered {
        /// Where moments, order, repeats and unknown outcomes come from.
        seed: u64,
    },
}

impl Carrying {
    const fn seed(self) -> u64 {
        match self {
            Self::AtOnce => 0,
            Self::Delayed { seed } | Self::Disordered { seed } => seed,
        }
    }
}

/// A store in memory, whose content ends with it.
pub struct MemoryStore {
    shared: Arc<SharedMaps>,
    walks: rows::Walks,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(clock: Arc<dyn Clock>, options: Options) -> Self {
        Self { shared: Arc::new(SharedMaps::new(clock, options)), walks: rows::Walks::default() }
    }

    /// Lets everything arrive that is under way between shards.
    pub fn settle(&self) {
        self.shared.settle();
    }

    /// A view that includes a position, once the store has reached it.
    async fn view_now(&self, at_least: Option<&Position>) -> Result<MemoryView> {
        if let Some(wanted) = at_least {
            self.shared.reach(wanted).await?;
        }
        let shared = self.shared.clone();
        if shared.has_one_moment() {
            let state = shared.now();
            return Ok(MemoryView::of_one_moment(shared, state));
        }
        Ok(MemoryView::by_shard(shared, at_least.cloned()))
    }
}

impl Facts for MemoryStore {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move { self.shared.apply(&write) })
    }
}

impl EndedUsers for MemoryStore {
    fn is_gone(&self, uid: Uid) -> bool {
        self.shared.now().standing(uid).is_gone()
    }

    fn not_before_ms(&self, uid: Uid) -> u64 {
        let now = self.shared.now();
        if now.standing(uid).is_gone() { u64::MAX } else { now.not_before_ms(uid) }
    }
}

impl Store for MemoryStore {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move { Ok(Box::new(self.view_now(at_least).await?) as Box<dyn StoreView>) })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(self.shared.is_applied(uid, at))))
    }
}

impl Log for MemoryStore {
    fn logs(&self) -> Logs {
        self.shared.options.logs
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(ready(Ok(self.shared.head())))
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(async move { self.shared.read(log, after, max) })
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let moved = |state: &Maps| after.marks().any(|(log, mark)| state.last_in(log) > mark.seen);
            self.shared.reached(moved).await;
            Ok(())
        })
    }
}
