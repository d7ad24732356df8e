//! A connection to one database.

use super::connect::{Driver, connect};
use crate::ClusterError;
use crate::databases::Database;
use crate::error::{of_database, told};
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{Client, Row, RowStream};

/// How long a database may take to let us in.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long it may take to answer; its own limits are below that, so that what hangs is the network.
const ANSWER_MAX: Duration = Duration::from_secs(90);

/// How long a statement may take, and wait for a lock that somebody else holds.
const LIMITS: &str = "set statement_timeout = '60s'; set lock_timeout = '30s'; set idle_in_transaction_session_timeout = '60s'";

/// A connection, and the task that drives it; dropping it ends both.
#[derive(Debug)]
pub(crate) struct PgSession {
    database: String,
    client: Client,
    _driver: Driver,
}

impl PgSession {
    /// Connects.
    ///
    /// # Errors
    /// What the server or the network says.
    pub(crate) async fn open(database: &Database) -> Result<Self, ClusterError> {
        let name = database.name();
        let connected = timeout(CONNECT_MAX, connect(database)).await;
        let connected = connected.map_err(|_| ClusterError::Database {
            database: name.to_owned(),
            problem: format!("it did not let us in within {} s", CONNECT_MAX.as_secs()),
        })?;
        let (client, driver) = connected.map_err(of_database(name))?;
        let session = Self { database: name.to_owned(), client, _driver: driver };
        session.run(LIMITS).await?;
        Ok(session)
    }

    /// Asks a question of any length, whose rows come one after the other: the server waits for the reader of the
    /// rows.
    pub(crate) async fn stream(&self, question: &str) -> Result<RowStream, ClusterError> {
        let none: [&(dyn tokio_postgres::types::ToSql + Sync); 0] = [];
        let stream = self.client.query_raw(question, none).await;
        stream.map_err(of_database(&self.database))
    }

    /// An error of a row of such a question.
    pub(crate) fn failed(&self, error: &tokio_postgres::Error) -> ClusterError {
        self.problem(told(error))
    }

    /// Runs statements without answers: one transaction, all or none of them.
    pub(crate) async fn run(&self, statements: &str) -> Result<(), ClusterError> {
        self.answered(self.client.batch_execute(statements)).await
    }

    /// Asks a question.
    pub(crate) async fn rows(
        &self,
        question: &str,
        terms: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Result<Vec<Row>, ClusterError> {
        self.answered(self.client.query(question, terms)).await
    }

    async fn answered<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, ClusterError> {
        let late = |_| self.problem(format!("it did not answer within {} s", ANSWER_MAX.as_secs()));
        timeout(ANSWER_MAX, answer).await.map_err(late)?.map_err(of_database(&self.database))
    }

    /// The text of a setting.
    pub(crate) async fn setting(&self, name: &str) -> Result<String, ClusterError> {
        let rows = self.rows("select current_setting($1)", &[&name]).await?;
        Ok(rows.first().map_or_else(String::new, |row| row.get(0)))
    }

    /// Returns whether a relation is there, by its qualified name.
    pub(crate) async fn has(&self, relation: &str) -> Result<bool, ClusterError> {
        let rows = self.rows("select to_regclass($1) is not null", &[&relation]).await?;
        Ok(rows.first().is_some_and(|row| row.get(0)))
    }

    /// An error about this database.
    pub(crate) fn problem(&self, problem: impl Into<String>) -> ClusterError {
        ClusterError::Database { database: self.database.clone(), problem: problem.into() }
    }
}
