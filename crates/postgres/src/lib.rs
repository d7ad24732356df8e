//! How PostgreSQL is reached: addresses, connections, pools, and what is known of databases that are away.
//!
//! A [`Database`] is an address with a name. [`Connections`] are a bounded pool of connections to it, each of which keeps its
//! prepared statements. [`Statements`] go over a connection in one flight, with the beginning and the end of their transaction.
//! Questions of one statement need no transaction, and share connections. Each failure is a [`Fault`], which says whether the same
//! may go well another time. A [`Breaker`] shuts a database that does not answer, so that later callers are refused at once.
//!
//! # What it is not
//!
//! - It knows no table. `guanxi-cluster` has the tables, their versions and their statements.
//! - It starts no server. Operators run the databases; tests start private ones by `guanxi-servers`.
//! - It is no client for other programs: it has the types and limits that a cluster needs.
//!
//! # Main types
//!
//! - [`Databases`] is the list of databases as the configuration has it.
//! - [`Connections`] hand connections out, last in first out, and answer questions over shared ones.
//! - A [`Connection`] sends [`Statements`] with their [`Term`]s.
//! - A [`PgSession`] is one connection for long work: migrations, dumps, checks.
//! - A [`Breaker`] says whether a database may be asked, [`Stalls`] how many callers may wait for a slow one.
//! - A [`Fault`] is what a caller of a serving process is told, a [`DatabaseError`] what an operator is told.
//!
//! # Example
//!
//! Off this machine the certificate of a database is verified, unless its address says otherwise.
//!
//! ```
//! use guanxi_postgres::Databases;
//!
//! let lines = ["one=postgresql://guanxi@localhost/guanxi", "two=host=/run/postgresql user=guanxi dbname=guanxi"];
//! let databases = Databases::parse(&lines.map(str::to_owned))?;
//! assert_eq!(databases.first().name(), "one");
//! assert!(Databases::parse(&["localhost".to_owned()]).is_err(), "a database has a name");
//! # Ok::<(), guanxi_postgres::DatabaseError>(())
//! ```
//!
//! # Where to begin
//!
//! - `pool.rs`: who gets a connection, and how long does a caller wait?
//! - `connection.rs`: how do statements reach the server?
//! - `fault.rs`: what does a failure of the server mean for the caller?
//! - `address/mod.rs`: what does an address say?

mod address;
mod breaker;
mod connect;
mod connection;
mod databases;
mod error;
mod fault;
mod limits;
mod listener;
mod pool;
mod session;
mod sharing;
mod stalls;
mod statements;
mod term;

pub use breaker::{Breaker, Shut};
pub use connection::Connection;
pub use databases::{Database, Databases};
pub use error::{DatabaseError, told};
pub use fault::{Fault, of_fault};
pub use listener::listen;
pub use pool::{Connections, PgConnector, Pooled, abandon, discard, undo};
pub use session::PgSession;
pub use stalls::{StalledQuestion, Stalls};
pub use statements::Statements;
pub use term::{PgElement, PgValue, Term, term};
