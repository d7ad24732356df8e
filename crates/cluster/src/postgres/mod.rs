//! What PostgreSQL is asked.

mod connection;
mod fault;
mod layout;
mod migrations;
mod pool;
mod session;
mod statements;

pub(crate) use connection::Connection;
pub(crate) use fault::Fault;
pub(crate) use layout::{Layout, SchemaName};
pub use migrations::VERSION as TABLES_VERSION;
pub(crate) use migrations::{MigrationPart, TablesState, lacking, migrate, note};
pub(crate) use pool::{Connections, Pooled, discard, undo};
pub(crate) use session::PgSession;
pub(crate) use statements::{Statements, Term, term};
