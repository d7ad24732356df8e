//! From acknowledgement to inbox, and to an open stream.

use super::Stage;
use crate::quantiles::Latencies;
use crate::service::{Service, Streamed as _};
use crate::tasks::joined;
use crate::world::World;
use guanxi_centers::Ports;
use guanxi_model::random::Rng;
use guanxi_model::{List, Page, PageStart, PostId, Result, Uid};
use guanxi_ports::Inbox;
use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Authors that a probe watches.
const PAIRS: usize = 2_000;
/// Ids that a probe looks at: what came in the time of one look.
const LOOK: usize = 64;
/// How often the inboxes are looked at: lags are exact to about twice this. Looking all the time would take a core.
const LOOK_EVERY: Duration = Duration::from_micros(50);
/// How long a post may take to an inbox or a stream before it is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// The followees of a streamed viewer that have few other followers: posts are made as so many of them.
const STREAMED_AUTHORS: usize = 10;

/// Sees whether an inbox has a post, as the backend itself holds it.
#[derive(Clone)]
pub struct Probe {
    inbox: Arc<dyn Inbox>,
    clock: Arc<dyn guanxi_model::Clock>,
    /// Authors, drawn evenly, each with one of its followers.
    pairs: Arc<Vec<(Uid, Uid)>>,
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Probe {
    /// Draws authors and followers.
    ///
    /// # Errors
    /// When the graph cannot be read.
    pub async fn new(backend: &Ports, world: &World) -> Result<Self> {
        let mut rng = Rng::new(world.seed + 4);
        let view = backend.store.view(None).await?;
        let mut pairs = Vec::with_capacity(PAIRS);
        for _ in 0..PAIRS * 10 {
            let author = world.uid(rng.below(world.users as usize) as u32);
            let followers = view.list(author, List::Followers, Page::new(PageStart::Newest, 50)?).await?;
            if !followers.items.is_empty() {
                pairs.push((author, followers.items[rng.below(followers.items.len())].uid));
            }
            if pairs.len() == PAIRS {
                break;
            }
        }
        Ok(Self { inbox: backend.inbox.clone(), clock: backend.clock.clone(), pairs: Arc::new(pairs) })
    }

    async fn has(&self, follower: Uid, id: PostId) -> bool {
        let read = self.inbox.read(follower, None, LOOK, self.clock.now_ms()).await;
        read.is_ok_and(|read| read.slice.is_some_and(|slice| slice.ids.contains(&id)))
    }
}

/// A post on its way to an inbox.
struct Watched {
    id: PostId,
    follower: Uid,
    acknowledged: Instant,
}

/// Lags to inboxes of one phase. A thread of its own looks again and again, since the runtime's timers are too coarse.
#[derive(Clone)]
pub(super) struct Lags {
    probe: Option<Probe>,
    watched: Arc<Mutex<Option<Sender<Watched>>>>,
    looker: Arc<Mutex<Option<JoinHandle<Latencies>>>>,
}

impl Lags {
    pub(super) fn start(probe: Option<Probe>) -> Self {
        let (sender, receiver) = channel();
        let looker = probe.clone().map(|probe| {
            let runtime = tokio::runtime::Handle::current();
            tokio::task::spawn_blocking(move || runtime.block_on(look(&probe, &receiver)))
        });
        Self { probe, watched: Arc::new(Mutex::new(Some(sender))), looker: Arc::new(Mutex::new(looker)) }
    }

    /// An author whose post would be watched, and the follower.
    pub(super) fn pair(&self, rng: &mut Rng) -> Option<(Uid, Uid)> {
        let pairs = &self.probe.as_ref()?.pairs;
        (!pairs.is_empty()).then(|| pairs[rng.below(pairs.len())])
    }

    pub(super) fn watch(&self, id: PostId, follower: Uid, acknowledged: Instant) {
        if let Some(sender) = &*held(&self.watched) {
            // A looker that is gone has failed; its join says so.
            let _gone = sender.send(Watched { id, follower, acknowledged });
        }
    }

