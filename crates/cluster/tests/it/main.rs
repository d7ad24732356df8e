//! Clusters on a private PostgreSQL.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests may panic and know the time; the helpers around them are tests, too"
)]

mod check;
mod init;
mod world;
