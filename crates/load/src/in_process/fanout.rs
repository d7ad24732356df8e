//! Deliveries: a backlog of posts pushed by the fan-out's worker to resident inboxes, while pages are read and
//! checked. A delivery is an id inserted into a resident inbox, counted there.

use super::{Scene, first_page};
use crate::answer::Reader;
use crate::broken;
use crate::tasks::{all, begin, in_flight, joined};
use crate::usage::resident_bytes;
use crate::world::World;
use guanxi_centers::feed::FeedCenter;
use guanxi_model::post::{Body, Draft};
use guanxi_model::random::Rng;
use guanxi_model::{FanoutMode, PostId, Result, Uid, Visibility};
use guanxi_ports::{InboxStats, Offer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Posts in flight while the backlog is written: they share commits.
const CREATES_IN_FLIGHT: usize = 512;
/// Readers whose pages are checked during deliveries.
const CHECKED_READERS: usize = 200;
/// Tasks that visit all readers.
const VISITORS: u32 = 2;

/// What resident inboxes take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residence {
    /// The state of all inboxes.
    pub stats: InboxStats,
    /// How the process grew while they were filled.
    pub grown_bytes: u64,
    /// How long filling took, in seconds.
    pub fill_s: f64,
}

/// What deliveries came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deliveries {
    /// Posts of the backlog.
    pub posts: u64,
    /// Ids inserted into resident inboxes.
    pub delivered: u64,
    /// Deliveries per second of the worker, on one core.
    pub per_s: f64,
    /// Pages read and found right meanwhile, by another thread.
    pub checked: u64,
}

/// Makes the inbox of every user resident, and tells what they take.
///
/// Everybody is visited before without inboxes, so that what else a visit leaves in memory does not count.
///
/// # Errors
/// When the store cannot be read.
pub(super) async fn reside(scene: Scene<'_>) -> Result<Residence> {
    let Scene { backend, feed, world, .. } = scene;
    scene.settle(FanoutMode::Pull).await?;
    visit_all(feed, world).await?;
    scene.settle(FanoutMode::Hybrid).await?;
    let resident = || resident_bytes(std::process::id());
    let (before, start) = (resident(), Instant::now());
    visit_all(feed, world).await?;
    let fill_s = start.elapsed().as_secs_f64();
    let grown_bytes = resident().saturating_sub(before);
    Ok(Residence { stats: backend.inbox.stats(backend.clock.now_ms()).await?, grown_bytes, fill_s })
}

async fn visit_all(feed: &FeedCenter, world: &Arc<World>) -> Result<()> {
    let visitor = |first: u32| {
        let (feed, world) = (feed.clone(), world.clone());
        async move {
            for user in (first..world.users).step_by(VISITORS as usize) {
                feed.home(world.uid(user), first_page(), None).await?;
                // A long loop without a wait would keep its thread from everybody else.
                tokio::task::yield_now().await;
            }
            Ok(())
        }
    };
    all(begin((0..VISITORS).map(visitor))).await.map(drop)
}

/// A post made during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LivePost {
    /// Which.
    pub id: PostId,
    /// The author.
    pub author: u32,
}

/// Writes posts of random authors, durably, while nothing is pushed. Returns them oldest first, and posts per second.
///
/// # Errors
/// The first failed write.
pub(super) async fn backlog(scene: Scene<'_>) -> Result<(Vec<LivePost>, f64)> {
    let (Scene { backend, world, .. }, posts) = (scene, scene.plan.backlog);
    let mut rng = Rng::new(world.seed + 1);
    let creates = (0..posts).map(|number| {
        let author = rng.below(world.users as usize) as u32;
        let (center, draft) = (backend.post_center(), draft(world.uid(author), world.text(number)));
        async move { center.create(draft, None).await.map(|written| LivePost { id: written.id, author }) }
    });
    let start = Instant::now();
    let mut made = in_flight(CREATES_IN_FLIGHT, creates).await?;
    let per_s = f64::from(posts) / start.elapsed().as_secs_f64();
    made.sort_unstable_by_key(|post| post.id);
    Ok((made, per_s))
}

/// A public post.
pub fn draft(author: Uid, text: String) -> Draft {
    let body = Body { text, attachments: Vec::new() };
    Draft { author, body, visibility: Visibility::Public, reply_to: None, repost_of: None }
}

/// Pushes what is pending on one thread, while another one reads pages and checks each. `live` are all posts that
/// were made since the world was filled.
///
/// # Errors
/// The first failed step or wrong page.
pub(super) async fn push(scene: Scene<'_>, live: &[LivePost]) -> Result<Deliveries> {
    let ended = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(check_until(scene.feed.clone(), rights(scene.world, live), ended.clone()));
    let (delivered, seconds) = scene.push_all(Duration::MAX).await?;
    ended.store(true, Ordering::Relaxed);
    let checked = joined(reader.await)?;
    let per_s = delivered as f64 / seconds;
    Ok(Deliveries { posts: live.len() as u64, delivered, per_s, checked })
}

/// The right first pages of some readers of classes and of the crowd.
fn rights(world: &World, live: &[LivePost]) -> Vec<(Uid, Vec<PostId>)> {
    let mut rng = Rng::new(world.seed + 2);
    let readers = (0..CHECKED_READERS).map(|_| rng.below(world.users as usize) as u32);
    readers
        .map(|index| {
            let reader = Reader::new(world, index);
            let new = live.iter().rev().filter(|post| reader.shows(post.author)).map(|post| post.id);
            let mut right: Vec<PostId> = new.take(super::PAGE).collect();
            if right.len() < super::PAGE {
                right.extend(reader.page(None, super::PAGE - right.len()));
            }
            (reader.uid(), right)
        })
        .collect()
}

async fn check_until(
    feed: FeedCenter,
    rights: Vec<(Uid, Vec<PostId>)>,
    ended: Arc<AtomicBool>,
) -> Result<u64> {
    let mut checked = 0;
    for (viewer, right) in rights.iter().cycle() {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        let home = feed.home(*viewer, first_page(), None).await?;
        if home.ids != *right {
            let was = home.ids;
            return Err(broken(format_args!(
                "during deliveries the page of {viewer:?} was {was:?}, not {right:?}"
            )));
        }
        checked += 1;
        tokio::task::yield_now().await;
    }
    Ok(checked)
}

/// Inserts per second of the inboxes alone: ids offered to random readers, 75 at a time, without a log or a graph
/// around it. It leaves ids behind that no post has, so nothing can be read afterwards.
///
/// # Errors
/// When the inboxes cannot be reached.
pub(super) async fn offers(scene: Scene<'_>, offers: u32) -> Result<f64> {
    let Scene { backend, world, .. } = scene;
    let mut rng = Rng::new(world.seed + 3);
    let last = backend.clock.now_ms() + 3_600_000;
    let asks: Vec<(PostId, Vec<Uid>)> = (0..offers)
        .filter_map(|number| {
            let readers = (0..75).map(|_| world.uid(rng.below(world.users as usize) as u32)).collect();
            Some((PostId::at_ms(world.uid(0), last + u64::from(number)).next()?, readers))
        })
        .collect();
    let start = Instant::now();
    let mut delivered = 0;
    for (id, readers) in &asks {
        let offered = backend.inbox.offer(&[Offer { id: *id, readers }]).await?;
        delivered += offered.iter().map(|offered| offered.delivered).sum::<u64>();
    }
    Ok(delivered as f64 / start.elapsed().as_secs_f64())
}