    /// The lags, once the last watched post has arrived.
    pub(super) async fn end(&self) -> Latencies {
        held(&self.watched).take();
        let looker = held(&self.looker).take();
        match looker {
            Some(looker) => looker.await.unwrap_or_default(),
            None => Latencies::default(),
        }
    }
}

async fn look(probe: &Probe, posts: &Receiver<Watched>) -> Latencies {
    let (mut pending, mut latencies): (Vec<Watched>, _) = (Vec::new(), Latencies::default());
    let mut open = true;
    while open || !pending.is_empty() {
        open = take_new(posts, &mut pending);
        let mut left = Vec::new();
        for post in pending {
            let lag = post.acknowledged.elapsed();
            if probe.has(post.follower, post.id).await || lag > PATIENCE {
                latencies.record(post.acknowledged.elapsed());
            } else {
                left.push(post);
            }
        }
        pending = left;
    }
    latencies
}

/// Waits a moment for more posts, or for long when there are none; whether more may come.
fn take_new(posts: &Receiver<Watched>, pending: &mut Vec<Watched>) -> bool {
    let wait = if pending.is_empty() { PATIENCE } else { LOOK_EVERY };
    match posts.recv_timeout(wait) {
        Ok(post) => pending.push(post),
        Err(RecvTimeoutError::Timeout) => return true,
        Err(RecvTimeoutError::Disconnected) => {
            // Nothing waits on a closed channel: look less eagerly at what is left.
            std::thread::yield_now();
            return false;
        }
    }
    pending.extend(posts.try_iter());
    true
}

/// When a post was acknowledged, and when a stream showed it.
#[derive(Clone, Copy, Default)]
struct Times {
    acknowledged: Option<Instant>,
    shown: Option<Instant>,
}

/// Open streams, and what they show.
#[derive(Clone)]
pub(super) struct Streams {
    /// Authors whom the streamed viewers follow.
    authors: Arc<Vec<Uid>>,
    times: Arc<Mutex<HashMap<PostId, Times>>>,
    missed: Arc<Mutex<u64>>,
    tasks: Arc<Mutex<Vec<JoinHandle<Result<()>>>>>,
}

impl Streams {
    /// Opens streams of readers of the first class, or of the crowd in a world without classes.
    pub(super) async fn open<S: Service>(stage: &Stage<S>, count: u32) -> Result<Self> {
        let world = &stage.world;
        let from = if world.classes.is_empty() { world.crowd() } else { world.readers(0) };
        let times: Arc<Mutex<HashMap<PostId, Times>>> = Arc::default();
        let (mut authors, mut tasks) = (Vec::new(), Vec::new());
        for viewer in from.rev().take(count as usize) {
            let mut following = world.following(viewer);
            following.retain(|author| *author < world.users);
            // The highest indexes have the fewest followers.
            authors.extend(following.iter().rev().take(STREAMED_AUTHORS).map(|author| world.uid(*author)));
            let mut stream = stage.service.clone().stream(world.uid(viewer)).await?;
            let times = times.clone();
            tasks.push(tokio::spawn(async move {
                loop {
                    let ids = stream.next_ids().await?;
                    let now = Instant::now();
                    let mut times = held(&times);
                    ids.into_iter().for_each(|id| {
                        times.entry(id).or_default().shown.get_or_insert(now);
                    });
                }
            }));
        }
        let (authors, tasks) = (Arc::new(authors), Arc::new(Mutex::new(tasks)));
        Ok(Self { authors, times, missed: Arc::default(), tasks })
    }

    /// An author whose post a stream shows.
    pub(super) fn author(&self, rng: &mut Rng) -> Option<Uid> {
        (!self.authors.is_empty()).then(|| self.authors[rng.below(self.authors.len())])
    }

    pub(super) fn acknowledged(&self, id: PostId, at: Instant) {
        held(&self.times).entry(id).or_default().acknowledged = Some(at);
    }

    /// A phase begins.
    pub(super) fn begin(&self) {
        held(&self.times).clear();
    }

    /// The lags of the phase, once every post of it was shown; what is not within seconds is counted as missed. What
    /// was shown before its acknowledgement came has no lag.
    pub(super) async fn end(&self) -> Latencies {
        let due = |times: &HashMap<PostId, Times>| {
            times.values().filter(|times| times.acknowledged.is_some() && times.shown.is_none()).count()
        };
        let deadline = Instant::now() + PATIENCE;
        while due(&held(&self.times)) > 0 && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let times = held(&self.times);
        *held(&self.missed) += due(&times) as u64;
        let mut latencies = Latencies::default();
        for times in times.values() {
            if let (Some(acknowledged), Some(shown)) = (times.acknowledged, times.shown) {
                latencies.record(shown.saturating_duration_since(acknowledged));
            }
        }
        latencies
    }

    /// Closes the streams; how many posts they missed. A stream that has failed missed everything afterwards.
    pub(super) async fn close(self) -> u64 {
        let tasks = std::mem::take(&mut *held(&self.tasks));
        for task in tasks {
            task.abort();
            let _aborted = joined(task.await);
        }
        *held(&self.missed)
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}
