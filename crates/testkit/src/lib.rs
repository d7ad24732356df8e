//! A server for tests: the lower half of the product's (`serve_ports`) on loopback, over the specification in memory or any
//! other store.
//!
//! [`Server::start`] serves a memory store as a [`Setup`] says, [`Server::over`] a store that the test has opened. The clock
//! stands unless the test turns it, and random bits are the same in each run. Jobs do not run.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a helper of tests fails as the test does"
)]

mod search;
mod server;
mod setup;
mod slow;

pub use server::Server;
pub use setup::{MakeJwt, START_MS, Setup};
pub use slow::{FAILS, PANICS, Slow};
