//! Which calls are let in when more come than the machine can answer.
//!
//! What tells is how long work that is ready waits for its turn: a bound on calls at once would not, since most calls are
//! answered in one turn. A probe gets itself ready every few milliseconds, and waits as a call does whose bytes have
//! come. While it waits too long, a share of the calls is refused from their heads alone, before their bodies are read;
//! the share is steered as by PIE (RFC 8033), which keeps a queue at the length that it is told, whatever comes in.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use buffa::bytes::Bytes;
use connectrpc::ConnectError;
use guanxi_model::random::mix;
use guanxi_model::{Error, Reason};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::time::Instant;

use crate::answer::{Answer, AnswerBody};
use crate::error::to_wire;
use crate::limits::RETRY_AFTER_MS;

/// How often the wait is measured while calls come.
const PROBE_EVERY: Duration = Duration::from_millis(5);

/// The same while none come, so that an idle server sleeps.
const PROBE_IDLE: Duration = Duration::from_millis(50);

/// The shortest of so many waits counts: one long call, or a moment without the core, is no queue.
const PROBES: usize = 3;

/// By how much a second of wait too long changes the share with each probe.
const GAIN_DELAY: f64 = 0.3;

/// By how much a second that the wait has grown changes it. With the gain above this settles within a tenth of a second,
/// without swinging, from the server's capacity up to ten times it; the tests play it.
const GAIN_GROWTH: f64 = 3.0;

/// What is left of the share after a probe that found no queue.
const DECAY: f64 = 0.99;

/// The most that is refused: what is let in tells whether there is room again.
const REFUSED_MAX: f64 = 0.99;

/// A probe that has not come back after so many times the wait that is aimed at says enough: until it does, nearly all are
/// refused, so that what waits is worked off before anybody gives up.
const LATE: u32 = 4;

/// One call in so many is let in meanwhile.
const ADMITTED_LATE: u64 = 64;

/// Calls that are let in after each probe whatever it found: so few do not make a queue, it is others on the machine.
const FREE: u64 = 2;

/// Lets calls in, or all but a share of them.
#[derive(Debug)]
pub(crate) struct Admission {
    began: Instant,
    /// When the probe that is out is late, in microseconds since `began`.
    late_us: AtomicU64,
    /// The share that is refused, in units of 2^-32.
    refused: AtomicU32,
    /// Calls that came; the refused ones are spread over them.
    calls: AtomicU64,
    /// Calls before this one are let in.
    free: AtomicU64,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            late_us: AtomicU64::new(u64::MAX),
            refused: AtomicU32::new(0),
            calls: AtomicU64::new(0),
            free: AtomicU64::new(0),
        }
    }
}

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

impl Admission {
    /// Whether the next call is let in.
    pub(crate) fn admits(&self) -> bool {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if call < self.free.load(Ordering::Relaxed) {
            return true;
        }
        if micros(self.began.elapsed()) > self.late_us.load(Ordering::Relaxed) {
            return call.is_multiple_of(ADMITTED_LATE);
        }
        let refused = self.refused.load(Ordering::Relaxed);
        refused == 0 || (mix(call) >> 32) as u32 >= refused
    }

