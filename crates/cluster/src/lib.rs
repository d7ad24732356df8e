//! The many-machine backend: shards of users on one or many PostgreSQL databases.
//!
//! A user's gene, the low 8 bits of its id, names one of 256 shards with a log each. A shard is the rows of its gene in the tables of
//! schema `gx`, and is in one database. The first database also holds what is one for the whole cluster, in schema `meta`: which
//! databases there are, and which of them has each gene. Each database repeats in `gx` what it is a part of, so
//! that it is never taken for a part of another cluster.
//!
//! # What it is not
//!
//! - It has no rules. The planner in `guanxi-model` decides writes, and `guanxi-centers` decides what a reader sees.
//! - It is no PostgreSQL server. Operators run the databases; tests start private ones by `guanxi-servers`.
//! - It keeps no inboxes and no index of search. A process may keep an index in a directory, by `guanxi-search`.
//! - It is not for one machine. `guanxi-embedded` is simpler there.
//!
//! # Main types
//!
//! - [`Databases`] is the list of databases. [`init()`] lays a cluster out on them, as [`InitTerms`] say.
//! - [`ClusterStore`] implements the traits of `guanxi-ports`. [`ClusterOptions`] say how, and [`CarryMode`] how
//!   effects reach other shards.
//! - A [`ShardMap`] says which database has which genes.
//! - [`check()`] says what is wrong with a cluster. [`CheckSchedule`] compares derived rows with facts while it is
//!   served.
//! - [`restore_cluster`] fills a cluster from a dump.
//!
//! # Example
//!
//! It needs two empty databases.
//!
//! ```no_run,standalone_crate
//! use guanxi_cluster::{ClusterOptions, ClusterStore, Databases, InitTerms, init};
//! use guanxi_model::{Clock, HistoryId, Op, PairCommand, Uid, Write};
//! use guanxi_ports::{Facts as _, Store as _};
//! use std::error::Error;
//! use std::sync::Arc;
//!
//! async fn follow(clock: Arc<dyn Clock>) -> Result<(), Box<dyn Error>> {
//!     let lines = ["one=postgresql://guanxi@one/guanxi", "two=postgresql://guanxi@two/guanxi"];
//!     let databases = Databases::parse(&lines.map(str::to_owned))?;
//!     // A repetition does what is missing.
//!     init(&databases, InitTerms { history: HistoryId(7) }, &mut |_| Ok(())).await?;
//!
//!     // User 1 may be in one database and user 2 in the other.
//!     let store = ClusterStore::open(&databases, ClusterOptions::default(), clock).await?;
//!     let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//!     let follow = PairCommand { op: Op::Follow, subject: ann, object: bob };
//!     let applied = store.apply(Write::of(follow)).await?;
//!     // A read with the position of the write waits until the follow is applied for user 2.
//!     let view = store.view(Some(&applied.position)).await?;
//!     assert_eq!(view.counts(&[bob]).await?[0].followers, 1);
//!     store.leave().await;
//!     Ok(())
//! }
//! ```
//!
//! # Where to begin
//!
//! - `lanes/mod.rs`: how does a write become a transaction?
//! - `derive/mod.rs`: how does a follow reach the shard of the followed user?
//! - `view/mod.rs`: what does a read see of several databases?
//! - `init.rs`: what is in a database?
//!
//! # Folders
//!
//! | folder or file | contains |
//! |---|---|
//! | `accept_loss.rs` | the way back for a database that lost its newest commits |
//! | `init.rs`, `claim.rs`, `map.rs` | lay out a cluster; keep a database from being taken for another's; which database has which gene |
//! | `check.rs`, `server.rs`, `fit.rs`, `lost.rs`, `serving.rs`, `tables.rs` | what is wrong with a database; whether it lost commits; which processes serve it; which version its tables have |
//! | `migrations/` | the tables, and how they are brought to a newer version |
//! | `rows/` | fetches the rows that a plan reads, under the locks of their shards, and writes what it changes, a folder for each domain; `guanxi-shard` has the rows |
//! | `lanes/` | waiting writes of a quarter of a database's genes, together in one transaction |
//! | `derive/` | applies the events of logs in the shards of others, once and in order |
//! | `tail/` | looks where the logs of each database stand, and keeps their newest events, for all of a process that read them |
//! | `view/` | reads one snapshot per database |
//! | `store/` | puts all of it behind the ports |
//! | `checks/` | compares derived rows with facts, by rows, events and digests, and mends them |
//! | `dump/`, `load/` | write a dump of one moment of all databases; fill a cluster from one |
//! | `housekeeping/`, `schedule.rs`, `duties.rs` | remove expired rows; run checks when due; one process at a time does something |

mod accept_loss;
mod check;
mod checks;
mod claim;
mod derive;
mod dump;
mod duties;
mod fit;
mod housekeeping;
mod init;
mod lanes;
mod load;
mod lost;
mod map;
mod migrations;
mod misplaced;
mod rows;
mod schedule;
mod server;
mod serving;
mod store;
mod tables;
mod tail;
mod view;

pub use accept_loss::{LossReport, accept_loss};
pub use check::{CheckReport, Checked, check};
pub use checks::{RepairCheck, RepairReport, RepairTerms};
pub use duties::RandomBits;
pub use guanxi_postgres::{Database, DatabaseError, Databases};
pub use housekeeping::HouseReport;
pub use init::{InitReport, InitStep, InitTerms, init};
pub use load::{DumpedSecrets, LoadError, LoadReport, WholeCluster, restore_cluster};
pub use map::{ShardMap, ShardPlace, shard_map};
pub use migrations::TABLES_VERSION;
pub use schedule::CheckSchedule;
pub use serving::{CLOCK_SKEW_MS_MAX, ServingAs, ServingProcess, ServingRoles};
pub use store::{CarryMode, ClusterOptions, ClusterStore, ConnectionBudget, TellReplica};
pub use tables::{TABLES_FIRST, TABLES_SERVED, TablesFound, TablesReport, TablesStart, tables};
pub use tail::MemoryBytes;
