//! Posts that a reader must not see across a block, or after an unfollow that its author was told to be done, while the
//! reader's own relations do not know of it yet.

use super::*;
use crate::post::{AuthorList, ShownPost};
use guanxi_model::post::AuthorFilter;
use guanxi_model::{EdgePage, List, Page, Position, Relation, Result};
use guanxi_ports::{
    BoxFuture, Layer, PostLayer, RelationLayer, ScanLayer, StoreView, UserLayer, ViewerRelations,
};
use guanxi_spec::viewed::Viewed;
use std::sync::Mutex;

/// An earlier moment; none while mirrors are up to date.
type Moment = Arc<Mutex<Option<Arc<dyn StoreView>>>>;

/// A view that says of a user's relations what was so at an earlier moment.
struct StaleView {
    inner: Box<dyn StoreView>,
    mirrors: Option<Arc<dyn StoreView>>,
}

impl StaleView {
    fn mirrors(&self) -> &dyn StoreView {
        self.mirrors.as_deref().unwrap_or(&*self.inner)
    }
}

impl Layer for StaleView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }

    fn mirrors_are_exact(&self) -> bool {
        false
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.mirrors().list(of, list, page)
    }
}

impl RelationLayer for StaleView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.mirrors().relations(subject, objects)
    }
}

impl PostLayer for StaleView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        self.mirrors().viewer_relations(viewer)
    }
}

impl UserLayer for StaleView {}

impl ScanLayer for StaleView {}

/// The reader is 1 and a friend of 2, of whom this is about; it follows 3 and 4.
struct StaleWorld {
    world: World,
    moment: Moment,
    /// Reads what is stale.
    feed: FeedCenter,
    posts: PostCenter,
}

/// Everything that the reader is told.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    home: Vec<PostId>,
    with_posts: Vec<PostId>,
    news: Vec<PostId>,
    unread: u32,
    listed: Vec<PostId>,
}

impl StaleWorld {
    async fn new() -> Self {
        let world = World::new(FanoutPolicy::default()).await;
        for (a, b) in [(1, 2), (2, 1), (1, 3), (1, 4), (3, 2), (4, 2), (2, 4), (3, 4)] {
            world.act(Op::Follow, a, b).await;
        }
        let moment = Moment::default();
        let mirrors = moment.clone();
        let stale = Arc::new(Viewed::new(world.store.clone(), move |inner| StaleView {
            inner,
            mirrors: mirrors.lock().unwrap().clone(),
        }));
        let feed = FeedCenter { store: stale.clone(), ..world.feed.clone() };
        let posts = PostCenter::new(stale);
        Self { world, moment, feed, posts }
    }

    /// From here on the reader's relations stand still.
    async fn freeze(&self) {
        let view = self.world.store.view(None).await.unwrap();
        *self.moment.lock().unwrap() = Some(Arc::from(view));
    }

    async fn told(&self, since: &Position) -> Told {
        let page = PostPage { below: None, size: 9 };
        let ids = |posts: Vec<ShownPost>| posts.iter().map(|shown| shown.post.header.id).collect();
        let news = self.feed.poll(u(1), since.clone(), 99).await.unwrap();
        assert!(!news.reset);
        let list = self.posts.list_author(u(2), AuthorFilter::All, page, Some(u(1)), None).await.unwrap();
        let AuthorList { posts: listed, next: None, .. } = list else { panic!("one page") };
        Told {
            home: self.feed.home(u(1), page, None).await.unwrap().ids,
            with_posts: ids(self.feed.home_posts(u(1), page, None).await.unwrap().posts),
            news: news.ids,
            unread: self.feed.unread(u(1), 99, None).await.unwrap().count,
            listed: ids(listed),
        }
    }

    /// What the reader is told of one post: whether it may see it, by each read that names it.
    async fn tells(&self, id: PostId) -> [bool; 4] {
        let got = self.posts.get(&[id], Some(u(1)), None).await.unwrap().posts;
        let stats = self.posts.stats(&[id], Some(u(1)), None).await.unwrap().stats;
        let page = Page::new(guanxi_model::PageStart::Newest, 9).unwrap();
        [
            matches!(got[0], PostStatus::Ok(_)),
            stats[0].is_ok(),
            self.posts.likers(id, Some(u(1)), page, None).await.is_ok(),
            self.posts.revisions(id, Some(u(1)), None, 9, None).await.is_ok(),
        ]
    }

    async fn verdict(&self, id: PostId) -> Verdict {
        self.feed.explain(Viewer::Trusted, u(1), id, None).await.unwrap().verdict
    }

    async fn quote(&self, author: u64, of: PostId) -> PostId {
        let body = Body { text: "a quote".into(), attachments: Vec::new() };
        let (visibility, repost_of) = (Visibility::Public, Some(of));
        let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of };
        self.world.posts.create(draft, None).await.unwrap().id
    }

    async fn original(&self, id: PostId) -> PostStatus {
        let got = self.posts.get(&[id], Some(u(1)), None).await.unwrap().posts.remove(0);
        let PostStatus::Ok(shown) = got else { panic!("{got:?}") };
        shown.original.unwrap()
    }
}

