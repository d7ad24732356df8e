//! The hub: one reader of the logs for all open streams of a process.
//!
//! Each log is read once, however many streams are open. An event marks the streams that it concerns, and wakes those of them
//! that wait. A mark is one bit, so a slow stream, or one that no task polls, costs nothing and delays no other stream. A
//! marked stream looks for new events after its own position. The mark is only a hint: a stream that is marked in vain looks
//! in vain.
//!
//! **Nothing is lost.** A stream registers first and begins marked. When it takes its mark off, it learns how far the logs
//! had been read by then. It looks itself for events up to that position, and later events mark it again.
//!
//! **The reader.** In a server [`Hub::run`] reads, beside the streams. Without it a stream that waits reads for all streams.
//! When that stream has its event, or its wait is dropped, another waiting stream is woken to read in its place. A stream
//! whose wait is neither polled nor dropped would delay the others, which is why a server has [`Hub::run`].

mod interest;
mod reader;
mod registry;

pub use interest::Interest;

use super::{Ended, keep_following};
use guanxi_model::{Error, Event, Position, Reason, Result};
use guanxi_ports::{BoxFuture, Log};
use reader::{HubReader, LogReading};
use registry::Registry;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The one reader of the logs for all streams. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<HubInner>);

struct HubInner {
    log: Arc<dyn Log>,
    state: Mutex<HubState>,
}

/// The memory that open streams take in a hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HubSize {
    /// Open streams.
    pub streams: usize,
    /// Bytes of their slots and of the index.
    pub bytes: usize,
}

#[derive(Default)]
struct HubState {
    registry: Registry,
    /// The logs are read up to here: later events will mark the streams that they concern. `None` while no stream is open.
    position: Option<Position>,
    /// The number of the reader whose reading counts.
    reader: Option<u64>,
    readers: u64,
    /// Readers beside the streams: while there is one, streams leave the reading to it.
    standing: usize,
    /// Wakes the reader beside the streams when the first stream comes or the last one goes.
    occupancy: Option<Waker>,
    /// The error of the last failed reading, and the number of failed readings.
    failure: Option<Error>,
    failures: u32,
}

impl HubState {
    /// Marks the streams that some events concern.
    fn mark(&mut self, events: &[Event], woken: &mut Vec<Waker>) {
        for event in events {
            interest::interests(event).for_each(|interest| self.registry.mark(interest, woken));
        }
        if !events.is_empty() {
            self.registry.mark_those_of_everything(woken);
        }
    }

    /// Gives the role to a new reader, even if another reader has it.
    fn appoint(&mut self) -> u64 {
        self.readers += 1;
        self.reader = Some(self.readers);
        self.readers
    }

    /// Returns the waker of a stream that takes the role, if no reader has it.
    fn heir(&mut self) -> Option<Waker> {
        if self.reader.is_some() || self.standing > 0 { None } else { self.registry.wake_one() }
    }
}

impl HubInner {
    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().expect("nobody panics while holding the hub")
    }

    /// Tells every stream of a failed reading, once.
    fn fail(&self, error: &Error) {
        let mut woken = Vec::new();
        let mut state = self.lock();
        state.failure = Some(error.clone());
        state.failures = state.failures.wrapping_add(1);
        state.registry.wake_all(&mut woken);
        drop(state);
        wake(woken);
    }
}

/// Wakes, outside of the lock.
fn wake(woken: impl IntoIterator<Item = Waker>) {
    woken.into_iter().for_each(Waker::wake);
}

impl Hub {
    /// A hub over the logs of a store. There is one in a process.
    pub fn new(log: Arc<dyn Log>) -> Self {
        Self(Arc::new(HubInner { log, state: Mutex::default() }))
    }

    /// The logs.
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.0.log
    }

    /// Returns the memory that open streams take.
    pub fn size(&self) -> HubSize {
        let state = self.0.lock();
        HubSize { streams: state.registry.live(), bytes: state.registry.bytes() }
    }

    /// Registers a stream. It begins marked.
    ///
    /// # Errors
    /// `OVERLOADED` when there are too many, and when the log cannot be asked where it stands.
    pub async fn subscribe(&self, interests: impl IntoIterator<Item = Interest>) -> Result<Subscription> {
        let mut head = None;
        loop {
            {
                let mut state = self.0.lock();
                if state.position.is_none() {
                    state.position = head.take();
                }
                if state.position.is_some() {
                    let failures = state.failures;
                    let slot = state.registry.add(interests, failures)?;
                    let first = if state.registry.live() == 1 { state.occupancy.take() } else { None };
                    drop(state);
                    wake(first);
                    return Ok(Subscription { hub: self.0.clone(), slot });
                }
            }
            head = Some(self.0.log.head().await?);
        }
    }

    /// Reads for all streams, as long as there are any, until `stop` completes or the store closes. `failed` is described at
    /// [`keep_following`].
    pub async fn run(
        &self,
        stop: impl Future<Output = ()> + Send,
        failed: impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync,
    ) {
        let _standing = Standing::begin(self);
        let (mut stop, is_stopped) = (pin!(stop), AtomicBool::new(false));
        let tell = |error: &Error, rest: Duration| {
            self.0.fail(error);
            failed(error, rest)
        };
        let mut ended = Ended::Stopped;
        while ended != Ended::Closed {
            self.occupied(true, stop.as_mut(), &is_stopped).await;
            if is_stopped.load(Ordering::Relaxed) {
                return;
            }
            let begin = || HubReader::begin(self.0.clone());
            let vacated = self.occupied(false, stop.as_mut(), &is_stopped);
            ended = keep_following(&*self.0.log, begin, vacated, &tell).await;
            if is_stopped.load(Ordering::Relaxed) {
                return;
            }
        }
        self.0.fail(&Error::new(Reason::ShuttingDown));
    }

    /// Completes when there are streams, or when there are none any more; or when `stop` does, which is noted.
    async fn occupied(
        &self,
        wanted: bool,
        mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
        is_stopped: &AtomicBool,
    ) {
        poll_fn(|context| {
            if stop.as_mut().poll(context).is_ready() {
                is_stopped.store(true, Ordering::Relaxed);
                return Poll::Ready(());
            }
            self.poll_occupied(wanted, context)
        })
        .await;
    }

    fn poll_occupied(&self, wanted: bool, context: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        if (state.registry.live() > 0) == wanted {
            return Poll::Ready(());
        }
        state.occupancy = Some(context.waker().clone());
        Poll::Pending
    }
}

