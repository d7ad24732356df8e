//! Writing, changing, deleting and restoring posts.

use super::{World, draft, for_whom, image, old_post, reply, repost, text, u};
use guanxi_model::event::PostChange;
use guanxi_model::limits::{ATTACHMENT_LEN_MAX, ATTACHMENTS_MAX, POST_TEXT_CHARS_MAX, REVISIONS_MAX};
use guanxi_model::post::{Body, Draft, Edit, ImportPost, Kind, PostCommand};
use guanxi_model::{Change, PostId, Reason, Visibility};

/// The change of a post that the last event says.
async fn last_post_change(world: &World) -> (u64, PostId, PostChange) {
    let event = world.last_change().await;
    let Change::Post { id, kind } = event.change else { panic!("{event:?}") };
    (event.subject.get(), id, kind)
}

/// A post is read as it was written, and its event has made it.
pub async fn a_post_is_as_it_was_written(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("1<->2").await;
    for visibility in [Visibility::Public, Visibility::Followers, Visibility::Friends] {
        let mut draft = draft(1, "text \u{5173}\u{7cfb}");
        draft.body.attachments = vec![image("one"), image("two")];
        draft.visibility = visibility;
        let id = world.post(draft.clone()).await;
        let post = world.read_post(id).await;
        assert_eq!((&post.body, post.revision, post.update_ms), (&draft.body, 1, world.now_ms()));
        assert_eq!((post.header.id, post.header.author, post.header.kind), (id, u(1), Kind::Post));
        assert_eq!((post.header.visibility, post.header.deleted), (visibility, false));
        assert_eq!(Some(world.last_change().await.at), post.header.event, "its event has made it");
        assert_eq!(last_post_change(world).await, (1, id, PostChange::Created));
        assert_eq!((id.ms(), id.gene()), (world.now_ms(), u(1).gene()));
        assert_eq!(world.stats(id).await, (0, 0, 0));
    }
    let unknown = PostId::new(77).unwrap();
    assert_eq!(world.view().await.posts(&[unknown]).await.unwrap(), [None]);
    assert_eq!(world.view().await.headers(&[unknown]).await.unwrap(), [None]);
}

/// What is said of a repost is said of its original.
pub async fn a_repost_stands_for_its_original(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let first = world.post(repost(2, original)).await;
    let quote = world.post(Draft { repost_of: Some(first), ..draft(3, "a quote") }).await;
    let answer = world.post(reply(4, first)).await;
    let answer_to_answer = world.post(reply(1, answer)).await;
    assert_eq!(world.item(first).await.kind, Kind::Repost { of: original, author: u(1) });
    assert_eq!(world.item(quote).await.kind, Kind::Quote { of: original, author: u(1) });
    assert_eq!(world.item(answer).await.kind, Kind::Reply { to: original, author: u(1) });
    assert_eq!(world.item(answer_to_answer).await.kind, Kind::Reply { to: answer, author: u(4) });
    assert_eq!(world.stats(original).await, (0, 1, 2));
    assert_eq!(world.stats(answer).await, (0, 1, 0));
    assert_eq!(world.stats(first).await, (0, 0, 0));
}

