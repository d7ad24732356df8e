//! Posts that are for a group, where readers meet them.

use super::*;
use crate::feed::HomeUpdates;
use crate::group::GroupCenter;
use crate::post::ShownPost;
use guanxi_model::post::AuthorFilter;
use guanxi_model::{GroupCommand, GroupId, Position};

const US: Visibility = Visibility::Group(GroupId::MIN);

/// A world in which 2 has a group of 1 and 5.
async fn world(policy: FanoutPolicy) -> World {
    let world = World::new(policy).await;
    act(&world, GroupCommand::Create { owner: u(2), name: "us".into() }).await;
    set_members(&world, &[1, 5]).await;
    world
}

async fn act(world: &World, command: GroupCommand) {
    GroupCenter::new(world.store.clone()).act(Viewer::Trusted, command, None).await.unwrap();
}

async fn set_members(world: &World, members: &[u64]) {
    let members = members.iter().copied().map(u).collect();
    let set = GroupCommand::SetMembers { owner: u(2), id: GroupId::MIN, members, expected_revision: None };
    act(world, set).await;
}

async fn poll(world: &World, viewer: u64, since: &Position) -> HomeUpdates {
    world.feed.poll(u(viewer), since.clone(), 10).await.unwrap()
}

async fn show(world: &World, author: u64, id: PostId, visibility: Visibility) {
    let edit = Edit { text: None, attachments: None, visibility: Some(visibility), expected_revision: None };
    world.posts.update(u(author), id, edit, None).await.unwrap();
}

#[tokio::test]
async fn homes_hold_what_is_for_members_from_their_coming_to_their_going() {
    for policy in policies() {
        let mut world = world(policy).await;
        world.act(Op::Follow, 1, 2).await;
        world.act(Op::Follow, 3, 2).await;
        let mut wanted = Vec::new();
        for _ in 0..6 {
            let post = world.write(2, None, None, US).await;
            let shared = world.write(2, None, Some(post), Visibility::Public).await;
            wanted.splice(0..0, [shared, post]);
            world.push_all().await;
            for (viewer, sees) in [(1, true), (2, true), (3, false), (5, false)] {
                let home = if sees { &wanted[..] } else { &[] };
                assert_eq!(world.home(viewer).await, home, "{viewer}, {policy:?}");
            }
        }
        set_members(&world, &[3]).await;
        assert_eq!((world.home(1).await, world.home(3).await), (Vec::new(), wanted.clone()), "{policy:?}");
        world.act(Op::Block, 2, 3).await;
        world.act(Op::Unblock, 2, 3).await;
        world.act(Op::Follow, 3, 2).await;
        assert_eq!(world.home(3).await, [], "a block took it out");
        assert_eq!(world.home(2).await, wanted, "the author sees it, in no group of its own");
    }
}

