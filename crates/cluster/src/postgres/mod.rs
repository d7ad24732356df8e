//! What PostgreSQL is asked.

mod layout;
mod migrations;
mod session;

pub(crate) use layout::{Layout, SchemaName};
pub(crate) use migrations::{MigrationPart, migrate, missing, note};
pub(crate) use session::PgSession;
