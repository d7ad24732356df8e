//! The port that a follower writes through: each call is a job of the thread.

use super::Answer;
use super::thread::{IndexJob, Stand};
use crate::engine::{DocKind, IdOf};
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::{BoxFuture, IndexChange, IndexStage, Indexing};
use std::sync::mpsc::{SyncSender, TrySendError};
use tokio::sync::oneshot;

/// What one follower keeps the index by.
struct ByJobs<K: DocKind> {
    jobs: SyncSender<IndexJob<K>>,
    stand: Stand<IdOf<K>>,
}

/// Takes the index over from an earlier follower.
pub(super) async fn take<K: DocKind>(jobs: SyncSender<IndexJob<K>>) -> Result<Box<dyn Indexing<K::Source>>> {
    let stand = call(&jobs, IndexJob::Take).await?;
    Ok(Box::new(ByJobs { jobs, stand }))
}

/// Has the thread do something, and waits for its answer.
pub(super) async fn call<K: DocKind, T>(
    jobs: &SyncSender<IndexJob<K>>,
    job: impl FnOnce(Answer<T>) -> IndexJob<K>,
) -> Result<T> {
    let (answer, answered) = oneshot::channel();
    jobs.try_send(job(answer)).map_err(|error| match error {
        TrySendError::Full(_) => {
            let busy = Reason::SearchUnavailable { cause: "busy" };
            Error::with_detail(busy, "too many wait for its thread")
        }
        TrySendError::Disconnected(_) => ended(),
    })?;
    answered.await.map_err(|_| ended())?
}

/// Returns what a follower hears that goes on after the store has ended, or after its thread has failed.
fn ended() -> Error {
    Error::with_detail(Reason::SearchUnavailable { cause: "failed" }, "its thread has ended")
}

impl<K: DocKind> Indexing<K::Source> for ByJobs<K> {
    fn position(&self) -> &Position {
        &self.stand.position
    }

    fn counters(&self) -> Option<&Position> {
        self.stand.counters.as_ref()
    }

    fn stage(&self) -> IndexStage<IdOf<K>> {
        self.stand.stage
    }

    fn apply(
        &mut self,
        changes: Vec<IndexChange<K::Source>>,
        position: Position,
        counters: Option<Position>,
    ) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (at, owed) = (position.clone(), counters.clone());
            call(&self.jobs, |answer| IndexJob::Apply(changes, (at, owed), answer)).await?;
            (self.stand.position, self.stand.counters) = (position, counters);
            Ok(())
        })
    }

    fn keep(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(call(&self.jobs, IndexJob::Keep))
    }

    fn begin_anew(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let at = head.clone();
            call(&self.jobs, |answer| IndexJob::BeginAnew(at, answer)).await?;
            self.stand = Stand { position: head, counters: None, stage: IndexStage::Building(None) };
            Ok(())
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            call(&self.jobs, IndexJob::Finish).await?;
            self.stand.stage = IndexStage::Whole;
            Ok(())
        })
    }
}
