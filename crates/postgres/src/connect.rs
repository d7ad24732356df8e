//! How a connection to a database is made.

use crate::address::DatabaseTlsStream;
use crate::databases::Database;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error, Socket};

/// The task that drives a connection; dropping it ends the connection.
#[derive(Debug)]
pub(crate) struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A connection that the caller drives.
pub(crate) async fn connect_undriven(
    database: &Database,
) -> Result<(Client, tokio_postgres::Connection<Socket, DatabaseTlsStream>), Error> {
    database.config().connect(database.tls().clone()).await
}

/// A connection, and the task that drives it.
pub(crate) async fn connect(database: &Database) -> Result<(Client, Driver), Error> {
    let (client, connection) = connect_undriven(database).await?;
    // An error of the connection is returned by the next question on it.
    Ok((client, Driver(tokio::spawn(async move { drop(connection.await) }))))
}
