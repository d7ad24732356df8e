//! A lane at work: what waits is taken together, tried until it is settled, and answered.

use super::attempt::{Attempt, attempt, settle};
use super::{LaneAnswer, LaneJob, LaneWork, NUMBERS, Store};
use crate::postgres::Fault;
use crate::store::ClusterCore;
use guanxi_model::{Error, Gene, Reason, Result};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Commands of one batch.
const BATCH_COMMANDS_MAX: usize = 256;

/// Shards of one batch.
const BATCH_SHARDS_MAX: usize = 64;

/// How long a batch is tried.
const TRIED_MAX: Duration = Duration::from_secs(3);

/// How long it is tried while the database cannot be reached.
const AWAY_TRIED_MAX: Duration = Duration::from_millis(300);

/// How long an unknown outcome is looked for.
const SETTLED_MAX: Duration = Duration::from_secs(10);

/// How long all of a lane waits for that; then only what concerns the same shards is refused.
const SETTLED_SOON: Duration = Duration::from_millis(500);

/// How long a lane waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// The highest number of a lane in the notes of batches.
const NUMBER_MAX: usize = 32_000;

/// A lane of one database.
pub(super) struct LaneTask {
    shared: Store,
    jobs: mpsc::Receiver<LaneJob>,
    tries: BatchTries,
    /// The batch at work, and one whose outcome is not known for long. They end with the lane.
    running: JoinSet<BatchTries>,
    /// The shards of the batch whose outcome is not known.
    held: BTreeSet<Gene>,
}

impl LaneTask {
    /// A lane without anything to do.
    pub(super) fn new(
        shared: Store,
        (database, lane): (usize, usize),
        jobs: mpsc::Receiver<LaneJob>,
    ) -> Self {
        let tries = BatchTries { database, lane, batches: 0 };
        Self { shared, jobs, tries, running: JoinSet::new(), held: BTreeSet::new() }
    }

    /// Works until the store is closed.
    pub(super) async fn run(mut self) {
        let mut next = None;
        loop {
            let first = match next.take() {
                Some(job) => job,
                None => match self.jobs.recv().await {
                    Some(job) => job,
                    None => return,
                },
            };
            let Some(shared) = self.shared.upgrade() else { return };
            if self.running.try_join_next().is_some() {
                self.held.clear();
            }
            let (batch, rest) = self.take(first);
            next = rest;
            let (held, batch): (Vec<LaneJob>, Vec<LaneJob>) =
                batch.into_iter().partition(|job| self.held.contains(&job.home));
            for job in held {
                let error = Fault::Again("nobody knows what came of a commit to this shard".to_owned());
                drop(job.reply.send(Err(error.told())));
            }
            if !batch.is_empty() {
                self.answered(shared, batch).await;
            }
        }
    }

    /// Takes what waits, and what did not fit any more.
    fn take(&mut self, first: LaneJob) -> (Vec<LaneJob>, Option<LaneJob>) {
        let (mut genes, mut commands) = (BTreeSet::from([first.home]), first.work.len());
        let mut batch = vec![first];
        while let Ok(job) = self.jobs.try_recv() {
            commands += job.work.len();
            genes.insert(job.home);
            if commands > BATCH_COMMANDS_MAX || genes.len() > BATCH_SHARDS_MAX {
                return (batch, Some(job));
            }
            batch.push(job);
        }
        (batch, None)
    }

    /// Has a batch answered. If its outcome is not known for long, it goes on apart under the lane's number, by which it is
    /// looked for; later batches have another number.
    async fn answered(&mut self, shared: Arc<ClusterCore>, batch: Vec<LaneJob>) {
        let (genes, hangs) = (batch.iter().map(|job| job.home).collect(), Arc::new(Notify::new()));
        let current = self.running.spawn(answer(shared, self.tries, batch, hangs.clone())).id();
        loop {
            tokio::select! {
                Some(ended) = self.running.join_next_with_id() => match ended {
                    Ok((id, tries)) if id == current => {
                        self.tries = tries;
                        return;
                    }
                    Err(error) if error.id() == current => {
                        self.tries = self.tries.renumbered();
                        return;
                    }
                    _ => self.held.clear(),
                },
                () = hangs.notified(), if self.held.is_empty() => {
                    self.held = genes;
                    self.tries = self.tries.renumbered();
                    return;
                }
            }
        }
    }
}

