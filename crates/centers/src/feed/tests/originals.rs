//! Plain reposts go and come with their originals. A reader of news is told of it, although it follows none of the users who
//! acted.

use super::ticks::{SlowLog, SlowPosts};
use super::*;
use crate::feed::HomeUpdates;
use crate::feed::originals::{CATCH_UP_EVENTS, CHANGES_MAX, Changed, Known};
use guanxi_model::limits::WATCHED_ITEMS;
use guanxi_model::{EventAt, HistoryId, Position};

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

/// Home shows no reply to a stranger, but it shows reposts of the reply.
#[tokio::test]
async fn a_repost_goes_and_comes_with_a_reply_that_home_does_not_show() {
    for reposter in [2, 4] {
        let world = World::new(FanoutPolicy::default()).await;
        world.act(Op::Follow, 1, 2).await;
        world.act(Op::Follow, 1, 4).await;
        let parent = world.post(3).await;
        let original = world.write(2, Some(parent), None, Visibility::Public).await;
        let other = world.write(2, Some(parent), None, Visibility::Public).await;
        let repost = world.write(reposter, None, Some(original), Visibility::Public).await;
        let mut since = world.page(1, None, 5).await.position;
        let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
        let show = async |visibility| {
            let edit =
                Edit { text: None, attachments: None, visibility: Some(visibility), expected_revision: None };
            world.posts.update(u(2), original, edit, None).await.unwrap();
        };
        for (what, is_shown) in &HAPPENINGS[..4] {
            match *what {
                "delete" => drop(world.posts.delete(u(2), original, None).await.unwrap()),
                "restore" => drop(world.posts.restore(u(2), original, None).await.unwrap()),
                "narrow" => show(Visibility::Friends).await,
                _ => show(Visibility::Public).await,
            }
            assert_eq!(world.home(1).await, if *is_shown { vec![repost] } else { Vec::new() }, "{what}");
            let news = world.feed.poll(u(1), since, 10).await.unwrap();
            assert!(is_reset(&news), "{what}, reposted by {reposter}");
            assert!(is_reset(&stream.next().await.unwrap()), "{what}, streamed");
            since = news.position;
        }
        world.posts.delete(u(2), other, None).await.unwrap();
        assert!(!is_reset(&world.feed.poll(u(1), since, 10).await.unwrap()), "nobody reposted it");
    }
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

/// What is hidden from a reader is on no screen: it takes no place among the newest.
#[tokio::test]
async fn hidden_items_above_a_repost_do_not_hide_what_becomes_of_it() {
    let reposted = reposted().await;
    let world = &reposted.world;
    world.act(Op::Follow, 1, 4).await;
    world.act(Op::Mute, 1, 4).await;
    for n in 0..WATCHED_ITEMS {
        let visibility = if n % 2 == 0 { Visibility::Friends } else { Visibility::Public };
        world.write(if n % 2 == 0 { 2 } else { 4 }, None, None, visibility).await;
    }
    let since = world.page(1, None, 5).await.position;
    let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
    reposted.happens("delete").await;
    assert!(is_reset(&reposted.poll(&since).await));
    assert!(is_reset(&stream.next().await.unwrap()));
}

/// What a reader reposts is never new to it, so that a poll tells when it goes with its original.
#[tokio::test]
async fn a_repost_of_ones_own_that_came_and_went_is_told() {
    let world = World::new(FanoutPolicy::default()).await;
    let original = world.post(3).await;
    let since = world.page(1, None, 5).await.position;
    world.write(1, None, Some(original), Visibility::Public).await;
    assert!(!is_reset(&world.feed.poll(u(1), since.clone(), 10).await.unwrap()));
    world.posts.delete(u(3), original, None).await.unwrap();
    assert!(is_reset(&world.feed.poll(u(1), since, 10).await.unwrap()));
}

#[tokio::test]
async fn what_happened_before_the_process_began_is_not_passed_over() {
    let reposted = reposted().await;
    let world = &reposted.world;
    let since = world.page(1, None, 5).await.position;
    let again = async || {
        let feed = FeedCenter { originals: Arc::default(), ..world.feed.clone() };
        feed.start().await.unwrap();
        feed
    };
    let quiet = again().await.poll(u(1), since.clone(), 10).await.unwrap();
    assert!(!is_reset(&quiet), "a restart by itself changes nothing");
    reposted.happens("delete").await;
    let feed = again().await;
    let news = feed.poll(u(1), since, 10).await.unwrap();
    assert!(is_reset(&news));
    assert!(!is_reset(&feed.poll(u(1), news.position.clone(), 10).await.unwrap()), "it is told once");
    reposted.happens("restore").await;
    let since = world.page(1, None, 5).await.position;
    world.import(5, CATCH_UP_EVENTS as u64, START_MS).await;
    assert!(is_reset(&again().await.poll(u(1), since, 10).await.unwrap()), "too much came to know");
}

#[tokio::test(start_paused = true)]
async fn what_came_before_a_restart_is_read_once_for_all_who_come_back() {
    let reposted = reposted().await;
    let world = &reposted.world;
    let since = world.page(1, None, 5).await.position;
    world.import(5, 3_000, START_MS).await;
    // Calls take their time, so that all are at it at once.
    let (headers, stats, groups) = (world.headers.clone(), world.stats.clone(), world.groups.clone());
    let counted = Arc::new(Counting { headers, stats, groups }.of(world.store.clone()));
    let posts = Arc::new(SlowPosts { inner: counted, mirrors_are_exact: true });
    let log = Arc::new(SlowLog(world.store.clone()));
    let feed = FeedCenter { originals: Arc::default(), store: posts, log, ..world.feed.clone() };
    feed.start().await.unwrap();
    world.stats.store(0, Relaxed);
    let poll = || {
        let (feed, since) = (feed.clone(), since.clone());
        tokio::spawn(async move { feed.poll(u(1), since, 10).await })
    };
    for poll in (0..8).map(|_| poll()).collect::<Vec<_>>() {
        poll.await.unwrap().unwrap();
    }
    let read = world.stats.load(Relaxed);
    assert!((3_000..2 * 3_000).contains(&read), "{read}");
}

#[tokio::test]
async fn who_is_far_behind_begins_anew_and_says_so_once() {
    let reposted = reposted().await;
    let world = &reposted.world;
    world.act(Op::Follow, 7, 2).await;
    world.write(8, None, Some(reposted.original), Visibility::Public).await;
    world.act(Op::Follow, 9, 5).await;
    let since = world.page(1, None, 5).await.position;
    assert!(!is_reset(&reposted.poll(&since).await));
    world.import(5, 2 * CATCH_UP_EVENTS as u64, START_MS).await;
    let near = world.feed.log.head().await.unwrap();
    let news = reposted.poll(&since).await;
    assert!(is_reset(&news), "nobody knows what became of the original");
    assert!(!is_reset(&reposted.poll(&news.position).await), "it is told once");
    assert!(!is_reset(&world.feed.poll(u(9), near, 10).await.unwrap()));
    reposted.happens("delete").await;
    assert!(is_reset(&reposted.poll(&news.position).await), "from then on it is known again");
}

#[test]
fn only_the_newest_changes_are_kept_and_what_is_forgotten_may_concern_all() {
    let (history, log) = (HistoryId(1), Logs::One.of(u(1)));
    let position = |seq| Position::one(history, seq);
    let id = |n: u64| PostId::new(n).unwrap();
    let mut known = Known::new(position(0));
    let all = CHANGES_MAX as u64;
    for n in 1..=all {
        let what = match n % 4 {
            // The same few again and again: only the last change of each counts.
            0 => Changed::Post(id(1 + n % 64)),
            1 => Changed::Pair { blocked: u(1 + n % 32), by: u(100) },
            2 => Changed::Pair { blocked: u(1_000 + n), by: u(100) },
            _ => Changed::Post(id(1_000 + n)),
        };
        known.add(EventAt::new(log, n), what);
    }
    assert!(
        known.changed(u(1), (id(1_003), u(100)), &position(2)) && known.may_concern(u(1_002), &position(1))
    );
    assert!(!known.changed(u(1), (id(1_003), u(100)), &position(3)));
    assert!(!known.changed(u(50), (id(999), u(999)), &position(0)), "nothing is forgotten yet");
    let size = |known: &Known| (known.posts.len(), known.blocks.len(), known.order.len());
    let before = size(&known);
    for n in 1..=all {
        known.add(EventAt::new(log, all + n), Changed::Post(id(5)));
    }
    assert_eq!((size(&known), before.2), ((1, 0, CHANGES_MAX), CHANGES_MAX));
    assert!(known.changed(u(50), (id(999), u(999)), &position(all - 1)), "it may have been");
    assert!(!known.changed(u(50), (id(999), u(999)), &position(all)));
    assert!(known.changed(u(50), (id(5), u(999)), &position(2 * all - 1)));
    assert!(!known.may_concern(u(50), &position(2 * all)));
}
