//! Lanes: the writes to a quarter of a database's genes, taken together in one transaction after the other.
//!
//! Batches of different lanes lock different shards, whichever processes they are of, so that they never wait for each other.
//! A shard whose row another session holds is waited for apart, so that the others of its lane go on.
//! What is no user's has a lane of its own in the first database, whose batches lock the row with the version of settings instead.

mod apart;
mod attempt;
mod batch;
mod scope;
mod size;
mod tries;

pub(crate) use attempt::missing;

use crate::store::ClusterCore;
use guanxi_model::{Error, Gene, Reason, Result, Write};
use guanxi_shard::batch::{ShardAnswer, ShardWork};
use scope::LaneScope;
use std::sync::{Arc, Weak};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tries::BatchTries;

/// Lanes of a database.
pub(crate) const LANES: usize = 4;

/// Writes that wait for a lane; more are refused.
const WAITING_MAX: usize = 1_024;

/// Work that waits for its lane.
struct LaneJob {
    home: Gene,
    work: ShardWork,
    since: Instant,
    reply: oneshot::Sender<Result<ShardAnswer>>,
}

/// The lanes of all databases of a process.
pub(crate) struct Lanes {
    queues: Vec<[mpsc::Sender<LaneJob>; LANES]>,
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
            let lane = batch::LaneTask::new(Arc::downgrade(shared), tries, jobs);
            tasks.push(tokio::spawn(lane.run()));
            queue
        };
        let queues = (0..shared.served.len())
            .map(|database| std::array::from_fn(|_| start(database, LaneScope::Shards)));
        let queues = queues.collect();
        let settings = start(0, LaneScope::Settings);
        Self { queues, settings, tasks }
    }

    /// Does something in a shard, and answers when it is durable.
    ///
    /// # Errors
    /// `OVERLOADED` when too much waits; every reason that refuses the write as a whole; `SHARD_UNAVAILABLE`,
    /// `OUTCOME_UNKNOWN`.
    pub(crate) async fn run(&self, database: usize, home: Gene, work: ShardWork) -> Result<ShardAnswer> {
        run(&self.queues[database][usize::from(home.0) % LANES], home, work).await
    }

    /// Does a write of what is no user's, and answers when it is durable.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub(crate) async fn set(&self, write: Write) -> Result<ShardAnswer> {
        // It has no shard; its lane asks for none.
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

/// The answer of a lane for which too much waits.
const fn overloaded() -> Error {
    Error::new(Reason::Overloaded { retry_after_ms: OVERLOADED_RETRY_MS })
}

/// When a caller that a full lane refused may try again: a few batches later.
const OVERLOADED_RETRY_MS: u32 = 50;

impl Drop for Lanes {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// What a lane has of the store: nothing once that is closed.
type Store = Weak<ClusterCore>;
