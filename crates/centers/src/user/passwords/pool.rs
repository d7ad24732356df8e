//! The threads that hash, and the bounded queue in front of them.

use super::PasswordThread;
use super::hasher::Hasher;
use super::meters::Meters;
use guanxi_model::{Error, Reason, Result};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// When whoever met a full queue should come back, in milliseconds: it is worked off by then.
const RETRY_AFTER_MS: u32 = 1_000;

/// While many wait, a prompt thread takes one when none was taken for so many milliseconds: then calls leave the patient
/// thread nothing of the cores, and logins would stop. While the patient one gets on it takes none, since a thread that
/// has slept is owed time, and a system may let it run for a few milliseconds before a call that wakes.
const STARVED_MS: u64 = 250;

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
    /// When one was last taken.
    taken_ms: u64,
}

/// The queue that handles and threads share.
struct Queue {
    waiting: Mutex<Waiting>,
    max: usize,
    /// More than so many are a flood.
    few: usize,
    /// There is something for a prompt thread.
    changed: Condvar,
    /// There is something for the patient one.
    flooded: Condvar,
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
        let waits = waiting.jobs.len();
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

    /// Waits for a job of a prompt thread; `None` when no handle is left.
    fn next_prompt(&self, hasher: &mut Hasher) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if waiting.jobs.is_empty() {
                hasher.rest();
                waiting = self.changed.wait(waiting).expect("nothing panics with the queue held");
                continue;
            }
            let now_ms = self.meters.now_ms();
            let left_ms = (waiting.taken_ms + STARVED_MS).saturating_sub(now_ms);
            if waiting.jobs.len() <= self.few || left_ms == 0 {
                waiting.taken_ms = now_ms;
                return waiting.jobs.pop_front();
            }
            // The clock may have been set back.
            let rest = Duration::from_millis(left_ms.min(STARVED_MS));
            let waited = self.changed.wait_timeout(waiting, rest);
            waiting = waited.expect("nothing panics with the queue held").0;
        }
    }

    /// Waits for a job of the patient thread; `None` when no handle is left.
    fn next_patient(&self, hasher: &mut Hasher) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if waiting.jobs.len() > self.few {
                waiting.taken_ms = self.meters.now_ms();
                let job = waiting.jobs.pop_front();
                if waiting.jobs.len() <= self.few {
                    // What is left is no flood, so a prompt thread need not wait.
                    self.changed.notify_one();
                }
                return job;
            }
            hasher.rest();
            waiting = self.flooded.wait(waiting).expect("nothing panics with the queue held");
        }
    }

    fn work(&self, hasher: &mut Hasher, which: PasswordThread) {
        let next = match which {
            PasswordThread::Prompt => Self::next_prompt,
            PasswordThread::Patient => Self::next_patient,
        };
        while let Some(Job { queued_ms, run }) = next(self, hasher) {
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
    /// Starts a thread for each hasher. At most `max` wait, and more than `few` are a flood.
    pub(super) fn start(
        hashers: Vec<(PasswordThread, Hasher)>,
        (max, few): (usize, usize),
        at_start: fn(PasswordThread),
        meters: Arc<Meters>,
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

    /// Whether one more may wait; who may not is counted.
    pub(super) fn admits(&self) -> bool {
        let admits = self.queue.lock().jobs.len() < self.queue.max;
        self.queue.meters.refused.increment(u64::from(!admits));
        admits
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
        self.queue.flooded.notify_all();
    }
}
