//! Admission: which calls are let in when more come than the machine can answer.
//!
//! The measure is how long ready work waits for its turn. A bound on concurrent calls would not tell that, since most calls
//! are answered in one turn. Probes are sent to the queue in which calls wait. They come back in the order in which they were
//! sent. So the oldest probe that is out says at any moment how long a call has waited that has its turn now.
//!
//! While that wait is too long, calls are refused from their heads alone, before their bodies are read. A refusal takes a
//! small part of the work of a call. So the wait soon reaches its limit and is held there under any load.
//!
//! A wait that is too long for a moment is no queue: the machine did something else. As in CoDel (RFC 8289), it must last
//! before any call is refused. From then on the bound holds at once, until no call had to be refused for a while.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use buffa::bytes::Bytes;
use connectrpc::ConnectError;
use guanxi_model::{Error, Reason};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use metrics::Gauge;
use tokio::runtime::Handle;

use crate::answer::{Answer, AnswerBody};
use crate::errors::to_wire;
use crate::limits::RETRY_AFTER_MS;

/// How often a probe is sent while calls wait: the exactness of what is known of the wait.
const PROBE_EVERY: Duration = Duration::from_millis(2);

/// The same while calls come and have their turn at once. Each probe wakes two threads, which takes time from calls. A probe
/// that is out shows a wait as it grows, and the first that waited makes the next ones come at [`PROBE_EVERY`].
const PROBE_CALM: Duration = Duration::from_millis(20);

/// The same while none come, so that an idle server sleeps.
const PROBE_IDLE: Duration = Duration::from_millis(50);

/// The part of the longest wait that is allowed from which on calls count as waiting.
const CALM_PART: u64 = 4;

/// Probes that are out at most; no more are sent until some come back.
const PROBES_MAX: usize = 512;

/// For how long the wait must be too long before any call is refused.
const STANDING_US: u64 = 100_000;

/// For how long no call must have been refused until the wait must last again.
const OVER_US: u64 = 1_000_000;

/// Calls that are let in after each probe, also after one that found a long wait. So few calls do not make a queue; other
/// load on the machine does.
const FREE: u64 = 1;

/// How often the share of refused calls is noted.
const NOTE_EVERY: Duration = Duration::from_millis(500);

/// Lets calls in, or refuses them.
#[derive(Debug)]
pub(crate) struct Admission {
    began: Instant,
    gate: Gate,
    /// Probes in the queue that all threads share, and into which a thread's own flows over.
    shared: Probes,
    /// Probes in the queue of a thread.
    own: Probes,
    /// Calls that came.
    calls: AtomicU64,
    refused: AtomicU64,
    /// Calls before this one are let in.
    free: AtomicU64,
    /// How long the last probe waited, in microseconds.
    waited: AtomicU64,
    /// The same as a metric.
    wait_seconds: Gauge,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            gate: Gate::default(),
            shared: Probes::default(),
            own: Probes::default(),
            calls: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            free: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            wait_seconds: metrics::gauge!("guanxi_admission_wait_seconds"),
        }
    }
}

