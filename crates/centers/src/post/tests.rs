//! What the center adds to the backend's rules; those are in the conformance suite.

use super::*;
use crate::Viewer;
use crate::log_readers::Hub;
use crate::relation::RelationCenter;
use guanxi_model::post::{Attachment, AttachmentKind, AuthorFilter, Body, Draft, Edit};
use guanxi_model::{ManualClock, Op, Page, PostId, PostPage, Reason, Uid, Visibility};
use guanxi_spec::memory::{MemoryStore, Options};

fn u(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

fn centers() -> (RelationCenter, PostCenter) {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Arc::new(MemoryStore::new(clock, Options::default()));
    (RelationCenter::new(store.clone(), Hub::new(store.clone())), PostCenter::new(store))
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
    let apart = ["Forbidden", "Forbidden", "Forbidden", "Forbidden", "NotFound"];
    assert_eq!(shown(Some(u(3))).await, apart, "across a block nothing is told of what is gone");
}

/// Users of the table below: the author, a friend and a follower of it, a stranger, one whom it blocks, one who blocks it;
/// and a service that acts for no user.
const CALLERS: [Option<u64>; 7] = [Some(2), Some(3), Some(4), Some(5), Some(6), Some(7), None];

#[tokio::test]
async fn who_could_not_see_a_post_does_not_learn_that_it_is_gone() {
    let (relations, posts) = centers();
    for (op, a, b) in
        [(Op::Follow, 3, 2), (Op::Follow, 2, 3), (Op::Follow, 4, 2), (Op::Block, 2, 6), (Op::Block, 7, 2)]
    {
        relations.act(Viewer::Trusted, op, u(a), u(b), None).await.unwrap();
    }
    for (visibility, sees) in [
        (Visibility::Public, [true, true, true, true, false, false, true]),
        (Visibility::Followers, [true, true, true, false, false, false, true]),
        (Visibility::Friends, [true, true, false, false, false, false, true]),
    ] {
        let direct = write(&posts, draft(2, visibility)).await;
        let body = Body::default();
        let own = Draft { body: body.clone(), repost_of: Some(direct), ..draft(2, Visibility::Public) };
        let through = write(&posts, own).await;
        let narrow = Draft {
            body,
            repost_of: Some(write(&posts, draft(2, Visibility::Public)).await),
            ..draft(2, visibility)
        };
        let narrow = write(&posts, narrow).await;
        for deleted in [None, Some(direct), Some(narrow)] {
            if let Some(id) = deleted {
                posts.delete(u(2), id, None).await.unwrap();
            }
            for (caller, sees) in CALLERS.into_iter().zip(sees) {
                for id in [direct, through, narrow] {
                    let gone = deleted.is_some() && id != narrow || deleted == Some(narrow);
                    let wanted = match (sees, gone) {
                        (false, _) => Err(Reason::PostForbidden),
                        (true, true) => Err(Reason::PostDeleted),
                        (true, false) => Ok(()),
                    };
                    let context = format!("{visibility:?} {caller:?} {id:?} without {deleted:?}");
                    check_answers(&posts, caller.map(u), id, &wanted, &context).await;
                }
            }
        }
    }
}

/// Every call that names a post gives one answer.
async fn check_answers(
    posts: &PostCenter,
    caller: Option<Uid>,
    id: PostId,
    wanted: &Result<(), Reason>,
    context: &str,
) {
    let status = |status: &PostStatus| match status {
        PostStatus::Ok(_) => Ok(()),
        PostStatus::NotFound => Err(Reason::PostNotFound),
        PostStatus::Deleted => Err(Reason::PostDeleted),
        PostStatus::Forbidden => Err(Reason::PostForbidden),
        PostStatus::Omitted => panic!("one post always fits"),
    };
    let got = posts.get(&[id], caller, None).await.unwrap().posts;
    assert_eq!(status(&got[0]), *wanted, "get: {context}");
    let counted = posts.stats(&[id], caller, None).await.unwrap().stats;
    assert_eq!(
        counted[0].as_ref().map(drop).map_err(|s| status(s).unwrap_err()),
        *wanted,
        "stats: {context}"
    );
    let reason = |error: guanxi_model::Error| error.reason;
    let page = Page::new(guanxi_model::PageStart::Newest, 3).unwrap();
    let likers = posts.likers(id, caller, page, None).await;
    assert_eq!(likers.map(drop).map_err(reason), *wanted, "likers: {context}");
    let revisions = posts.revisions(id, caller, None, 3, None).await;
    assert_eq!(revisions.map(drop).map_err(reason), *wanted, "revisions: {context}");
    let Some(caller) = caller else { return };
    let liked = posts.like(caller, id, None).await;
    assert_eq!(liked.map(drop).map_err(reason), *wanted, "like: {context}");
    let answer = Draft { reply_to: Some(id), ..draft(caller.get(), Visibility::Public) };
    let answered = posts.create(answer, None).await;
    assert_eq!(answered.map(drop).map_err(reason), *wanted, "reply: {context}");
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

/// A text of which JSON makes six bytes for each character, but for one that is seen.
fn longest() -> String {
    "\u{1}".repeat(4_999) + "."
}

#[tokio::test]
async fn answers_end_where_they_would_be_too_large() {
    let (_, posts) = centers();
    let body = Body { text: longest(), attachments: Vec::new() };
    let mut ids = Vec::new();
    for _ in 0..200 {
        let draft = Draft { body: body.clone(), ..draft(2, Visibility::Public) };
        ids.insert(0, write(&posts, draft).await);
    }
    let batch = posts.get(&ids, None, None).await.unwrap().posts;
    let got = batch.iter().filter(|status| matches!(status, PostStatus::Ok(_))).count();
    assert!((90..110).contains(&got), "{got} posts of 30 KB");
    assert!(batch[got..].iter().all(|status| *status == PostStatus::Omitted));
    let (mut found, mut below, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = PostPage { below, size: 200 };
        let list = posts.list_author(u(2), AuthorFilter::Posts, page, None, None).await.unwrap();
        found.extend(list.posts.iter().map(|shown| shown.post.header.id));
        pages += 1;
        let Some(next) = list.next else { break };
        below = Some(next.0);
    }
    assert_eq!((found, pages), (ids.clone(), 2));
    for n in 1..=150_u32 {
        let attachments = vec![Attachment { kind: AttachmentKind::File, reference: n.to_string() }];
        let edit =
            Edit { text: None, attachments: Some(attachments), visibility: None, expected_revision: None };
        posts.update(u(2), ids[0], edit, None).await.unwrap();
    }
    let (mut numbers, mut below, mut pages) = (Vec::new(), None, 0);
    loop {
        let answer = posts.revisions(ids[0], None, below, 200, None).await.unwrap();
        numbers.extend(answer.revisions.iter().map(|revision| revision.revision));
        pages += 1;
        let Some(next) = answer.next_below else { break };
        below = Some(next);
    }
    assert_eq!((numbers, pages), ((1..=150).rev().collect(), 2));
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

#[tokio::test]
async fn reposters_are_those_whose_repost_the_viewer_may_see() {
    let (relations, posts) = centers();
    let id = write(&posts, draft(2, Visibility::Public)).await;
    let share = |user, visibility, text: &str| {
        let body = Body { text: text.to_owned(), attachments: Vec::new() };
        Draft { body, repost_of: Some(id), ..draft(user, visibility) }
    };
    relations.act(Viewer::Trusted, Op::Follow, u(1), u(5), None).await.unwrap();
    for (user, visibility, text) in [
        (3, Visibility::Public, ""),
        (4, Visibility::Followers, ""),
        (5, Visibility::Followers, "for followers"),
        (6, Visibility::Public, "blocked"),
        (7, Visibility::Public, ""),
        (8, Visibility::Public, "quoted"),
        (9, Visibility::Public, ""),
        (1, Visibility::Friends, "my own"),
    ] {
        write(&posts, share(user, visibility, text)).await;
    }
    relations.act(Viewer::Trusted, Op::Block, u(1), u(6), None).await.unwrap();
    relations.act(Viewer::Trusted, Op::Block, u(9), u(1), None).await.unwrap();
    relations.act(Viewer::Trusted, Op::Mute, u(1), u(7), None).await.unwrap();
    let walk = async |viewer, size| {
        let (mut users, mut below) = (Vec::new(), None);
        loop {
            let page = posts.reposters(id, viewer, PostPage { below, size }, None).await.unwrap();
            assert!(page.reposts.len() == size || page.next.is_none(), "a page is full unless the list ends");
            users.extend(page.reposts.iter().map(|header| header.author.get()));
            let Some(next) = page.next else { return users };
            below = Some(next.0);
        }
    };
    for size in 1..=9 {
        assert_eq!(walk(Some(u(1)), size).await, [1, 8, 7, 5, 3], "in pages of {size}");
        assert_eq!(walk(None, size).await, [1, 9, 8, 7, 6, 5, 4, 3], "a service sees all");
        assert_eq!(walk(Some(u(2)), size).await, [9, 8, 7, 6, 3], "whose post it is sees no more of others");
    }
    relations.act(Viewer::Trusted, Op::Block, u(2), u(1), None).await.unwrap();
    let refused = posts.reposters(id, Some(u(1)), PostPage { below: None, size: 3 }, None).await.unwrap_err();
    assert_eq!(refused.reason, Reason::PostForbidden);
}
