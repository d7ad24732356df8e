//! What PostgreSQL is asked.

mod breaker;
mod connect;
mod connection;
mod fault;
mod limits;
mod listener;
mod migrations;
mod pool;
mod session;
mod sharing;
mod stalls;
mod statements;
mod term;

pub(crate) use breaker::{Breaker, Shut};
pub(crate) use connection::Connection;
pub(crate) use fault::{Fault, of_fault};
pub(crate) use listener::listen;
pub(crate) use migrations::FIRST_VERSION as FIRST_TABLES;
pub use migrations::VERSION as TABLES_VERSION;
pub(crate) use migrations::{TablesState, lacking, migrate, note};
pub(crate) use pool::{Connections, Pooled, abandon, discard, undo};
pub(crate) use session::PgSession;
pub(crate) use stalls::Stalls;
pub(crate) use statements::Statements;
pub(crate) use term::{Term, term};
