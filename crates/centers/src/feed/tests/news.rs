//! What is new, and what it costs to find out.

use super::*;
use guanxi_model::limits::{HOME_SCAN_MAX, IMPORT_POSTS_MAX, WATCHED_ITEMS};
use guanxi_model::post::ImportPost;
use guanxi_model::{Command, Position, Write};
use guanxi_ports::Facts as _;

/// Posts of an archive: more than a call may look at.
const ARCHIVE: u64 = 12_000;

/// Headers that one new post of one author may cost.
const FEW: usize = 32;

impl World {
    /// Imports posts of an author, a millisecond apart, of which the last has a given time.
    pub(super) async fn import(&self, author: u64, count: u64, last_ms: u64) {
        let post = |n: u64| ImportPost {
            id: None,
            key: format!("{last_ms} {n}"),
            author: u(author),
            at_ms: last_ms - n,
            body: Body { text: "旧".into(), attachments: Vec::new() },
            visibility: Visibility::Public,
            reply_to: None,
            repost_of: None,
            deleted: false,
        };
        let posts: Vec<ImportPost> = (0..count).map(post).collect();
        for batch in posts.chunks(IMPORT_POSTS_MAX as usize) {
            let write = Write::of(Command::ImportPosts(batch.to_vec()));
            let answer = self.feed.store.apply(write).await.unwrap();
            assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)));
        }
    }

    /// The headers that were asked for since this was asked last.
    fn headers(&self) -> usize {
        self.headers.swap(0, Relaxed)
    }

    async fn now(&self) -> Position {
        self.feed.log.head().await.unwrap()
    }

    async fn unread(&self, viewer: u64) -> (u32, bool) {
        let unread = self.feed.unread(u(viewer), 99, None).await.unwrap();
        (unread.count, unread.capped)
    }
}

#[tokio::test]
async fn a_first_live_post_costs_no_archive() {
    let world = World::new(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    world.import(2, ARCHIVE, START_MS).await;
    let since = world.now().await;
    world.feed.mark_seen(u(1), since.clone()).await.unwrap();
    let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
    let first = world.post(2).await;
    world.headers();
    let news = world.feed.poll(u(1), since, 10).await.unwrap();
    assert_eq!((&news.ids[..], news.reset), (&[first][..], false));
    let poll = world.headers();
    assert_eq!(stream.next().await.unwrap().ids, [first]);
    let began = world.headers();
    assert_eq!(world.unread(1).await, (1, false));
    let unread = world.headers();
    let second = world.post(2).await;
    assert_eq!(stream.next().await.unwrap().ids, [second]);
    let streamed = world.headers();
    assert!(poll <= FEW && streamed <= FEW && unread <= FEW, "{poll}, {streamed}, {unread}");
    assert!(began <= WATCHED_ITEMS + FEW, "a stream looks once who stands on the page: {began}");
}

#[tokio::test]
async fn an_archive_below_all_that_is_live_costs_whoever_never_looked_nothing() {
    let world = World::new(FanoutPolicy::default()).await;
    for author in [2, 3] {
        world.act(Op::Follow, 1, author).await;
        world.import(author, ARCHIVE / 2, START_MS).await;
    }
    world.headers();
    assert_eq!(world.unread(1).await, (0, false));
    world.clock.advance(DAY_MS);
    world.post(2).await;
    world.import(2, ARCHIVE / 2, START_MS - DAY_MS).await;
    world.post(2).await;
    assert_eq!(world.unread(1).await, (2, false));
    let looked_at = world.headers();
    assert!(looked_at <= 2 * FEW, "{looked_at}");
}

#[tokio::test]
async fn an_archive_imported_since_the_mark_costs_a_bounded_look() {
    let world = World::new(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    let below = world.post(2).await;
    world.clock.advance(DAY_MS);
    world.import(2, 30, START_MS + DAY_MS).await;
    let above = world.post(2).await;
    assert!(below < above);
    assert_eq!(world.unread(1).await, (2, false), "imported posts hide no live one below them");
    world.headers();
    world.clock.advance(DAY_MS);
    world.import(2, ARCHIVE, START_MS + 2 * DAY_MS).await;
    assert_eq!(world.unread(1).await, (0, true), "nobody knows what is below so many");
    let unread = world.headers();
    assert!((1..=HOME_SCAN_MAX as usize + FEW).contains(&unread), "{unread}");
    let since = world.now().await;
    world.feed.mark_seen(u(1), since.clone()).await.unwrap();
    world.headers();
    assert_eq!(world.unread(1).await, (0, false));
    assert!(world.feed.poll(u(1), since, 10).await.unwrap().ids.is_empty());
    assert_eq!(world.headers(), 0);
}

#[tokio::test]
async fn what_is_hidden_costs_a_bounded_look_and_the_muted_nothing() {
    let world = World::new(FanoutPolicy::default()).await;
    for author in [2, 3] {
        world.act(Op::Follow, 1, author).await;
    }
    world.act(Op::Mute, 1, 2).await;
    let since = world.now().await;
    world.feed.mark_seen(u(1), since.clone()).await.unwrap();
    for _ in 0..300 {
        world.post(2).await;
    }
    let shown = world.post(3).await;
    world.headers();
    let news = world.feed.poll(u(1), since.clone(), 10).await.unwrap();
    assert_eq!((&news.ids[..], news.reset), (&[shown][..], false));
    assert_eq!(world.unread(1).await, (1, false));
    assert!(world.headers() <= 2 * FEW);
    let stranger = world.post(9).await;
    for _ in 0..HOME_SCAN_MAX {
        world.write(3, Some(stranger), None, Visibility::Public).await;
    }
    world.headers();
    assert!(world.feed.poll(u(1), since, 10).await.unwrap().reset, "read the first page again");
    assert_eq!(world.unread(1).await, (0, true));
    let looks = 2 * 2 * (HOME_SCAN_MAX as usize + FEW);
    assert!(world.headers() <= looks, "each new one is looked at, and looked up for the rules");
}

#[tokio::test]
async fn what_one_wrote_is_neither_unread_nor_news() {
    for policy in policies() {
        let world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let since = world.now().await;
        let own = world.post(1).await;
        assert_eq!((world.unread(1).await, world.home(1).await), ((0, false), vec![own]));
        let news = world.feed.poll(u(1), since.clone(), 10).await.unwrap();
        assert!(news.ids.is_empty() && !news.reset, "{news:?}");
        let mut stream = world.feed.stream(u(1), Some(since)).await.unwrap();
        let other = world.post(2).await;
        assert_eq!(stream.next().await.unwrap().ids, [other]);
        assert_eq!(world.unread(1).await, (1, false));
        world.posts.delete(u(1), own, None).await.unwrap();
        assert!(stream.next().await.unwrap().reset, "home is not as it was shown");
    }
}
