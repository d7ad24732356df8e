//! Authors who are not there: their posts are in no home, list or count of what is new, and come back with them.

use super::*;
use guanxi_model::post::{AuthorFilter, PostCommand};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Page, Position, PostPage, Write};
use guanxi_ports::Facts as _;

impl World {
    async fn set_status(&self, uid: u64, status: UserStatus) {
        let write = Write::of(UserCommand::SetStatus { uid: u(uid), status });
        let outcome = self.store.apply(write).await.unwrap().user().unwrap();
        assert_eq!(outcome.result, Ok(true));
    }

    async fn poll(&self, viewer: u64, since: &Position) -> (Vec<PostId>, bool) {
        let updates = self.feed.poll(u(viewer), since.clone(), 10).await.unwrap();
        (updates.ids, updates.reset)
    }

    async fn head(&self) -> Position {
        self.feed.log.head().await.unwrap()
    }
}

#[tokio::test]
async fn posts_leave_every_home_with_their_author_and_come_back() {
    for policy in policies() {
        let mut world = World::new(policy).await;
        for (a, b) in [(1, 2), (1, 3), (4, 3)] {
            world.act(Op::Follow, a, b).await;
        }
        world.home(1).await;
        let old = world.post(2).await;
        let shared = world.write(3, None, Some(old), Visibility::Public).await;
        let other = world.post(3).await;
        let new = world.post(2).await;
        world.push_all().await;
        let whole = world.home(1).await;
        assert_eq!(whole, [new, other, shared, old]);
        let since = world.head().await;
        world.set_status(2, UserStatus::Deactivated).await;
        assert_eq!(world.home(1).await, [other]);
        assert_eq!(world.home(4).await, [other], "what a stranger shared goes, too");
        assert_eq!(world.poll(1, &since).await, (vec![], true));
        assert_eq!(world.poll(4, &since).await, (vec![], true), "of an original nobody there follows");
        assert_eq!(world.home(2).await, [], "its own home has the posts of nobody who is gone either");
        let since = world.head().await;
        world.push_all().await;
        let later = world.post(3).await;
        assert_eq!(world.poll(1, &since).await, (vec![later], false));
        for viewer in [1, 4] {
            assert!(world.feed.verify(u(viewer), 50).await.unwrap().clean());
        }
        let since = world.head().await;
        world.set_status(2, UserStatus::Active).await;
        assert_eq!(world.home(1).await, [&[later], &whole[..]].concat());
        assert_eq!(world.poll(1, &since).await, (vec![], true));
        assert_eq!(world.poll(4, &since).await, (vec![], true));
        assert!(world.feed.verify(u(1), 50).await.unwrap().clean());
    }
}

#[tokio::test]
async fn a_stream_hears_that_an_author_went() {
    let world = World::new(FanoutPolicy::default()).await;
    for (a, b) in [(1, 2), (1, 3)] {
        world.act(Op::Follow, a, b).await;
    }
    let stranger = world.post(9).await;
    world.write(3, None, Some(stranger), Visibility::Public).await;
    world.post(2).await;
    let mut stream = world.feed.stream(u(1), Some(world.head().await)).await.unwrap();
    for gone in [2, 9] {
        world.set_status(gone, UserStatus::Deactivated).await;
        assert!(stream.next().await.unwrap().reset, "{gone}");
    }
}

