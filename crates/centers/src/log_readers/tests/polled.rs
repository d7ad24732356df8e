//! What tests of followers need: futures that are polled by hand, and a log that counts, fails and holds back.

use guanxi_model::{Error, Event, LogId, Logs, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use guanxi_spec::memory::MemoryStore;
use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// Counts how often a future was woken.
#[derive(Default)]
pub(crate) struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A future that is polled by hand.
pub(crate) struct Polled<'a, T> {
    future: Pin<Box<dyn Future<Output = T> + Send + 'a>>,
    wakes: Arc<Wakes>,
    taken: usize,
    is_new: bool,
}

impl<'a, T> Polled<'a, T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'a) -> Self {
        // A test that polls by hand polls more than one task would be given at a time.
        Self {
            future: Box::pin(tokio::task::unconstrained(future)),
            wakes: Arc::default(),
            taken: 0,
            is_new: true,
        }
    }

    /// What it comes to, or `None` when it waits.
    pub(crate) fn poll(&mut self) -> Option<T> {
        (self.taken, self.is_new) = (self.wakes(), false);
        let waker = Waker::from(self.wakes.clone());
        match self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    /// Polls it for as long as it has been woken.
    pub(crate) fn settle(&mut self) -> Option<T> {
        loop {
            if let Some(value) = self.poll() {
                return Some(value);
            }
            if !self.is_woken() {
                return None;
            }
        }
    }

    /// Whether it was never polled.
    pub(crate) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// How often it was woken, ever.
    pub(crate) fn wakes(&self) -> usize {
        self.wakes.0.load(Relaxed)
    }

    /// Whether it was woken since it was polled last.
    pub(crate) fn is_woken(&self) -> bool {
        self.wakes() > self.taken
    }
}

/// The log of a store, as a test wants it.
pub(crate) struct TestLog {
    inner: Arc<MemoryStore>,
    /// How often each event was read.
    pub(crate) read: Mutex<BTreeMap<(LogId, u64), usize>>,
    /// Calls of `read`.
    pub(crate) reads: AtomicUsize,
    /// Calls of `read` fail.
    pub(crate) fails: AtomicBool,
    /// The store closes.
    pub(crate) closes: AtomicBool,
}

impl TestLog {
    pub(crate) fn new(inner: Arc<MemoryStore>) -> Arc<Self> {
        let (fails, closes) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { inner, read: Mutex::default(), reads: AtomicUsize::new(0), fails, closes })
    }

    /// How often the events from a position on were read: the least often and the most often read one.
    pub(crate) fn readings(&self, from: &Position) -> Option<(usize, usize)> {
        let read = self.read.lock().unwrap();
        let later =
            read.iter().filter(|((log, seq), _)| *seq > from.in_log(*log).seq()).map(|(_, times)| *times);
        let times: Vec<usize> = later.collect();
        Some((*times.iter().min()?, *times.iter().max()?))
    }
}

impl Log for TestLog {
    fn logs(&self) -> Logs {
        self.inner.logs()
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        self.inner.head()
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        self.reads.fetch_add(1, Relaxed);
        if self.fails.load(Relaxed) {
            return Box::pin(ready(Err(Error::with_detail(Reason::Damaged, "by the test"))));
        }
        Box::pin(async move {
            let batch = self.inner.read(log, after, max).await?;
            let mut read = self.read.lock().unwrap();
            let place = |event: &Event| (event.at.log(), event.at.seq());
            batch.events.iter().for_each(|event| *read.entry(place(event)).or_default() += 1);
            drop(read);
            Ok(batch)
        })
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        if self.closes.load(Relaxed) {
            return Box::pin(ready(Err(Error::new(Reason::ShuttingDown))));
        }
        self.inner.wait(after)
    }
}