impl Admission {
    /// Returns whether the next call is let in.
    pub(crate) fn admits(&self) -> bool {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let (now, wait) = self.wait();
        let admitted = self.gate.admits(now, wait) || call < self.free.load(Ordering::Relaxed);
        if !admitted {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        admitted
    }

    /// Begins to measure, on a thread of its own that ends with this; calls are answered on the runtime at hand.
    ///
    /// # Errors
    /// When the machine has no thread for it; then all calls are let in.
    pub(crate) fn start(self: &Arc<Self>, wait_max: Duration) -> io::Result<()> {
        self.gate.wait_max_us.store(micros(wait_max), Ordering::Relaxed);
        let (this, runtime) = (Arc::downgrade(self), Handle::current());
        thread::Builder::new().name("admission".into()).spawn(move || send_probes(&this, &runtime))?;
        Ok(())
    }

    /// Returns whether calls wait for their turn, by the part of the longest wait from which on they count as waiting.
    pub(crate) fn is_waiting(&self) -> bool {
        self.wait().1 > self.gate.wait_max_us.load(Ordering::Relaxed) / CALM_PART
    }

    /// The time, and how long what has its turn has waited.
    fn wait(&self) -> (u64, u64) {
        let now = self.now();
        (now, self.shared.wait(now).max(self.own.wait(now)))
    }

    /// Microseconds since this began.
    fn now(&self) -> u64 {
        micros(self.began.elapsed())
    }

    /// When the next probe is sent, after one that was sent just now. `is_new` says whether calls came since the one before.
    fn pause(&self, is_new: bool) -> Duration {
        let wait = self.waited.load(Ordering::Relaxed).max(self.wait().1);
        pause(is_new, wait, self.gate.wait_max_us.load(Ordering::Relaxed))
    }
}

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

/// When the next probe is sent: the sooner, the nearer the wait is to what is allowed. A few long calls make work, too, so
/// that a wait counts even while no new call comes.
fn pause(is_new: bool, wait_us: u64, wait_max_us: u64) -> Duration {
    if wait_us > wait_max_us / CALM_PART {
        PROBE_EVERY
    } else if is_new || wait_us > micros(PROBE_EVERY) {
        PROBE_CALM
    } else {
        PROBE_IDLE
    }
}

/// Sends probes from outside of the runtime, so that they wait in the queue that its threads share.
#[expect(clippy::disallowed_methods, reason = "probes are sent by the clock, and not on a condition")]
fn send_probes(admission: &Weak<Admission>, runtime: &Handle) {
    let share = metrics::gauge!("guanxi_admission_refused_share");
    let (mut seen, mut noted, mut noted_at) = (0, (0, 0), Instant::now());
    loop {
        let Some(here) = admission.upgrade() else { return };
        if here.shared.send(here.now()) {
            runtime.spawn(probe(here.clone()));
        }
        let (calls, refused) = (here.calls.load(Ordering::Relaxed), here.refused.load(Ordering::Relaxed));
        let pause = here.pause(calls != seen);
        seen = calls;
        if noted_at.elapsed() >= NOTE_EVERY {
            share.set((refused - noted.1) as f64 / (calls - noted.0).max(1) as f64);
            (noted, noted_at) = ((calls, refused), Instant::now());
        }
        drop(here);
        thread::sleep(pause);
    }
}

/// Waits where calls wait: it is in the queue that all threads share until it begins, and then in a thread's own.
async fn probe(admission: Arc<Admission>) {
    let shared = admission.shared.back(admission.now());
    let sent = admission.own.send(admission.now());
    to_the_end_of_the_queue().await;
    let own = if sent { admission.own.back(admission.now()) } else { 0 };
    let (now, wait) = admission.wait();
    admission.gate.note(now, wait);
    let waited = shared.max(own);
    admission.waited.store(waited, Ordering::Relaxed);
    admission.free.store(admission.calls.load(Ordering::Relaxed) + FREE, Ordering::Relaxed);
    admission.wait_seconds.set(waited as f64 / 1e6);
}

/// Probes of one queue, which come back in the order in which they were sent.
#[derive(Debug, Default)]
struct Probes {
    /// When each that is out was sent.
    out: Mutex<VecDeque<u64>>,
    /// When the oldest of them was sent, plus one; 0 when none is out.
    oldest: AtomicU64,
}

impl Probes {
    fn out(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether one more may be out.
    fn send(&self, now: u64) -> bool {
        let mut out = self.out();
        if out.len() == PROBES_MAX {
            return false;
        }
        out.push_back(now);
        self.oldest.store(out[0] + 1, Ordering::Relaxed);
        true
    }

    /// The oldest is back: how long it waited.
    fn back(&self, now: u64) -> u64 {
        let mut out = self.out();
        let sent = out.pop_front().unwrap_or(now);
        self.oldest.store(out.front().map_or(0, |sent| sent + 1), Ordering::Relaxed);
        now.saturating_sub(sent)
    }

    /// How long what has its turn now has waited at least.
    fn wait(&self, now: u64) -> u64 {
        match self.oldest.load(Ordering::Relaxed) {
            0 => 0,
            oldest => now.saturating_sub(oldest - 1),
        }
    }
}

/// From waits to who is let in. All times are in microseconds since the same moment.
#[derive(Debug)]
struct Gate {
    wait_max_us: AtomicU64,
    /// Since when the wait is too long, plus one; 0 when it is not.
    long_since: AtomicU64,
    /// Until when the bound holds at once.
    over_until: AtomicU64,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            wait_max_us: AtomicU64::new(u64::MAX),
            long_since: AtomicU64::new(0),
            over_until: AtomicU64::new(0),
        }
    }
}