#[tokio::test]
async fn a_block_holds_in_every_read_from_its_acknowledgement_on() {
    let stale = StaleWorld::new().await;
    let world = &stale.world;
    let since = world.feed.log.head().await.unwrap();
    world.feed.mark_seen(u(1), since.clone()).await.unwrap();
    let blocked = world.post(2).await;
    let reply = world.write(3, Some(blocked), None, Visibility::Public).await;
    let repost = world.write(4, None, Some(blocked), Visibility::Public).await;
    let quote = stale.quote(3, blocked).await;
    let around = stale.quote(4, quote).await;
    let plain = world.write(4, None, Some(quote), Visibility::Public).await;
    let other = world.post(3).await;
    world.posts.like(u(2), other, None).await.unwrap();
    stale.freeze().await;
    let all = vec![other, plain, around, quote, repost, reply, blocked];
    let before = stale.told(&since).await;
    assert_eq!((&before.home, &before.with_posts, &before.news), (&all, &all, &all));
    assert_eq!((before.unread, before.listed), (7, vec![blocked]));
    assert_eq!((stale.tells(blocked).await, stale.verdict(blocked).await), ([true; 4], Verdict::Shown));
    let likers = || async {
        let page = Page::new(guanxi_model::PageStart::Newest, 9).unwrap();
        stale.posts.likers(other, Some(u(1)), page, None).await.unwrap().page.items.len()
    };
    assert_eq!(likers().await, 1);

    world.act(Op::Block, 2, 1).await;
    let left = vec![other, plain, around, quote];
    let (home, with_posts, news) = (left.clone(), left.clone(), left);
    let after = Told { home, with_posts, news, unread: 4, listed: Vec::new() };
    assert_eq!(stale.told(&since).await, after);
    assert!(stale.feed.verify(u(1), 9).await.unwrap().clean(), "the definition says the same");
    assert_eq!(stale.tells(blocked).await, [false; 4]);
    assert_eq!(stale.verdict(blocked).await, Verdict::Hidden(Hidden::Blocked));
    assert_eq!(stale.verdict(reply).await, Verdict::Hidden(Hidden::ReplyToStranger));
    assert_eq!(stale.verdict(repost).await, Verdict::Hidden(Hidden::OriginalHidden));
    assert_eq!(likers().await, 0);
    assert_eq!(stale.original(quote).await, PostStatus::Forbidden);
    let PostStatus::Ok(shown) = stale.original(around).await else { panic!("3 blocks nobody") };
    assert_eq!(shown.original, Some(PostStatus::Forbidden), "what a quoted quote quotes");
    let page = PostPage { below: None, size: 9 };
    let home = stale.feed.home_posts(u(1), page, None).await.unwrap().posts;
    let quoted: Vec<_> = home.iter().map(|shown| shown.original.clone()).collect();
    let is_shown = |status: &PostStatus| match status {
        PostStatus::Ok(shown) => {
            shown.post.header.author == u(2) || matches!(shown.original, Some(PostStatus::Ok(_)))
        }
        _ => false,
    };
    assert!(!quoted.iter().flatten().any(is_shown), "{quoted:?}");
}

#[tokio::test]
async fn what_is_for_friends_is_hidden_once_the_author_unfollows() {
    let stale = StaleWorld::new().await;
    let world = &stale.world;
    let since = world.feed.log.head().await.unwrap();
    world.feed.mark_seen(u(1), since.clone()).await.unwrap();
    let public = world.post(2).await;
    let friends = world.write(2, None, None, Visibility::Friends).await;
    let edit = Edit {
        text: Some("edited".into()),
        attachments: None,
        visibility: Some(Visibility::Public),
        expected_revision: Some(1),
    };
    let widened = world.write(2, None, None, Visibility::Friends).await;
    let repost = world.write(2, None, Some(friends), Visibility::Friends).await;
    let quote = stale.quote(2, friends).await;
    let around = stale.quote(4, quote).await;
    stale.freeze().await;
    let all = vec![around, quote, repost, widened, friends, public];
    let before = stale.told(&since).await;
    assert_eq!((&before.home, &before.with_posts, &before.news), (&all, &all, &all));
    assert_eq!((before.unread, before.listed), (6, vec![quote, repost, widened, friends, public]));
    assert_eq!(stale.tells(friends).await, [true; 4]);

    world.act(Op::Unfollow, 2, 1).await;
    let left = vec![around, quote, public];
    let (home, with_posts, news) = (left.clone(), left.clone(), left);
    let after = Told { home, with_posts, news, unread: 3, listed: vec![quote, public] };
    assert_eq!(stale.told(&since).await, after);
    assert!(stale.feed.verify(u(1), 9).await.unwrap().clean(), "the definition says the same");
    assert_eq!(stale.tells(friends).await, [false; 4]);
    assert_eq!(stale.tells(public).await, [true; 4]);
    assert_eq!(stale.verdict(friends).await, Verdict::Hidden(Hidden::NotFriend));
    assert_eq!(stale.verdict(repost).await, Verdict::Hidden(Hidden::NotFriend));
    assert_eq!(stale.original(quote).await, PostStatus::Forbidden);
    let PostStatus::Ok(shown) = stale.original(around).await else { panic!("the quote is for everybody") };
    assert_eq!(shown.original, Some(PostStatus::Forbidden), "what a quoted quote quotes");
    world.posts.update(u(2), widened, edit, None).await.unwrap();
    let revisions = stale.posts.revisions(widened, Some(u(1)), None, 9, None).await.unwrap();
    assert_eq!(revisions.revisions, [], "the first revision was for friends");
}
