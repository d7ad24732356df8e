//! What is between the centers and the ports while a trace is played: pauses, losses and short answers.
//!
//! All of it is one thread. A wrapped port pauses the call that is in it when the stage is open; the driver of the
//! call lets other things happen there, and goes on with it. So two calls overlap at exactly the same places in every
//! run of a trace.

use crate::trace::Settings;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::Poll;

/// State that the wrapped ports share with the player.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Wrapped ports pause.
    open: AtomicBool,
    paused: AtomicBool,
    /// The call waits for an event that will not come by itself.
    idle: AtomicBool,
    /// Every n-th offer fails; 0 for none.
    fail_every: AtomicU64,
    offers: AtomicU64,
    /// Questions of one call pause, too.
    pauses_within: bool,
    /// The longest page of followers.
    pub followers_chunk: usize,
    /// The longest part of an outbox.
    pub outbox_part: usize,
}

/// How far a call came.
#[derive(Debug)]
pub(crate) enum Ran<T> {
    /// To its end.
    Done(T),
    /// To a pause.
    Paused,
    /// To where it waits for an event.
    Idle,
}

impl Stage {
    /// A closed stage without losses.
    pub(crate) fn new(settings: &Settings, pauses_within: bool) -> Self {
        Self {
            open: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            idle: AtomicBool::new(false),
            fail_every: AtomicU64::new(0),
            offers: AtomicU64::new(0),
            pauses_within,
            followers_chunk: settings.followers_chunk,
            outbox_part: settings.outbox_part,
        }
    }

    /// Lets wrapped ports pause, or not. Returns what held before.
    pub(crate) fn open(&self, open: bool) -> bool {
        self.open.swap(open, Relaxed)
    }

    /// Makes every n-th offer fail; 0 for none.
    pub(crate) fn lose(&self, every: u64) {
        self.fail_every.store(every, Relaxed);
    }

    /// Whether the offer that is made now fails.
    pub(crate) fn loses(&self) -> bool {
        let every = self.fail_every.load(Relaxed);
        every > 0 && self.offers.fetch_add(1, Relaxed).is_multiple_of(every)
    }

    /// A place where others may run.
    pub(crate) async fn pause(&self) {
        if self.open.load(Relaxed) {
            self.stop(&self.paused).await;
        }
    }

    /// A place among questions that a call may ask at once. A backend that shares its own questions among callers would wait there for
    /// one that stands still.
    pub(crate) async fn pause_within(&self) {
        if self.pauses_within {
            self.pause().await;
        }
    }

    /// Says that a call waits for an event; comes back when it is polled again.
    pub(crate) async fn rest(&self) {
        self.stop(&self.idle).await;
    }

    async fn stop(&self, flag: &AtomicBool) {
        let mut stopped = false;
        poll_fn(|_| {
            if stopped {
                return Poll::Ready(());
            }
            stopped = true;
            flag.store(true, Relaxed);
            Poll::Pending
        })
        .await;
    }

    /// Runs a call to its end, to the next pause, or to where it waits.
    pub(crate) async fn run<F: Future>(&self, mut call: Pin<&mut F>) -> Ran<F::Output> {
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Ran::Done(value)),
            Poll::Pending if self.paused.swap(false, Relaxed) => Poll::Ready(Ran::Paused),
            Poll::Pending if self.idle.swap(false, Relaxed) => Poll::Ready(Ran::Idle),
            // A backend with threads of its own: it wakes us.
            Poll::Pending => Poll::Pending,
        })
        .await
    }
}
