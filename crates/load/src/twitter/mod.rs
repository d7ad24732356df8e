//! The shape of Twitter in 2012: 4,600 posts/s on average and 12,000 at the peak, 75 followers on average with a heavy
//! tail, 300,000 home reads/s; scaled to the machine.

mod lag;
mod phase;

pub use lag::Probe;
pub use phase::{Phase, Rates};

use crate::broken;
use crate::quantiles::{Latencies, Quantiles};
use crate::service::Service;
use crate::tasks::{all, begin, joined};
use crate::world::World;
use guanxi_model::random::Rng;
use guanxi_model::{Result, Uid};
use lag::Streams;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Posts per second on average (InfoQ, "Timelines at Scale", 2012).
pub const POSTS_PER_S: f64 = 4_600.0;
/// Posts per second at the peak.
pub const PEAK_POSTS_PER_S: f64 = 12_000.0;
/// Home reads per second.
pub const READS_PER_S: f64 = 300_000.0;
/// The share of what the machine can do at most at which lag is measured.
const LOAD: f64 = 0.6;
/// The time between two posts of the celebrity.
const CELEBRITY_EVERY: Duration = Duration::from_secs(1);

/// The callers, and how long they call.
#[derive(Clone, Copy, Debug)]
pub struct Callers {
    /// Callers that read homes.
    pub readers: usize,
    /// Callers that post; each waits until its post is durable.
    pub posters: usize,
    /// Open streams.
    pub streams: u32,
    /// The time of each phase.
    pub time: Duration,
}

/// What the shape came to.
#[derive(Clone, Debug)]
pub struct Twitter {
    /// As fast as it goes, posts and reads in proportion.
    pub most: Phase,
    /// The share of Twitter's load of 2012 that this is.
    pub scale: f64,
    /// At the average of that share, times `LOAD`.
    pub average: Phase,
    /// The same while the celebrity posts every second; `None` in a world without one.
    pub celebrity: Option<Phase>,
    /// At the peak.
    pub peak: Phase,
    /// Posts of followed authors that an open stream did not show within seconds.
    pub missed: u64,
}

/// What load is put on, and whom it concerns.
#[derive(Debug)]
pub struct Stage<S> {
    /// The service.
    pub service: S,
    /// Its world.
    pub world: Arc<World>,
    /// How to see whether an inbox has a post; `None` where it cannot be seen, as over the wire.
    pub probe: Option<Probe>,
}

/// Runs the shape.
///
/// # Errors
/// The first failed call.
pub async fn run<S: Service>(stage: &Stage<S>, callers: Callers) -> Result<Twitter> {
    let streams = Streams::open(stage, callers.streams).await?;
    let free = Rates { reads_per_s: None, posts_per_s: None };
    let most = phase::run(stage, &streams, callers, free).await?;
    let scale = most.reads_per_s / READS_PER_S;
    let rates = |posts: f64| Rates {
        reads_per_s: Some(READS_PER_S * scale * LOAD),
        posts_per_s: Some(posts * scale * LOAD),
    };
    let average = phase::run(stage, &streams, callers, rates(POSTS_PER_S)).await?;
    let celebrity = match stage.world.celebrity() {
        Some(author) => {
            let author = stage.world.uid(author);
            Some(beside(stage, author, phase::run(stage, &streams, callers, rates(POSTS_PER_S))).await?)
        }
        None => None,
    };
    let peak = phase::run(stage, &streams, callers, rates(PEAK_POSTS_PER_S)).await?;
    let missed = streams.close().await;
    Ok(Twitter { most, scale, average, celebrity, peak, missed })
}

/// Runs a phase while the celebrity posts.
async fn beside<S: Service>(
    stage: &Stage<S>,
    author: Uid,
    phase: impl Future<Output = Result<Phase>>,
) -> Result<Phase> {
    let ended = Arc::new(AtomicBool::new(false));
    let (mut service, stop) = (stage.service.clone(), ended.clone());
    let celebrity = tokio::spawn(async move {
        while !stop.load(Ordering::Relaxed) {
            service.create(author, "hello, everybody".to_owned()).await?;
            tokio::time::sleep(CELEBRITY_EVERY).await;
        }
        Ok(())
    });
    let found = phase.await;
    ended.store(true, Ordering::Relaxed);
    joined(celebrity.await)?;
    found
}

/// Reads home pages of random users as fast as so many callers get them. Returns pages per second, and latencies.
///
/// # Errors
/// The first failed call.
pub async fn home_pages<S: Service>(
    stage: &Stage<S>,
    callers: usize,
    time: Duration,
) -> Result<(f64, Quantiles)> {
    let caller = |number: usize| {
        let (mut service, world) = (stage.service.clone(), stage.world.clone());
        let mut rng = Rng::new(world.seed ^ (3 << 48) ^ number as u64);
        async move {
            let (start, mut latencies) = (Instant::now(), Latencies::default());
            while start.elapsed() < time {
                let viewer = world.uid(rng.below(world.users as usize) as u32);
                let begin = Instant::now();
                service.home(viewer).await?;
                latencies.record(begin.elapsed());
                tokio::task::yield_now().await;
            }
            Ok(latencies)
        }
    };
    let start = Instant::now();
    let latencies = Latencies::of(all(begin((0..callers).map(caller))).await?);
    Ok((latencies.count() as f64 / start.elapsed().as_secs_f64(), latencies.quantiles()))
}

/// What the post center's mix of seed 004 came to: 90 % posts by id, 10 % lists of an author.
#[derive(Clone, Copy, Debug)]
pub struct PostMix {
    /// Calls per second.
    pub per_s: f64,
    /// Latencies of reads by id.
    pub get: Quantiles,
    /// Latencies of lists.
    pub list: Quantiles,
}

/// Runs the post center's mix over so many callers.
///
/// # Errors
/// The first failed call.
pub async fn post_mix<S: Service>(stage: &Stage<S>, callers: usize, time: Duration) -> Result<PostMix> {
    let caller = |number: usize| {
        let (service, world) = (stage.service.clone(), stage.world.clone());
        mixed(service, world, number as u64, time)
    };
    let start = Instant::now();
    let (gets, lists): (Vec<_>, Vec<_>) = all(begin((0..callers).map(caller))).await?.into_iter().unzip();
    let (get, list) = (Latencies::of(gets), Latencies::of(lists));
    let per_s = (get.count() + list.count()) as f64 / start.elapsed().as_secs_f64();
    Ok(PostMix { per_s, get: get.quantiles(), list: list.quantiles() })
}

async fn mixed<S: Service>(
    mut service: S,
    world: Arc<World>,
    seed: u64,
    time: Duration,
) -> Result<(Latencies, Latencies)> {
    let mut rng = Rng::new(world.seed ^ (seed << 32));
    let (mut gets, mut lists) = (Latencies::default(), Latencies::default());
    let start = Instant::now();
    while start.elapsed() < time {
        let viewer = world.uid(rng.below(world.users as usize) as u32);
        let post = world.post(rng.below(world.posts as usize) as u32);
        let begin = Instant::now();
        if rng.below(10) == 0 {
            service.list_author(world.uid(post.author), viewer).await?;
            lists.record(begin.elapsed());
        } else {
            let shown = service.get(world.post_id(&post), viewer).await?;
            gets.record(begin.elapsed());
            if shown == post.deleted {
                return Err(broken(format_args!("shown {shown}, but the world has {post:?}")));
            }
        }
        tokio::task::yield_now().await;
    }
    Ok((gets, lists))
}
