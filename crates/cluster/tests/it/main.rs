//! Clusters on a private PostgreSQL.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests may panic and know the time; the helpers around them are tests, too"
)]

mod check;
mod checks;
mod conformance;
mod duties;
mod faults;
mod groups;
mod init;
mod meetings;
mod operators;
mod posts;
mod proxy;
mod shelf;
mod users;
mod world;
