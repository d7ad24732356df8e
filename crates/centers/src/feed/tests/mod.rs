//! Home on the in-memory backend, under each policy. Random histories are the simulator's.

mod audiences;
mod counting;
mod depth;
mod gone;
mod hidden_changes;
mod late;
mod mirrors;
mod news;
mod originals;
mod streams;
mod ticks;

use super::*;
use crate::Viewer;
use crate::post::{PostCenter, PostStatus};
use crate::relation::RelationCenter;
use counting::Counting;
use guanxi_model::post::{Body, Draft, Edit, Hidden};
use guanxi_model::{FanoutMode, FanoutPolicy, Logs, ManualClock, Op, PostId, PostPage, Uid, Visibility};
use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

pub(super) const START_MS: u64 = 1_700_000_000_000;
const DAY_MS: u64 = 24 * 3_600 * 1_000;

pub(super) fn u(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

struct World {
    relations: RelationCenter,
    posts: PostCenter,
    feed: FeedCenter,
    store: Arc<MemoryStore>,
    inbox: Arc<MemoryInbox>,
    clock: Arc<ManualClock>,
    /// Headers that the feed asked for.
    headers: Arc<AtomicUsize>,
    stats: Arc<AtomicUsize>,
    /// Groups that it asked whether somebody is in.
    groups: Arc<AtomicUsize>,
    worker: FanoutWorker,
}

impl World {
    async fn new(policy: FanoutPolicy) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let options = Options::default();
        let store = Arc::new(MemoryStore::new(clock.clone(), options.clone()));
        let inbox = Arc::new(MemoryInbox::new(options.history, Logs::One));
        let (headers, stats, groups) = (Arc::default(), Arc::default(), Arc::default());
        let counting = Counting {
            headers: Arc::clone(&headers),
            stats: Arc::clone(&stats),
            groups: Arc::clone(&groups),
        };
        let counted = Arc::new(counting.of(store.clone()));
        let feed = FeedCenter::new(counted, inbox.clone(), Hub::new(store.clone()), clock.clone());
        feed.start().await.unwrap();
        feed.put_policy(policy).await.unwrap();
        let worker = feed.worker().await.unwrap();
        let relations = RelationCenter::new(store.clone(), Hub::new(store.clone()));
        Self {
            relations,
            posts: PostCenter::new(store.clone()),
            feed,
            store,
            inbox,
            clock,
            headers,
            stats,
            groups,
            worker,
        }
    }

    async fn act(&self, op: Op, a: u64, b: u64) {
        self.relations.act(Viewer::Trusted, op, u(a), u(b), None).await.unwrap();
    }

    async fn post(&self, author: u64) -> PostId {
        self.write(author, None, None, Visibility::Public).await
    }

    async fn write(
        &self,
        author: u64,
        reply_to: Option<PostId>,
        repost_of: Option<PostId>,
        visibility: Visibility,
    ) -> PostId {
        let text = if repost_of.is_some() { "" } else { "你好" };
        let body = Body { text: text.into(), attachments: Vec::new() };
        let draft = Draft { author: u(author), body, visibility, reply_to, repost_of };
        self.posts.create(draft, None).await.unwrap().id
    }

    async fn push_all(&mut self) {
        while self.worker.step().await.unwrap() {}
    }

    async fn page(&self, viewer: u64, below: Option<PostId>, size: usize) -> HomePage {
        self.feed.home(u(viewer), PostPage { below, size }, None).await.unwrap()
    }

    async fn home(&self, viewer: u64) -> Vec<PostId> {
        let (mut all, mut below) = (Vec::new(), None);
        loop {
            let page = self.page(viewer, below, 2).await;
            all.extend(&page.ids);
            match page.next {
                Some(next) => below = Some(next.0),
                None => return all,
            }
        }
    }
}

fn policies() -> [FanoutPolicy; 3] {
    let policy = FanoutPolicy { celebrity_followers: 1, inbox_cap: 3, ..FanoutPolicy::default() };
    [FanoutMode::Pull, FanoutMode::Push, FanoutMode::Hybrid].map(|mode| FanoutPolicy { mode, ..policy })
}

#[tokio::test]
async fn home_is_the_same_under_every_policy() {
    for policy in policies() {
        let mut world = World::new(policy).await;
        for author in [2, 3] {
            world.act(Op::Follow, 1, author).await;
        }
        world.act(Op::Follow, 9, 2).await;
        let mut wanted = Vec::new();
        for round in 0..12_u64 {
            assert_eq!(world.home(1).await, wanted, "{policy:?}, round {round}");
            wanted.insert(0, world.post(1 + round % 3).await);
            world.post(4).await;
            if round % 4 != 3 {
                world.push_all().await;
            }
        }
        assert_eq!(world.home(1).await, wanted);
        let page = world.page(1, None, 3).await;
        assert_eq!(page.source == Source::Pull, policy.mode == FanoutMode::Pull, "{policy:?}");
    }
}

