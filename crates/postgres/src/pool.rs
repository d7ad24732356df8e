//! The connections to one database.

use crate::breaker::{Breaker, Shut};
use crate::connection::Connection;
use crate::databases::Database;
use crate::fault::Fault;
use crate::sharing::SharedConnections;
use crate::statements::Statements;
use crate::term::Term;
use deadpool::Runtime;
use deadpool::managed::{
    Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleError, RecycleResult, Timeouts,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;

/// How long somebody waits for a connection.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// How long somebody waits while the server has no connection left, and how often it is tried meanwhile.
const CROWDED_WAIT: Duration = Duration::from_millis(250);
const CROWDED_PAUSE: Duration = Duration::from_millis(25);

/// Makes connections to a database.
pub struct PgConnector {
    database: Database,
    idle_max: Duration,
    /// The runtime that drives connections, for callers of every thread.
    runtime: Handle,
    breaker: Arc<Breaker>,
}

impl Manager for PgConnector {
    type Type = Connection;
    type Error = Fault;

    async fn create(&self) -> Result<Connection, Fault> {
        // It may have been found away while the caller waited for its turn.
        self.breaker.pass()?;
        let (database, idle_max, breaker) = (self.database.clone(), self.idle_max, self.breaker.clone());
        let opened = self.runtime.spawn(async move { Connection::open(&database, idle_max, breaker).await });
        let opened = opened.await.unwrap_or_else(|_| Err(Fault::late()));
        match &opened {
            Err(Fault::Away(problem)) => self.breaker.note(Shut::Away(problem.clone())),
            Err(Fault::Crowded(problem)) => self.breaker.note_crowded(self.database.name(), problem),
            _ => {}
        }
        opened
    }

    async fn recycle(&self, connection: &mut Connection, _metrics: &Metrics) -> RecycleResult<Fault> {
        if connection.is_free() {
            return Ok(());
        }
        Err(RecycleError::message("the server has ended it, or whoever had it has gone in the midst"))
    }
}

/// A connection that goes back to its pool.
pub type Pooled = Object<PgConnector>;

/// So many connections to a database, and no more.
pub struct Connections {
    pool: Pool<PgConnector>,
    breaker: Arc<Breaker>,
    sharing: SharedConnections<Pooled>,
    /// Whether a pooler of transactions is in between.
    is_pooled: bool,
}

impl Connections {
    /// A pool of connections, which are made when they are needed.
    ///
    /// # Errors
    /// Never in practice: the pool is built with the runtime that it waits on.
    pub fn new(
        database: &Database,
        size: usize,
        idle_max: Duration,
        breaker: &Arc<Breaker>,
    ) -> Result<Self, Fault> {
        let timeouts = Timeouts { wait: Some(WAIT_MAX), create: Some(WAIT_MAX * 3), recycle: Some(WAIT_MAX) };
        let pool = Pool::builder(PgConnector {
            database: database.clone(),
            idle_max,
            runtime: Handle::current(),
            breaker: breaker.clone(),
        });
        // The connection that came back last is taken first: its server process, and what that has in its caches, are awake.
        let pool = pool
            .max_size(size)
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .timeouts(timeouts)
            .build();
        let pool = pool.map_err(|error| Fault::Refused(error.to_string()))?;
        let (sharing, is_pooled) = (SharedConnections::new(), database.is_pooled());
        Ok(Self { pool, breaker: breaker.clone(), sharing, is_pooled })
    }

    /// Takes a connection.
    pub async fn take(&self) -> Result<Pooled, Fault> {
        let crowded_until = Instant::now() + CROWDED_WAIT;
        loop {
            match self.take_once().await {
                // One of its own may become free.
                Err(Fault::Crowded(_)) if Instant::now() < crowded_until => sleep(CROWDED_PAUSE).await,
                taken => return taken,
            }
        }
    }

    async fn take_once(&self) -> Result<Pooled, Fault> {
        self.breaker.pass()?;
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(fault) => fault,
            PoolError::Timeout(_) => Fault::Again("no connection became free in time".to_owned()),
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
                Fault::Away("its connections are closed".to_owned())
            }
        })
    }
}

impl Connections {
    /// Asks questions outside of a transaction, all at once; returns the rows of each.
    pub async fn ask(&self, statements: &Statements) -> Result<Vec<Vec<Row>>, Fault> {
        let connection = self.take().await?;
        let answer = statements.send(&connection, "", "").await;
        if answer.as_ref().is_err_and(Fault::is_away) {
            discard(connection);
        }
        answer
    }

    /// Asks a question of one statement outside of a transaction, beside the questions of others.
    pub async fn question(&self, sql: &'static str, terms: Vec<Term>) -> Result<Vec<Row>, Fault> {
        if self.is_pooled {
            // The pooler gives the connection to others between two statements.
            return self.rows(&Statements::one(sql, terms)).await;
        }
        self.sharing.one(self.take()).await?.question(&(sql, terms)).await
    }

    /// Asks questions in the same way; returns the rows of all.
    pub async fn rows(&self, statements: &Statements) -> Result<Vec<Row>, Fault> {
        Ok(self.ask(statements).await?.into_iter().flatten().collect())
    }
}

/// Ends a connection that is in an unknown state, instead of giving it back.
pub fn discard(connection: Pooled) {
    drop(Object::take(connection));
}

/// Ends a transaction that went wrong.
pub async fn abandon(connection: Pooled, fault: &Fault) {
    if fault.is_away() {
        discard(connection);
    } else {
        undo(connection).await;
    }
}

/// Ends a transaction that is to change nothing.
pub async fn undo(connection: Pooled) {
    if !connection.is_open() || connection.run("rollback").await.is_err() {
        discard(connection);
    }
}
