//! The threads that hash, and the bounded queues in front of them.

use super::hasher::Hasher;
use super::meters::PasswordMeters;
use super::waiting::{HashJob, Next, Timely, Waiting};
use super::{PasswordQueue, PasswordThread, PasswordTurn};
use guanxi_model::{Error, Reason, Result};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// When a caller that met a full queue should come back, in milliseconds: it is worked off by then.
const RETRY_AFTER_MS: u32 = 1_000;

/// The queues that handles and threads share.
struct Queue {
    waiting: Mutex<Waiting>,
    /// So many wait in each at most.
    max: usize,
    /// More than so many are a flood.
    few: usize,
    /// There is something for a prompt thread.
    changed: Condvar,
    /// There is something for the patient one.
    flooded: Condvar,
    meters: Arc<PasswordMeters>,
}

/// Not `RATE_LIMITED`, which tells a caller of its own spending: here others have filled the queue.
const fn overloaded() -> Error {
    Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS })
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nothing panics with the queue held")
    }

    fn push(&self, turn: PasswordTurn, job: HashJob) -> Result<()> {
        let mut waiting = self.lock();
        let line = waiting.line(turn.queue);
        if line.len() >= self.max {
            self.meters.refused.increment(1);
            return Err(overloaded());
        }
        if !line.reaches(job.queued_ms, job.until_ms) {
            self.meters.late.increment(1);
            return Err(overloaded());
        }
        let waits = waiting.push(turn.queue, job);
        drop(waiting);
        // Once many wait, a prompt thread looks by itself: waking it for each would take a core from a call.
        if waits <= self.few.saturating_add(1) {
            self.changed.notify_one();
        }
        if waits > self.few {
            self.flooded.notify_one();
        }
        Ok(())
    }

    /// Waits for a job of a thread; `None` when no handle is left.
    fn next(&self, hasher: &mut Hasher, which: PasswordThread) -> Option<HashJob> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            let now_ms = self.meters.now_ms();
            let (next, wakes) = match which {
                PasswordThread::Prompt => (waiting.prompt(now_ms, self.few), &self.changed),
                PasswordThread::Patient => (waiting.patient(now_ms, self.few), &self.flooded),
            };
            waiting = match next {
                Next::Do(job) => {
                    if which == PasswordThread::Patient && waiting.has_few(self.few) {
                        // What is left is no flood, so that a prompt thread need not wait.
                        self.changed.notify_one();
                    }
                    return Some(job);
                }
                Next::Look(in_ms) => {
                    let waited = wakes.wait_timeout(waiting, Duration::from_millis(in_ms));
                    waited.expect("nothing panics with the queue held").0
                }
                Next::Rest => {
                    hasher.rest();
                    wakes.wait(waiting).expect("nothing panics with the queue held")
                }
            };
        }
    }

    fn work(&self, hasher: &mut Hasher, which: PasswordThread) {
        while let Some(HashJob { queued_ms, until_ms, run }) = self.next(hasher, which) {
            self.meters.waited(queued_ms);
            let ends_ms = self.meters.now_ms().saturating_add(self.meters.usual_ms());
            let timely =
                if until_ms.is_none_or(|until_ms| ends_ms <= until_ms) { Timely::Yes } else { Timely::No };
            // The answer of a job that panics is dropped unsent, which its caller takes for an error. The thread goes on, for
            // the next job.
            let _ = catch_unwind(AssertUnwindSafe(|| run(hasher, timely)));
        }
    }
}

/// The threads. They end when this is dropped.
pub(super) struct Pool {
    queue: Arc<Queue>,
}

impl Pool {
    /// Starts a thread for each hasher. At most `max` wait, and more than `few` are a flood.
    pub(super) fn start(
        hashers: Vec<(PasswordThread, Hasher)>,
        (max, few): (usize, usize),
        at_start: fn(PasswordThread),
        meters: Arc<PasswordMeters>,
    ) -> io::Result<Self> {
        let (changed, flooded) = (Condvar::new(), Condvar::new());
        let queue = Queue { waiting: Mutex::default(), max, few, changed, flooded, meters };
        // Made first, so that it ends those that started when one does not.
        let pool = Self { queue: Arc::new(queue) };
        for (which, mut hasher) in hashers {
            let queue = pool.queue.clone();
            let work = move || {
                at_start(which);
                queue.work(&mut hasher, which);
            };
            let name = match which {
                PasswordThread::Prompt => "guanxi-passwords",
                PasswordThread::Patient => "guanxi-pw-flood",
            };
            thread::Builder::new().name(name.into()).spawn(work)?;
        }
        Ok(pool)
    }

    /// Returns whether one more may wait in a queue; one that may not is counted.
    pub(super) fn admits(&self, queue: PasswordQueue) -> bool {
        let admits = self.queue.lock().line(queue).len() < self.queue.max;
        self.queue.meters.refused.increment(u64::from(!admits));
        admits
    }

    /// Has a thread do work, and returns its result. Work whose caller has left is skipped.
    ///
    /// # Errors
    /// `OVERLOADED` when the queue is full, or when the work cannot be done in the time that is left.
    pub(super) async fn run<T, W>(&self, turn: PasswordTurn, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&mut Hasher) -> Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let meters = self.queue.meters.clone();
        let run = move |hasher: &mut Hasher, timely: Timely| {
            if answer.is_closed() {
                meters.left.increment(1);
                return;
            }
            let done = match timely {
                Timely::Yes => work(hasher),
                Timely::No => {
                    meters.late.increment(1);
                    Err(overloaded())
                }
            };
            // A caller that left meanwhile gets no answer.
            let _ = answer.send(done);
        };
        let queued_ms = self.queue.meters.now_ms();
        let left_ms = turn.time_left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let until_ms = left_ms.map(|left_ms| queued_ms.saturating_add(left_ms));
        self.queue.push(turn, HashJob { queued_ms, until_ms, run: Box::new(run) })?;
        answered
            .await
            .unwrap_or_else(|_| Err(Error::with_detail(Reason::Internal, "hashing a password panicked")))
    }

    /// Returns how many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        let waiting = self.queue.lock();
        waiting.line(PasswordQueue::Strangers).len() + waiting.line(PasswordQueue::Familiar).len()
    }

    /// Returns a handle that tells whether a thread is left.
    #[cfg(test)]
    pub(super) fn alive(&self) -> std::sync::Weak<impl Sized + use<>> {
        Arc::downgrade(&self.queue)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // A caller that waits for an answer holds a handle, so no caller waits now.
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        self.queue.flooded.notify_all();
    }
}