/// Does a batch. What cannot be done because of one of its writes is done one by one.
async fn answer(
    shared: Arc<ClusterCore>,
    mut tries: BatchTries,
    batch: Vec<LaneJob>,
    hangs: Arc<Notify>,
) -> BatchTries {
    let work: Vec<(Gene, LaneWork)> = batch.iter().map(|job| (job.home, job.work.clone())).collect();
    let answers = match tries.settled(&shared, &work, &hangs).await {
        Ok(answers) => answers,
        Err(error) if error.reason == Reason::Internal && work.len() > 1 => {
            let mut answers = Vec::with_capacity(work.len());
            for one in &work {
                let alone = tries.settled(&shared, std::slice::from_ref(one), &hangs).await;
                answers.push(alone.and_then(|mut answers| {
                    answers.pop().unwrap_or_else(|| Err(Error::new(Reason::Internal)))
                }));
            }
            answers
        }
        Err(error) => work.iter().map(|_| Err(error.clone())).collect(),
    };
    for (job, answer) in batch.into_iter().zip(answers) {
        if let Ok(answer) = &answer {
            let at = answer.position.in_log(guanxi_model::Logs::PerGene.of_gene(job.home));
            shared.note_wrote(job.home, at.seq());
        }
        // No caller waits any more for a job that was given up.
        drop(job.reply.send(answer));
    }
    tries
}

/// Where and under which numbers batches are tried.
#[derive(Clone, Copy)]
struct BatchTries {
    database: usize,
    /// The number of the lane in the notes of batches.
    lane: usize,
    /// The number of the last batch.
    batches: i64,
}

impl BatchTries {
    /// The same lane under another number.
    const fn renumbered(self) -> Self {
        let lane = if self.lane < NUMBER_MAX { self.lane + NUMBERS } else { self.lane % NUMBERS };
        Self { lane, ..self }
    }

    /// Tries a batch until its outcome is known; `hangs` is notified when that takes long.
    async fn settled(
        &mut self,
        shared: &Arc<ClusterCore>,
        work: &[(Gene, LaneWork)],
        hangs: &Notify,
    ) -> Result<Vec<Result<LaneAnswer>>> {
        let began = Instant::now();
        loop {
            self.batches += 1;
            let fault = match attempt(shared, self.database, (self.lane, self.batches), work).await {
                Attempt::Done(answers) => return Ok(answers),
                Attempt::Unknown(answers, committed) => match self.look(shared, work, hangs).await {
                    Some(true) => {
                        committed.note(shared);
                        return Ok(answers);
                    }
                    Some(false) => {
                        Fault::Again("the answer to a commit that did not take place was lost".into())
                    }
                    None => return Err(Error::new(Reason::OutcomeUnknown)),
                },
                Attempt::Moved => {
                    if let Err(error) = shared.reload().await {
                        tracing::debug!(%error, "the map cannot be read");
                    }
                    Fault::Again("a shard is moving".to_owned())
                }
                Attempt::Failed(fault) => fault,
            };
            // A database that is away is away for every waiting job; a connection that had ended is replaced at once.
            let is_short = matches!(fault, Fault::Away(_) | Fault::Crowded(_));
            let tries_until = began + if is_short { AWAY_TRIED_MAX } else { TRIED_MAX };
            let goes_on = (is_short || matches!(fault, Fault::Again(_))) && Instant::now() < tries_until;
            if !goes_on {
                return Err(fault.told());
            }
            sleep(PAUSE).await;
        }
    }

    /// Looks whether the last batch took place; `None` while the database is out of reach.
    async fn look(
        &self,
        shared: &Arc<ClusterCore>,
        work: &[(Gene, LaneWork)],
        hangs: &Notify,
    ) -> Option<bool> {
        let genes: BTreeSet<Gene> = work.iter().map(|(home, _)| *home).collect();
        let began = Instant::now();
        loop {
            match settle(shared, self.database, (self.lane, self.batches), &genes).await {
                Ok(took_place) => return Some(took_place),
                Err(_) if began.elapsed() < SETTLED_MAX => {}
                Err(_) => return None,
            }
            if began.elapsed() >= SETTLED_SOON {
                hangs.notify_one();
            }
            sleep(PAUSE).await;
        }
    }
}

impl LaneWork {
    /// Returns how many commands it counts as.
    fn len(&self) -> usize {
        match self {
            Self::Write(write) | Self::Meet(write) | Self::Judged(write, _) => write.len().max(1),
            _ => 1,
        }
    }
}