/// Drafts out of bounds are refused, and nothing happens.
pub async fn drafts_are_checked(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let with = |attachments| {
        let mut draft = draft(1, "text");
        draft.body.attachments = attachments;
        draft
    };
    let longest = "\u{5173}".repeat(POST_TEXT_CHARS_MAX as usize);
    let many = vec![image("x"); ATTACHMENTS_MAX as usize + 1];
    let reference = "x".repeat(ATTACHMENT_LEN_MAX as usize + 1);
    let field = "attachments.reference";
    let id = world.post(draft(1, &longest)).await;
    let before = world.last();
    for (draft, reason) in [
        (draft(1, ""), Reason::MissingField { field: "text" }),
        (draft(1, " \n\t\u{3000}"), Reason::MissingField { field: "text" }),
        (draft(1, "\u{200b}\u{2060}\u{feff}\u{ad}"), Reason::MissingField { field: "text" }),
        (Draft { body: draft(1, " ").body, ..reply(1, id) }, Reason::MissingField { field: "text" }),
        (Draft { body: draft(1, " ").body, ..repost(1, id) }, Reason::MissingField { field: "text" }),
        (draft(1, &format!("{longest}x")), Reason::TextTooLong { limit: POST_TEXT_CHARS_MAX }),
        (with(many), Reason::BatchTooLarge { limit: ATTACHMENTS_MAX }),
        (with(vec![image(&reference)]), Reason::TooLong { field, limit: ATTACHMENT_LEN_MAX }),
        (with(vec![image("")]), Reason::MissingField { field }),
        (Draft { repost_of: Some(id), ..reply(1, id) }, Reason::InvalidField { field: "repost_of" }),
        (reply(1, PostId::new(5).unwrap()), Reason::PostNotFound),
        (repost(1, PostId::new(5).unwrap()), Reason::PostNotFound),
    ] {
        assert_eq!(world.try_post(draft.clone()).await, Err(reason), "{draft:?}");
    }
    assert_eq!(world.events_since(&before).await, []);
    for text in ["", "\n"] {
        let mut silent = with(vec![image("alone says something")]);
        silent.body.text = text.to_owned();
        world.post(silent).await;
    }
}

/// A user that may not see an original cannot answer or repost it. Only its author reposts or quotes a post that is
/// not public.
pub async fn an_original_must_be_seen(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("1<->2 3->1 5-x1 1-x6").await;
    let [public, followers, friends] = {
        let of = |visibility| world.post(Draft { visibility, ..draft(1, "original") });
        [of(Visibility::Public).await, of(Visibility::Followers).await, of(Visibility::Friends).await]
    };
    let through = world.post(repost(7, public)).await;
    let forbidden = Err(Reason::PostForbidden);
    for (uid, sees) in [(1, 3), (2, 3), (3, 2), (4, 1), (5, 0), (6, 0)] {
        for (at, id) in [public, followers, friends].into_iter().enumerate() {
            let made = world.try_post(reply(uid, id)).await;
            assert_eq!(made.is_ok(), at < sees, "reply of {uid} to {at}: {made:?}");
            let made = world.try_post(repost(uid, id)).await;
            assert_eq!(made.is_ok(), at < sees && (at == 0 || uid == 1), "repost of {uid}: {made:?}");
            assert!(made.is_ok() || made == forbidden);
        }
    }
    assert_eq!(world.try_post(reply(5, through)).await, forbidden, "the original counts");
    assert_eq!(world.delete(1, public).await, Ok(true));
    for draft in [reply(2, public), repost(2, public), reply(3, through), repost(1, through)] {
        assert_eq!(world.try_post(draft).await, Err(Reason::PostDeleted));
    }
}

/// A repost is answered and reposted by users who see both it and its original, and by no others.
pub async fn a_repost_must_be_seen_like_its_original(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("3->2 3->9 4-x2 2-x5").await;
    let original = world.post(draft(1, "original")).await;
    let [open, narrow, gone] = {
        let by = |author, visibility| world.post(Draft { visibility, ..repost(author, original) });
        [by(2, Visibility::Public).await, by(9, Visibility::Followers).await, by(6, Visibility::Public).await]
    };
    assert_eq!(world.delete(6, gone).await, Ok(true));
    let (seen, forbidden) = (Ok(()), Err(Reason::PostForbidden));
    for (uid, id, wanted) in [
        (3, open, seen.clone()),
        (3, narrow, seen.clone()),
        (7, open, seen),
        (7, narrow, forbidden.clone()),
        (4, open, forbidden.clone()),
        (5, open, forbidden.clone()),
        (3, gone, Err(Reason::PostDeleted)),
    ] {
        for draft in [reply(uid, id), Draft { repost_of: Some(id), ..draft(uid, "a quote") }] {
            assert_eq!(world.try_post(draft.clone()).await.map(drop), wanted, "{draft:?}");
        }
        let liked = world.like(uid, id).await.map(drop);
        assert_eq!(liked, wanted, "{uid} likes {id}");
    }
    assert_eq!(world.try_post(reply(4, original)).await.map(drop), Ok(()), "the original is for all");
    assert_eq!(world.delete(1, original).await, Ok(true));
    assert_eq!(world.like(3, open).await, Err(Reason::PostDeleted), "its original is gone");
    assert_eq!(world.like(4, open).await.map(drop), forbidden.clone(), "who could not see it learns nothing");
    assert_eq!(world.try_post(reply(4, open)).await.map(drop), forbidden.clone());
    assert_eq!(world.try_post(reply(7, narrow)).await.map(drop), forbidden);
}

