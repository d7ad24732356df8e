//! Calls by the clock: an open loop sends when a call is due, however slow the server is.
//!
//! A free connection sends the next call that is due, and all times count from when it was due. So a server that stalls
//! is charged for every call that had to wait (no coordinated omission), and so is a generator that is late. What could
//! not be sent is said. Several kinds of calls share one generator, each with connections and a rate of its own.

use crate::connection::RawConnection;
use crate::http1::{self, WireError};
use crate::{Latencies, Quantiles};
use guanxi_model::Result;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// The pause between opening connections and the first call: a server still takes them in when they are open here.
const SETTLE: Duration = Duration::from_millis(500);
/// How long the answers of what was sent may still take when the time is over.
const PATIENCE: Duration = Duration::from_secs(10);
/// The reason of a server that has too much to do: in plain words, and as the end of its name in a detail of Connect.
const OVERLOADED: [&[u8]; 2] = [b"OVERLOADED", b"VkVSTE9BREVE"];

/// How calls are made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Connections, opened before the clock starts.
    pub connections: usize,
    /// Calls per second of the open loop. Without, each connection calls again once it is answered.
    pub rate: Option<f64>,
    /// For how long.
    pub time: Duration,
}

/// Calls of one kind.
#[derive(Clone, Debug)]
pub struct TimedCalls {
    /// Requests, which are gone through in turn.
    pub requests: Arc<Vec<Vec<u8>>>,
    /// How they are made.
    pub shape: Shape,
    /// Loopback addresses that connections come from, in turn; without any as the system likes.
    pub from: Vec<Ipv4Addr>,
}

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It was answered with what it asked for.
    Done,
    /// It was a login with a wrong name or password.
    LoginFailed,
    /// Its caller has spent a budget.
    OverBudget,
    /// The server had too much to do.
    Overloaded,
    /// Its deadline passed.
    TooLate,
}

/// How many kinds of answers there are.
const KINDS: usize = 5;

/// The result of the calls of one kind.
#[derive(Clone, Debug)]
pub struct TimedOutcome {
    /// Calls that were due.
    pub due: u64,
    /// Calls that were sent: fewer when no connection was free, or the generator too slow.
    pub sent: u64,
    seconds: f64,
    answers: [Latencies; KINDS],
}

impl TimedOutcome {
    /// The share of what was due that was sent.
    pub fn share_sent(&self) -> f64 {
        self.sent as f64 / self.due.max(1) as f64
    }

    /// Calls that came to this, a second.
    pub fn per_s(&self, what: Answered) -> f64 {
        self.answers[what as usize].count() as f64 / self.seconds
    }

    /// Returns how long those took, from when they were due.
    pub fn latency(&self, what: Answered) -> Quantiles {
        self.answers[what as usize].quantiles()
    }
}

/// Calls that become due at a rate, however slow the answers are.
#[derive(Debug)]
pub struct Arrivals {
    start: Instant,
    rate: f64,
    /// When the calls that wait for a connection were due; one permit of `arrived` stands for each.
    due: Mutex<VecDeque<Instant>>,
    arrived: Semaphore,
}

impl Arrivals {
    /// So many a second; the first is due at the start.
    pub const fn new(start: Instant, rate: f64) -> Self {
        Self { start, rate, due: Mutex::new(VecDeque::new()), arrived: Semaphore::const_new(0) }
    }

    /// Waits until a call is due that no task has taken, and answers when it was; `None` when the time is over.
    pub async fn next(&self) -> Option<Instant> {
        self.arrived.acquire().await.ok()?.forget();
        locked(&self.due).pop_front()
    }

    /// Announces calls as they become due, until it is over. It looks at the clock all the while, since timers of a
    /// millisecond are too coarse for it. That also keeps the core from sleeping: a process that writes to a sleeping one
    /// pays for waking its core, which would charge the server for the idle time of the generator.
    pub async fn pace(&self, is_over: impl Fn() -> bool) {
        let mut announced = 0_u64;
        while !is_over() {
            let by_now = (self.start.elapsed().as_secs_f64() * self.rate) as u64 + 1;
            for number in announced..by_now {
                locked(&self.due).push_back(self.start + Duration::from_secs_f64(number as f64 / self.rate));
                self.arrived.add_permits(1);
            }
            announced = by_now;
            tokio::task::yield_now().await;
        }
        self.arrived.close();
    }
}

/// What the connections of one kind share. They are of one thread.
struct Run {
    calls: TimedCalls,
    end: Instant,
    next: AtomicU64,
    arrivals: Option<Arrivals>,
    found: Mutex<Found>,
}

/// The result of the calls so far.
#[derive(Default)]
struct Found {
    answers: [Latencies; KINDS],
    failure: Option<WireError>,
}

impl Run {
    /// Waits until a call is due that no task has taken; `None` when the time is over.
    async fn due(&self) -> Option<Instant> {
        match &self.arrivals {
            Some(arrivals) => arrivals.next().await,
            None => Some(Instant::now()).filter(|now| *now < self.end),
        }
    }

