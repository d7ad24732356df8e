//! Clusters on a private PostgreSQL.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests may panic, know the time and say what they measured; the helpers around them are tests, too"
)]

mod check;
mod checks;
mod checks_load;
mod checks_runs;
mod conformance;
mod cut_off;
mod damages;
mod dumps;
mod duties;
mod faults;
mod fences;
mod groups;
mod housekeeping;
mod init;
mod leaks;
mod lists;
mod meetings;
mod operators;
mod outages;
mod pair;
mod posts;
mod proxy;
mod search;
mod shards;
mod shelf;
mod users;
mod wakes;
mod world;
