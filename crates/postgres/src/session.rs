//! A connection to one database.

use crate::DatabaseError;
use crate::connect::{Driver, connect};
use crate::databases::Database;
use crate::error::told;
use crate::fault::of_database;
use crate::limits::{PgLimits, begins, leaves_open};
use crate::statements::Statements;
use crate::term::{Term, term};
use futures_util::future::join3;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, RowStream};

/// How long a database may take to let us in.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long it may take to answer; its own limits are below that, so that what hangs is the network.
const ANSWER_MAX: Duration = Duration::from_secs(90);

/// Others may hold a lock for as long as a step of theirs takes.
const LIMITS: PgLimits = PgLimits {
    statement: Duration::from_mins(1),
    lock: Duration::from_secs(30),
    idle: Duration::from_mins(1),
    is_durable: false,
};

/// A connection, and the task that drives it; dropping it ends both.
#[derive(Debug)]
pub struct PgSession {
    database: String,
    client: Client,
    _driver: Driver,
    /// Whether a pooler of transactions is in between, which forgets what the connection was told.
    is_pooled: bool,
    /// Whether a transaction is open.
    is_open: AtomicBool,
}

impl PgSession {
    /// Connects.
    ///
    /// # Errors
    /// What the server or the network says.
    pub async fn open(database: &Database) -> Result<Self, DatabaseError> {
        let name = database.name();
        let connected = timeout(CONNECT_MAX, connect(database)).await;
        let connected = connected.map_err(|_| DatabaseError::Away {
            database: name.to_owned(),
            problem: format!("it did not let us in within {} s", CONNECT_MAX.as_secs()),
        })?;
        let (client, driver) = connected.map_err(of_database(name))?;
        let (is_pooled, is_open) = (database.is_pooled(), AtomicBool::new(false));
        let session = Self { database: name.to_owned(), client, _driver: driver, is_pooled, is_open };
        if !is_pooled {
            session.run(&LIMITS.of_session()).await?;
        }
        Ok(session)
    }

    /// Asks a question of any length, whose rows come one after the other: the server waits for the reader of the
    /// rows.
    pub async fn stream(&self, question: &str) -> Result<RowStream, DatabaseError> {
        let none: [(&(dyn ToSql + Sync), Type); 0] = [];
        let stream = self.client.query_typed_raw(question, none).await;
        stream.map_err(of_database(&self.database))
    }

    /// An error of a row of such a question.
    pub fn failed(&self, error: &tokio_postgres::Error) -> DatabaseError {
        self.problem(told(error))
    }

    /// Runs statements without answers: one transaction, all or none of them; or such as begin one, or end it.
    pub async fn run(&self, statements: &str) -> Result<(), DatabaseError> {
        let was_open = self.is_open.swap(leaves_open(statements), Ordering::AcqRel);
        let statements = match self.is_pooled {
            true if begins(statements) => LIMITS.begun(statements),
            true if !was_open => format!("{}; {statements}", LIMITS.of_transaction()).into(),
            _ => statements.into(),
        };
        self.answered(self.client.batch_execute(&statements)).await
    }

    /// Asks a question.
    pub async fn rows(&self, question: &str, terms: &[Term]) -> Result<Vec<Row>, DatabaseError> {
        let terms: Vec<_> = terms.iter().map(Term::typed).collect();
        let asked = self.client.query_typed(question, &terms);
        if !self.is_pooled || self.is_open.load(Ordering::Acquire) {
            return self.answered(asked).await;
        }
        let begin = LIMITS.begun("begin");
        let all = join3(self.client.batch_execute(&begin), asked, self.client.batch_execute("commit"));
        self.answered(async {
            let (before, rows, after) = all.await;
            before?;
            let rows = rows?;
            after.map(|()| rows)
        })
        .await
    }

    /// Asks questions, one after the other; returns the rows of all.
    pub async fn ask(&self, statements: &Statements) -> Result<Vec<Row>, DatabaseError> {
        let mut all = Vec::new();
        for (sql, terms) in statements.each() {
            all.extend(self.rows(sql, terms).await?);
        }
        Ok(all)
    }

    async fn answered<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, DatabaseError> {
        let late = |_| DatabaseError::Away {
            database: self.database.clone(),
            problem: format!("it did not answer within {} s", ANSWER_MAX.as_secs()),
        };
        timeout(ANSWER_MAX, answer).await.map_err(late)?.map_err(of_database(&self.database))
    }

    /// The text of a setting.
    pub async fn setting(&self, name: &str) -> Result<String, DatabaseError> {
        let rows = self.rows("select current_setting($1)", &[term(name.to_owned())]).await?;
        Ok(rows.first().map_or_else(String::new, |row| row.get(0)))
    }

    /// Returns whether a relation is there, by its qualified name.
    pub async fn has(&self, relation: &str) -> Result<bool, DatabaseError> {
        let rows = self.rows("select to_regclass($1) is not null", &[term(relation.to_owned())]).await?;
        Ok(rows.first().is_some_and(|row| row.get(0)))
    }

    /// An error about this database.
    pub fn problem(&self, problem: impl Into<String>) -> DatabaseError {
        DatabaseError::Database { database: self.database.clone(), problem: problem.into() }
    }
}
