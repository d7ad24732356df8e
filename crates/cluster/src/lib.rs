//! The many-machine backend: shards of users on one or many PostgreSQL databases.
//!
//! A user's gene, the low 8 bits of its id, names one of 256 logs. A schema holds the genes that have its number in their
//! low bits, and is what moves between databases. The first database also holds what is one for the whole cluster, in schema
//! `meta`: which databases there are, and which of them has each gene. Each database repeats in `gx` what it is a part of, so
//! that it is never taken for a part of another cluster.
//!
//! What is there: laying out a cluster ([`init`]), checking its databases ([`check`]), serving it ([`ClusterStore`]), checking
//! what follows from facts on schedule ([`CheckSchedule`]), and filling it from a dump ([`restore_cluster`]).
//!
//! | folder or file | contains |
//! |---|---|
//! | `init.rs`, `claim.rs`, `map.rs` | lay out a cluster; keep a database from being taken for another's; which database has which gene |
//! | `check.rs`, `server.rs`, `fit.rs`, `serving.rs` | what is wrong with a database; which processes serve it |
//! | `postgres/` | connections, pools, statements, and tables with their migrations |
//! | `rows/` | the rows that a plan reads and changes, fetched under the locks of their shards, a folder for each domain |
//! | `lanes/` | waiting writes of a quarter of a database's genes, together in one transaction |
//! | `derive/` | applies the events of logs in the shards of others, once and in order |
//! | `view/` | reads one snapshot per database |
//! | `store/` | puts all of it behind the ports |
//! | `checks/` | compares derived rows with facts, by rows, events and digests, and mends them |
//! | `dump/`, `load/` | write a dump of one moment of all databases; fill a cluster from one |
//! | `housekeeping/`, `schedule.rs`, `duties.rs` | remove expired rows; run checks when due; one process at a time does something |

mod check;
mod checks;
mod claim;
mod databases;
mod derive;
mod dump;
mod duties;
mod error;
mod fit;
mod housekeeping;
mod init;
mod lanes;
mod load;
mod map;
mod postgres;
mod rows;
mod schedule;
mod server;
mod serving;
mod store;
mod view;

pub use check::{CheckReport, Checked, check};
pub use checks::{RepairCheck, RepairReport, RepairTerms};
pub use databases::{Database, Databases};
pub use duties::RandomBits;
pub use error::ClusterError;
pub use housekeeping::HouseReport;
pub use init::{InitReport, InitStep, InitTerms, SCHEMAS_DEFAULT, init};
pub use load::{DumpedSecrets, LoadError, LoadReport, restore_cluster};
pub use map::{ShardMap, ShardPlace, shard_map};
pub use postgres::TABLES_VERSION;
pub use schedule::CheckSchedule;
pub use server::RELATIONS_PER_SCHEMA;
pub use serving::{CLOCK_SKEW_MS_MAX, ServingAs, ServingProcess, ServingRoles};
pub use store::{CarryMode, ClusterOptions, ClusterStore, TellReplica};