#[tokio::test]
async fn rules_hold_at_once_and_take_nothing_away_for_good() {
    for policy in policies() {
        let mut world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let (a, b) = (world.post(2).await, world.post(2).await);
        assert_eq!(world.home(1).await, [b, a]);
        world.push_all().await;
        world.posts.delete(u(2), b, None).await.unwrap();
        assert_eq!(world.home(1).await, [a]);
        world.posts.restore(u(2), b, None).await.unwrap();
        assert_eq!(world.home(1).await, [b, a]);
        world.act(Op::Mute, 1, 2).await;
        assert!(world.home(1).await.is_empty());
        world.act(Op::Unmute, 1, 2).await;
        assert_eq!(world.home(1).await, [b, a]);
        let edit = Edit {
            text: None,
            attachments: None,
            visibility: Some(Visibility::Friends),
            expected_revision: Some(1),
        };
        world.posts.update(u(2), a, edit, None).await.unwrap();
        assert_eq!(world.home(1).await, [b]);
        world.act(Op::Follow, 2, 1).await;
        assert_eq!(world.home(1).await, [b, a]);
        world.act(Op::Block, 2, 1).await;
        assert!(world.home(1).await.is_empty());
        let explained = world.feed.explain(Viewer::Trusted, u(1), b, None).await.unwrap();
        assert_eq!(explained.verdict, Verdict::Hidden(Hidden::Blocked));
    }
}

#[tokio::test]
async fn reposts_and_replies_follow_their_rules() {
    for policy in policies() {
        let world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let original = world.post(3).await;
        let repost = world.write(2, None, Some(original), Visibility::Public).await;
        let reply = world.write(2, Some(original), None, Visibility::Public).await;
        assert_eq!(world.home(1).await, [repost], "3 is a stranger to 1");
        world.act(Op::Follow, 1, 3).await;
        assert_eq!(world.home(1).await, [reply, repost, original]);
        world.posts.delete(u(3), original, None).await.unwrap();
        assert_eq!(world.home(1).await, [reply]);
        world.posts.restore(u(3), original, None).await.unwrap();
        world.act(Op::Block, 3, 1).await;
        assert!(world.home(1).await.is_empty());
    }
}

#[tokio::test]
async fn a_quote_stands_in_home_without_its_original() {
    for policy in policies() {
        let world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let original = world.post(3).await;
        let body = Body { text: "a quote".into(), attachments: Vec::new() };
        let repost_of = Some(original);
        let quote = Draft { author: u(2), body, visibility: Visibility::Public, reply_to: None, repost_of };
        let quote = world.posts.create(quote, None).await.unwrap().id;
        let repost = world.write(2, None, Some(quote), Visibility::Public).await;
        let shown = || async {
            let page = PostPage { below: None, size: 9 };
            let posts = world.feed.home_posts(u(1), page, None).await.unwrap().posts;
            assert_eq!(posts.iter().map(|shown| shown.post.header.id).collect::<Vec<_>>(), [repost, quote]);
            let Some(PostStatus::Ok(shared)) = &posts[0].original else { panic!("{:?}", posts[0]) };
            assert_eq!((shared.post.header.id, &shared.original), (quote, &posts[1].original));
            posts[1].original.clone().unwrap()
        };
        assert!(matches!(shown().await, PostStatus::Ok(original) if original.post.body.text == "你好"));
        world.act(Op::Mute, 1, 3).await;
        assert!(matches!(shown().await, PostStatus::Ok(_)), "a quote is its author's post");
        world.posts.delete(u(3), original, None).await.unwrap();
        assert_eq!(shown().await, PostStatus::Deleted);
        world.act(Op::Block, 3, 1).await;
        assert_eq!(shown().await, PostStatus::Forbidden);
    }
}

#[tokio::test]
async fn reposts_of_a_large_post_fill_several_pages() {
    let world = World::new(policies()[0]).await;
    world.act(Op::Follow, 1, 2).await;
    let mut reposts = Vec::new();
    for _ in 0..150 {
        let body = Body { text: "\u{1}".repeat(4_999) + ".", attachments: Vec::new() };
        let draft =
            Draft { author: u(3), body, visibility: Visibility::Public, reply_to: None, repost_of: None };
        let original = world.posts.create(draft, None).await.unwrap().id;
        reposts.insert(0, world.write(2, None, Some(original), Visibility::Public).await);
    }
    let (mut found, mut below, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = world.feed.home_posts(u(1), PostPage { below, size: 200 }, None).await.unwrap();
        let shown: Vec<PostId> = page.posts.iter().map(|shown| shown.post.header.id).collect();
        assert_eq!(shown, page.page.ids);
        found.extend(shown);
        pages += 1;
        let Some(next) = page.page.next else { break };
        below = Some(next.0);
    }
    assert_eq!((found, pages), (reposts, 2));
}

