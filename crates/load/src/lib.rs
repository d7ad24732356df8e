//! Load shapes: worlds of feeds and graphs of follows, what is asked of them, and how long the answers take.
//!
//! `guanxi bench feed` and the comparison with other systems share what is here, so that both measure the same. Worlds
//! are drawn from a seed and written through the ports; pages are checked against the world's own definition of home,
//! which knows nothing of outboxes and inboxes. Graphs hold follows alone, by the statistics of seed 000. No backend is
//! named here: the wiring hands one over.

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