/// Ids rise strictly: in a burst, and when the clock jumps back.
pub async fn post_ids_rise_whatever_the_clock_does(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let mut last = None;
    for step in 0..700_u64 {
        if step % 300 == 299 {
            world.clock().set(world.now_ms() - 3_600_000);
        }
        let author = 1 + step % 400;
        let id = world.post(draft(author, "text")).await;
        assert!(Some(id) > last, "{id} after {last:?}");
        assert_eq!(id.gene(), u(author).gene());
        last = Some(id);
    }
}

/// An edit changes what it names, keeps what was, and says in the log whether more or fewer see it.
pub async fn edits_keep_what_was(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "one")).await;
    let made = world.item(id).await;
    let images = Edit { attachments: Some(vec![image("x")]), ..text("two") };
    let (narrow, narrower, wide) = (Visibility::Followers, Visibility::Friends, Visibility::Public);
    for (number, (edit, kind)) in (2..).zip([
        (text("one more"), PostChange::Edited),
        (images, PostChange::Edited),
        (for_whom(narrower), PostChange::Narrowed),
        (Edit { visibility: Some(narrow), ..text("three") }, PostChange::Widened),
        (for_whom(wide), PostChange::Widened),
    ]) {
        world.clock().advance(1_000);
        let before = world.read_post(id).await;
        assert_eq!(world.edit(1, id, edit.clone()).await, Ok(true));
        assert_eq!(last_post_change(world).await, (1, id, kind), "{edit:?}");
        let after = world.read_post(id).await;
        assert_eq!((after.revision, after.update_ms), (number, world.now_ms()));
        assert_eq!(after.body.text, edit.text.unwrap_or(before.body.text.clone()));
        assert_eq!(after.body.attachments, edit.attachments.unwrap_or(before.body.attachments.clone()));
        assert_eq!(after.header.visibility, edit.visibility.unwrap_or(before.header.visibility));
        assert_eq!((after.header.id, after.header.event, after.header.kind), (id, made.event, made.kind));
        let earlier = world.view().await.revisions(id, None, 1).await.unwrap().remove(0);
        assert_eq!((earlier.revision, earlier.update_ms), (before.revision, before.update_ms));
        assert_eq!((earlier.visibility, earlier.body), (before.header.visibility, before.body));
    }
    let of = |below, max| async move {
        let revisions = world.view().await.revisions(id, below, max).await.unwrap();
        revisions.iter().map(|revision| revision.revision).collect::<Vec<_>>()
    };
    assert_eq!(of(None, 200).await, [5, 4, 3, 2, 1]);
    assert_eq!(of(Some(4), 2).await, [3, 2]);
    assert_eq!(of(Some(1), 2).await, [0_u32; 0]);
}

