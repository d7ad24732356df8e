//! Benchmarks of guanxi: load over RPC, micro benchmarks, and the side-by-side run against PostgreSQL and Redis.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a terminal is this program's interface")]

mod calls;
mod graph;
mod load;
mod machine;
mod wire;

fn main() {}
