//! Plain reposts go and come with their originals, and whoever is told what is new hears of it, although it follows
//! nobody who did anything.

use super::*;
use crate::feed::HomeUpdates;
use guanxi_model::Position;
use guanxi_model::limits::WATCHED_ITEMS;

/// The reader 1 follows 2, who reposts what the stranger 3 wrote.
struct Reposted {
    world: World,
    original: PostId,
    repost: PostId,
}

/// Something that happens to an original, and whether its repost shows then.
const HAPPENINGS: [(&str, bool); 6] = [
    ("delete", false),
    ("restore", true),
    ("narrow", false),
    ("widen", true),
    ("block", false),
    ("unblock", true),
];

async fn reposted() -> Reposted {
    let world = World::new(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    let original = world.post(3).await;
    let repost = world.write(2, None, Some(original), Visibility::Public).await;
    Reposted { world, original, repost }
}

impl Reposted {
    async fn happens(&self, what: &str) {
        let Self { world, original, .. } = self;
        let shown_to =
            |visibility| Edit { text: None, attachments: None, visibility, expected_revision: None };
        match what {
            "delete" => drop(world.posts.delete(u(3), *original, None).await.unwrap()),
            "restore" => drop(world.posts.restore(u(3), *original, None).await.unwrap()),
            "narrow" => {
                let edit = shown_to(Some(Visibility::Followers));
                world.posts.update(u(3), *original, edit, None).await.unwrap();
            }
            "widen" => {
                let edit = shown_to(Some(Visibility::Public));
                world.posts.update(u(3), *original, edit, None).await.unwrap();
            }
            "block" => world.act(Op::Block, 3, 1).await,
            _ => world.act(Op::Unblock, 3, 1).await,
        }
    }

    async fn poll(&self, since: &Position) -> HomeUpdates {
        self.world.feed.poll(u(1), since.clone(), 10).await.unwrap()
    }
}

fn is_reset(news: &HomeUpdates) -> bool {
    assert!(news.ids.is_empty());
    news.reset
}

#[tokio::test]
async fn polls_and_streams_tell_that_a_repost_goes_and_comes_with_its_original() {
    let reposted = reposted().await;
    let world = &reposted.world;
    let mut since = world.page(1, None, 5).await.position;
    let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
    for (what, is_shown) in HAPPENINGS {
        assert!(!is_reset(&reposted.poll(&since).await), "before {what}");
        reposted.happens(what).await;
        assert_eq!(world.home(1).await, if is_shown { vec![reposted.repost] } else { Vec::new() });
        let news = reposted.poll(&since).await;
        assert!(is_reset(&news), "{what}");
        assert!(is_reset(&stream.next().await.unwrap()), "{what}, streamed");
        since = news.position;
    }
    let new = world.post(2).await;
    assert_eq!(stream.next().await.unwrap().ids, [new], "nothing else was told");
}

#[tokio::test]
async fn a_repost_that_came_by_a_stream_is_listened_for() {
    let world = World::new(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    let mut stream = world.feed.stream(u(1), None).await.unwrap();
    let original = world.post(3).await;
    let repost = world.write(2, None, Some(original), Visibility::Public).await;
    assert_eq!(stream.next().await.unwrap().ids, [repost]);
    world.posts.delete(u(3), original, None).await.unwrap();
    assert!(is_reset(&stream.next().await.unwrap()));
}

#[tokio::test]
async fn what_happens_to_other_posts_and_to_others_is_not_told() {
    let reposted = reposted().await;
    let world = &reposted.world;
    let unseen = world.post(3).await;
    world.write(9, None, Some(unseen), Visibility::Public).await;
    let since = world.page(1, None, 5).await.position;
    world.headers.store(0, Relaxed);
    world.posts.delete(u(3), world.post(3).await, None).await.unwrap();
    world.act(Op::Block, 3, 7).await;
    assert!(!is_reset(&reposted.poll(&since).await));
    assert_eq!(world.headers.load(Relaxed), 0, "what nobody reposted, and a block of another, cost nothing");
    world.posts.delete(u(3), unseen, None).await.unwrap();
    world.act(Op::Block, 8, 1).await;
    assert!(!is_reset(&reposted.poll(&since).await), "none of it is on the page");
    assert!(world.headers.load(Relaxed) <= WATCHED_ITEMS);
}

#[tokio::test]
async fn below_the_newest_items_nothing_is_promised_and_nothing_looked_at() {
    let reposted = reposted().await;
    let world = &reposted.world;
    for _ in 0..WATCHED_ITEMS {
        world.post(2).await;
    }
    let since = world.page(1, None, 5).await.position;
    world.headers.store(0, Relaxed);
    reposted.happens("delete").await;
    assert!(!is_reset(&reposted.poll(&since).await));
    assert_eq!(world.headers.load(Relaxed), WATCHED_ITEMS);
}

#[tokio::test]
async fn what_happened_before_the_process_began_is_not_passed_over() {
    let reposted = reposted().await;
    let world = &reposted.world;
    let since = world.page(1, None, 5).await.position;
    reposted.happens("delete").await;
    let feed = FeedCenter { originals: Arc::default(), ..world.feed.clone() };
    feed.start().await.unwrap();
    let news = feed.poll(u(1), since, 10).await.unwrap();
    assert!(is_reset(&news));
    assert!(!is_reset(&feed.poll(u(1), news.position, 10).await.unwrap()), "it is told once");
    let quiet = world.feed.poll(u(7), world.feed.log.head().await.unwrap(), 10).await.unwrap();
    assert!(!is_reset(&quiet));
}
