//! Many open streams at once: each is told what concerns it, and the logs are read once for all.

use super::*;
use crate::log_readers::tests::polled::{Polled, TestLog};
use guanxi_model::random::Rng;
use guanxi_model::{Error, Position, Result};
use guanxi_ports::BoxFuture;
use guanxi_spec::memory::Carrying;
use std::collections::BTreeSet;
use std::future::pending;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::Mutex;

/// A store with the centers over it, of which every task may have its own.
#[derive(Clone)]
struct Streamed {
    relations: RelationCenter,
    posts: PostCenter,
    feed: FeedCenter,
    hub: Hub,
    log: Arc<TestLog>,
    store: Arc<MemoryStore>,
}

impl Streamed {
    async fn new(logs: Logs, log_events_max: u64) -> Self {
        Self::over(Options { logs, log_events_max, ..Options::default() }).await
    }

    async fn over(options: Options) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let logs = options.logs;
        let store = Arc::new(MemoryStore::new(clock.clone(), options.clone()));
        let inbox = Arc::new(MemoryInbox::new(options.history, logs));
        let log = TestLog::new(store.clone());
        let hub = Hub::new(log.clone());
        let feed = FeedCenter::new(store.clone(), inbox, hub.clone(), clock);
        feed.start().await.unwrap();
        let relations = RelationCenter::new(store.clone(), hub.clone());
        Self { relations, posts: PostCenter::new(store.clone()), feed, hub, log, store }
    }

    async fn act(&self, op: Op, a: u64, b: u64) {
        // What the state forbids does nothing.
        let _refused = self.relations.act(Viewer::Trusted, op, u(a), u(b), None).await;
    }

    /// Reposts, deletes or restores one of some posts. What may not be done is not.
    async fn change(&self, rng: &mut Rng, by: u64, posts: &mut Vec<(u64, PostId)>) {
        let (author, post) = posts[rng.below(posts.len())];
        match rng.below(4) {
            0..2 => posts.extend(self.repost(by, post).await.map(|id| (by, id))),
            2 => drop(self.posts.delete(u(author), post, None).await),
            _ => drop(self.posts.restore(u(author), post, None).await),
        }
    }

    async fn repost(&self, author: u64, of: PostId) -> Option<PostId> {
        let body = Body { text: String::new(), attachments: Vec::new() };
        let (visibility, repost_of) = (Visibility::Public, Some(of));
        let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of };
        Some(self.posts.create(draft, None).await.ok()?.id)
    }

    async fn post(&self, author: u64) -> PostId {
        let body = Body { text: "你好".into(), attachments: Vec::new() };
        let visibility = Visibility::Public;
        let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of: None };
        self.posts.create(draft, None).await.unwrap().id
    }

    /// What others wrote of what a home shows.
    async fn home(&self, viewer: u64) -> BTreeSet<PostId> {
        let page = PostPage { below: None, size: 1_000 };
        let ids = self.feed.home(u(viewer), page, None).await.unwrap().ids;
        let view = self.feed.store.view(None).await.unwrap();
        let headers = view.headers(&ids).await.unwrap();
        let others = headers.into_iter().flatten().filter(|header| header.author != u(viewer));
        others.map(|header| header.id).collect()
    }

    /// The reader beside the streams.
    fn standing(&self) -> Polled<'static, ()> {
        let hub = self.hub.clone();
        Polled::new(async move {
            hub.run(pending(), |_: &Error, _| Box::pin(pending()) as BoxFuture<'static, ()>).await;
        })
    }
}

/// Waits for a stream's next news; a stream whose wait is dropped stays as it is.
fn waiting(stream: &Arc<Mutex<HomeStream>>) -> Polled<'static, Result<HomeUpdates>> {
    let stream = stream.clone();
    Polled::new(async move { stream.lock_owned().await.next().await })
}

