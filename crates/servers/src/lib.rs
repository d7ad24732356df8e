//! Private servers: each in a directory of its own, on a free loopback port, ended with whoever started it. Tests, benchmarks
//! and developer commands start what they need and touch no server of the machine.

mod postgres;
mod process;

pub use postgres::{Postgres, PostgresSettings};
pub use process::{Process, SERVER_CORE, free_address, output_of, pause};
