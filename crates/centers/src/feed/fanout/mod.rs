//! The fan-out: offers new items to inboxes, so that a read finds them there. It is only a hint: readers pull every item that
//! the fan-out has not offered.
//!
//! [`FanoutWorker`] follows the logs, by the recipe of [`crate::log_readers`]. Each item becomes a task. The worker counts the author's
//! followers, offers the id to the author's own inbox, and then, chunk by chunk, to followers with a resident inbox. All tasks
//! take turns, so that small authors are never stuck behind a celebrity. A task that is not done with its first chunk is noted
//! as a skip of its author, which lets `covered` go on; the skip is taken back when the task is done. When every event up to `s`
//! is offered or skipped, `covered` becomes `s`, and readers stop pulling the authors of these events.

mod queue;
mod skips;
mod status;
mod task;
mod worker;

pub use status::{FanoutStatus, PostFanout};
pub use worker::{FANOUT_REST, FanoutWorker};

use super::FeedCenter;
use crate::log_readers::keep_following;
use guanxi_model::{
    Command, Error, EventAt, FanoutMode, FanoutPolicy, LogId, Position, PostId, Reason, Result, Write,
};
use guanxi_ports::BoxFuture;
use skips::SkipBook;
use status::Recent;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, RwLock};
use std::time::Duration;

/// The state that the fan-out shares with readers and operators.
#[derive(Default)]
pub(super) struct Fanout {
    policy: RwLock<FanoutPolicy>,
    recent: Mutex<Recent>,
    skips: Mutex<SkipBook>,
}

impl Fanout {
    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().expect("nobody panics while holding the status")
    }

    fn skips(&self) -> MutexGuard<'_, SkipBook> {
        self.skips.lock().expect("nobody panics while holding the skips")
    }
}

impl FeedCenter {
    /// Applies the stored policy. It is called once, before anything is read: from here on the fan-out must offer every new
    /// event.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn start(&self) -> Result<()> {
        let policy = self.store.view(None).await?.fanout_policy().await?;
        // The head is taken first: every inbox is filled from a view at least as new.
        let head = self.log.head().await?;
        self.originals.begin(&head);
        self.apply(policy).await?;
        let covered = self.inbox.covered().await?;
        for (log, _) in head.marks() {
            // Where the fan-out has never been, no inbox was ever offered anything: it begins with what comes now. Where
            // it has been, inboxes may count on it, and it goes on from there.
            if covered.in_log(log) == EventAt::beginning(log) {
                self.inbox.advance(head.in_log(log)).await?;
            }
        }
        Ok(())
    }

    /// How home timelines are pushed.
    pub fn policy(&self) -> FanoutPolicy {
        *self.fanout.policy.read().expect("nobody panics while holding the policy")
    }

    /// Sets how home timelines are pushed, from now on and after a restart. No page changes by it.
    ///
    /// # Errors
    /// `INVALID_FIELD`, also for a mode that pushes where there are no inboxes; or a whole-request error of the store.
    pub async fn put_policy(&self, policy: FanoutPolicy) -> Result<Position> {
        policy.check()?;
        if policy.mode != FanoutMode::Pull && !self.inbox.keeps_any() {
            return Err(Error::new(Reason::InvalidField { field: "mode" }));
        }
        let answer = self.store.apply(Write::of(Command::FanoutPolicy(policy))).await?;
        self.apply(policy).await?;
        Ok(answer.position)
    }

    /// Stores the policy in memory and configures the inboxes. A change drops the inboxes, and a reader that rebuilds an
    /// inbox reads everything that was published before. So it does not matter which of the two policies applies to the
    /// fan-out's current work.
    async fn apply(&self, policy: FanoutPolicy) -> Result<()> {
        *self.fanout.policy.write().expect("nobody panics while holding the policy") = policy;
        self.inbox.configure(&policy).await
    }

    /// Returns the state of the fan-out.
    ///
    /// # Errors
    /// When the log or the inboxes cannot be asked.
    pub async fn fanout_status(&self) -> Result<FanoutStatus> {
        let covered = self.inbox.covered().await?;
        let head = self.log.head().await?;
        let inboxes = self.inbox.stats(self.clock.now_ms()).await?;
        let recent = self.fanout.recent();
        let (queued, running) = (recent.queued, recent.running());
        Ok(FanoutStatus { policy: self.policy(), covered, head, queued, running, inboxes })
    }

    /// Returns the state of a post's fan-out, or `None` if the post is not among the recent ones.
    pub fn post_fanout(&self, id: PostId) -> Option<PostFanout> {
        self.fanout.recent().get(id)
    }

    /// The worker that pushes what the logs tell. There is one at a time.
    ///
    /// # Errors
    /// When the inboxes cannot be asked how far the last one came.
    pub async fn worker(&self) -> Result<FanoutWorker> {
        let logs: Vec<LogId> = self.log.logs().all().collect();
        FanoutWorker::new(self.clone(), &logs).await
    }

    /// Pushes the events of the logs until `stop` completes or the store closes. It goes on after any error: the next worker
    /// continues from `covered`. `rest` follows each chunk of an item that goes on, as [`FanoutWorker::resting`] says;
    /// `failed` is described at [`keep_following`].
    pub async fn push(
        &self,
        stop: impl Future<Output = ()> + Send,
        rest: fn(),
        failed: impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync,
    ) {
        let begin = || {
            let center = self.clone();
            let begun = async move { Ok(center.worker().await?.resting(rest)) };
            Box::pin(begun) as BoxFuture<'static, Result<FanoutWorker>>
        };
        keep_following(&*self.log, begin, stop, failed).await;
    }
}