#[tokio::test]
async fn ten_thousand_streams_cost_one_reading_of_the_log() {
    const STREAMS: u64 = 10_000;
    const AUTHORS: u64 = 1_000;
    const POSTS: u64 = 30;
    let world = Streamed::new(Logs::One, 1_000_000).await;
    let mut reader = world.standing();
    assert!(reader.settle().is_none());
    let followed = |viewer: u64| 1 + viewer % AUTHORS;
    let mut waits = Vec::new();
    for viewer in AUTHORS + 1..=AUTHORS + STREAMS {
        world.act(Op::Follow, viewer, followed(viewer)).await;
        let stream = Arc::new(Mutex::new(world.feed.stream(u(viewer), None).await.unwrap()));
        let mut wait = waiting(&stream);
        assert!(wait.settle().is_none());
        waits.push((viewer, wait));
    }
    // Their own follows, which the reader comes to only now, wake them in vain.
    assert!(reader.settle().is_none());
    assert!(waits.iter_mut().all(|(_, wait)| wait.settle().is_none()));
    assert_eq!(world.hub.size().streams as u64, STREAMS);
    let before = world.log.head().await.unwrap();
    let wakes = |waits: &[(u64, Polled<'_, _>)]| waits.iter().map(|(_, wait)| wait.wakes()).sum::<usize>();
    let (quiet, reads) = (wakes(&waits), world.log.reads.load(Relaxed));
    for n in 0..POSTS {
        world.post(5 * AUTHORS * STREAMS + n).await;
        assert!(reader.settle().is_none());
    }
    assert_eq!(wakes(&waits), quiet, "posts of strangers wake nobody");
    for author in 1..=POSTS {
        let post = world.post(author).await;
        assert!(reader.settle().is_none());
        for (viewer, wait) in &mut waits {
            assert_eq!(wait.is_woken(), followed(*viewer) == author, "{viewer} at a post of {author}");
            if wait.is_woken() {
                assert_eq!(wait.settle().unwrap().unwrap().ids, [post]);
            }
        }
        waits.retain(|(viewer, _)| followed(*viewer) != author);
    }
    // By the reader for all streams, and by what the center keeps of originals for all polls.
    assert_eq!(world.log.readings(&before), Some((2, 2)), "events are read for all together");
    assert!(world.log.reads.load(Relaxed) - reads <= 2 * 2 * POSTS as usize);
}

#[tokio::test]
async fn whom_a_viewer_follows_anew_is_told_of_and_whom_it_left_is_not() {
    for logs in [Logs::One, Logs::PerGene] {
        let world = Streamed::new(logs, 1_000).await;
        world.act(Op::Follow, 1, 2).await;
        let stream = Arc::new(Mutex::new(world.feed.stream(u(1), None).await.unwrap()));
        let mut wait = waiting(&stream);
        assert!(wait.settle().is_none());
        for op in [Op::Follow, Op::Mute, Op::Unmute, Op::Unfollow] {
            world.act(op, 1, 3).await;
            assert!(wait.settle().unwrap().unwrap().reset, "{op:?}");
            wait = waiting(&stream);
            assert!(wait.settle().is_none());
            let post = world.post(3).await;
            let told = wait.settle();
            let is_shown = matches!(op, Op::Follow | Op::Unmute);
            assert_eq!(told.is_some(), is_shown, "{op:?}");
            if let Some(news) = told {
                assert_eq!(news.unwrap().ids, [post]);
                wait = waiting(&stream);
                assert!(wait.settle().is_none());
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_waits_is_woken_by_the_stranger_behind_a_new_repost() {
    let world = Streamed::new(Logs::One, 1_000).await;
    world.act(Op::Follow, 1, 2).await;
    let original = world.post(3).await;
    let stream = Arc::new(Mutex::new(world.feed.stream(u(1), None).await.unwrap()));
    let mut wait = waiting(&stream);
    assert!(wait.settle().is_none());
    let repost = world.repost(2, original).await.unwrap();
    assert_eq!(wait.settle().unwrap().unwrap().ids, [repost]);
    let mut wait = waiting(&stream);
    assert!(wait.settle().is_none());
    world.posts.delete(u(3), original, None).await.unwrap();
    assert!(wait.settle().unwrap().unwrap().reset);
}

#[tokio::test]
async fn a_quiet_stream_moves_on_and_is_none_the_worse_for_a_trimmed_log() {
    let world = Streamed::new(Logs::One, 3).await;
    world.act(Op::Follow, 1, 2).await;
    let mut stream = world.feed.stream(u(1), None).await.unwrap();
    let began = stream.position().clone();
    assert!(Polled::new(stream.next()).settle().is_none());
    for stranger in 10..12 {
        world.post(stranger).await;
    }
    assert!(Polled::new(stream.next()).settle().is_none());
    assert_eq!(stream.position(), &began);
    assert_eq!(stream.quiet_position(), &world.log.head().await.unwrap(), "it may come back from here");
    let post = world.post(2).await;
    for stranger in 20..40 {
        world.post(stranger).await;
    }
    let news = Polled::new(stream.next()).settle().unwrap().unwrap();
    assert_eq!((news.ids, news.reset), (vec![post], false), "the log no longer has it, the outbox has");
}

#[tokio::test]
async fn a_wait_that_is_dropped_in_a_look_loses_nothing() {
    // Heartbeats drop waits at any time. The memory backend never pauses, so that the drop is made to fall there.
    let world = Streamed::new(Logs::One, 1_000).await;
    world.act(Op::Follow, 1, 2).await;
    let mut stream = world.feed.stream(u(1), None).await.unwrap();
    assert!(Polled::new(stream.next()).settle().is_none());
    let post = world.post(2).await;
    let reached = Polled::new(stream.woken()).settle().unwrap().unwrap();
    assert!(reached.covers(&world.log.head().await.unwrap()));
    let position = stream.position().clone();
    assert_eq!(stream.quiet_position(), &position, "it is not past what it has not looked at");
    assert_eq!(Polled::new(stream.next()).settle().unwrap().unwrap().ids, [post]);
}

/// A stream of a random history, and what its client holds.
struct Client {
    viewer: u64,
    stream: Arc<Mutex<HomeStream>>,
    wait: Option<Polled<'static, Result<HomeUpdates>>>,
    held: BTreeSet<PostId>,
}

impl Client {
    async fn open(world: &Streamed, viewer: u64, since: Option<Position>) -> Self {
        let held = world.home(viewer).await;
        let stream = Arc::new(Mutex::new(world.feed.stream(u(viewer), since).await.unwrap()));
        Self { viewer, stream, wait: None, held }
    }

    /// Goes on as an executor would let it: only if it is new or woken. Whether it was.
    async fn go_on(&mut self, world: &Streamed) -> bool {
        let wait = self.wait.get_or_insert_with(|| waiting(&self.stream));
        if !wait.is_new() && !wait.is_woken() {
            return false;
        }
        let Some(news) = wait.poll() else { return true };
        self.wait = None;
        let news = news.unwrap();
        if news.reset {
            self.held = world.home(self.viewer).await;
        } else {
            self.held.extend(news.ids);
        }
        true
    }
}

/// Plays a random history, at whose end every client holds what its home shows, although it is polled only when it is
/// woken.
async fn play(seed: u64, logs: Logs, carrying: Carrying) {
    const USERS: usize = 7;
    let mut rng = Rng::new(seed);
    let log_events_max = [4, 1_000][rng.below(2)];
    let world = Streamed::over(Options { logs, carrying, log_events_max, ..Options::default() }).await;
    let mut reader = None;
    let (mut clients, mut posts): (Vec<Client>, Vec<(u64, PostId)>) = Default::default();
    for _ in 0..120 {
        let (a, b) = (1 + rng.below(USERS) as u64, 1 + rng.below(USERS) as u64);
        match rng.below(15) {
            0..3 => posts.push((a, world.post(a).await)),
            12..15 if !posts.is_empty() => world.change(&mut rng, a, &mut posts).await,
            3..5 => {
                let ops =
                    [Op::Follow, Op::Follow, Op::Unfollow, Op::Mute, Op::Unmute, Op::Block, Op::Unblock];
                world.act(ops[rng.below(ops.len())], a, b).await;
            }
            5 => clients.push(Client::open(&world, a, None).await),
            6 if !clients.is_empty() => drop(clients.swap_remove(rng.below(clients.len()))),
            // Its wait is dropped, as by a heartbeat; the stream stays, and may move on.
            7 if !clients.is_empty() => {
                let at = rng.below(clients.len());
                clients[at].wait = None;
                if let Ok(mut stream) = clients[at].stream.try_lock() {
                    stream.quiet_position();
                }
            }
            8 if rng.below(3) == 0 => reader = reader.is_none().then(|| world.standing()),
            _ if !clients.is_empty() => {
                let at = rng.below(clients.len());
                clients[at].go_on(&world).await;
            }
            _ => {}
        }
        if rng.below(2) == 0
            && let Some(reader) = &mut reader
        {
            assert!(reader.settle().is_none());
        }
    }
    world.store.settle();
    loop {
        let mut went_on = reader.as_mut().is_some_and(|reader| {
            let is_due = reader.is_new() || reader.is_woken();
            assert!(reader.settle().is_none());
            is_due
        });
        for client in &mut clients {
            went_on |= client.go_on(&world).await;
        }
        if !went_on {
            break;
        }
    }
    for client in &clients {
        assert_eq!(
            client.held,
            world.home(client.viewer).await,
            "seed {seed}, {logs:?}, {carrying:?}, of {}",
            client.viewer
        );
    }
}

#[tokio::test]
async fn whatever_happens_in_whatever_order_every_stream_tells_all_in_the_end() {
    for seed in 0..60 {
        play(seed, Logs::One, Carrying::AtOnce).await;
        play(seed, Logs::PerGene, Carrying::AtOnce).await;
        play(seed, Logs::PerGene, Carrying::Delayed { seed }).await;
        play(seed, Logs::PerGene, Carrying::Disordered { seed }).await;
    }
}
