//! Importing posts: given times, and names that make a repeat a no-op.

use super::{START_MS, World, draft, old_post, u};
use guanxi_model::event::PostChange;
use guanxi_model::limits::{
    FACT_AHEAD_MAX_MS, IMPORT_GROUP_MAX, IMPORT_POSTS_MAX, IMPORT_SPILL_MS, SOURCE_KEY_LEN_MAX,
};
use guanxi_model::post::{ImportPost, Kind};
use guanxi_model::{Change, GroupId, PostId, Reason, Visibility};

/// An imported post has its given time, the first free id of it, and is never new.
pub async fn imported_posts_keep_their_time(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let live = world.post(draft(1, "live")).await;
    let at = START_MS - 86_400_000;
    let posts = [old_post(1, "a", at), old_post(1, "b", at), old_post(257, "a", at), old_post(2, "a", at)];
    let outcomes = world.import_posts(&posts).await;
    let ids: Vec<PostId> = outcomes.iter().map(|outcome| outcome.id.unwrap()).collect();
    assert!(outcomes.iter().all(|outcome| (&outcome.result, outcome.revision) == (&Ok(true), 1)));
    let free: Vec<PostId> = PostId::at_ms(u(1), at).take(3).collect();
    assert_eq!(ids[..3], free, "one gene shares the ids of a millisecond");
    assert_eq!(Some(ids[3]), PostId::at_ms(u(2), at).next());
    for (post, id) in posts.iter().zip(&ids) {
        let stored = world.read_post(*id).await;
        assert_eq!(
            (stored.header.event, stored.header.author, stored.header.kind),
            (None, post.author, Kind::Post)
        );
        assert_eq!((stored.update_ms, stored.revision, &stored.body), (at, 1, &post.body));
    }
    let events = world.events_since(&world.origin).await;
    let imported = Change::Post { id: ids[0], kind: PostChange::Imported };
    assert_eq!((events[1].change, events[1].subject), (imported, u(1)));
    assert!(ids.iter().all(|id| *id < live));
    // What is imported at the time of live posts is below what comes next.
    let now = world.import_posts(&[old_post(1, "now", world.now_ms())]).await[0].id.unwrap();
    assert!(now != live && world.post(draft(1, "next")).await > now);
}

/// What does not fit into a millisecond takes ids of the next ones, up to a second, in the order in which it comes.
pub async fn posts_of_a_full_millisecond_take_ids_of_the_next(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let at = START_MS - 86_400_000;
    let last =
        |ms| ImportPost { id: PostId::last_at_ms(u(1), ms), ..old_post(1, &format!("last of {ms}"), ms) };
    assert_eq!(world.import_posts(&[last(at), last(at + 1)]).await[1].result, Ok(true));
    let of_one_time =
        [old_post(1, "a", at), old_post(257, "b", at), old_post(1, "c", at + 1), old_post(2, "d", at)];
    let outcomes = world.import_posts(&of_one_time).await;
    let ids: Vec<PostId> = outcomes.iter().map(|outcome| outcome.id.unwrap()).collect();
    let next: Vec<PostId> = PostId::at_ms(u(1), at + 2).take(3).collect();
    assert_eq!(ids[..3], next, "one gene shares them, and two times");
    assert_eq!(Some(ids[3]), PostId::at_ms(u(2), at).next(), "another gene has room");
    for (post, id) in of_one_time.iter().zip(&ids) {
        let stored = world.read_post(*id).await;
        assert_eq!(
            (stored.create_ms, stored.header.author),
            (post.at_ms, post.author),
            "the time is the given one"
        );
    }
    for (outcome, id) in world.import_posts(&of_one_time).await.iter().zip(&ids) {
        assert_eq!((&outcome.result, outcome.id), (&Ok(false), Some(*id)));
    }
    // A second has room for 16 million of one gene.
    let rest: Vec<ImportPost> = (2..IMPORT_SPILL_MS).map(|n| last(at + n)).collect();
    // A loaded database ends a transaction of many statements that it sees for the first time.
    for some in rest.chunks(20) {
        assert!(world.import_posts(some).await.iter().all(|outcome| outcome.result == Ok(true)));
    }
    let limit = PostId::PER_MS * u32::try_from(IMPORT_SPILL_MS).unwrap();
    let outcomes = world.import_posts(&[old_post(1, "e", at), old_post(1, "f", at + 1)]).await;
    assert_eq!(outcomes[0].result, Err(Reason::LimitReached { limit }));
    assert_eq!(outcomes[1].id, PostId::at_ms(u(1), at + IMPORT_SPILL_MS).next());
}

/// A repeat changes nothing, and answers the first id.
pub async fn a_source_key_is_imported_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let post = old_post(1, "a", START_MS - 1_000);
    let first = world.import_posts(std::slice::from_ref(&post)).await[0].id;
    let before = world.last();
    let other = ImportPost { at_ms: START_MS - 9, visibility: Visibility::Friends, ..old_post(1, "a", 0) };
    for outcome in world.import_posts(&[post.clone(), other]).await {
        assert_eq!((outcome.result, outcome.id), (Ok(false), first));
    }
    assert_eq!(world.events_since(&before).await, []);
    // Also when the post was changed and deleted since.
    assert_eq!(world.edit(1, first.unwrap(), super::text("edited")).await, Ok(true));
    assert_eq!(world.delete(1, first.unwrap()).await, Ok(true));
    assert_eq!(world.import_posts(&[post]).await[0].result, Ok(false));
    assert_eq!(world.import_posts(&[old_post(1, "A", START_MS - 1_000)]).await[0].result, Ok(true));
}

