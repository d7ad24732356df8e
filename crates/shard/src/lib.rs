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
//! - A [`Meeting`](meeting::Meeting) says which step comes next of a write that two shards decide.
//! - A [`Split`](route::Split) says where the commands of a write have their homes.
//! - A [`DigestDelta`](digest::DigestDelta) compares what two shards hold of the same relations.
//!
//! # Example
//!
//! A request to a user of another shard begins in the shard of its sender. The caller does each step, here on nothing at all.
//!
//! ```
//! use guanxi_model::{Command, FriendRequest, Uid, Write};
//! use guanxi_shard::batch::ShardWork;
//! use guanxi_shard::meeting::{Meeting, MeetingStep, StepResult};
//!
//! let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//! let request = FriendRequest { sender: ann, receiver: bob, message: "Hello".to_owned(), ttl_ms: None };
//! let mut meeting = Meeting::of_one(Write::of(Command::SendFriendRequest(request)))?;
//!
//! // Bob may have asked Ann meanwhile, so that her shard first takes in what his has done.
//! let step = meeting.next(StepResult::Begun)?;
//! let MeetingStep::Heads(logs) = step else { panic!("where does the log of Bob's shard stand?") };
//! assert!(logs.contains(&bob.gene()));
//! let step = meeting.next(StepResult::Heads([(bob.gene(), 0)].into()))?;
//! assert!(matches!(step, MeetingStep::Reach(shards, _) if shards.contains(&ann.gene())));
//!
//! // Then it plans the write: it reserves a place for the request, which Bob's shard is asked to take.
//! let step = meeting.next(StepResult::Reached)?;
//! assert!(matches!(step, MeetingStep::Work(shard, ShardWork::Meet(_)) if shard == ann.gene()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `route/mod.rs`: in which shards does a write take place?
//! - `cells/mod.rs`: what does a plan have of a shard?
//! - `apply/effects.rs`: what does an event of another shard mean here?
//! - `batch.rs`: what is done in one shard, and which rows does it need?
//! - `meeting/mod.rs`: in which steps is a write done that two shards decide?
//! - `meet/steps.rs`: how do two shards agree on a request?
//! - `tests.rs`: do shards agree whose events arrive late or twice, and which broken worlds are found out?
//! - `cells/cell.rs`: how are changes kept apart from what was fetched?

pub mod apply;
pub mod batch;
pub mod cells;
pub mod digest;
pub mod meet;
pub mod meeting;
pub mod route;

#[cfg(test)]
mod tests;