    fn outcome(&self) -> std::result::Result<TimedOutcome, WireError> {
        let Found { answers, failure } = std::mem::take(&mut *locked(&self.found));
        if let Some(why) = failure {
            return Err(why);
        }
        let (shape, sent) = (&self.calls.shape, self.next.load(Ordering::Relaxed));
        let seconds = shape.time.as_secs_f64();
        let due = shape.rate.map_or(sent, |rate| (rate * seconds) as u64);
        Ok(TimedOutcome { due, sent, seconds, answers })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes calls of several kinds at the same time from one thread of its own, and returns the result of each kind.
///
/// # Errors
/// When a connection breaks, or an answer is neither good nor a refusal that is meant.
pub async fn run(address: SocketAddr, calls: Vec<TimedCalls>) -> Result<Vec<TimedOutcome>> {
    let generator = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
        runtime.block_on(generate(address, calls))
    };
    let ran = tokio::task::spawn_blocking(generator).await.map_err(crate::broken)?;
    ran.map_err(crate::broken)
}

async fn generate(
    address: SocketAddr,
    calls: Vec<TimedCalls>,
) -> std::result::Result<Vec<TimedOutcome>, WireError> {
    let mut kinds = Vec::with_capacity(calls.len());
    for calls in calls {
        let mut connections = Vec::with_capacity(calls.shape.connections);
        for number in 0..calls.shape.connections {
            let from = (!calls.from.is_empty()).then(|| calls.from[number % calls.from.len()]);
            connections.push(RawConnection::open_from(address, from).await?);
        }
        kinds.push((calls, connections));
    }
    tokio::time::sleep(SETTLE).await;
    let start = Instant::now();
    let started: Vec<_> =
        kinds.into_iter().map(|(calls, connections)| begin(calls, connections, start)).collect();
    let mut outcomes = Vec::with_capacity(started.len());
    for (run, lines) in started {
        for line in lines {
            let ended = tokio::time::timeout_at((run.end + PATIENCE).into(), line).await;
            let ended = ended.map_err(|_| format!("calls were not answered within {PATIENCE:?}"))?;
            ended.map_err(|error| error.to_string())?;
        }
        outcomes.push(run.outcome()?);
    }
    Ok(outcomes)
}

/// Starts the connections of one kind, and the clock of its calls.
fn begin(
    calls: TimedCalls,
    connections: Vec<RawConnection>,
    start: Instant,
) -> (Arc<Run>, Vec<JoinHandle<()>>) {
    let (end, arrivals) = (start + calls.shape.time, calls.shape.rate.map(|rate| Arrivals::new(start, rate)));
    let run = Arc::new(Run { calls, end, next: AtomicU64::new(0), arrivals, found: Mutex::default() });
    let mut tasks: Vec<_> =
        connections.into_iter().map(|connection| tokio::spawn(line(connection, run.clone()))).collect();
    let pacing = run.clone();
    tasks.push(tokio::spawn(async move {
        if let Some(arrivals) = &pacing.arrivals {
            arrivals.pace(|| Instant::now() >= end).await;
        }
    }));
    (run, tasks)
}

/// Sends what is due next, as long as there is time.
async fn line(mut connection: RawConnection, run: Arc<Run>) {
    while let Some(due) = run.due().await {
        let number = run.next.fetch_add(1, Ordering::Relaxed) as usize;
        let request = &run.calls.requests[number % run.calls.requests.len()];
        let answered = connection.exchange(request, 1, http1::response_len).await.and_then(judge);
        let mut found = locked(&run.found);
        match answered {
            Ok(answered) => found.answers[answered as usize].record(due.elapsed()),
            Err(why) => {
                found.failure.get_or_insert(why);
                return;
            }
        }
    }
}

/// Returns what a reply says.
///
/// # Errors
/// When it says nothing that is meant.
pub fn judge(reply: &[u8]) -> std::result::Result<Answered, WireError> {
    let holds = |name: &[u8]| reply.windows(name.len()).any(|part| part == name);
    match http1::status(reply)? {
        200 => Ok(Answered::Done),
        401 if holds(b"LOGIN_FAILED") => Ok(Answered::LoginFailed),
        429 if OVERLOADED.into_iter().any(holds) => Ok(Answered::Overloaded),
        429 if holds(b"RATE_LIMITED") => Ok(Answered::OverBudget),
        504 if holds(b"DEADLINE_EXCEEDED") => Ok(Answered::TooLate),
        status => Err(format!("status {status}: {}", String::from_utf8_lossy(&http1::body(reply)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_apart_by_their_reasons() {
        let reply = |status: &str, body: &str| {
            judge(format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes())
        };
        assert_eq!(reply("200 OK", "{}"), Ok(Answered::Done));
        assert_eq!(reply("401 Unauthorized", r#""reason":"LOGIN_FAILED""#), Ok(Answered::LoginFailed));
        assert_eq!(reply("429 Too Many Requests", r#""reason":"RATE_LIMITED""#), Ok(Answered::OverBudget));
        assert_eq!(reply("429 Too Many Requests", r#""reason":"OVERLOADED""#), Ok(Answered::Overloaded));
        assert_eq!(reply("504 Gateway Timeout", "DEADLINE_EXCEEDED"), Ok(Answered::TooLate));
        assert!(reply("401 Unauthorized", "UNAUTHENTICATED").is_err());
        assert!(reply("500 Internal Server Error", "").is_err());
    }
}
