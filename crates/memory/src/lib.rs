//! What a backend holds in memory of users and posts, so that most reads ask no table.
//!
//! An entry of a user is right from an event of that user's log on. A reader has a [`Cut`](cut::Cut): for each log the last event
//! that its answer includes. It takes an entry whose event its cut includes, and asks the tables else. So every answer is of one
//! moment, although entries are of different ones. One machine has one log, and its cut is a number. A cluster has a log for
//! each gene.
//!
//! A commit changes memory first, and is in a published cut after that. The writer of one machine puts whole entries. A reader of
//! logs hands over what a commit says of a user, and [`apply`] makes that of the user's entry. What is not held is read by the
//! backend: it registers a fill, reads a snapshot, and hands the rows over.
//!
//! # What it is not
//!
//! - It is not needed for correctness. Entries go when their bytes are needed, and an empty memory gives the same answers.
//! - It reads no table and waits for nothing. `guanxi-embedded` and its `fills/` read the rows that memory lacks.
//! - It has no rules. The planner in `guanxi-model` decides writes, and `guanxi-centers` decides what a reader sees.
//!
//! # Main types
//!
//! - A [`Cache`](cache::Cache) has entries by user or post within a byte budget, and the fills under way.
//! - A [`RelationsCache`](relations::RelationsCache) has what users say of others: one allocation for each user.
//! - A [`PairsCache`](pairs::PairsCache) has relations of pairs, for a backend that does not hold whole users.
//! - A [`KnownCache`](known::KnownCache) has what the next event about a key ends: how users stand, what posts say, their
//!   counters, and what viewers did with them.
//! - An [`OutboxCache`](outboxes::OutboxCache) has heads and newest posts of authors, a
//!   [`HeaderCache`](headers::HeaderCache) posts without their content.
//! - [`Lists`](lists::Lists) has first pages of followers, requests, likers and reposts, and [`UserLists`](user_lists::UserLists)
//!   those of lists whose changes come as events.
//! - A [`Ring`](tail::ring::Ring) has the newest events that looks at logs have brought.
//! - [`PageTold`](page::PageTold) says whether the parts of a page go together.
//! - [`Inboxes`](inboxes::Inboxes) has the newest items of homes.
//!
//! # Example
//!
//! A user is read from a table once, and found by the next reader, unless that one's cut is older.
//!
//! ```
//! use guanxi_memory::cut::Cut;
//! use guanxi_memory::relations::{RelationsCache, RelationsEntry};
//! use guanxi_memory::user_relations::{Follow, UserRelations};
//! use guanxi_model::{LogId, Logs, Stamp, Uid};
//!
//! /// One log: its last event, and the highest id of a post.
//! struct At(u64, u64);
//!
//! impl Cut for At {
//!     const LOGS: Logs = Logs::One;
//!     fn seq(&self, _: LogId) -> u64 {
//!         self.0
//!     }
//!     fn ids_high(&self, _: LogId) -> u64 {
//!         self.1
//!     }
//! }
//!
//! let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//! let users = RelationsCache::new(1 << 20);
//! assert!(users.read(&At(7, 0)).get(ann).is_none());
//!
//! let fill = users.begin_fill(ann);
//! // Rows as of event 7: Ann follows Bob since event 5.
//! let mut rows = UserRelations::default();
//! rows.set_follow(Follow { uid: bob, at: Stamp::from_ms(1_000), friends_since: None });
//! fill.keep([Some(RelationsEntry::new(7, 5, (0, 0), &rows))]);
//!
//! assert!(users.read(&At(7, 0)).get(ann).is_some_and(|ann| ann.packed().follows(bob)));
//! assert!(users.read(&At(6, 0)).get(ann).is_none(), "an older cut asks its own snapshot");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `cut.rs`: for which readers is an entry right?
//! - `cache.rs`: how do readers, fills and commits share an entry?
//! - `apply/relations/mod.rs`: what does an event change of a user?
//! - `table.rs`: how is an entry found, and which one goes when there is no room?
//! - `relations/packed.rs`: how does a user fit into one allocation?
//!
//! A simulator in `tests/it` plays what a cluster reads of memory while looks, events and pages are late. Worlds that break one rule
//! of reading each must be found out there.
//!
//! # Folders
//!
//! | folder | contains |
//! |---|---|
//! | `apply/` | what events of a log change: pure functions, which know no entries |
//! | `relations/` | what users say of others, packed to be held and probed; `user_relations.rs` is the form that changes |
//! | `outboxes/` | heads of authors, and their newest posts |
//! | `headers/` | posts without their content |
//! | `known/` | standings, whole posts, counters and marks: what is held until an event tells of it |
//! | `inboxes/` | resident inboxes, which no table knows of |
//! | `tail/` | what looks at logs bring, and what that changes in memory |

pub mod affinities;
pub mod apply;
pub mod cache;
pub mod credentials;
pub mod cut;
pub mod first_pages;
pub mod headers;
pub mod inboxes;
pub mod known;
pub mod lists;
pub mod outboxes;
pub mod page;
pub mod pairs;
pub mod recent_events;
pub mod relations;
mod table;
pub mod tail;
pub mod user_groups;
pub mod user_lists;
pub mod user_relations;
pub mod viewer_relations;
