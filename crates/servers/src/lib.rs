//! Private servers: each in a directory of its own, on a free loopback port, ended with the process that started it. Tests,
//! benchmarks and developer commands start what they need and touch no server of the machine.
//!
//! # What it is not
//!
//! - It is not `guanxi-server`, which serves guanxi itself.
//! - It lays out no cluster. `guanxi-cluster` does, on the databases of a [`Postgres`].
//! - It installs nothing. `cargo xtask setup` installs the programs that it starts.
//!
//! # Main types
//!
//! - [`Postgres`] is a PostgreSQL server; dropping it ends the server.
//! - [`PgBouncer`] is a pooler in front of it.
//! - [`Process`] is the process of any server, such as Redis or guanxi itself.
//! - [`free_address`] returns an address of the loopback that was free a moment ago.
//!
//! # Example
//!
//! It starts a PostgreSQL server, which must be installed.
//!
//! ```no_run,standalone_crate
//! use guanxi_servers::Postgres;
//!
//! let dir = tempfile::tempdir()?;
//! let server = Postgres::start(dir.path(), &[("autovacuum", "off")], false)?;
//! assert!(server.address.ip().is_loopback());
//! assert!(server.url("postgres").starts_with("postgresql://"));
//! // The server ends here, and its directory is removed after it.
//! drop(server);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `postgres.rs`: what does a server of a test have, and how does it come back after a kill?
//! - `process.rs`: how is a server awaited, and how does it end?
//! - `crates/cluster/tests/it/shelf.rs`: how do the tests of a cluster share one server?

mod pooler;
mod postgres;
mod process;

pub use rustix::process::Signal;

pub use pooler::PgBouncer;
pub use postgres::{Postgres, PostgresSettings, give};
pub use process::{Process, SERVER_CORE, end_left, free_address, is_left, output_of, pause};
