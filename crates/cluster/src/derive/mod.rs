//! What follows from the events of one shard in others: the reverse edges, the marks of friends, and what a block, a
//! friendship or an answer to a request commands.
//!
//! For each two databases a task applies the events of the logs of one to the other: many logs in one transaction, each log in
//! order and each event once. The commit of the effects also writes how far a log is applied. Callers that need something
//! applied ask these tasks: writers before they answer, readers with a token, and the follower of the logs. One database that
//! is slow or away holds up what follows from its own logs, and in its own shards, and nothing else. A shard whose row another
//! session holds is left [behind](marks), and what it waits for is applied apart.

mod apply;
mod behind;
mod commit;
mod follower;
mod late;
mod marks;
mod source;
mod wakes;

pub(crate) use follower::{carry_logs, look_at_logs};
pub(crate) use late::{LogPlace, arriving, place_of, take_in_late};
pub(crate) use marks::{AppliedMarks, all_marks, marks, read_marks};
pub(crate) use source::{SourceRead, Span, read as read_source};
pub(crate) use wakes::{LogWake, hear_others, tell_others};

use crate::store::ClusterCore;
use futures_util::future::join_all;
use guanxi_model::{Error, Gene, Reason, Result};
use guanxi_postgres::Fault;
use guanxi_shard::apply::Targets;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The callers that may wait for something to be applied; more are refused.
const WAITING_MAX: usize = 4_096;

/// How long a caller waits for rows that others hold, and after which pause they are tried again.
const HELD_WAIT: Duration = Duration::from_millis(700);
const HELD_PAUSE: Duration = Duration::from_millis(20);

/// Up to where logs are to be applied.
pub(crate) type Marks = BTreeMap<Gene, u64>;

struct ApplyJob {
    marks: Marks,
    targets: Targets,
    reply: oneshot::Sender<Result<()>>,
}

/// What applies the logs of one database to another.
struct Applier {
    queue: mpsc::Sender<ApplyJob>,
    task: JoinHandle<()>,
}

/// What applies logs to one database.
struct ApplyTarget {
    applied: Arc<AppliedMarks>,
    /// By the database that has the logs.
    sources: Vec<Applier>,
}

/// What applies events to each database of a process.
pub(crate) struct Appliers {
    shared: Weak<ClusterCore>,
    targets: Vec<ApplyTarget>,
}

impl Appliers {
    /// Starts them.
    pub(crate) fn start(shared: &Arc<ClusterCore>) -> Self {
        let databases = 0..shared.served.len();
        let start = |database| {
            let applied = Arc::new(AppliedMarks::new());
            let sources = databases.clone().map(|_| {
                let (queue, jobs) = mpsc::channel(WAITING_MAX);
                let task = tokio::spawn(run(Arc::downgrade(shared), database, applied.clone(), jobs));
                Applier { queue, task }
            });
            ApplyTarget { sources: sources.collect(), applied: applied.clone() }
        };
        Self { shared: Arc::downgrade(shared), targets: databases.clone().map(start).collect() }
    }

    /// Returns up to where the logs are known to be applied in a database.
    pub(crate) fn applied(&self, database: usize) -> &AppliedMarks {
        &self.targets[database].applied
    }

    /// Completes when logs are applied to some shards of a database up to given events.
    ///
    /// # Errors
    /// `SHARD_UNAVAILABLE` when one of the databases cannot be asked, or others hold the row of such a shard; `OVERLOADED`;
    /// `CLOCK_WRONG`.
    pub(crate) async fn reach(&self, database: usize, marks: Marks, targets: Targets) -> Result<()> {
        let (applied, began) = (&self.targets[database].applied, Instant::now());
        loop {
            if applied.include(&marks, &targets) {
                return Ok(());
            }
            let reached = self.ask(database, &marks, &targets).await;
            // A row that others hold may be free soon.
            let is_held = reached.is_err() && applied.include(&marks, &Targets::Free);
            if !is_held || began.elapsed() >= HELD_WAIT {
                return reached;
            }
            sleep(HELD_PAUSE).await;
        }
    }

    /// Has logs applied to a database, as far as no other session holds the rows of its shards. Returns whether no shard is behind.
    ///
    /// # Errors
    /// Those of [`reach`](Self::reach).
    pub(crate) async fn carry(&self, database: usize, marks: Marks) -> Result<bool> {
        self.ask(database, &marks, &Targets::Free).await?;
        Ok(self.targets[database].applied.include(&marks, &Targets::All))
    }

    /// Has logs applied once, as far as that goes.
    async fn ask(&self, database: usize, marks: &Marks, targets: &Targets) -> Result<()> {
        let shared = self.shared.upgrade().ok_or(Error::new(Reason::ShuttingDown))?;
        // What is derived has times of its own; other processes go on.
        shared.clock_watch.check()?;
        let map = shared.map();
        let mut by_source: BTreeMap<usize, Marks> = BTreeMap::new();
        for (source, seq) in marks {
            by_source.entry(map.database(*source)).or_default().insert(*source, *seq);
        }
        let sources = &self.targets[database].sources;
        let asked =
            by_source.into_iter().map(|(source, marks)| sources[source].reach(marks, targets.clone()));
        join_all(asked).await.into_iter().collect()
    }
}

impl Applier {
    async fn reach(&self, marks: Marks, targets: Targets) -> Result<()> {
        let (reply, done) = oneshot::channel();
        self.queue.try_send(ApplyJob { marks, targets, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Error::new(Reason::Overloaded { retry_after_ms: 50 }),
            mpsc::error::TrySendError::Closed(_) => Error::new(Reason::ShuttingDown),
        })?;
        done.await.map_err(|_| Error::new(Reason::ShuttingDown))?
    }
}

impl Drop for Appliers {
    fn drop(&mut self) {
        let all = self.targets.iter().flat_map(|target| &target.sources);
        all.for_each(|applier| applier.task.abort());
    }
}

/// Applies what is asked for, all that waits at once.
async fn run(
    shared: Weak<ClusterCore>,
    database: usize,
    applied: Arc<AppliedMarks>,
    mut jobs: mpsc::Receiver<ApplyJob>,
) {
    while let Some(first) = jobs.recv().await {
        let Some(shared) = shared.upgrade() else { return };
        let mut waiting = vec![first];
        while let Ok(job) = jobs.try_recv() {
            waiting.push(job);
        }
        let mut wanted = Marks::new();
        for (source, seq) in waiting.iter().flat_map(|job| &job.marks) {
            let mark = wanted.entry(*source).or_default();
            *mark = (*mark).max(*seq);
        }
        let failed = apply::apply(&shared, database, &applied, wanted).await;
        for job in waiting {
            let is_done = applied.include(&job.marks, &job.targets);
            let answer = if is_done { Ok(()) } else { Err(told(&failed, &job.marks)) };
            // No caller waits any more for a job that was given up.
            drop(job.reply.send(answer));
        }
    }
}

/// Returns why some logs were not applied: one of their own faults.
fn told(failed: &BTreeMap<Gene, String>, marks: &Marks) -> Error {
    let detail = marks.keys().find_map(|source| failed.get(source)).cloned();
    Fault::Away(detail.unwrap_or_else(|| "its events were not applied in time".to_owned())).told()
}