/// An edit is refused from a stranger, at another revision, of a deleted post, and when nothing would be said.
pub async fn edits_are_checked(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "one")).await;
    let quote = world.post(Draft { repost_of: Some(id), ..draft(1, "a quote") }).await;
    let gone = world.post(draft(1, "gone")).await;
    assert_eq!(world.delete(1, gone).await, Ok(true));
    let before = world.last();
    let at = |revision| Edit { expected_revision: Some(revision), ..text("two") };
    let too_long = text(&"x".repeat(POST_TEXT_CHARS_MAX as usize + 1));
    assert_eq!(world.edit(1, PostId::new(5).unwrap(), text("x")).await, Err(Reason::PostNotFound));
    assert_eq!(world.edit(2, id, text("x")).await, Err(Reason::PostForbidden));
    assert_eq!(world.edit(1, gone, text("x")).await, Err(Reason::PostDeleted));
    assert_eq!(world.edit(2, gone, text("x")).await, Err(Reason::PostForbidden));
    assert_eq!(world.edit(1, id, at(2)).await, Err(Reason::RevisionMismatch { revision: 1 }));
    assert_eq!(world.edit(1, id, too_long).await, Err(Reason::TextTooLong { limit: POST_TEXT_CHARS_MAX }));
    assert_eq!(world.edit(1, id, text("")).await, Err(Reason::MissingField { field: "text" }));
    assert_eq!(world.edit(1, id, text("one")).await, Ok(false));
    assert_eq!(world.edit(1, id, for_whom(Visibility::Public)).await, Ok(false));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.edit(1, id, at(1)).await, Ok(true));
    assert_eq!(world.edit(1, quote, text("")).await, Err(Reason::MissingField { field: "text" }));
}

/// A post has so many revisions and no more.
pub async fn revisions_are_bounded(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "1")).await;
    for revision in 2..=REVISIONS_MAX {
        assert_eq!(world.edit(1, id, text(&revision.to_string())).await, Ok(true));
    }
    let refused = Err(Reason::LimitReached { limit: REVISIONS_MAX });
    assert_eq!(world.edit(1, id, text("one more")).await, refused);
    assert_eq!(world.edit(1, id, text(&REVISIONS_MAX.to_string())).await, Ok(false));
    assert_eq!(world.read_post(id).await.revision, REVISIONS_MAX);
    let fewer = |visibility| world.edit(1, id, for_whom(visibility));
    let both = Edit { visibility: Some(Visibility::Followers), ..text("one more") };
    assert_eq!(world.edit(1, id, both).await, refused, "what narrows must do nothing else");
    assert_eq!(fewer(Visibility::Followers).await, Ok(true), "a post can always be hidden");
    assert_eq!(fewer(Visibility::Public).await, refused);
    assert_eq!(fewer(Visibility::Friends).await, Ok(true));
    assert_eq!(fewer(Visibility::Followers).await, refused);
    assert_eq!(world.read_post(id).await.revision, REVISIONS_MAX + 2);
    let kept = world.view().await.revisions(id, None, 200).await.unwrap();
    assert_eq!(kept[0].visibility, Visibility::Followers, "each is kept");
    assert_eq!((kept[0].revision, kept[1].revision), (REVISIONS_MAX + 1, REVISIONS_MAX));
    assert_eq!(world.delete(1, id).await, Ok(true));
}

/// Deleting and restoring happens once, counts exactly, and keeps everything else.
pub async fn a_deleted_post_comes_back_as_it_was(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let answer = world.post(reply(2, original)).await;
    let again = world.post(repost(2, original)).await;
    assert_eq!(world.like(3, answer).await, Ok(true));
    assert_eq!(world.edit(2, answer, text("edited")).await, Ok(true));
    let before = world.read_post(answer).await;
    assert_eq!(world.delete(3, answer).await, Err(Reason::PostForbidden));
    assert_eq!(world.delete(3, PostId::new(5).unwrap()).await, Err(Reason::PostNotFound));
    for round in 0..3 {
        assert_eq!(world.stats(original).await, (0, 1, 1), "round {round}");
        assert_eq!(world.delete(2, answer).await, Ok(true));
        assert_eq!(last_post_change(world).await, (2, answer, PostChange::Deleted));
        assert_eq!(world.delete(2, again).await, Ok(true));
        let after = world.last();
        assert_eq!(world.delete(2, answer).await, Ok(false), "twice is once");
        assert_eq!(world.events_since(&after).await, []);
        assert_eq!(world.stats(original).await, (0, 0, 0));
        if !world.lacks_outboxes() {
            assert!(world.item(answer).await.deleted);
            assert_eq!(world.stats(answer).await, (1, 0, 0), "likes stay");
        }
        assert_eq!(world.like(4, answer).await, Err(Reason::PostDeleted));
        assert_eq!(world.restore(3, answer).await, Err(Reason::PostForbidden));
        assert_eq!(world.restore(2, again).await, Ok(true));
        assert_eq!(world.restore(2, answer).await, Ok(true));
        assert_eq!(last_post_change(world).await, (2, answer, PostChange::Restored));
        assert_eq!(world.restore(2, answer).await, Ok(false));
    }
    assert_eq!(world.read_post(answer).await, before);
    assert_eq!(world.stats(answer).await, (1, 0, 0));
    // The counters of a deleted original go on.
    assert_eq!(world.delete(1, original).await, Ok(true));
    assert_eq!(world.delete(2, answer).await, Ok(true));
    assert_eq!(world.restore(1, original).await, Ok(true));
    assert_eq!(world.stats(original).await, (0, 0, 1));
}

