//! The embedded backend from outside: conformance, upkeep, bulk load, damage.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "tests may panic; the helpers around them are tests, too"
)]

mod backup;
mod bulk;
mod conformance;
mod credentials;
mod damage;
mod formats;
mod inboxes;
mod post_world;
mod posts;
mod sessions;
mod sign_outs;
mod turns;
mod uids;
mod verify;
mod world;
