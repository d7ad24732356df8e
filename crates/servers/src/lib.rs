//! Private servers: each in a directory of its own, on a free loopback port, ended with the process that started it. Tests,
//! benchmarks and developer commands start what they need and touch no server of the machine.

mod postgres;
mod process;

pub use rustix::process::Signal;

pub use postgres::{Postgres, PostgresSettings};
pub use process::{Process, SERVER_CORE, end_left, free_address, is_left, output_of, pause};
