//! What a backend of many moments does to home: follows that stand late elsewhere, and views that are overtaken.

use super::{START_MS, u};
use crate::Viewer;
use crate::feed::{FanoutWorker, FeedCenter, Source, Verdict};
use crate::log_readers::Hub;
use crate::post::{PostCenter, PostStatus};
use crate::relation::RelationCenter;
use guanxi_model::post::{AuthorFilter, Body, Draft};
use guanxi_model::{
    EventAt, FanoutMode, FanoutPolicy, Logs, ManualClock, Op, Page, PageStart, Position, PostId, PostPage,
    Reason, Result, Uid, Visibility, Write,
};
use guanxi_ports::{
    Applied, BoxFuture, Facts, Layer, Log as _, PostLayer, RelationLayer, ScanLayer, Store, StoreView,
    UserLayer,
};
use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Posts whose derived rows may be late, and whose views may be overtaken.
struct Late {
    inner: Arc<MemoryStore>,
    is_applied: AtomicBool,
    /// Answers that will not be confirmed.
    overtaken: Arc<AtomicU32>,
}

struct LateView {
    inner: Box<dyn StoreView>,
    overtaken: Arc<AtomicU32>,
}

impl Layer for LateView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }
}

impl RelationLayer for LateView {}

impl PostLayer for LateView {
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        let take = |left: u32| left.checked_sub(1);
        let is_overtaken = self.overtaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        Box::pin(ready(Ok(!is_overtaken)))
    }
}

impl UserLayer for LateView {}

impl ScanLayer for LateView {}

impl Facts for Late {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.inner.apply(write)
    }
}

impl Store for Late {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.inner.view(at_least).await?;
            let view = LateView { inner, overtaken: self.overtaken.clone() };
            Ok(Box::new(view) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, _uid: Uid, _at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(self.is_applied.load(Ordering::Relaxed))))
    }
}

struct LateWorld {
    feed: FeedCenter,
    center: PostCenter,
    posts: Arc<Late>,
    worker: FanoutWorker,
    /// The post, and where the log stood before it.
    post: PostId,
    since: Position,
}

/// User 1 follows 2, who has written one post; everything is pushed.
async fn world() -> LateWorld {
    let clock = Arc::new(ManualClock::new(START_MS));
    let options = Options::default();
    let store = Arc::new(MemoryStore::new(clock.clone(), options.clone()));
    let inbox = Arc::new(MemoryInbox::new(options.history, Logs::One));
    let overtaken = Arc::new(AtomicU32::new(0));
    let posts = Arc::new(Late { inner: store.clone(), is_applied: AtomicBool::new(true), overtaken });
    let feed = FeedCenter::new(posts.clone(), inbox, Hub::new(store.clone()), clock);
    feed.start().await.unwrap();
    feed.put_policy(FanoutPolicy { mode: FanoutMode::Push, ..FanoutPolicy::default() }).await.unwrap();
    let relations = RelationCenter::new(store.clone(), Hub::new(store.clone()));
    relations.act(Viewer::Trusted, Op::Follow, u(1), u(2), None).await.unwrap();
    let draft = Draft {
        author: u(2),
        body: Body { text: "text".to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
    };
    let since = store.head().await.unwrap();
    let post = PostCenter::new(store).create(draft, None).await.unwrap().id;
    let worker = feed.worker().await.unwrap();
    LateWorld { feed, center: PostCenter::new(posts.clone()), posts, worker, post, since }
}

impl LateWorld {
    async fn source(&mut self) -> Source {
        while self.worker.step().await.unwrap() {}
        let page = self.feed.home(u(1), PostPage { below: None, size: 5 }, None).await.unwrap();
        assert_eq!(page.ids.len(), 1);
        page.source
    }
}

#[tokio::test]
async fn an_inbox_is_kept_only_once_the_fan_out_knows_of_its_follows() {
    let mut world = world().await;
    world.posts.is_applied.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(world.source().await, Source::Pull, "the followers list may lack the reader");
    }
    world.posts.is_applied.store(true, Ordering::Relaxed);
    assert_eq!(world.source().await, Source::Pull, "this visit fills the inbox");
    assert_eq!(world.source().await, Source::Inbox { pulled: 0 });
}

/// Reads whose answers depend on the viewer's relations, by name.
const READS: [&str; 11] = [
    "home",
    "home_posts",
    "poll",
    "unread",
    "explain",
    "stream",
    "get",
    "list_author",
    "likers",
    "stats",
    "revisions",
];

impl LateWorld {
    /// One read of user 1; it must tell of the post.
    async fn read(&self, name: &str) -> Result<()> {
        let (viewer, ids) = (u(1), [self.post]);
        let page = PostPage { below: None, size: 5 };
        let since = self.since.clone();
        let likers = Page::new(PageStart::Newest, 5)?;
        let is_there = match name {
            "home" => self.feed.home(viewer, page, None).await?.ids == ids,
            "home_posts" => self.feed.home_posts(viewer, page, None).await?.posts.len() == 1,
            "poll" => self.feed.poll(viewer, since, 5).await?.ids == ids,
            "unread" => self.feed.unread(viewer, 5, None).await?.count == 1,
            "stream" => self.feed.stream(viewer, Some(since)).await?.next().await?.ids == ids,
            "explain" => {
                self.feed.explain(Viewer::Trusted, viewer, self.post, None).await?.verdict == Verdict::Shown
            }
            "get" => matches!(self.center.get(&ids, Some(viewer), None).await?.posts[0], PostStatus::Ok(_)),
            "list_author" => {
                let list = self.center.list_author(u(2), AuthorFilter::All, page, Some(viewer), None).await?;
                list.posts.len() == 1
            }
            "likers" => {
                self.center.likers(self.post, Some(viewer), likers, None).await?.page.items.is_empty()
            }
            "stats" => self.center.stats(&ids, Some(viewer), None).await?.stats[0].is_ok(),
            _ => self.center.revisions(self.post, Some(viewer), None, 5, None).await?.create_ms > 0,
        };
        assert!(is_there, "{name}");
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_that_was_overtaken_is_made_again_but_not_for_ever() {
    let world = world().await;
    for name in READS {
        for (overtaken, is_answered) in [(0, true), (1, true), (7, true), (8, false)] {
            world.posts.overtaken.store(overtaken, Ordering::Relaxed);
            match world.read(name).await {
                Ok(()) => assert!(is_answered, "{name}: {overtaken} answers were overtaken"),
                Err(error) => {
                    assert!(!is_answered && matches!(error.reason, Reason::Overloaded { .. }), "{name}");
                }
            }
            assert_eq!(world.posts.overtaken.load(Ordering::Relaxed), 0, "{name}: each answer was confirmed");
        }
    }
    for id in [world.post, PostId::MAX] {
        world.posts.overtaken.store(99, Ordering::Relaxed);
        assert_eq!(
            world.center.get(&[id], None, None).await.unwrap().posts.len(),
            1,
            "nobody's relations are told"
        );
    }
}
