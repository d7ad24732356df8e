//! A connection that serves: its statements are prepared once and sent without waiting for each other.

use crate::breaker::{Breaker, Shut};
use crate::connect::{Driver, connect};
use crate::databases::Database;
use crate::fault::Fault;
use crate::limits::{PgLimits, leaves_open};
use crate::term::Term;
use futures_util::future::{join, join_all, try_join_all};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::{Client, Row, Statement};

/// How long a database may take to let us in.
const CONNECT_MAX: Duration = Duration::from_millis(1_200);

/// How long a database may answer nothing to anybody while a question waits: then it is away. Callers are refused before their
/// deadlines.
const SILENT_MAX: Duration = Duration::from_millis(1_200);

/// How long one answer may take while others come; the server's own limits are below that.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// How long a plan of a statement is used. The server keeps a plan until it next looks through the tables, a minute later or more. A
/// plan of when a table had a few rows reads all of it, and by then it may have a hundred thousand.
const PLANS_FOR: Duration = Duration::from_secs(10);

/// Has the server plan the statements of a connection anew.
const PLAN_ANEW: &str = "discard plans";

/// The limits of every statement that a caller waits for; `idle` is the pool's.
const fn limits(idle: Duration) -> PgLimits {
    PgLimits { statement: Duration::from_secs(2), lock: Duration::from_millis(500), idle, is_durable: true }
}

/// The limits of a connection for long questions, which no caller waits for.
const PATIENT: PgLimits = PgLimits {
    statement: Duration::from_mins(1),
    lock: Duration::from_secs(10),
    idle: Duration::from_mins(1),
    is_durable: true,
};
const PATIENT_WAITS: AnswerWaits =
    AnswerWaits { one: Duration::from_secs(90), silence: Duration::from_secs(90) };

/// How long answers may take.
#[derive(Clone, Copy, Debug)]
struct AnswerWaits {
    /// One answer.
    one: Duration,
    /// Any answer of the database.
    silence: Duration,
}

/// A connection, and the task that drives it; dropping it ends both, and the server undoes what was not committed.
pub struct Connection {
    client: Client,
    _driver: Driver,
    /// What is prepared. The texts are those of this program, so that there are not more of them than it has.
    statements: Mutex<HashMap<&'static str, Statement>>,
    waits: AnswerWaits,
    /// What each transaction is told where a pooler of transactions is in between, for which statements have no names, either;
    /// none where the whole connection was told it.
    pooled: Option<PgLimits>,
    /// When its statements were last planned anew.
    planned: Mutex<Instant>,
    /// Whether every answer is there and no transaction is open: a caller may have gone in the midst.
    is_idle: AtomicBool,
    /// Whether an answer did not come in time, or its caller did not wait for it: nothing is asked on it any more.
    is_lost: AtomicBool,
    /// What is known of the database, and how often it had been away when this was opened.
    breaker: Arc<Breaker>,
    times_away: u64,
}

impl Connection {
    /// Connects.
    ///
    /// A transaction that is idle for longer than `idle_max` is ended by the server: the process that began it may be
    /// stopped, and holds locks or a moment.
    pub async fn open(database: &Database, idle_max: Duration, breaker: Arc<Breaker>) -> Result<Self, Fault> {
        let waits = AnswerWaits { one: ANSWER_MAX, silence: SILENT_MAX };
        Self::open_with(database, limits(idle_max), waits, breaker).await
    }

    /// Connects for long questions.
    pub async fn open_patient(database: &Database) -> Result<Self, Fault> {
        Self::open_with(database, PATIENT, PATIENT_WAITS, Arc::default()).await
    }

    async fn open_with(
        database: &Database,
        limits: PgLimits,
        waits: AnswerWaits,
        breaker: Arc<Breaker>,
    ) -> Result<Self, Fault> {
        let times_away = breaker.times();
        let (client, driver) = timeout(CONNECT_MAX, connect(database)).await.map_err(|_| Fault::late())??;
        let opened = Self {
            client,
            _driver: driver,
            statements: Mutex::default(),
            waits,
            pooled: database.is_pooled().then_some(limits),
            planned: Mutex::new(Instant::now()),
            is_idle: AtomicBool::new(true),
            is_lost: AtomicBool::new(false),
            breaker,
            times_away,
        };
        if opened.pooled.is_none() {
            opened.run(&limits.of_session()).await?;
        }
        Ok(opened)
    }

    /// Returns whether somebody else may ask on it: the server has not ended it, and was not away since it was opened, and
    /// nothing on it is left half done.
    pub fn is_free(&self) -> bool {
        self.is_open() && self.is_idle.load(Ordering::Acquire) && self.breaker.times() == self.times_away
    }

    /// Returns whether anything can be asked on it.
    pub fn is_open(&self) -> bool {
        !self.client.is_closed() && !self.is_lost.load(Ordering::Acquire)
    }

    /// Runs statements without terms or answers: such as begin a transaction, end one, or both.
    pub async fn run(&self, statements: &str) -> Result<(), Fault> {
        self.is_idle.store(false, Ordering::Release);
        self.in_time(self.client.batch_execute(&self.begun(statements))).await?;
        self.is_idle.store(!leaves_open(statements), Ordering::Release);
        Ok(())
    }