#[tokio::test]
async fn news_unread_and_streams_go_by_position() {
    for policy in policies() {
        let world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let old = world.post(2).await;
        let since = world.page(1, None, 5).await.position;
        world.feed.mark_seen(u(1), since.clone()).await.unwrap();
        assert_eq!(world.feed.unread(u(1), 99, None).await.unwrap().count, 0);
        let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
        let (a, _, b) = (world.post(2).await, world.post(3).await, world.post(2).await);
        let news = world.feed.poll(u(1), since.clone(), 10).await.unwrap();
        assert_eq!((news.ids.clone(), news.reset), (vec![b, a], false));
        assert_eq!(stream.next().await.unwrap(), news);
        let unread = world.feed.unread(u(1), 1, None).await.unwrap();
        assert_eq!((unread.count, unread.capped), (1, true));
        assert!(world.feed.poll(u(1), since.clone(), 1).await.unwrap().reset);
        world.posts.delete(u(2), old, None).await.unwrap();
        let news = stream.next().await.unwrap();
        assert!(news.reset && news.ids.is_empty());
        world.act(Op::Follow, 1, 3).await;
        assert!(stream.next().await.unwrap().reset);
        assert!(world.feed.poll(u(1), since.clone(), 10).await.unwrap().reset);
    }
}

#[tokio::test]
async fn an_inbox_serves_and_only_the_unoffered_are_pulled() {
    let mut world = World::new(FanoutPolicy { mode: FanoutMode::Push, ..FanoutPolicy::default() }).await;
    for author in 2..=30 {
        world.act(Op::Follow, 1, author).await;
        world.post(author).await;
    }
    world.push_all().await;
    assert_eq!(world.page(1, None, 5).await.source, Source::Pull, "the first visit fills the inbox");
    assert_eq!(world.page(1, None, 5).await.source, Source::Inbox { pulled: 0 });
    let new = world.post(7).await;
    let page = world.page(1, None, 5).await;
    assert_eq!((page.source, page.ids[0]), (Source::Inbox { pulled: 1 }, new));
    world.push_all().await;
    let page = world.page(1, None, 5).await;
    assert_eq!((page.source, page.ids[0]), (Source::Inbox { pulled: 0 }, new));
    assert_eq!(world.feed.post_fanout(new).map(|post| (post.delivered, post.done)), Some((1, true)));
    let report = world.feed.verify(u(1), 1_000).await.unwrap();
    assert!(report.clean() && report.items == 30 && report.from_inbox > 0, "{report:?}");
}

#[tokio::test]
async fn a_celebrity_is_pushed_to_active_readers_only() {
    let policy = FanoutPolicy { mode: FanoutMode::Hybrid, celebrity_followers: 2, ..FanoutPolicy::default() };
    let mut world = World::new(policy).await;
    for reader in [1, 2, 3] {
        world.act(Op::Follow, reader, 9).await;
        world.page(reader, None, 5).await;
    }
    world.clock.advance(2 * DAY_MS);
    world.page(1, None, 5).await;
    let post = world.post(9).await;
    world.push_all().await;
    let fanout = world.feed.post_fanout(post).unwrap();
    assert!(fanout.celebrity && fanout.done, "{fanout:?}");
    assert_eq!(fanout.delivered, 1, "2 and 3 were away for two days: {fanout:?}");
    for reader in [1, 2, 3] {
        assert_eq!(world.home(reader).await, [post]);
    }
}

#[tokio::test]
async fn a_run_that_is_not_done_is_a_skip_and_blocks_nobody() {
    let mut world = World::new(FanoutPolicy { mode: FanoutMode::Push, ..FanoutPolicy::default() }).await;
    for reader in 1..=2_500 {
        world.act(Op::Follow, reader, 9_000).await;
    }
    for reader in [1, 2_500] {
        world.act(Op::Follow, reader, 9_001).await;
        world.page(reader, None, 5).await;
    }
    world.push_all().await;
    let (large, small) = (world.post(9_000).await, world.post(9_001).await);
    world.worker.step().await.unwrap();
    world.worker.step().await.unwrap();
    let status = world.feed.fanout_status().await.unwrap();
    assert_eq!(status.covered, status.head, "the large one is a skip, the small one is done");
    assert_eq!((status.running.len(), status.running[0].id), (1, large));
    for reader in [1, 2_500] {
        let page = world.page(reader, None, 5).await;
        assert_eq!((page.ids, page.source), (vec![small, large], Source::Inbox { pulled: 1 }));
    }
    world.push_all().await;
    assert_eq!(world.page(1, None, 5).await.source, Source::Inbox { pulled: 0 });
    assert_eq!(world.feed.fanout_status().await.unwrap().inboxes.skips, 0);
    world.inbox.evict(u(1)).await.unwrap();
    assert_eq!(world.home(1).await, [small, large]);
}
