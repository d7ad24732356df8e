//! The worker: follows logs, works tasks off in turn, and moves `covered` on.

use super::super::FeedCenter;
use super::queue::Queue;
use super::task::Task;
use crate::log_readers::{Follower, follow, step};
use guanxi_model::event::{Change, Event};
use guanxi_model::{EventAt, FanoutMode, FanoutPolicy, LogId, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch};
use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, ready};
use std::time::Duration;

/// How long to rest after a chunk of an item that goes on: about as long as a chunk takes.
pub const FANOUT_REST: Duration = Duration::from_micros(300);

/// The worker of the fan-out for some logs; no other one may work for any of them.
pub struct FanoutWorker {
    center: FeedCenter,
    /// The logs are read up to here; names those of this worker.
    position: Position,
    queue: Queue,
    /// Tasks that hold `covered` back: not begun, so neither offered nor skipped. By log.
    waiting: BTreeMap<LogId, BTreeSet<u64>>,
    /// The position of each log that the inboxes were told last.
    told: BTreeMap<LogId, EventAt>,
    /// Whether the last chunk was not its item's last.
    goes_on: bool,
    /// Called after such a chunk.
    rest: Box<dyn Fn() + Send>,
}

impl FanoutWorker {
    pub(super) async fn new(center: FeedCenter, logs: &[LogId]) -> Result<Self> {
        let position = center.inbox.covered().await?.only(|log| logs.contains(&log));
        center.fanout.skips().lose_running();
        let (queue, waiting, told) = (Queue::default(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { center, position, queue, waiting, told, goes_on: false, rest: Box::new(|| ()) })
    }

    /// Rests by this after each chunk of an item that goes on. A thread that sleeps there for [`FANOUT_REST`] leaves half of
    /// its core to readers, who would otherwise wait during a celebrity's run.
    #[must_use]
    pub fn resting(mut self, rest: impl Fn() + Send + 'static) -> Self {
        self.rest = Box::new(rest);
        self
    }

    /// Pushes until `stop` completes or the store closes.
    ///
    /// # Errors
    /// When the log or the store cannot be read. Readers stay exact, and a new worker goes on from `covered`.
    pub async fn run(mut self, stop: impl Future<Output = ()> + Send) -> Result<()> {
        let log = self.center.log.clone();
        follow(&*log, &mut self, stop).await.map(|_ended| ())
    }

    /// Does one piece of work: reads new events, and offers an item to one chunk of readers. Returns whether there
    /// was anything to do.
    ///
    /// # Errors
    /// When the log or the store cannot be read.
    pub async fn step(&mut self) -> Result<bool> {
        let log = self.center.log.clone();
        step(&*log, self).await
    }

    /// Offers an item to one chunk of readers. Returns whether there was one.
    async fn chunk(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.goes_on) {
            (self.rest)();
        }
        let Some(mut task) = self.queue.next() else {
            self.advance().await?;
            return Ok(false);
        };
        match task.chunk(&self.center, &self.event(task.at)).await {
            Err(error) if error.reason == Reason::ShuttingDown => return Err(error),
            // An item that was not offered is pulled, for any cause; nothing is tried for ever.
            Err(_) => self.give_up(&mut task).await?,
            Ok(()) if task.shown.skipped => self.give_up(&mut task).await?,
            Ok(()) if task.is_done() => self.finish(&mut task).await?,
            Ok(()) if self.queue.is_full() => self.give_up(&mut task).await?,
            Ok(()) => self.carry_on(task).await?,
        }
        self.advance().await?;
        Ok(true)
    }

    /// A position that includes an event.
    fn event(&self, at: EventAt) -> Position {
        Position::seen(self.position.history(), self.position.logs(), at)
    }

    fn take(&mut self, event: &Event) {
        if let Change::Post { id, kind } = event.change
            && kind.offers()
            && event.echo.is_none()
        {
            self.waiting.entry(event.at.log()).or_default().insert(event.at.seq());
            self.queue.push(Task::new(event.at, event.version.ms(), id, event.subject));
        }
    }

