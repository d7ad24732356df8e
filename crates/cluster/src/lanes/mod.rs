//! Lanes: the writes to a database, of which those that wait are taken together in one transaction.
//!
//! No two batches at once are about one shard, so that those of one process never wait for each other. A shard whose row another
//! session holds is waited for apart, so that the others of its batch go on.
//! What is no user's has batches of its own in the first database, which lock the row with the version of settings instead.

mod apart;
mod attempt;
mod batch;
mod scope;
mod size;
mod tries;
mod waiting;

pub(crate) use attempt::missing;

use crate::store::ClusterCore;
use batch::BatchTask;
use guanxi_model::{Error, Gene, Reason, Result, Write};
use guanxi_shard::batch::{ShardAnswer, ShardWork};
use scope::LaneScope;
use std::sync::{Arc, Weak};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tries::BatchTries;

/// Batches at once in a database.
pub(crate) const LANES: usize = 4;

/// Writes that wait for a database, and as many in its queue; more are refused.
const WAITING_MAX: usize = 2_048;

/// Work that waits for a batch.
struct LaneJob {
    home: Gene,
    work: ShardWork,
    since: Instant,
    reply: oneshot::Sender<Result<ShardAnswer>>,
}

/// The lanes of all databases of a process.
pub(crate) struct Lanes {
    /// Of each database.
    queues: Vec<mpsc::Sender<LaneJob>>,
    /// What is no user's.
    settings: mpsc::Sender<LaneJob>,
    tasks: Vec<JoinHandle<()>>,
}

impl Lanes {
    /// Starts them.
    pub(crate) fn start(shared: &Arc<ClusterCore>) -> Self {
        let mut tasks = Vec::new();
        let mut start = |database, scope| {
            let (queue, jobs) = mpsc::channel(WAITING_MAX);
            let tries = BatchTries::new(database, scope);
            tasks.push(tokio::spawn(BatchTask::new(Arc::downgrade(shared), tries, jobs).run()));
            queue
        };
        let queues = (0..shared.served.len()).map(|database| start(database, LaneScope::Shards)).collect();
        let settings = start(0, LaneScope::Settings);
        Self { queues, settings, tasks }
    }

    /// Does something in a shard, and answers when it is durable.
    ///
    /// # Errors
    /// `OVERLOADED` when too much waits; every reason that refuses the write as a whole; `SHARD_UNAVAILABLE`,
    /// `OUTCOME_UNKNOWN`.
    pub(crate) async fn run(&self, database: usize, home: Gene, work: ShardWork) -> Result<ShardAnswer> {
        run(&self.queues[database], home, work).await
    }

    /// Does a write of what is no user's, and answers when it is durable.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub(crate) async fn set(&self, write: Write) -> Result<ShardAnswer> {
        // It has no shard, and asks for none.
        run(&self.settings, Gene(0), ShardWork::Write(write)).await
    }
}

async fn run(queue: &mpsc::Sender<LaneJob>, home: Gene, work: ShardWork) -> Result<ShardAnswer> {
    let (reply, answer) = oneshot::channel();
    queue.try_send(LaneJob { home, work, since: Instant::now(), reply }).map_err(|error| match error {
        mpsc::error::TrySendError::Full(_) => overloaded(),
        mpsc::error::TrySendError::Closed(_) => Error::new(Reason::ShuttingDown),
    })?;
    answer.await.map_err(|_| Error::new(Reason::OutcomeUnknown))?
}

/// The answer of a database for which too much waits.
const fn overloaded() -> Error {
    Error::new(Reason::Overloaded { retry_after_ms: OVERLOADED_RETRY_MS })
}

/// When a caller that was refused so may try again: a few batches later.
const OVERLOADED_RETRY_MS: u32 = 50;

impl Drop for Lanes {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// What a task has of the store: nothing once that is closed.
type Store = Weak<ClusterCore>;
