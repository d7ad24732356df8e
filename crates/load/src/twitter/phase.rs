//! One phase of load: readers and posters at given rates, or as fast as they can.

use super::lag::{Lags, Streams};
use super::{Callers, POSTS_PER_S, READS_PER_S, Stage};
use crate::broken;
use crate::quantiles::{Latencies, Quantiles};
use crate::service::Service;
use crate::tasks::{all, begin};
use crate::world::World;
use guanxi_model::random::Rng;
use guanxi_model::{PostId, Result, Uid};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// One post in so many is by an author whom a probe watches, and as many by one whom a stream watches.
const WATCHED_ONE_IN: usize = 8;

/// Calls per second; `None` is as fast as they can, with posts in proportion to reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Home reads.
    pub reads_per_s: Option<f64>,
    /// Posts.
    pub posts_per_s: Option<f64>,
}

/// What a phase came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    /// Home reads answered per second.
    pub reads_per_s: f64,
    /// Posts acknowledged per second.
    pub posts_per_s: f64,
    /// Latencies of reads, from when they were due.
    pub read: Quantiles,
    /// Latencies of posts, from when they were due.
    pub create: Quantiles,
    /// From a post's acknowledgement until a follower's inbox had it; none without a probe.
    pub inbox_lag: Quantiles,
    /// From a post's acknowledgement until an open stream showed it.
    pub stream_lag: Quantiles,
}

/// Calls that come due at a rate.
struct Pace {
    rate: Option<f64>,
    start: Instant,
    /// When the last wait ended. What came due before was late by the timer, not by the service.
    woke: Instant,
    called: u64,
}

impl Pace {
    /// The pace of one caller of many, who take turns.
    fn new(rate: Option<f64>, number: usize, callers: usize) -> Self {
        let now = Instant::now();
        let turn = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(number as f64 / rate));
        let rate = rate.map(|rate| rate / callers as f64);
        Self { rate, start: now + turn, woke: now, called: 0 }
    }

    /// Waits until the next call is due, and answers when it was; `None` if that is not before the end.
    async fn due(&mut self, end: Instant) -> Option<Instant> {
        let now = Instant::now();
        let Some(rate) = self.rate else {
            tokio::task::yield_now().await;
            return (now < end).then_some(now);
        };
        let due = self.start + Duration::from_secs_f64(self.called as f64 / rate);
        self.called += 1;
        if due >= end || now >= end {
            return None;
        }
        if due <= now {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep_until(due.into()).await;
            self.woke = Instant::now();
        }
        Some(due.max(self.woke))
    }
}

/// Puts load on a stage for as long as the callers say.
///
/// # Errors
/// The first failed call.
pub(super) async fn run<S: Service>(
    stage: &Stage<S>,
    streams: &Streams,
    callers: Callers,
    rates: Rates,
) -> Result<Phase> {
    let lags = Lags::start(stage.probe.clone());
    streams.begin();
    // In a closed loop each read earns its share of a post.
    let earned = Arc::new(Semaphore::new(0));
    let reads = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let end = start + callers.time;
    let caller = |kind: u64, number: usize, of: usize, rate: Option<f64>| Caller {
        service: stage.service.clone(),
        world: stage.world.clone(),
        rng: Rng::new(stage.world.seed ^ (kind << 48) ^ number as u64),
        pace: Pace::new(rate, number, of),
        earned: rates.posts_per_s.is_none().then(|| earned.clone()),
    };
    let readers = begin((0..callers.readers).map(|number| {
        let reader = caller(1, number, callers.readers, rates.reads_per_s);
        reader.read(end, reads.clone())
    }));
    let posters = begin((0..callers.posters).map(|number| {
        let poster = caller(2, number, callers.posters, rates.posts_per_s);
        poster.post_all(end, streams.clone(), lags.clone())
    }));
    let read = Latencies::of(all(readers).await?);
    let seconds = start.elapsed().as_secs_f64();
    earned.close();
    let create = Latencies::of(all(posters).await?);
    Ok(Phase {
        reads_per_s: read.count() as f64 / seconds,
        posts_per_s: create.count() as f64 / seconds,
        read: read.quantiles(),
        create: create.quantiles(),
        inbox_lag: lags.end().await.quantiles(),
        stream_lag: streams.end().await.quantiles(),
    })
}

/// One of many callers.
struct Caller<S> {
    service: S,
    world: Arc<World>,
    rng: Rng,
    pace: Pace,
    /// In a closed loop, a permit for each post.
    earned: Option<Arc<Semaphore>>,
}

impl<S: Service> Caller<S> {
    fn anybody(&mut self) -> Uid {
        self.world.uid(self.rng.below(self.world.users as usize) as u32)
    }

    /// Reads homes; `reads` are those of all readers.
    async fn read(mut self, end: Instant, reads: Arc<AtomicU64>) -> Result<Latencies> {
        let mut latencies = Latencies::default();
        while let Some(due) = self.pace.due(end).await {
            let viewer = self.anybody();
            let ids = self.service.home(viewer).await?;
            latencies.record(due.elapsed());
            let sorted = ids.windows(2).all(|pair: &[PostId]| pair[0] > pair[1]);
            if !sorted {
                return Err(broken(format_args!("a page out of order: {ids:?}")));
            }
            let reads_per_post = (READS_PER_S / POSTS_PER_S) as u64;
            if let Some(earned) = &self.earned
                && reads.fetch_add(1, Ordering::Relaxed).is_multiple_of(reads_per_post)
            {
                earned.add_permits(1);
            }
        }
        Ok(latencies)
    }

    async fn post_all(mut self, end: Instant, streams: Streams, lags: Lags) -> Result<Latencies> {
        let mut latencies = Latencies::default();
        loop {
            if let Some(earned) = &self.earned {
                match earned.acquire().await {
                    Ok(permit) => permit.forget(),
                    Err(_closed) => break,
                }
            }
            let Some(due) = self.pace.due(end).await else { break };
            let acknowledged = self.post(&streams, &lags).await?;
            latencies.record(acknowledged - due);
        }
        Ok(latencies)
    }

    /// Posts, and returns when that was acknowledged.
    async fn post(&mut self, streams: &Streams, lags: &Lags) -> Result<Instant> {
        let dice = self.rng.below(WATCHED_ONE_IN);
        let watched = (dice == 0).then(|| lags.pair(&mut self.rng)).flatten();
        let streamed = (dice == 1).then(|| streams.author(&mut self.rng)).flatten();
        let anybody = self.anybody();
        let author = watched.map(|(author, _)| author).or(streamed).unwrap_or(anybody);
        let text = self.world.text(self.rng.below(1 << 20) as u32);
        let id = self.service.create(author, text).await?;
        let acknowledged = Instant::now();
        if let Some((_, follower)) = watched {
            lags.watch(id, follower, acknowledged);
        }
        if streamed.is_some() {
            streams.acknowledged(id, acknowledged);
        }
        Ok(acknowledged)
    }
}