    /// Starts over after events that were trimmed unread: no inbox can be vouched for any more. An inbox that is begun after
    /// the others are dropped is filled from a view later than `head`.
    async fn start_over(&mut self, head: Position) -> Result<()> {
        self.position = head;
        let policy = self.center.policy();
        self.center.inbox.configure(&FanoutPolicy { mode: FanoutMode::Pull, ..policy }).await?;
        self.center.inbox.configure(&policy).await?;
        self.queue = Queue::default();
        self.waiting.clear();
        self.center.fanout.skips().clear();
        Ok(())
    }

    /// Returns whether the task holds `covered` back until now; it does no longer.
    fn release(&mut self, task: &Task) -> bool {
        self.waiting.get_mut(&task.at.log()).is_some_and(|waiting| waiting.remove(&task.at.seq()))
    }

    /// The task goes on later. Until it is done, readers pull its author, and `covered` can pass it.
    async fn carry_on(&mut self, task: Task) -> Result<()> {
        self.goes_on = true;
        if self.waiting.get(&task.at.log()).is_some_and(|waiting| waiting.contains(&task.at.seq())) {
            self.center.fanout.skips().run(task.shown.author, task.at);
            self.center.inbox.skip(task.shown.author, task.at).await?;
            self.release(&task);
        }
        self.center.fanout.recent().note(task.shown);
        self.queue.carry_on(task);
        Ok(())
    }

    /// All readers were offered the item.
    async fn finish(&mut self, task: &mut Task) -> Result<()> {
        self.release(task);
        let author = task.shown.author;
        let earlier = {
            let mut skips = self.center.fanout.skips();
            skips.done(author, task.at).then(|| skips.last(author))
        };
        if let Some(earlier) = earlier {
            self.center.inbox.unskip(author, task.at, earlier).await?;
        }
        self.center.meters.done.increment(1);
        let lag_ms = self.center.clock.now_ms().saturating_sub(task.at_ms);
        self.center.meters.lag.record(lag_ms as f64 / 1_000.0);
        self.close(task);
        Ok(())
    }

    /// The item is left to readers to pull.
    async fn give_up(&mut self, task: &mut Task) -> Result<()> {
        let author = task.shown.author;
        self.center.inbox.skip(author, task.at).await?;
        self.center.fanout.skips().lose(author, task.at);
        self.release(task);
        task.shown.skipped = true;
        self.center.meters.skipped.increment(1);
        self.close(task);
        Ok(())
    }

    fn close(&self, task: &mut Task) {
        task.shown.done = true;
        self.center.fanout.recent().note(task.shown);
    }

    /// Moves `covered` of each log up to just before the first task that has not begun.
    async fn advance(&mut self) -> Result<()> {
        for (log, _) in self.position.marks() {
            let first = self.waiting.get(&log).and_then(BTreeSet::first);
            let covered =
                first.map_or_else(|| self.position.in_log(log), |first| EventAt::new(log, *first).before());
            if self.told.insert(log, covered) != Some(covered) {
                self.center.inbox.advance(covered).await?;
                self.center.meters.covered.set(covered.seq() as f64);
            }
        }
        let queued = self.queue.len();
        self.center.fanout.recent().queued = queued as u64;
        self.center.meters.queued.set(queued as f64);
        Ok(())
    }
}

/// Its effect is `covered`, which the inboxes keep: a worker begins there.
impl Follower for FanoutWorker {
    fn position(&self) -> &Position {
        &self.position
    }

    fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        // Of a post that was created unread no inbox would know.
        if !batch.unreadable.is_empty() {
            return Box::pin(self.start_over(batch.position));
        }
        self.position = batch.position;
        batch.events.iter().for_each(|event| self.take(event));
        Box::pin(ready(Ok(())))
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.start_over(head))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(self.chunk())
    }
}