impl Gate {
    /// Takes in what something waited whose turn it is, and answers since when the wait is too long.
    fn note(&self, now: u64, wait: u64) -> Option<u64> {
        let since = self.long_since.load(Ordering::Relaxed);
        if wait <= self.wait_max_us.load(Ordering::Relaxed) {
            if since != 0 {
                self.long_since.store(0, Ordering::Relaxed);
            }
            return None;
        }
        if since != 0 {
            return Some(since - 1);
        }
        self.long_since.store(now + 1, Ordering::Relaxed);
        Some(now)
    }

    /// Returns whether a call is let in that has its turn after this wait.
    fn admits(&self, now: u64, wait: u64) -> bool {
        let Some(since) = self.note(now, wait) else { return true };
        if now < since + STANDING_US && now >= self.over_until.load(Ordering::Relaxed) {
            return true;
        }
        self.over_until.store(now + OVER_US, Ordering::Relaxed);
        false
    }
}

/// Refuses a call for which there is no time, and spends little on it: the answer of Connect is made once.
pub(crate) fn refuse(headers: &HeaderMap) -> Answer {
    static BODY: LazyLock<Bytes> = LazyLock::new(|| overloaded().to_json());
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !matches!(content_type, Some(b"application/json" | b"application/proto")) {
        return overloaded().into_http_response(headers).map(AnswerBody::Call);
    }
    let mut answer = Response::new(AnswerBody::Page(axum::body::Body::from(BODY.clone())));
    *answer.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn overloaded() -> ConnectError {
    to_wire(&Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }))
}

