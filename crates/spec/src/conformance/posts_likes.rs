//! Likes, and who gave them.

use super::{World, draft, for_whom, repost, u};
use guanxi_model::post::{Draft, PostMarks};
use guanxi_model::{Change, Page, PageStart, PostId, Reason, Visibility};

/// A like counts once, and is logged with the author.
pub async fn likes_are_counted_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "text")).await;
    assert_eq!(world.like(2, id).await, Ok(true));
    let event = world.last_change().await;
    assert_eq!((event.subject, event.change), (u(2), Change::Liked { id, author: u(1), at: event.version }));
    assert_eq!(world.likers(id, 5).await[0].at, event.version, "since when");
    let before = world.last();
    assert_eq!(world.like(2, id).await, Ok(false));
    assert_eq!(world.unlike(3, id).await, Ok(false));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.like(1, id).await, Ok(true), "one's own, too");
    assert_eq!(world.stats(id).await, (2, 0, 0));
    let likes = world.view().await;
    let marks = async |viewer| -> Vec<PostMarks> {
        let shown = likes.shown(viewer, &[id, id]).await.unwrap();
        shown.into_iter().flatten().map(|(_, marks)| marks).collect()
    };
    let by_two = marks(Some(u(2))).await;
    assert!(by_two.len() == 2 && by_two.iter().all(|marks| marks.liked && marks.stats.likes == 2));
    assert!(!marks(Some(u(3))).await[0].liked && !marks(None).await[0].liked);
    assert_eq!(world.unlike(2, id).await, Ok(true));
    let event = world.last_change().await;
    assert_eq!((event.subject, event.change), (u(2), Change::Unliked { id, author: u(1) }));
    assert_eq!(world.stats(id).await, (1, 0, 0));
    assert_eq!(world.like(2, PostId::new(5).unwrap()).await, Err(Reason::PostNotFound));
    assert_eq!(world.unlike(2, PostId::new(5).unwrap()).await, Err(Reason::PostNotFound));
}

/// Only what is seen is liked; a like is taken back from anything.
pub async fn only_what_is_seen_is_liked(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("2->1 5-x1 1-x6 7-x3").await;
    let id = world.post(draft(1, "text")).await;
    let shared = world.post(repost(3, id)).await;
    assert_eq!(world.like(2, shared).await, Ok(true));
    assert_eq!(world.like(4, id).await, Ok(true));
    for uid in [5, 6] {
        assert_eq!(world.like(uid, id).await, Err(Reason::PostForbidden));
        assert_eq!(world.like(uid, shared).await, Err(Reason::PostForbidden), "the original is hidden");
    }
    assert_eq!(world.like(7, shared).await, Err(Reason::PostForbidden));
    assert_eq!(world.like(7, id).await, Ok(true));
    assert_eq!(world.edit(1, id, for_whom(Visibility::Followers)).await, Ok(true));
    assert_eq!(world.like(8, shared).await, Err(Reason::PostForbidden));
    assert_eq!(world.unlike(4, id).await, Ok(true), "hidden by now");
    assert_eq!(world.like(4, id).await, Err(Reason::PostForbidden));
    assert_eq!(world.delete(1, id).await, Ok(true));
    assert_eq!(world.like(2, id).await, Err(Reason::PostDeleted));
    assert_eq!(world.like(2, shared).await, Err(Reason::PostDeleted), "the original is gone");
    assert_eq!(world.like(8, shared).await, Err(Reason::PostForbidden), "which was not for everybody");
    assert_eq!(world.like(8, id).await, Err(Reason::PostForbidden));
    assert_eq!(world.unlike(7, id).await, Ok(true), "deleted by now");
    assert_eq!(world.restore(1, id).await, Ok(true));
    assert_eq!(world.stats(id).await, (0, 0, 1));
    let friends = world.post(Draft { visibility: Visibility::Friends, ..draft(1, "text") }).await;
    assert_eq!(world.like(2, friends).await, Err(Reason::PostForbidden));
    world.build("1->2").await;
    assert_eq!(world.like(2, friends).await, Ok(true));
}

/// Likers are listed newest first in pages of any size; a walk goes on where likes come and go.
pub async fn likers_are_walked_newest_first(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "text")).await;
    for uid in [5, 9, 2, 7, 3, 8] {
        world.clock().advance(u64::from(uid % 2 == 0));
        assert_eq!(world.like(uid, id).await, Ok(true));
    }
    assert_eq!(world.unlike(7, id).await, Ok(true));
    assert_eq!(world.like(7, id).await, Ok(true));
    let whole = world.likers(id, 100).await;
    assert_eq!(whole.iter().map(|edge| edge.uid.get()).collect::<Vec<_>>(), [7, 8, 3, 2, 9, 5]);
    for size in 1..=6 {
        assert_eq!(world.likers(id, size).await, whole, "in pages of {size}");
    }
    let page = world.view().await.likers(id, Page::new(PageStart::Newest, 3).unwrap()).await.unwrap();
    for uid in [3, 2] {
        assert_eq!(world.unlike(uid, id).await, Ok(true), "the cursor's row, and the next one");
    }
    assert_eq!(world.like(4, id).await, Ok(true));
    let rest = Page::new(PageStart::After(page.next.unwrap()), 3).unwrap();
    let rest = world.view().await.likers(id, rest).await.unwrap();
    assert_eq!(rest.items.iter().map(|edge| edge.uid.get()).collect::<Vec<_>>(), [9, 5]);
    assert_eq!(rest.next, None);
    let offset = Page::new(PageStart::Offset(1), 3).unwrap();
    let refused = world.view().await.likers(id, offset).await.map_err(|error| error.reason);
    assert_eq!(refused, Err(Reason::InvalidField { field: "offset" }));
}