#[tokio::test]
async fn polls_and_streams_tell_that_an_audience_changed() {
    let world = world(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    let mut since = world.page(1, None, 5).await.position;
    let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
    set_members(&world, &[5]).await;
    assert!(!poll(&world, 1, &since).await.reset, "no post is for the group");
    set_members(&world, &[1, 5]).await;
    let post = world.write(2, None, None, US).await;
    let news = poll(&world, 1, &since).await;
    assert_eq!((&news.ids[..], news.reset), (&[post][..], false));
    assert_eq!(stream.next().await.unwrap().ids, [post]);
    since = news.position;
    for (members, home) in [(&[5][..], &[][..]), (&[1], &[post])] {
        set_members(&world, members).await;
        let news = poll(&world, 1, &since).await;
        assert!(news.reset && news.ids.is_empty(), "{members:?}");
        assert!(stream.next().await.unwrap().reset, "{members:?}, streamed");
        assert_eq!(world.home(1).await, home);
        assert!(!poll(&world, 1, &news.position).await.reset, "told once");
        since = news.position;
    }
    assert!(!poll(&world, 4, &since).await.reset, "whoever follows nobody there hears nothing");
    act(&world, GroupCommand::Delete { owner: u(2), id: GroupId::MIN }).await;
    assert!(poll(&world, 1, &since).await.reset);
    assert!(stream.next().await.unwrap().reset);
    assert_eq!((world.home(1).await, world.home(2).await), (vec![], vec![post]));
}

#[tokio::test]
async fn a_repost_goes_and_comes_with_the_audience_of_its_original() {
    let world = world(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 4).await;
    let (open, narrowed) = (world.post(2).await, world.post(2).await);
    let shared_open = world.write(4, None, Some(open), Visibility::Public).await;
    let shared = world.write(4, None, Some(narrowed), Visibility::Public).await;
    show(&world, 2, narrowed, US).await;
    assert_eq!(world.home(1).await, [shared, shared_open]);
    let mut since = world.page(1, None, 5).await.position;
    let mut stream = world.feed.stream(u(1), Some(since.clone())).await.unwrap();
    for (members, home) in [(&[5][..], &[shared_open][..]), (&[1], &[shared, shared_open])] {
        set_members(&world, members).await;
        let news = poll(&world, 1, &since).await;
        assert!(news.reset, "{members:?}");
        assert!(stream.next().await.unwrap().reset, "{members:?}");
        assert_eq!(world.home(1).await, home, "{members:?}");
        since = news.position;
    }
    // A reader that has only public posts on the page is not told.
    world.act(Op::Follow, 6, 7).await;
    let shared_open = world.write(7, None, Some(open), Visibility::Public).await;
    let since = world.page(6, None, 5).await.position;
    set_members(&world, &[5]).await;
    assert!(!poll(&world, 6, &since).await.reset);
    assert_eq!(world.home(6).await, [shared_open]);
}

#[tokio::test]
async fn what_stands_beside_a_post_is_shown_to_members_alone() {
    let world = world(FanoutPolicy::default()).await;
    let secret = world.write(2, None, None, US).await;
    let body = Body { text: "look".into(), attachments: Vec::new() };
    let quote = |of| Draft {
        author: u(2),
        body: body.clone(),
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: Some(of),
    };
    let quote_of = async |of| world.posts.create(quote(of), None).await.unwrap().id;
    let near = quote_of(secret).await;
    // A quote of a quote: what is for the group stands two deep, where nothing is known of it before it is read.
    let far = quote_of(near).await;
    let original = |status: Option<PostStatus>| match status {
        Some(PostStatus::Ok(post)) => Ok(*post),
        other => Err(other),
    };
    for (viewer, sees) in [(1, true), (2, true), (5, true), (3, false)] {
        let got = world.posts.get(&[near, far, secret], Some(u(viewer)), None).await.unwrap().posts;
        let [near, far, itself] = <[PostStatus; 3]>::try_from(got).unwrap();
        let shown = |status| -> ShownPost { original(Some(status)).unwrap() };
        let seen = |status: Option<PostStatus>| match original(status) {
            Ok(post) => post.post.header.id == secret,
            Err(status) => {
                assert_eq!(status, Some(PostStatus::Forbidden), "{viewer}");
                false
            }
        };
        let deep = original(shown(far).original).unwrap();
        let all = [seen(shown(near).original), seen(deep.original), seen(Some(itself))];
        assert_eq!(all, [sees; 3], "{viewer}");
        let page = PostPage { below: None, size: 9 };
        let list = world.posts.list_author(u(2), AuthorFilter::All, page, Some(u(viewer)), None).await;
        assert_eq!(list.unwrap().posts.len(), if sees { 3 } else { 2 }, "{viewer}");
        let why = world.feed.explain(Viewer::Trusted, u(viewer), secret, None).await.unwrap();
        let own = (viewer == 2).then_some(Verdict::Shown);
        let hidden = Verdict::Hidden(Hidden::NotFollowed);
        assert_eq!(why.verdict, own.unwrap_or(hidden), "home asks for a follow first");
    }
    world.act(Op::Follow, 3, 2).await;
    let why = world.feed.explain(Viewer::Trusted, u(3), secret, None).await.unwrap();
    assert_eq!(why.verdict, Verdict::Hidden(Hidden::NotInGroup));
}

#[tokio::test]
async fn earlier_revisions_are_for_whom_they_were() {
    let world = world(FanoutPolicy::default()).await;
    let post = world.write(2, None, None, US).await;
    show(&world, 2, post, Visibility::Public).await;
    for (viewer, many) in [(Some(1), 1), (Some(2), 1), (Some(3), 0), (None, 1)] {
        let found = world.posts.revisions(post, viewer.map(u), None, 9, None).await.unwrap();
        assert_eq!((found.revisions.len(), found.author), (many, u(2)), "{viewer:?}");
    }
}

#[tokio::test]
async fn a_page_asks_once_for_all_groups_and_never_without() {
    let world = world(FanoutPolicy::default()).await;
    world.act(Op::Follow, 1, 2).await;
    for _ in 0..5 {
        world.post(2).await;
    }
    world.page(1, None, 5).await;
    assert_eq!(world.groups.load(Relaxed), 0);
    for _ in 0..5 {
        world.write(2, None, None, US).await;
    }
    assert_eq!(world.page(1, None, 5).await.ids.len(), 5);
    assert_eq!(world.groups.load(Relaxed), 1, "one group, one question");
}