/// Completes after everything that is ready on this thread has had its turn.
///
/// The runtime gives a task that a timer wakes the next turn, and one that wakes itself the last.
async fn to_the_end_of_the_queue() {
    let mut went = false;
    poll_fn(|cx| {
        if went {
            return Poll::Ready(());
        }
        went = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is waited at most.
    const WAIT_MAX: u64 = 10_000;
    /// Microseconds of the core that a call takes, and a refusal.
    const COST: (u64, u64) = (200, 16);

    fn gate() -> Gate {
        Gate { wait_max_us: AtomicU64::new(WAIT_MAX), ..Gate::default() }
    }

    /// What waits for the core.
    enum Ready {
        Call { since: u64 },
        Probe,
    }

    /// Two seconds at so many times what a core can answer, beginning idle: the longest wait of a call and the share of the
    /// core that calls got, of the last second.
    #[expect(clippy::cast_sign_loss, reason = "times rise from zero")]
    fn play(times: f64) -> (u64, f64) {
        let (gate, probes) = (gate(), Probes::default());
        let (mut queue, mut longest, mut got) = (VecDeque::new(), 0, 0);
        let (mut now, mut next_call, mut next_probe, mut waited) = (0_u64, 0.0, 0_u64, 0);
        while now < 2_000_000 {
            while next_call <= now as f64 || next_probe <= now {
                if next_call <= next_probe as f64 {
                    queue.push_back(Ready::Call { since: next_call as u64 });
                    next_call += COST.0 as f64 / times;
                } else {
                    queue.push_back(Ready::Probe);
                    probes.send(next_probe);
                    next_probe += micros(pause(true, probes.wait(next_probe).max(waited), WAIT_MAX));
                }
            }
            match queue.pop_front() {
                None => now += 1,
                Some(Ready::Probe) => waited = probes.back(now),
                Some(Ready::Call { since }) => {
                    let admitted = gate.admits(now, probes.wait(now));
                    if now >= 1_000_000 {
                        longest = longest.max(now - since);
                        got += if admitted { COST.0 } else { 0 };
                    }
                    now += if admitted { COST.0 } else { COST.1 };
                }
            }
        }
        (longest, got as f64 / 1e6)
    }

    #[test]
    fn the_queue_stays_short_and_the_core_busy_whatever_comes() {
        let (longest, _) = play(0.9);
        assert!(longest < 1_000, "{longest}");
        for times in [1.1, 1.2, 2.0, 5.0, 10.0] {
            let (longest, got) = play(times);
            let refusal = COST.1 as f64 / COST.0 as f64;
            let most = (1.0 - times * refusal) / (1.0 - refusal);
            assert!(longest < WAIT_MAX * 3 / 2, "{times}: {longest}");
            assert!(got > 0.95 * most, "{times}: {got} of {most}");
        }
    }

    #[test]
    fn probes_come_often_only_while_calls_wait() {
        assert_eq!(pause(false, 0, WAIT_MAX), PROBE_IDLE);
        assert_eq!(pause(true, WAIT_MAX / CALM_PART, WAIT_MAX), PROBE_CALM);
        for is_new in [true, false] {
            assert_eq!(pause(is_new, WAIT_MAX / CALM_PART + 1, WAIT_MAX), PROBE_EVERY);
        }
    }

    #[test]
    fn a_moment_without_the_core_refuses_nobody() {
        let gate = gate();
        for n in 0..1_000 {
            let now = n * 1_000;
            // Out of each 150 ms, 90 were without the core.
            let wait = if n % 150 < 90 { 40_000 } else { 0 };
            assert!(gate.admits(now, wait), "{n}");
        }
    }

    #[test]
    fn after_a_queue_the_bound_holds_at_once_until_there_was_none_for_a_while() {
        let gate = gate();
        assert!(gate.admits(0, WAIT_MAX + 1) && gate.admits(STANDING_US - 1, WAIT_MAX + 1));
        assert!(!gate.admits(STANDING_US, WAIT_MAX + 1), "it stands");
        assert!(gate.admits(STANDING_US + 1, WAIT_MAX), "not too long");
        assert!(!gate.admits(STANDING_US + 2, WAIT_MAX + 1), "at once");
        assert!(
            gate.admits(STANDING_US + 3, WAIT_MAX) && gate.admits(STANDING_US + 2 + OVER_US, WAIT_MAX + 1)
        );
    }

    #[test]
    fn probes_say_how_long_the_oldest_waits_and_are_bounded() {
        let probes = Probes::default();
        assert_eq!(probes.wait(5), 0, "none is out");
        assert!(probes.send(0) && probes.send(7));
        assert_eq!(probes.wait(10), 10);
        assert_eq!(probes.back(11), 11);
        assert_eq!(probes.wait(12), 5);
        assert!((1..PROBES_MAX as u64).all(|n| probes.send(n)) && !probes.send(1_000));
    }

    #[tokio::test]
    async fn calls_are_refused_while_this_thread_has_more_to_do_than_it_can() {
        let admission = Arc::new(Admission::default());
        admission.start(Duration::from_micros(WAIT_MAX)).unwrap();
        // Work that always waits: on this one thread, thirty milliseconds of it.
        let busy: Vec<_> = (0..30)
            .map(|_| {
                tokio::spawn(async {
                    loop {
                        let end = Instant::now() + Duration::from_millis(1);
                        while Instant::now() < end {
                            std::hint::spin_loop();
                        }
                        to_the_end_of_the_queue().await;
                    }
                })
            })
            .collect();
        let refused = async {
            while (0..10).all(|_| admission.admits()) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), refused).await.unwrap();
        busy.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