/// A reader beside the streams is there.
struct Standing<'a>(&'a Hub);

impl<'a> Standing<'a> {
    fn begin(hub: &'a Hub) -> Self {
        hub.0.lock().standing += 1;
        Self(hub)
    }
}

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        let heir = {
            let mut state = self.0.0.lock();
            state.standing -= 1;
            state.heir()
        };
        wake(heir);
    }
}

/// An open stream's place in the hub. It leaves when this is dropped.
pub struct Subscription {
    hub: Arc<HubInner>,
    slot: u32,
}

impl Subscription {
    /// Completes when there may be an event that concerns the stream. Returns how far the logs were read by then. The stream
    /// looks itself for events after its own position up to there. Dropping the future loses nothing.
    ///
    /// # Errors
    /// What reading a log failed with, once for each failure; `SHUTTING_DOWN` when the store closes.
    pub async fn changed(&mut self) -> Result<Position> {
        let mut wait = Wait { subscription: self, reading: None };
        poll_fn(|context| wait.poll(context)).await
    }

    /// Registers the stream for more. It is marked, since something may have come before.
    pub fn add(&mut self, interests: impl IntoIterator<Item = Interest>) {
        self.hub.lock().registry.extend(self.slot, interests);
    }

    /// Up to where nothing concerns the stream that [`Self::changed`] has not told of; `None` when something may.
    pub fn quiet_to(&self) -> Option<Position> {
        let state = self.hub.lock();
        if state.registry.is_due(self.slot) { None } else { state.position.clone() }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.hub.lock();
        state.registry.remove(self.slot);
        if state.registry.live() > 0 {
            return;
        }
        // No stream is left to read for. A reader beside the streams may not see that before the next stream comes. It then
        // goes on from where it is, so its role stays.
        state.position = None;
        let occupancy = state.occupancy.take();
        drop(state);
        wake(occupancy);
    }
}

/// The wait of a stream, in which it may read for all.
struct Wait<'a> {
    subscription: &'a Subscription,
    reading: Option<LogReading>,
}

impl Wait<'_> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Position>> {
        let Subscription { hub, slot } = self.subscription;
        loop {
            // Dropped after the lock is given back, since a reading takes it at its end.
            let mut overtaken = None;
            {
                let mut state = hub.lock();
                if let Some(told) = take(&mut state, *slot) {
                    return Poll::Ready(told);
                }
                state.registry.wait(*slot, context.waker());
                if self.reading.as_ref().is_some_and(|reading| state.reader != Some(reading.number())) {
                    overtaken = self.reading.take();
                }
                if state.reader.is_none() && state.standing == 0 {
                    let position =
                        state.position.clone().expect("the hub has a position while streams are open");
                    self.reading =
                        Some(LogReading::new(HubReader::new(hub.clone(), state.appoint(), position)));
                }
            }
            drop(overtaken);
            let Some(reading) = &mut self.reading else { return Poll::Pending };
            match reading.poll(context) {
                Poll::Ready(()) => self.reading = None,
                Poll::Pending if hub.lock().registry.is_due(*slot) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.reading = None;
        let Subscription { hub, slot } = self.subscription;
        let heir = {
            let mut state = hub.lock();
            state.registry.leave(*slot);
            state.heir()
        };
        wake(heir);
    }
}

/// Returns the message for a stream, if there is one.
fn take(state: &mut HubState, slot: u32) -> Option<Result<Position>> {
    if state.registry.take_due(slot) {
        return Some(Ok(state.position.clone().expect("the hub has a position while streams are open")));
    }
    let is_untold = state.registry.take_failure(slot, state.failures);
    state.failure.clone().filter(|_| is_untold).map(Err)
}

#[cfg(test)]
mod tests;
