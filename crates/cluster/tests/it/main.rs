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
mod checks_requests;
mod checks_runs;
mod clocks;
mod conformance;
mod cut_off;
mod damaged_columns;
mod damages;
mod deadlines;
mod direct;
mod dumps;
mod duties;
mod faults;
mod fences;
mod groups;
mod held;
mod housekeeping;
mod init;
mod leaks;
mod lists;
mod losses;
mod meetings;
mod operators;
mod oracle;
mod outages;
mod pages;
mod pair;
mod plans;
mod pooler;
mod posts;
mod proxy;
mod rooms;
mod search;
mod shards;
mod sharing;
mod shelf;
mod starts;
mod tail;
mod tls;
mod unreadable;
mod users;
mod vacuum;
mod viewers;
mod wakes;
mod world;