/// A purged post says nothing any more and never did; what it was to others stays, and it does not come back.
pub async fn a_purged_post_is_gone_for_good(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let answer = world.post(reply(2, original)).await;
    let post = world.post(reply(3, answer)).await;
    assert_eq!(world.edit(2, answer, text("edited")).await, Ok(true));
    let purge = async |author, id| {
        world.post_act(PostCommand::Purge { author: u(author), id, deleted_until: None }).await.result
    };
    assert_eq!(purge(3, answer).await, Err(Reason::PostForbidden));
    assert_eq!(purge(3, PostId::new(5).unwrap()).await, Err(Reason::PostNotFound));
    assert_eq!(purge(2, answer).await, Ok(true));
    assert_eq!(last_post_change(world).await, (2, answer, PostChange::Purged));
    let after = world.last();
    assert_eq!(purge(2, answer).await, Ok(false), "twice is once");
    assert_eq!(world.events_since(&after).await, []);
    assert_eq!(world.stats(original).await, (0, 0, 0), "it is deleted");
    assert_eq!(world.restore(2, answer).await, Err(Reason::PostDeleted));
    assert_eq!(world.edit(2, answer, text("again")).await, Err(Reason::PostDeleted));
    assert_eq!(world.like(4, answer).await, Err(Reason::PostDeleted));
    assert_eq!(world.delete(3, post).await, Ok(true), "what answers it goes on");
    assert_eq!(world.restore(3, post).await, Ok(true));
    if world.lacks_outboxes() {
        return;
    }
    let husk = world.read_post(answer).await;
    assert_eq!((husk.body, husk.revision, husk.header.deleted), (Body::default(), 0, true));
    assert_eq!(husk.header.kind, Kind::Reply { to: original, author: u(1) });
    assert_eq!(world.view().await.revisions(answer, None, 10).await.unwrap(), []);
    assert_eq!(world.stats(answer).await, (0, 1, 0), "answers are counted where they stand");
    // One that is deleted already; and an imported one, whose name is gone, so that it may come again.
    assert_eq!(world.delete(3, post).await, Ok(true));
    assert_eq!(purge(3, post).await, Ok(true));
    assert_eq!(world.stats(answer).await, (0, 0, 0));
    let old = old_post(4, "secret name", world.now_ms() - 9_000);
    let first = world.import_posts(std::slice::from_ref(&old)).await[0].id.unwrap();
    assert_eq!(purge(4, first).await, Ok(true));
    let again = world.import_posts(&[old]).await[0].clone();
    assert_eq!((again.result, again.id != Some(first)), (Ok(true), true));
    // One that came deleted has nothing but its name.
    let old = ImportPost {
        deleted: true,
        body: Body::default(),
        ..old_post(4, "name of a ghost", world.now_ms() - 9_000)
    };
    let ghost = world.import_posts(std::slice::from_ref(&old)).await[0].id.unwrap();
    assert_eq!(world.import_posts(std::slice::from_ref(&old)).await[0].id, Some(ghost));
    assert_eq!([purge(4, ghost).await, purge(4, ghost).await], [Ok(true), Ok(false)]);
    assert_ne!(world.import_posts(&[old]).await[0].id, Some(ghost), "the name leads nowhere");
    let keys: Vec<String> = world.all_posts(100).await.into_iter().map(|post| post.key).collect();
    assert_eq!(keys.iter().filter(|key| *key == "secret name").count(), 1);
}
