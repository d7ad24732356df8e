//! Trying a batch until its outcome is known, and answering its callers.

use super::LaneJob;
use super::attempt::{Attempt, LostCommit, attempt};
use super::scope::LaneScope;
use crate::rows::{BEGIN_APART, BEGIN_SOON, held};
use crate::store::ClusterCore;
use guanxi_model::{Error, Gene, Reason, Result};
use guanxi_postgres::Fault;
use guanxi_shard::batch::{ShardAnswer, ShardWork};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a batch is tried: its callers are answered before their deadlines.
const TRIED_MAX: Duration = Duration::from_millis(1_200);

/// How long it is tried while the database cannot be reached.
const AWAY_TRIED_MAX: Duration = Duration::from_millis(300);

/// After how long, since its oldest write came, a batch is tried no more, and an unknown outcome is looked for no more: callers
/// are answered within the 2 s that a call has by default.
const ANSWERED_MAX: Duration = Duration::from_millis(1_600);

/// How long other writes wait for that; then only what concerns the same shards is refused.
const SETTLED_SOON: Duration = Duration::from_millis(500);

/// How long it waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// Is told that the outcome of a batch is not known for long.
pub(super) type Hangs<'a> = dyn Fn() + Sync + 'a;

/// Does a batch. What cannot be done because of one of its writes is done one by one. `leave` is given the work of shards whose
/// rows others hold, of which nothing was done and whose callers are not answered.
pub(super) async fn answer(
    shared: &Arc<ClusterCore>,
    tries: BatchTries,
    mut batch: Vec<LaneJob>,
    hangs: &Hangs<'_>,
    leave: &mut (dyn FnMut(LaneJob) + Send),
) {
    while !batch.is_empty() {
        let work: Vec<(Gene, ShardWork)> = batch.iter().map(|job| (job.home, job.work.clone())).collect();
        let since = batch.iter().map(|job| job.since).min().unwrap_or_else(Instant::now);
        match tries.settled(shared, &work, (since, hangs)).await {
            Ok(answers) => {
                batch.into_iter().zip(answers).for_each(|(job, answer)| job.answer(shared, answer));
                return;
            }
            Err(Unsettled::Held(genes)) => {
                let (held, rest): (Vec<LaneJob>, Vec<LaneJob>) =
                    batch.into_iter().partition(|job| genes.contains(&job.home));
                held.into_iter().for_each(&mut *leave);
                batch = rest;
            }
            Err(Unsettled::Refused(error)) if error.reason == Reason::Internal && batch.len() > 1 => {
                for (job, one) in batch.into_iter().zip(&work) {
                    match tries.settled(shared, std::slice::from_ref(one), (since, hangs)).await {
                        Ok(mut answers) => job.answer(shared, answers.pop().unwrap_or_else(no_answer)),
                        Err(Unsettled::Held(_)) => leave(job),
                        Err(Unsettled::Refused(error)) => job.answer(shared, Err(error)),
                    }
                }
                return;
            }
            Err(Unsettled::Refused(error)) => {
                batch.into_iter().for_each(|job| job.answer(shared, Err(error.clone())));
                return;
            }
        }
    }
}

fn no_answer() -> Result<ShardAnswer> {
    Err(Error::new(Reason::Internal))
}

impl LaneJob {
    /// Tells its caller, and the followers of the log.
    pub(super) fn answer(self, shared: &ClusterCore, answer: Result<ShardAnswer>) {
        if let Ok(answer) = &answer {
            let at = answer.position.in_log(guanxi_model::Logs::PerGene.of_gene(self.home));
            shared.note_wrote(self.home, at.seq());
        }
        // No caller waits any more for a job that was given up.
        drop(self.reply.send(answer));
    }
}

/// Why a batch was not done.
enum Unsettled {
    /// Others hold the rows of these shards.
    Held(BTreeSet<Gene>),
    /// It is refused.
    Refused(Error),
}

/// Where batches are tried, and how.
#[derive(Clone, Copy)]
pub(super) struct BatchTries {
    pub database: usize,
    pub scope: LaneScope,
    /// Whether it waits longer for the rows of shards.
    is_apart: bool,
}