    /// A text with what a transaction that begins there is told.
    fn begun<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.pooled.map_or(Cow::Borrowed(text), |limits| limits.begun(text))
    }

    /// Sends `before`, all questions and `after` at once, in this order, and waits for all answers. An empty text is not sent.
    /// The first thing that went wrong is the error.
    pub async fn pipeline(
        &self,
        before: &str,
        asks: &[(&'static str, Vec<Term>)],
        after: &str,
    ) -> Result<Vec<Vec<Row>>, Fault> {
        let was_idle = self.is_idle.swap(false, Ordering::AcqRel);
        // Outside of a transaction nothing could be told to the server behind a pooler.
        let is_alone = self.pooled.is_some() && was_idle && before.is_empty() && after.is_empty();
        let (before, after) = if is_alone { ("begin", "commit") } else { (before, after) };
        let statements = self.prepared(asks).await?;
        let (begins, ends) = (!before.is_empty(), !after.is_empty());
        let before = self.begun(before);
        let anew = if self.plans_anew() { PLAN_ANEW } else { "" };
        let said = async |text: &str| {
            if text.is_empty() { Ok(()) } else { self.client.batch_execute(text).await }
        };
        let questions =
            asks.iter().zip(&statements).map(|(ask, statement)| self.asked(ask, statement.as_ref()));
        // Each is sent when it is polled first, and `join` polls in order.
        let all = futures_util::future::join4(said(anew), said(&before), join_all(questions), said(after));
        let (anew, before, answers, after) = self.timed(all).await?;
        // What comes before opens a transaction, and what comes after ends it, also one that has failed.
        let is_idle = if ends { after.is_ok() } else { was_idle && !begins };
        self.is_idle.store(is_idle, Ordering::Release);
        anew.and(before)?;
        let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        after?;
        Ok(answers)
    }

    /// Asks a question outside of a transaction, beside others on the same connection. If its caller goes in the midst, the connection
    /// takes no more: the server still works for that caller, and later questions would wait behind it.
    pub(crate) async fn question(&self, ask: &(&'static str, Vec<Term>)) -> Result<Vec<Row>, Fault> {
        let mut asking = SharedAsk { connection: self, is_answered: false };
        let answer = self.answered(ask).await;
        asking.is_answered = true;
        answer
    }

    async fn answered(&self, ask: &(&'static str, Vec<Term>)) -> Result<Vec<Row>, Fault> {
        let statements = self.prepared(std::slice::from_ref(ask)).await?;
        let asked = self.asked(ask, statements.first().and_then(Option::as_ref));
        if !self.plans_anew() {
            return self.in_time(asked).await;
        }
        let (anew, answer) = self.timed(join(self.client.batch_execute(PLAN_ANEW), asked)).await?;
        anew?;
        Ok(answer?)
    }

    /// Whether it is time to plan statements anew, which its caller does then. Statements without names are planned each time.
    fn plans_anew(&self) -> bool {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = self.pooled.is_none() && planned.elapsed() >= PLANS_FOR;
        if is_time {
            *planned = Instant::now();
        }
        is_time
    }

    /// Sends a question: as a statement that was prepared, or without a name.
    async fn asked(
        &self,
        (sql, terms): &(&'static str, Vec<Term>),
        statement: Option<&Statement>,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        match statement {
            Some(statement) => {
                let terms: Vec<_> = terms.iter().map(Term::value).collect();
                self.client.query(statement, &terms).await
            }
            None => self.client.query_typed(sql, &terms.iter().map(Term::typed).collect::<Vec<_>>()).await,
        }
    }

    /// The statements of questions; those that are not there yet are prepared, all at once. None where a pooler gives the
    /// connection to others, who have statements of the same names.
    async fn prepared(&self, asks: &[(&'static str, Vec<Term>)]) -> Result<Vec<Option<Statement>>, Fault> {
        if self.pooled.is_some() {
            return Ok(vec![None; asks.len()]);
        }
        let missing: BTreeSet<&'static str> = {
            let known = self.statements();
            asks.iter().map(|(sql, _)| *sql).filter(|sql| !known.contains_key(sql)).collect()
        };
        if !missing.is_empty() {
            let prepare = async |sql| Ok((sql, self.client.prepare(sql).await?));
            let prepared = self.in_time(try_join_all(missing.into_iter().map(prepare))).await?;
            self.statements().extend(prepared);
        }
        let known = self.statements();
        asks.iter().map(|(sql, _)| known.get(sql).cloned().map(Some).ok_or_else(Fault::late)).collect()
    }

    async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        Ok(self.timed(answer).await??)
    }

    /// Waits for an answer as long as one may take, and for any answer of the database as long as it may be silent. After that,
    /// later callers learn that the database gives no answers.
    async fn timed<T>(&self, answer: impl Future<Output = T>) -> Result<T, Fault> {
        // In a box, since it would be in the futures of all callers twice.
        let (asked, mut answer) = (Instant::now(), Box::pin(answer));
        loop {
            let heard = self.breaker.heard().map_or(asked, |heard| heard.max(asked));
            let until = (heard + self.waits.silence).min(asked + self.waits.one);
            if let Ok(answer) = timeout_at(until, answer.as_mut()).await {
                self.breaker.note_heard();
                return Ok(answer);
            }
            let is_heard = self.breaker.heard().is_some_and(|again| again > heard);
            if !is_heard || asked.elapsed() >= self.waits.one {
                break;
            }
        }
        self.is_lost.store(true, Ordering::Release);
        let late = Fault::late();
        self.breaker.note(Shut::Away(late.to_string()));
        Err(late)
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<&'static str, Statement>> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question under way.
struct SharedAsk<'a> {
    connection: &'a Connection,
    is_answered: bool,
}

impl Drop for SharedAsk<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.connection.is_lost.store(true, Ordering::Release);
        }
    }
}
