//! The index from outside: what it finds against a plain model, and its state after failures.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "tests may panic; the helpers around them are tests, too"
)]

mod damage;
mod history;
mod paces;
mod queries;
mod rates;
mod segments;
mod store;
mod user_rates;
mod users;
mod world;