impl BatchTries {
    /// Of usual batches.
    pub(super) const fn new(database: usize, scope: LaneScope) -> Self {
        Self { database, scope, is_apart: false }
    }

    /// Of what is done apart from these.
    pub(super) const fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    /// Tries a batch until its outcome is known; `hangs` is called when that takes long.
    async fn settled(
        self,
        shared: &Arc<ClusterCore>,
        work: &[(Gene, ShardWork)],
        (since, hangs): (Instant, &Hangs<'_>),
    ) -> Result<Vec<Result<ShardAnswer>>, Unsettled> {
        let began = Instant::now();
        loop {
            let attempt = attempt(shared, self.database, (self.scope, self.begin()), work).await;
            let fault = match attempt {
                Attempt::Done(answers) => return Ok(answers),
                Attempt::Unknown(lost) => match self.look(shared, &lost, (since, hangs)).await {
                    Some(true) => {
                        lost.committed.note(shared);
                        return Ok(lost.answers);
                    }
                    Some(false) => {
                        Fault::Again("the answer to a commit that did not take place was lost".into())
                    }
                    None => return Err(Unsettled::Refused(Error::new(Reason::OutcomeUnknown))),
                },
                Attempt::Moved => {
                    // The first database may be slow to tell.
                    shared.reload_soon();
                    Fault::Again("a shard is moving".to_owned())
                }
                Attempt::Failed(fault @ Fault::Locked(_)) => self.held(shared, work, fault).await?,
                Attempt::Failed(fault) => fault,
            };
            // A database that is away is away for every waiting job; a connection that had ended is replaced at once.
            let is_short = matches!(fault, Fault::Away(_) | Fault::Crowded(_));
            let tries_until = began + if is_short { AWAY_TRIED_MAX } else { TRIED_MAX };
            let tries_until = tries_until.min(since + ANSWERED_MAX);
            let is_again = matches!(fault, Fault::Again(_) | Fault::Locked(_));
            let goes_on = (is_short || is_again) && Instant::now() < tries_until;
            if !goes_on {
                return Err(Unsettled::Refused(fault.told()));
            }
            sleep(PAUSE).await;
        }
    }

    /// Returns what a transaction begins with.
    const fn begin(self) -> &'static str {
        match (self.scope, self.is_apart) {
            (LaneScope::Settings, _) => "begin",
            (LaneScope::Shards, false) => BEGIN_SOON,
            (LaneScope::Shards, true) => BEGIN_APART,
        }
    }

    /// Looks for what a batch waited in vain. Returns what went wrong, if no row of a shard of it is held by now.
    async fn held(
        self,
        shared: &Arc<ClusterCore>,
        work: &[(Gene, ShardWork)],
        fault: Fault,
    ) -> Result<Fault, Unsettled> {
        if self.scope == LaneScope::Settings {
            return Ok(fault);
        }
        let genes = genes(work);
        let looked = async { held(&*shared.served[self.database].writes.take().await?, &genes).await };
        match looked.await {
            Ok(held) if held.is_empty() => Ok(fault),
            Ok(held) => Err(Unsettled::Held(held)),
            Err(fault) => Ok(fault),
        }
    }

    /// Looks whether a lost commit took place; `None` if that cannot be told, as while the database is out of reach.
    async fn look(
        self,
        shared: &Arc<ClusterCore>,
        lost: &LostCommit,
        (since, hangs): (Instant, &Hangs<'_>),
    ) -> Option<bool> {
        let began = Instant::now();
        loop {
            match lost.took_place(shared, self.database, self.scope).await {
                Ok(took_place) => return took_place,
                Err(_) if since.elapsed() < ANSWERED_MAX => {}
                Err(_) => return None,
            }
            if began.elapsed() >= SETTLED_SOON {
                hangs();
            }
            sleep(PAUSE).await;
        }
    }
}

/// The shards of some work.
fn genes(work: &[(Gene, ShardWork)]) -> BTreeSet<Gene> {
    work.iter().map(|(home, _)| *home).collect()
}
