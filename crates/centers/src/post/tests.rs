//! What the center adds to the backend's rules; those are in the conformance suite.

use super::*;
use crate::Viewer;
use crate::relation::RelationCenter;
use guanxi_model::post::{AuthorFilter, Body, Draft, Edit};
use guanxi_model::{ManualClock, Op, Page, PostId, PostPage, Reason, Uid, Visibility};
use guanxi_spec::memory::{MemoryStore, Options};

fn u(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

fn centers() -> (RelationCenter, PostCenter) {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Arc::new(MemoryStore::new(clock, Options::default()));
    (RelationCenter::new(store.clone(), store.clone()), PostCenter::new(store))
}

fn draft(author: u64, visibility: Visibility) -> Draft {
    let body = Body { text: "text".into(), attachments: Vec::new() };
    Draft { author: u(author), body, visibility, reply_to: None, repost_of: None }
}

async fn write(posts: &PostCenter, draft: Draft) -> PostId {
    posts.create(draft, None).await.unwrap().id
}

#[tokio::test]
async fn a_batch_tells_of_each_post_how_it_stands_with_the_viewer() {
    let (relations, posts) = centers();
    relations.act(Viewer::Trusted, Op::Follow, u(1), u(2), None).await.unwrap();
    let public = write(&posts, draft(2, Visibility::Public)).await;
    let followers = write(&posts, draft(2, Visibility::Followers)).await;
    let friends = write(&posts, draft(2, Visibility::Friends)).await;
    let deleted = write(&posts, draft(2, Visibility::Public)).await;
    posts.delete(u(2), deleted, None).await.unwrap();
    posts.like(u(1), public, None).await.unwrap();
    let ids = [public, followers, friends, deleted, PostId::MAX];
    let shown = |viewer| {
        let posts = posts.clone();
        async move {
            let got = posts.get(&ids, viewer, None).await.unwrap().posts;
            got.iter()
                .map(|status| match status {
                    PostStatus::Ok(shown) => format!("ok {} {}", shown.stats.likes, shown.liked),
                    other => format!("{other:?}"),
                })
                .collect::<Vec<_>>()
        }
    };
    let rest = |first: &[&str]| {
        first.iter().map(ToString::to_string).chain(["Deleted".into(), "NotFound".into()]).collect::<Vec<_>>()
    };
    assert_eq!(shown(Some(u(1))).await, rest(&["ok 1 true", "ok 0 false", "Forbidden"]));
    assert_eq!(shown(Some(u(2))).await, rest(&["ok 1 false", "ok 0 false", "ok 0 false"]));
    assert_eq!(shown(Some(u(3))).await, rest(&["ok 1 false", "Forbidden", "Forbidden"]));
    assert_eq!(shown(None).await, rest(&["ok 1 false", "ok 0 false", "ok 0 false"]));
    relations.act(Viewer::Trusted, Op::Block, u(2), u(3), None).await.unwrap();
    assert_eq!(shown(Some(u(3))).await, rest(&["Forbidden", "Forbidden", "Forbidden"]));
}

#[tokio::test]
async fn an_authors_list_is_filled_up_with_what_the_viewer_sees() {
    let (_, posts) = centers();
    let mut wanted = Vec::new();
    for n in 0..30 {
        let visibility = if n % 3 == 0 { Visibility::Public } else { Visibility::Followers };
        let id = write(&posts, draft(2, visibility)).await;
        if n % 3 == 0 {
            wanted.insert(0, id);
        }
    }
    let reply = Draft { reply_to: Some(wanted[0]), ..draft(2, Visibility::Public) };
    let reply = write(&posts, reply).await;
    let (mut found, mut below) = (Vec::new(), None);
    loop {
        let page = PostPage { below, size: 4 };
        let list = posts.list_author(u(2), AuthorFilter::Posts, page, Some(u(1)), None).await.unwrap();
        assert!(list.posts.len() == 4 || list.next.is_none());
        found.extend(list.posts.iter().map(|shown| shown.post.header.id));
        let Some(next) = list.next else { break };
        below = Some(next.0);
    }
    assert_eq!(found, wanted);
    let page = PostPage { below: None, size: 4 };
    let list = posts.list_author(u(2), AuthorFilter::Replies, page, Some(u(1)), None).await.unwrap();
    assert_eq!(list.posts.iter().map(|shown| shown.post.header.id).collect::<Vec<_>>(), [reply]);
    assert_eq!(list.next, None);
}

#[tokio::test]
async fn likers_are_shown_to_those_who_see_the_post_and_never_across_a_block() {
    let (relations, posts) = centers();
    let id = write(&posts, draft(2, Visibility::Public)).await;
    for liker in 3..=8 {
        posts.like(u(liker), id, None).await.unwrap();
    }
    relations.act(Viewer::Trusted, Op::Block, u(1), u(8), None).await.unwrap();
    relations.act(Viewer::Trusted, Op::Block, u(6), u(1), None).await.unwrap();
    let page = Page::new(guanxi_model::PageStart::Newest, 3).unwrap();
    let likers = posts.likers(id, Some(u(1)), page, None).await.unwrap().page;
    assert_eq!(likers.items.iter().map(|edge| edge.uid).collect::<Vec<_>>(), [u(7), u(5), u(4)]);
    assert!(likers.next.is_some());
    relations.act(Viewer::Trusted, Op::Block, u(2), u(1), None).await.unwrap();
    let refused = posts.likers(id, Some(u(1)), page, None).await.unwrap_err();
    assert_eq!(refused.reason, Reason::PostForbidden);
}

#[tokio::test]
async fn an_earlier_revision_is_shown_to_those_it_was_for() {
    let (_, posts) = centers();
    let id = write(&posts, draft(2, Visibility::Friends)).await;
    let edit = Edit {
        text: Some("for all".into()),
        attachments: None,
        visibility: Some(Visibility::Public),
        expected_revision: Some(1),
    };
    assert_eq!(posts.update(u(2), id, edit.clone(), None).await.unwrap().revision, 2);
    let stale = posts.update(u(2), id, edit, None).await.unwrap_err();
    assert_eq!(stale.reason, Reason::RevisionMismatch { revision: 2 });
    let seen = |viewer| {
        let posts = posts.clone();
        async move { posts.revisions(id, viewer, None, 10, None).await.unwrap().revisions.len() }
    };
    assert_eq!((seen(Some(u(2))).await, seen(Some(u(1))).await, seen(None).await), (1, 0, 1));
}
