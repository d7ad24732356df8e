//! Load shapes: worlds of feeds and graphs of follows, what is asked of them, and how long the answers take.
//!
//! `guanxi bench feed` and the comparison with other systems share what is here, so that both measure the same. Worlds
//! are drawn from a seed and written through the ports; pages are checked against the world's own definition of home,
//! which knows nothing of outboxes and inboxes. Graphs hold follows alone, by the statistics of seed 000. No backend is
//! named here: the wiring hands one over.
//!
//! # What it is not
//!
//! - It is not the benchmarks. `guanxi bench` and the programs in `bench/` are, and they share what is here.
//! - It opens no store and starts no server. Its callers hand over [`Ports`], or the address of a server.
//! - It is no test of correctness: `guanxi-sim` is. It does check that the pages that it measures are right.
//!
//! # Main types
//!
//! - A [`World`] is users, follows and posts, drawn from a seed. [`answer::Reader`] is the right home of one of its
//!   users.
//! - A [`graph::FollowGraph`] is follows alone.
//! - A [`service::Service`] is what load is put on: [`rpc::Rpc`] over a wire, or centers in this process.
//! - [`open_loop`] makes calls when they are due. [`Latencies`] become [`Quantiles`].
//! - A [`Finding`] is a table of figures, each with its [`Aim`].
//!
//! # Example
//!
//! A small world, and the newest page of one reader.
//!
//! ```
//! use guanxi_load::answer::Reader;
//! use guanxi_load::{Class, World};
//!
//! let world = World {
//!     users: 1_000,
//!     followees: 20,
//!     classes: vec![Class { readers: 10, followees: 100 }],
//!     celebrity: true,
//!     fans: 50,
//!     posts: 5_000,
//!     rules: false,
//!     seed: 1,
//! };
//! // The last users are the readers of the class. They follow exactly so many, and the celebrity.
//! let index = world.readers(0).start;
//! assert_eq!(world.following(index).len(), 101);
//!
//! let reader = Reader::new(&world, index);
//! let page = reader.page(None, 20);
//! assert_eq!(page.len(), 20);
//! assert!(page.is_sorted_by(|newer, older| newer > older));
//! ```
//!
//! # Where to begin
//!
//! - `world.rs`: how are users, follows and posts drawn?
//! - `twitter/mod.rs`: what is measured, at which rates?
//! - `open_loop.rs`: from when is the time of a call counted?
//! - `docs/benchmarks.md`: how are figures made and compared?

#![allow(clippy::cast_sign_loss, reason = "counts and rates are positive and small")]

pub mod accounts;
pub mod answer;
pub mod connection;
pub mod fill;
pub mod finding;
pub mod graph;
pub mod http1;
pub mod in_process;
pub mod logins;
pub mod open_loop;
pub mod overload;
pub mod quantiles;
pub mod rpc;
pub mod service;
mod tasks;
pub mod twitter;
pub mod usage;
pub mod world;

pub use finding::{Aim, Finding, Row};
pub use guanxi_centers::Ports;
pub use quantiles::{Latencies, Quantiles};
pub use world::{Class, World};

use guanxi_model::{Error, Reason};

/// Returns what went wrong in a run, in words.
fn broken(what: impl std::fmt::Display) -> Error {
    Error::with_detail(Reason::Internal, what)
}
