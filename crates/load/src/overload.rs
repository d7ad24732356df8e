//! More calls than a server can answer: an open loop, which sends by the clock whatever the server does.
//!
//! Calls are due at fixed times, whichever connection is free sends the next one, and all times count from when a call
//! was due: a server that stalls is charged for every call that had to wait (no coordinated omission), and so is a
//! generator that is late. What could not be sent is said.

use crate::connection::RawConnection;
use crate::http1::{self, WireError};
use crate::rpc::{pairs_request, posts_request};
use crate::{Latencies, Quantiles, World};
use guanxi_model::Result;
use guanxi_model::random::{Rng, mix};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pairs of a relation check: as many as a call may have.
pub const CHECKS: u32 = 1_000;
/// Prepared requests of each kind; the connections go through them in turn.
const PREPARED: u32 = 256;
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

/// What came of the calls.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Calls that were due.
    pub due: u64,
    /// Calls that were sent: fewer when no connection was free, or the generator too slow.
    pub sent: u64,
    /// Calls that were answered with what they asked for, a second.
    pub good_per_s: f64,
    /// From when they were due.
    pub good: Quantiles,
    /// Calls that were refused with the reason `OVERLOADED`, a second.
    pub refused_per_s: f64,
    /// From when they were due.
    pub refused: Quantiles,
}

/// Calls that cost a server much more than whoever sends them: home pages with 20 posts, and the relations within 1,000
/// pairs.
#[derive(Debug)]
pub struct CostlyCalls(Vec<Vec<u8>>);

impl CostlyCalls {
    /// Draws calls about a world, half of each kind.
    pub fn draw(world: &World) -> Self {
        let mut rng = Rng::new(mix(world.seed));
        let mut user = move || world.uid(rng.below(world.users as usize) as u32);
        let both = (0..PREPARED).flat_map(|_| {
            let page = posts_request(user());
            let pairs: Vec<_> = (0..CHECKS).map(|_| (user(), user())).filter(|(a, b)| a != b).collect();
            [page, pairs_request(pairs)]
        });
        Self(both.collect())
    }
}

/// What the connections share.
struct Run {
    calls: Arc<CostlyCalls>,
    start: Instant,
    end: Instant,
    /// Seconds between two calls that are due; zero without a rate.
    every: f64,
    next: AtomicU64,
    sent: AtomicU64,
    answered: Mutex<Answered>,
}

/// What came of the calls so far. One for all connections, which are of one thread.
#[derive(Default)]
struct Answered {
    good: Latencies,
    refused: Latencies,
    failure: Option<WireError>,
}

impl Run {
    /// When the next call is due; `None` when the time is over.
    fn due(&self) -> Option<(usize, Instant)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let due = if self.every > 0.0 {
            self.start + Duration::from_secs_f64(number as f64 * self.every)
        } else {
            Instant::now().max(self.start)
        };
        (due < self.end && Instant::now() < self.end).then_some((number as usize, due))
    }

    fn answered(&self) -> MutexGuard<'_, Answered> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a shape on a thread of its own, and waits for it.
///
/// # Errors
/// When a connection breaks, or an answer is neither good nor a refusal with a reason.
pub async fn run(address: SocketAddr, calls: &Arc<CostlyCalls>, shape: Shape) -> Result<Outcome> {
    let calls = calls.clone();
    let generator = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
        runtime.block_on(generate(address, calls, shape))
    };
    let ran = tokio::task::spawn_blocking(generator).await.map_err(crate::broken)?;
    ran.map_err(crate::broken)
}

async fn generate(
    address: SocketAddr,
    calls: Arc<CostlyCalls>,
    shape: Shape,
) -> std::result::Result<Outcome, WireError> {
    let mut connections = Vec::with_capacity(shape.connections);
    for _ in 0..shape.connections {
        connections.push(RawConnection::open(address).await?);
    }
    let start = Instant::now();
    let run = Arc::new(Run {
        calls,
        start,
        end: start + shape.time,
        every: shape.rate.map_or(0.0, f64::recip),
        next: AtomicU64::new(0),
        sent: AtomicU64::new(0),
        answered: Mutex::default(),
    });
    let awake = shape.rate.map(|_| tokio::spawn(stay_awake()));
    let lines: Vec<_> =
        connections.into_iter().map(|connection| tokio::spawn(line(connection, run.clone()))).collect();
    for line in lines {
        let ended = tokio::time::timeout_at((run.end + PATIENCE).into(), line).await;
        let ended = ended.map_err(|_| format!("calls were not answered within {PATIENCE:?}"))?;
        ended.map_err(|error| error.to_string())?;
    }
    if let Some(awake) = awake {
        awake.abort();
    }
    let Answered { good, refused, failure } = std::mem::take(&mut *run.answered());
    if let Some(why) = failure {
        return Err(why);
    }
    let (seconds, sent) = (shape.time.as_secs_f64(), run.sent.load(Ordering::Relaxed));
    Ok(Outcome {
        due: shape.rate.map_or(sent, |rate| (rate * seconds) as u64),
        sent,
        good_per_s: good.count() as f64 / seconds,
        good: good.quantiles(),
        refused_per_s: refused.count() as f64 / seconds,
        refused: refused.quantiles(),
    })
}

/// Keeps the core from sleeping. Whoever writes to somebody asleep pays for waking their core, which would charge the
/// server, in the middle of overload, for what the generator has no work for.
async fn stay_awake() {
    loop {
        tokio::task::yield_now().await;
    }
}

/// Sends what is due next, as long as there is time.
async fn line(mut connection: RawConnection, run: Arc<Run>) {
    while let Some((number, due)) = run.due() {
        tokio::time::sleep_until(due.into()).await;
        run.sent.fetch_add(1, Ordering::Relaxed);
        let request = &run.calls.0[number % run.calls.0.len()];
        let reply = connection.exchange(request, 1, http1::response_len).await.and_then(is_good);
        let mut answered = run.answered();
        match reply {
            Ok(true) => answered.good.record(due.elapsed()),
            Ok(false) => answered.refused.record(due.elapsed()),
            Err(why) => {
                answered.failure.get_or_insert(why);
                return;
            }
        }
    }
}

/// Whether a reply is what was asked for, rather than a refusal with a reason.
fn is_good(reply: &[u8]) -> std::result::Result<bool, WireError> {
    match http1::status(reply)? {
        200 => Ok(true),
        429 if OVERLOADED.iter().any(|name| reply.windows(name.len()).any(|part| part == *name)) => Ok(false),
        status => Err(format!("status {status}: {}", String::from_utf8_lossy(&http1::body(reply)?))),
    }
}