/// Replies and reposts name what was imported before, also in the same batch.
pub async fn imported_posts_refer_to_imported_ones(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("4-x1").await;
    let at = START_MS - 1_000;
    let to = |author: u64, key: &str| Some((u(author), key.to_owned()));
    let hidden = ImportPost { visibility: Visibility::Followers, ..old_post(1, "hidden", at) };
    let outcomes = world
        .import_posts(&[
            old_post(1, "a", at),
            hidden,
            ImportPost { reply_to: to(1, "a"), ..old_post(3, "reply", at) },
            ImportPost { repost_of: to(1, "a"), body: draft(3, "").body, ..old_post(3, "repost", at) },
            ImportPost { reply_to: to(3, "repost"), ..old_post(2, "reply to repost", at) },
            ImportPost { reply_to: to(1, "hidden"), ..old_post(1, "reply to hidden", at) },
            ImportPost { repost_of: to(1, "hidden"), ..old_post(1, "own", at) },
            ImportPost { repost_of: to(1, "hidden"), ..old_post(2, "not own", at) },
            ImportPost { reply_to: to(2, "a"), ..old_post(1, "unknown", at) },
            ImportPost { reply_to: to(1, "hidden"), ..old_post(2, "stranger's reply", at) },
            ImportPost { reply_to: to(1, "a"), ..old_post(4, "blocker's reply", at) },
            ImportPost { reply_to: to(3, "repost"), ..old_post(4, "blocker's way round", at) },
        ])
        .await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    assert!(results[..7].iter().all(|result| *result == Ok(true)), "{results:?}");
    assert_eq!(results[7..9], [Err(Reason::PostForbidden), Err(Reason::PostNotFound)]);
    assert!(results[9..].iter().all(|result| *result == Err(Reason::PostForbidden)), "{results:?}");
    let id = |at: usize| outcomes[at].id.unwrap();
    assert_eq!(world.item(id(2)).await.kind, Kind::Reply { to: id(0), author: u(1) });
    assert_eq!(world.item(id(3)).await.kind, Kind::Repost { of: id(0), author: u(1) });
    assert_eq!(world.item(id(4)).await.kind, Kind::Reply { to: id(0), author: u(1) });
    assert_eq!(world.stats(id(0)).await, (0, 2, 1));
    assert_eq!(world.stats(id(1)).await, (0, 1, 1));
    assert_eq!(world.delete(1, id(0)).await, Ok(true));
    let late = ImportPost { reply_to: to(1, "a"), ..old_post(3, "late reply", at) };
    assert_eq!(world.import_posts(&[late]).await[0].result, Err(Reason::PostDeleted));
}

/// What cannot be imported says why, and the rest of the batch is imported.
pub async fn refused_posts_say_why(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let at = START_MS - 1_000;
    let long = "k".repeat(SOURCE_KEY_LEN_MAX as usize + 1);
    let of_group = |number| Visibility::Group(GroupId::new(number).unwrap());
    let silent = ImportPost { body: draft(1, "").body, ..old_post(1, "silent", at) };
    let outcomes = world
        .import_posts(&[
            old_post(1, "early", PostId::EPOCH_MS - 1),
            old_post(1, "late", world.now_ms() + FACT_AHEAD_MAX_MS + 1),
            old_post(1, "", at),
            old_post(1, &long, at),
            silent.clone(),
            ImportPost { visibility: of_group(IMPORT_GROUP_MAX + 1), ..old_post(1, "of a group", at) },
            old_post(1, &long[1..], PostId::EPOCH_MS),
            old_post(1, "just ahead", world.now_ms() + FACT_AHEAD_MAX_MS),
            ImportPost { visibility: of_group(IMPORT_GROUP_MAX), deleted: true, ..silent },
        ])
        .await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    let wanted = [
        Err(Reason::TimeOutOfRange),
        Err(Reason::TimeOutOfRange),
        Err(Reason::MissingField { field: "key" }),
        Err(Reason::TooLong { field: "key", limit: SOURCE_KEY_LEN_MAX }),
        Err(Reason::MissingField { field: "text" }),
        Err(Reason::InvalidField { field: "group_id" }),
        Ok(true),
        Ok(true),
        Ok(true),
    ];
    assert_eq!(results, wanted);
    assert_eq!(
        world.read_post(outcomes[7].id.unwrap()).await.create_ms,
        world.now_ms(),
        "it counts as of now"
    );
    assert!(outcomes[..6].iter().all(|outcome| (outcome.id, outcome.revision) == (None, 0)));
}

/// A job moves with its posts, in the same table as jobs of follows; batches are bounded.
pub async fn a_job_moves_with_its_posts(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let posts = |from: u64, count: u64| -> Vec<ImportPost> {
        (from..from + count).map(|n| old_post(1, &n.to_string(), START_MS - 10_000 + n)).collect()
    };
    assert_eq!(world.import_posts_as(&posts(0, 3), "job", 0, 3).await, Ok(()));
    let refused = Err(Reason::ImportPositionMismatch { position: 3 });
    assert_eq!(world.import_posts_as(&posts(3, 3), "job", 2, 6).await, refused);
    assert_eq!(world.import_posts_as(&posts(3, 3), "job", 3, 6).await, Ok(()));
    assert_eq!(world.view().await.import_position("job").await.unwrap(), Some(6));
    let most = u64::from(IMPORT_POSTS_MAX);
    let refused = Err(Reason::BatchTooLarge { limit: IMPORT_POSTS_MAX });
    assert_eq!(world.import_posts_as(&posts(6, most + 1), "job", 6, 9).await, refused);
    assert_eq!(world.events_since(&world.origin).await.len(), 6);
    assert_eq!(world.import_posts_as(&posts(6, most), "job", 6, 9).await, Ok(()));
    assert_eq!(world.events_since(&world.origin).await.len() as u64, 6 + most);
}
