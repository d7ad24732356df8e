//! A shard of users as a pure machine: the rows that plans read and change, and what shards tell each other.
//!
//! A cluster divides its users into 256 shards by their genes. A shard decides what its own users do, and learns from the events
//! of other shards what others do to them. This crate has the parts of that which need no database: a backend fetches rows,
//! hands them over, and stores what changed.
//!
//! # What it is not
//!
//! - It reads and writes no table, and waits for nothing. `guanxi-cluster` does that, on PostgreSQL.
//! - It has no rules of its own for one shard. The planner in `guanxi-model` decides writes.
//! - It is not for a backend with one log. `guanxi-embedded` needs no protocol between shards.
//!
//! # Main types
//!
//! - [`Rows`](cells::Rows) are what a batch has of locked shards: each kind of row as it was fetched, with the changes of plans
//!   on top. They are the state that the planner works on.
//! - [`Shards`](cells::Shards) say where the logs and clocks of these shards stand, and which events the batch adds.
//!   [`ForeignRows`](cells::ForeignRows) are rows that other shards were asked for.
//! - An [`Arriving`](apply::Arriving) event of another shard changes what this one knows.
//! - [`ShardWork`](batch::ShardWork) is planned in one shard: a write, or a step of an agreement that takes two.
//! - A [`Split`](route::Split) says where the commands of a write have their homes.
//! - A [`DigestDelta`](digest::DigestDelta) compares what two shards hold of the same relations.
//!
//! # Example
//!
//! A write about users of two shards has a part in each of them.
//!
//! ```
//! use guanxi_model::{Command, Op, PairCommand, Uid, Write};
//! use guanxi_shard::route::{Home, split};
//!
//! let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//! let mute = |subject, object| Command::Pair(PairCommand { op: Op::Mute, subject, object });
//! let split = split(Write::all(vec![mute(ann, bob), mute(bob, ann)]))?;
//!
//! let homes: Vec<Home> = split.stages.iter().flatten().map(|part| part.home).collect();
//! assert_eq!(homes, [Home::Shard(ann.gene()), Home::Shard(bob.gene())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `route.rs`: in which shards does a write take place?
//! - `cells/mod.rs`: what does a plan have of a shard?
//! - `apply/effects.rs`: what does an event of another shard mean here?
//! - `batch.rs`: what is done in one shard, and which rows does it need?
//! - `meet/steps.rs`: how do two shards agree on a request?
//! - `tests.rs`: what do two shards come to whose events arrive late?
//! - `cells/cell.rs`: how are changes kept apart from what was fetched?

pub mod apply;
pub mod batch;
pub mod cells;
pub mod digest;
pub mod meet;
pub mod route;

#[cfg(test)]
mod tests;
