//! The threads that hash, and the bounded queue in front of them.

use super::hasher::Hasher;
use super::meters::Meters;
use guanxi_model::{Error, Reason, Result};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use tokio::sync::oneshot;

/// When whoever met a full queue should come back, in milliseconds: it is worked off by then.
const RETRY_AFTER_MS: u32 = 1_000;

/// One hash that is asked for.
struct Job {
    queued_ms: u64,
    run: Box<dyn FnOnce(&mut Hasher) + Send>,
}

/// What waits, and whether anybody is left to ask for more.
#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// The queue that handles and threads share.
struct Queue {
    waiting: Mutex<Waiting>,
    max: usize,
    changed: Condvar,
    meters: Arc<Meters>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nothing panics with the queue held")
    }

    fn push(&self, job: Job) -> Result<()> {
        let mut waiting = self.lock();
        if waiting.jobs.len() >= self.max {
            self.meters.refused.increment(1);
            // Not `RATE_LIMITED`, which tells a caller of its own spending: here others have filled the queue.
            return Err(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for a job; `None` when no handle is left.
    fn next(&self, hasher: &mut Hasher) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(job) = waiting.jobs.pop_front() {
                return Some(job);
            }
            hasher.rest();
            waiting = self.changed.wait(waiting).expect("nothing panics with the queue held");
        }
    }

    fn work(&self, hasher: &mut Hasher) {
        while let Some(Job { queued_ms, run }) = self.next(hasher) {
            self.meters.waited(queued_ms);
            // The answer of a job that panics is dropped unsent, which its caller takes for an error. The thread goes
            // on, for whoever comes next.
            let _ = catch_unwind(AssertUnwindSafe(|| run(hasher)));
        }
    }
}

/// The threads. They end when this is dropped.
pub(super) struct Pool {
    queue: Arc<Queue>,
}

impl Pool {
    /// Starts as many threads as there are hashers.
    pub(super) fn start(
        hashers: Vec<Hasher>,
        max: usize,
        at_start: fn(),
        meters: Arc<Meters>,
    ) -> io::Result<Self> {
        let queue = Queue { waiting: Mutex::default(), max, changed: Condvar::new(), meters };
        // Made first, so that it ends those that started when one does not.
        let pool = Self { queue: Arc::new(queue) };
        for mut hasher in hashers {
            let queue = pool.queue.clone();
            let work = move || {
                at_start();
                queue.work(&mut hasher);
            };
            thread::Builder::new().name("guanxi-passwords".into()).spawn(work)?;
        }
        Ok(pool)
    }

    /// Has a thread do work, and waits for what it comes to. Whoever stops waiting is skipped when its turn comes.
    ///
    /// # Errors
    /// `OVERLOADED` at once when the queue is full.
    pub(super) async fn run<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&mut Hasher) -> Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let meters = self.queue.meters.clone();
        let run = move |hasher: &mut Hasher| {
            if answer.is_closed() {
                meters.left.increment(1);
                return;
            }
            // Whoever left meanwhile gets no answer.
            let _ = answer.send(work(hasher));
        };
        self.queue.push(Job { queued_ms: self.queue.meters.now_ms(), run: Box::new(run) })?;
        answered
            .await
            .unwrap_or_else(|_| Err(Error::with_detail(Reason::Internal, "hashing a password panicked")))
    }

    /// Returns how many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.queue.lock().jobs.len()
    }

    /// Returns what tells whether a thread is left.
    #[cfg(test)]
    pub(super) fn alive(&self) -> std::sync::Weak<impl Sized + use<>> {
        Arc::downgrade(&self.queue)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Who waits for an answer holds a handle, so nobody does.
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
    }
}
