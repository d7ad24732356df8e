//! Lanes: the writes to a quarter of a database's genes, taken together in one transaction after the other.
//!
//! Batches of different lanes lock different shards, whichever processes they are of, so that they never wait for each other.
//! A shard whose row another session holds is waited for apart, so that the others of its lane go on.
//! What is no user's has a lane of its own in the first database, whose batches lock the row with the version of settings instead.

mod apart;
mod attempt;
mod batch;
mod between;
mod scope;
mod size;
mod tries;

pub(crate) use attempt::missing;
pub(crate) use between::{FinishWork, pair_of};

use crate::rows::{Asking, ForeignRows, Pair};
use crate::store::ClusterCore;
use guanxi_model::plan::Planned;
use guanxi_model::{Error, Gene, Outcome, PairCommand, Position, Reason, RequestKey, Result, Stamp, Write};
use std::sync::{Arc, Weak};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Lanes of a database.
pub(crate) const LANES: usize = 4;

/// The lane of what is no user's, of the first database alone.
const SETTINGS_LANE: usize = LANES;

/// By how much the numbers of a lane differ in the notes of batches.
const NUMBERS: usize = 2 * APART;

/// By how much the number of a lane differs from that of its batches apart.
const APART: usize = LANES + 1;

/// Writes that wait for a lane; more are refused.
const WAITING_MAX: usize = 1_024;

/// What is done in one shard.
#[derive(Clone, Debug)]
pub(crate) enum LaneWork {
    /// A write, all of whose commands have their home there.
    Write(Write),
    /// A write of one command, for every state between the two users: its caller goes on in the other's shard.
    Meet(Write),
    /// The sender of a request takes it back, in the shard of the receiver.
    TakeBack(PairCommand, Option<RequestKey>),
    /// What was reserved in the shard of the sender is asked in that of the receiver.
    Ask(Asking, Option<RequestKey>),
    /// An abandoned reservation is given back, if there is one of a mark, and a rejection whose time is over is forgotten.
    Release(Pair, Option<Stamp>),
    /// The end of a write whose step before was in the shard of the other user.
    Finish(Box<FinishWork>),
    /// What the parts of a write came to that were done one by one, and where that stands.
    Keep(RequestKey, Vec<Outcome>, Position),
    /// A write about posts, all of whose commands have their home there, with what other shards said of the rows that it reads.
    Judged(Write, Arc<ForeignRows>),
    /// Says of what was answered under a request id where it stands in the shards of both users.
    Seal(RequestKey, Position),
    /// Only what was answered under a request id.
    Recall(RequestKey),
}

/// The result of the work.
#[derive(Clone, Debug)]
pub(crate) struct LaneAnswer {
    /// The outcomes; none of what was asked for and is not there.
    pub planned: Planned,
    /// Where the shard stands after it.
    pub position: Position,
    /// Which things of the write meet a request: nothing is done then, since they have to be done one by one.
    pub concerned: Vec<usize>,
    /// What is to be asked in the shards of others, for which places are reserved.
    pub asking: Vec<Asking>,
    /// The only command takes a request back, which the other's shard decides: nothing is done here.
    pub takes_back: bool,
    /// Whether it reads rows of other shards that were not asked for, so that nothing of it took place.
    pub is_behind: bool,
}

/// Work that waits for its lane.
struct LaneJob {
    home: Gene,
    work: LaneWork,
    since: Instant,
    reply: oneshot::Sender<Result<LaneAnswer>>,
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
        let mut start = |database, lane| {
            let (queue, jobs) = mpsc::channel(WAITING_MAX);
            let lane = batch::LaneTask::new(Arc::downgrade(shared), (database, lane), jobs);
            tasks.push(tokio::spawn(lane.run()));
            queue
        };
        let queues =
            (0..shared.served.len()).map(|database| std::array::from_fn(|lane| start(database, lane)));
        let queues = queues.collect();
        let settings = start(0, SETTINGS_LANE);
        Self { queues, settings, tasks }
    }

    /// Does something in a shard, and answers when it is durable.
    ///
    /// # Errors
    /// `OVERLOADED` when too much waits; every reason that refuses the write as a whole; `SHARD_UNAVAILABLE`,
    /// `OUTCOME_UNKNOWN`.
    pub(crate) async fn run(&self, database: usize, home: Gene, work: LaneWork) -> Result<LaneAnswer> {
        run(&self.queues[database][usize::from(home.0) % LANES], home, work).await
    }

    /// Does a write of what is no user's, and answers when it is durable.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub(crate) async fn set(&self, write: Write) -> Result<LaneAnswer> {
        // It has no shard; its lane asks for none.
        run(&self.settings, Gene(0), LaneWork::Write(write)).await
    }
}

async fn run(queue: &mpsc::Sender<LaneJob>, home: Gene, work: LaneWork) -> Result<LaneAnswer> {
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
