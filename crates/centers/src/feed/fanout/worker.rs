//! The worker: follows the log, works tasks off in turn, and moves `covered` on.

use super::super::FeedCenter;
use super::task::Task;
use guanxi_model::event::{Change, Event};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{FanoutMode, FanoutPolicy, Position, Reason, Result};
use std::collections::{BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

/// With so many tasks at hand the log is not asked for more, so the queue holds at most this and a batch of events;
/// what comes after waits in the log.
const QUEUE_LOW: usize = 64;

/// How long to rest after a chunk of an item that goes on: about as long as a chunk takes.
pub const FANOUT_REST: Duration = Duration::from_micros(300);

/// The worker of the fan-out.
pub struct FanoutWorker {
    center: FeedCenter,
    /// The log is read up to here.
    position: Position,
    /// The fair queue: a task that is not done with its chunk goes to the end.
    queue: VecDeque<Task>,
    /// Tasks that hold `covered` back: not begun, so neither offered nor skipped.
    waiting: BTreeSet<u64>,
    /// Whether the last chunk was not its item's last.
    goes_on: bool,
}

impl FanoutWorker {
    pub(super) fn new(center: FeedCenter) -> Self {
        let position = Position { seq: center.inbox.covered(), ..center.log.head() };
        center.fanout.skips().lose_running();
        Self { center, position, queue: VecDeque::new(), waiting: BTreeSet::new(), goes_on: false }
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
                match until(stop.as_mut(), log.wait(self.position)).await {
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

    /// Does one piece of work: reads new events, or offers an item to one chunk of readers. Answers whether there was
    /// anything to do.
    ///
    /// # Errors
    /// When the log or the graph cannot be read.
    pub async fn step(&mut self) -> Result<bool> {
        let read = self.read_log().await?;
        let Some(mut task) = self.queue.pop_front() else {
            self.advance();
            return Ok(read);
        };
        let event = Position { seq: task.seq, ..self.position };
        match task.chunk(&self.center, event).await {
            Err(error) if error.reason == Reason::ShuttingDown => return Err(error),
            // What was not offered is pulled, whatever the cause; nothing is tried for ever.
            Err(_) => self.give_up(&mut task),
            Ok(()) if task.shown.skipped => self.give_up(&mut task),
            Ok(()) if task.is_done() => self.finish(&mut task),
            Ok(()) => self.carry_on(task),
        }
        self.advance();
        Ok(true)
    }

    /// Takes new events in, as long as there is room for their tasks. Answers whether there were any.
    async fn read_log(&mut self) -> Result<bool> {
        if self.queue.len() >= QUEUE_LOW {
            return Ok(false);
        }
        let batch = match self.center.log.read(self.position, EVENT_BATCH_MAX as usize).await {
            Err(error) if error.reason == Reason::Trimmed => {
                self.start_over();
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
        {
            self.waiting.insert(event.seq);
            self.queue.push_back(Task::new(event.seq, event.version.ms(), id, event.subject));
        }
    }

    /// Some events are gone unread: no inbox can be vouched for any more.
    fn start_over(&mut self) {
        // The head is taken first: an inbox that is begun after the others are dropped is filled from a later view.
        self.position = self.center.log.head();
        let policy = self.center.policy();
        self.center.inbox.configure(&FanoutPolicy { mode: FanoutMode::Pull, ..policy });
        self.center.inbox.configure(&policy);
        self.queue.clear();
        self.waiting.clear();
        self.center.fanout.skips().clear();
    }

    /// The task goes on later. Until it is done, readers pull its author, and `covered` can pass it.
    fn carry_on(&mut self, task: Task) {
        self.goes_on = true;
        if self.waiting.contains(&task.seq) {
            self.center.fanout.skips().run(task.shown.author, task.seq);
            self.center.inbox.skip(task.shown.author, task.seq);
            self.waiting.remove(&task.seq);
        }
        self.center.fanout.recent().note(task.shown);
        self.queue.push_back(task);
    }

    /// Everybody was offered the item.
    fn finish(&mut self, task: &mut Task) {
        self.waiting.remove(&task.seq);
        let author = task.shown.author;
        let earlier = {
            let mut skips = self.center.fanout.skips();
            skips.done(author, task.seq).then(|| skips.last(author))
        };
        if let Some(earlier) = earlier {
            self.center.inbox.unskip(author, task.seq, earlier);
        }
        self.center.meters.done.increment(1);
        let lag_ms = self.center.clock.now_ms().saturating_sub(task.at_ms);
        self.center.meters.lag.record(lag_ms as f64 / 1_000.0);
        self.close(task);
    }

    /// The item is left to readers to pull.
    fn give_up(&mut self, task: &mut Task) {
        let author = task.shown.author;
        self.center.inbox.skip(author, task.seq);
        self.center.fanout.skips().lose(author, task.seq);
        self.waiting.remove(&task.seq);
        task.shown.skipped = true;
        self.center.meters.skipped.increment(1);
        self.close(task);
    }

    fn close(&self, task: &mut Task) {
        task.shown.done = true;
        self.center.fanout.recent().note(task.shown);
    }

    /// Moves `covered` up to the first task that nobody was told of.
    fn advance(&self) {
        let covered = self.waiting.first().map_or(self.position.seq, |first| first - 1);
        self.center.inbox.advance(covered);
        let queued = self.queue.len();
        self.center.fanout.recent().queued = queued as u64;
        self.center.meters.queued.set(queued as f64);
        self.center.meters.covered.set(covered as f64);
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