    /// Measures and steers, until it is dropped. It must run where calls run.
    pub(crate) async fn steer(&self, wait_max: Duration) -> Infallible {
        let (share, wait) = (
            metrics::gauge!("guanxi_admission_refused_share"),
            metrics::gauge!("guanxi_admission_wait_seconds"),
        );
        let mut steering = Steering::new(wait_max);
        let mut calls = 0;
        loop {
            let come = self.calls.load(Ordering::Relaxed);
            let is_idle = come == calls && steering.refused == 0.0;
            calls = come;
            self.free.store(come + FREE, Ordering::Relaxed);
            let due = Instant::now() + if is_idle { PROBE_IDLE } else { PROBE_EVERY };
            self.late_us.store(micros(due + LATE * wait_max - self.began), Ordering::Relaxed);
            tokio::time::sleep_until(due).await;
            to_the_end_of_the_queue().await;
            let refused = steering.probed(due.elapsed());
            #[expect(clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
            let units = (refused * f64::from(u32::MAX)) as u32;
            self.refused.store(units, Ordering::Relaxed);
            share.set(refused);
            wait.set(steering.wait);
        }
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

/// From waits to the share that is refused.
#[derive(Debug)]
struct Steering {
    wait_max: f64,
    probes: VecDeque<f64>,
    /// The wait that counts, in seconds.
    wait: f64,
    refused: f64,
}

impl Steering {
    fn new(wait_max: Duration) -> Self {
        Self {
            wait_max: wait_max.as_secs_f64(),
            probes: VecDeque::from([0.0; PROBES]),
            wait: 0.0,
            refused: 0.0,
        }
    }

    /// Takes in a measured wait, and returns the share to refuse from now on.
    fn probed(&mut self, waited: Duration) -> f64 {
        self.probes.pop_front();
        self.probes.push_back(waited.as_secs_f64());
        let before = self.wait;
        self.wait = self.probes.iter().copied().fold(f64::INFINITY, f64::min);
        let change = GAIN_DELAY * (self.wait - self.wait_max) + GAIN_GROWTH * (self.wait - before);
        self.refused = (self.refused + change).clamp(0.0, REFUSED_MAX);
        if self.wait < self.wait_max / 4.0 {
            self.refused *= DECAY;
        }
        if self.refused < 1e-4 {
            self.refused = 0.0;
        }
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is waited at most.
    const WAIT_MAX: Duration = Duration::from_millis(10);
    /// Seconds of the core that a call takes, and a refusal.
    const COST: (f64, f64) = (200e-6, 8e-6);

    /// A second and a half at so many times what a core can answer, beginning idle: the longest wait and the share of the
    /// core that calls got, of the last second.
    fn play(times: f64) -> (f64, f64) {
        let mut steering = Steering::new(WAIT_MAX);
        let (mut queue, mut refused, mut longest, mut got) = (0.0_f64, 0.0, 0.0_f64, 0.0);
        let step = PROBE_EVERY.as_secs_f64();
        for n in 0..300 {
            let come = times / COST.0 * step;
            let work = come * (1.0 - refused) * COST.0;
            queue = (queue + work + come * refused * COST.1 - step).max(0.0);
            if n >= 100 {
                longest = longest.max(queue);
                got += work;
            }
            refused = steering.probed(Duration::from_secs_f64(queue));
        }
        (longest, got / 1.0)
    }

    #[test]
    fn the_queue_stays_short_and_the_core_busy_whatever_comes() {
        let (longest, _) = play(0.9);
        assert!(longest < 1e-6, "{longest}");
        for times in [1.0, 1.2, 2.0, 5.0, 10.0] {
            let (longest, got) = play(times);
            let most = 1.0 - (times - 1.0) * COST.1 / COST.0;
            assert!(longest < 2.5 * WAIT_MAX.as_secs_f64(), "{times}: {longest}");
            assert!(got > 0.93 * most, "{times}: {got} of {most}");
        }
    }

    #[test]
    fn one_long_call_refuses_nobody() {
        let mut steering = Steering::new(WAIT_MAX);
        for n in 0..100 {
            let waited = if n % PROBES == 0 { Duration::from_millis(200) } else { Duration::ZERO };
            assert!(steering.probed(waited) == 0.0, "{n}");
        }
    }

    #[test]
    fn so_many_are_refused_as_was_said() {
        let admission = Admission::default();
        assert!((0..1_000).all(|_| admission.admits()));
        admission.refused.store(u32::MAX / 4, Ordering::Relaxed);
        let admitted = (0..10_000).filter(|_| admission.admits()).count();
        assert!((7_300..7_700).contains(&admitted), "{admitted}");
    }

    #[tokio::test]
    async fn the_probe_waits_behind_what_is_ready() {
        let admission = std::sync::Arc::new(Admission::default());
        let steering = tokio::spawn({
            let admission = admission.clone();
            async move { admission.steer(WAIT_MAX).await }
        });
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
            while admission.refused.load(Ordering::Relaxed) == 0 {
                admission.admits();
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), refused).await.unwrap();
        busy.iter().for_each(tokio::task::JoinHandle::abort);
        steering.abort();
    }
}