#[tokio::test]
async fn what_somebody_wrote_who_is_gone_costs_nobody_a_look() {
    let world = World::new(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    world.act(Op::Follow, 1, 3).await;
    let own = world.post(3).await;
    for _ in 0..300 {
        world.post(2).await;
    }
    world.set_status(2, UserStatus::Deactivated).await;
    world.headers.swap(0, Relaxed);
    assert_eq!(world.page(1, None, 20).await.ids, [own]);
    let looked_at = world.headers.swap(0, Relaxed);
    assert!(looked_at < 64, "{looked_at}");
    // Nor is what is unread: it is not counted, and no reader is told that there may be more.
    world.headers.swap(0, Relaxed);
    let unread = world.feed.unread(u(1), 99, None).await.unwrap();
    assert_eq!((unread.count, unread.capped), (1, false));
    let looked_at = world.headers.swap(0, Relaxed);
    assert!(looked_at < 64, "{looked_at}");
    let list = world
        .posts
        .list_author(u(2), AuthorFilter::default(), PostPage { below: None, size: 20 }, Some(u(1)), None)
        .await
        .unwrap();
    assert_eq!((list.posts.len(), list.next, list.scanned), (0, None, 0));
}

#[tokio::test]
async fn whoever_asks_by_id_finds_nothing_of_who_is_gone() {
    let world = World::new(FanoutPolicy::default()).await;
    let post = world.post(2).await;
    let text = Body { text: "look".into(), attachments: Vec::new() };
    let draft = Draft {
        author: u(3),
        body: text,
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: Some(post),
    };
    let quote = world.posts.create(draft, None).await.unwrap().id;
    let twice = world.write(4, None, Some(quote), Visibility::Public).await;
    for uid in [5, 6] {
        world.posts.like(u(uid), quote, None).await.unwrap();
    }
    world.set_status(2, UserStatus::Deactivated).await;
    world.set_status(6, UserStatus::Deactivated).await;
    world.write(7, None, Some(quote), Visibility::Public).await;
    world.set_status(7, UserStatus::Deactivated).await;
    for viewer in [Some(u(1)), None] {
        let got = world.posts.get(&[post, quote, twice], viewer, None).await.unwrap().posts;
        assert!(matches!(got[0], PostStatus::Deleted), "{got:?}");
        let PostStatus::Ok(quote) = &got[1] else { panic!("{got:?}") };
        assert!(matches!(quote.original, Some(PostStatus::Deleted)), "{quote:?}");
        let PostStatus::Ok(twice) = &got[2] else { panic!("{got:?}") };
        let Some(PostStatus::Ok(shared)) = &twice.original else { panic!("{twice:?}") };
        assert!(matches!(shared.original, Some(PostStatus::Deleted)), "two deep: {shared:?}");
        let likers = world.posts.likers(quote.id(), viewer, Page::first(), None).await.unwrap().page;
        assert_eq!(likers.items.iter().map(|edge| edge.uid).collect::<Vec<_>>(), [u(5)]);
        let page = || PostPage { below: None, size: 9 };
        let reposters = world.posts.reposters(quote.id(), viewer, page(), None).await.unwrap().reposts;
        assert_eq!(reposters.iter().map(|header| header.id).collect::<Vec<_>>(), [twice.id()]);
        assert!(world.posts.reposters(post, viewer, page(), None).await.is_err(), "its author is not there");
        let stats = world.posts.stats(&[post, quote.id()], viewer, None).await.unwrap().stats;
        assert!(stats[0].is_err() && stats[1].is_ok());
        assert!(world.posts.revisions(post, viewer, None, 10, None).await.is_err());
    }
}

#[tokio::test]
async fn an_inbox_that_was_filled_without_an_author_has_what_it_wrote_when_it_is_back() {
    for policy in policies() {
        let mut world = World::new(policy).await;
        world.act(Op::Follow, 1, 2).await;
        let old = world.post(2).await;
        world.set_status(2, UserStatus::Deactivated).await;
        world.push_all().await;
        assert_eq!(world.home(1).await, []);
        world.set_status(2, UserStatus::Active).await;
        world.push_all().await;
        assert_eq!(world.home(1).await, [old]);
    }
}

#[tokio::test]
async fn a_post_that_is_taken_down_leaves_every_home_and_is_shown_to_its_author_alone() {
    for policy in policies() {
        let mut world = World::new(policy).await;
        for (a, b) in [(1, 2), (1, 3), (4, 3)] {
            world.act(Op::Follow, a, b).await;
        }
        world.home(1).await;
        let old = world.post(2).await;
        let shared = world.write(3, None, Some(old), Visibility::Public).await;
        let other = world.post(3).await;
        world.push_all().await;
        let whole = world.home(1).await;
        assert_eq!(whole, [other, shared, old]);
        let listed = async |viewer: Option<u64>| {
            let page = PostPage { below: None, size: 10 };
            let posts = PostCenter::new(world.store.clone());
            let list = posts.list_author(u(2), AuthorFilter::Posts, page, viewer.map(u), None).await.unwrap();
            list.posts
                .iter()
                .map(|post| (post.post.header.id, post.post.takedown.clone()))
                .collect::<Vec<_>>()
        };
        let (author, reason) = (u(2), "spam".to_owned());
        let commands = [
            PostCommand::TakeDown { author, id: old, reason: reason.clone() },
            PostCommand::Reinstate { author, id: old },
        ];
        for (command, stands) in commands.into_iter().zip([false, true]) {
            let since = world.head().await;
            world.store.apply(Write::of(command)).await.unwrap();
            let home = if stands { whole.clone() } else { vec![other] };
            assert_eq!(world.home(1).await, home);
            assert_eq!(world.home(4).await, if stands { vec![other, shared] } else { vec![other] });
            assert_eq!(world.home(2).await, if stands { vec![old] } else { vec![] }, "its author's, too");
            assert_eq!(world.poll(1, &since).await, (vec![], true));
            assert_eq!(world.poll(4, &since).await, (vec![], true), "of an original nobody there follows");
            let own = (old, (!stands).then(|| reason.clone()));
            assert_eq!(listed(Some(2)).await, [own]);
            for viewer in [Some(1), None] {
                assert_eq!(listed(viewer).await.len(), usize::from(stands), "{viewer:?}");
            }
            assert!(world.feed.verify(u(1), 50).await.unwrap().clean());
        }
    }
}
