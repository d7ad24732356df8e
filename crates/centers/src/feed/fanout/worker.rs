//! The worker: follows logs, works tasks off in turn, and moves `covered` on.

use super::super::FeedCenter;
use super::queue::Queue;
use super::task::Task;
use guanxi_model::event::{Change, Event};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{EventAt, FanoutMode, FanoutPolicy, LogId, Position, Reason, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
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
    /// What the inboxes were told last.
    told: BTreeMap<LogId, EventAt>,
    /// Whether the last chunk was not its item's last.
    goes_on: bool,
}

impl FanoutWorker {
    pub(super) async fn new(center: FeedCenter, logs: &[LogId]) -> Result<Self> {
        let position = center.inbox.covered().await?.only(|log| logs.contains(&log));
        center.fanout.skips().lose_running();
        let (queue, waiting, told) = (Queue::default(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { center, position, queue, waiting, told, goes_on: false })
    }

    /// Pushes until `stop` completes or the store closes. `rest` is called after each chunk of an item that goes on: a
    /// thread that sleeps there for [`FANOUT_REST`] leaves half of its core to readers, whom a celebrity's run
    /// would make wait otherwise.
    ///
    /// # Errors
    /// When the log or the graph cannot be read. Readers stay exact, and a new worker goes on from `covered`.
    pub async fn run(mut self, stop: impl Future<Output = ()> + Send, rest: impl Fn() + Send) -> Result<()> {
        let mut stop = pin!(stop);
        loop {
            let worked = match self.step().await {
                Err(error) if error.reason == Reason::ShuttingDown => return Ok(()),
                worked => worked?,
            };
            if std::mem::take(&mut self.goes_on) {
                rest();
            }
            let stopped = if worked {
                is_ready(stop.as_mut()).await
            } else {
                let log = self.center.log.clone();
                match until(stop.as_mut(), log.wait(&self.position)).await {
                    Some(Err(error)) if error.reason == Reason::ShuttingDown => true,
                    Some(woken) => {
                        woken?;
                        false
                    }
                    None => true,
                }
            };
            if stopped {
                return Ok(());
            }
        }
    }

    /// Does one piece of work: reads new events, and offers an item to one chunk of readers. Returns whether there
    /// was anything to do.
    ///
    /// # Errors
    /// When the log or the graph cannot be read.
    pub async fn step(&mut self) -> Result<bool> {
        let read = self.read_logs().await?;
        let Some(mut task) = self.queue.next() else {
            self.advance().await?;
            return Ok(read);
        };
        match task.chunk(&self.center, &self.event(task.at)).await {
            Err(error) if error.reason == Reason::ShuttingDown => return Err(error),
            // What was not offered is pulled, whatever the cause; nothing is tried for ever.
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

    /// Takes new events in, as long as there is room for their tasks. Returns whether there were any.
    async fn read_logs(&mut self) -> Result<bool> {
        let head = self.center.log.head().await?;
        let behind = |log: &LogId| !self.position.includes(head.in_log(*log));
        let logs: Vec<LogId> = self.position.marks().map(|(log, _)| log).filter(behind).collect();
        let mut came = false;
        for log in logs {
            if !self.queue.has_room() {
                break;
            }
            came |= self.read_log(log).await?;
        }
        Ok(came)
    }

    async fn read_log(&mut self, log: LogId) -> Result<bool> {
        let batch = match self.center.log.read(log, &self.position, EVENT_BATCH_MAX as usize).await {
            Err(error) if error.reason == Reason::Trimmed => {
                self.start_over().await?;
                return Ok(true);
            }
            batch => batch?,
        };
        self.position = batch.position;
        batch.events.iter().for_each(|event| self.take(event));
        Ok(!batch.events.is_empty())
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

    /// Some events are gone unread: no inbox can be vouched for any more.
    async fn start_over(&mut self) -> Result<()> {
        // The head is taken first: an inbox that is begun after the others are dropped is filled from a later view.
        let head = self.center.log.head().await?;
        let position = &self.position;
        self.position = head.only(|log| position.marks().any(|(own, _)| own == log));
        let policy = self.center.policy();
        self.center.inbox.configure(&FanoutPolicy { mode: FanoutMode::Pull, ..policy }).await?;
        self.center.inbox.configure(&policy).await?;
        self.queue = Queue::default();
        self.waiting.clear();
        self.center.fanout.skips().clear();
        Ok(())
    }

    /// Whether the task holds `covered` back until now; it does no longer.
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

    /// Everybody was offered the item.
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

    /// Moves `covered` of each log up to the first task that nobody was told of.
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

/// Lets others run, and tells whether a future is ready.
async fn is_ready(mut future: Pin<&mut impl Future<Output = ()>>) -> bool {
    let mut yielded = false;
    poll_fn(|context| {
        if future.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        if yielded {
            return Poll::Ready(false);
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// The output of a future, or `None` if `stop` completes first.
async fn until<T>(
    mut stop: Pin<&mut impl Future<Output = ()>>,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if stop.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}
