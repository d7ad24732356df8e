//! Exporting posts and likes, and importing what was exported.

use super::{START_MS, World, draft, image, old_post, reply, repost, text, u};
use guanxi_model::limits::{IMPORT_ID_AHEAD_MS, IMPORT_LIKES_MAX, SOURCE_KEY_LEN_MAX};
use guanxi_model::post::{Body, Draft, ImportLike, ImportPost};
use guanxi_model::{Change, Command, ImportCursor, PostId, Reason, Stamp, Uid, Visibility, Write};
use std::fmt::Display;

/// A day before the world begins.
const OLD_MS: u64 = START_MS - 86_400_000;

/// What a post refers to, by author and key.
fn of(author: u64, key: impl Display) -> (Uid, String) {
    (u(author), key.to_string())
}

/// A too long key is refused in every place and for every author: an import is told which, and everything goes on.
pub async fn keys_are_bounded_wherever_they_stand(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let longest = "k".repeat(SOURCE_KEY_LEN_MAX as usize);
    world.import_posts(&[old_post(1, &longest, OLD_MS)]).await;
    for len in [SOURCE_KEY_LEN_MAX as usize + 1, 1 << 12, 70_000] {
        let key = "k".repeat(len);
        let too_long = |field| Err(Reason::TooLong { field, limit: SOURCE_KEY_LEN_MAX });
        let named = ImportPost { reply_to: Some(of(1, &key)), ..old_post(2, "a", OLD_MS + 1) };
        let shared = ImportPost { repost_of: Some(of(1, &key)), ..old_post(2, "b", OLD_MS + 1) };
        let keyed = ImportPost { body: draft(2, "c").body, ..old_post(2, &key, OLD_MS + 1) };
        let posts = world.import_posts(&[keyed, named, shared]).await;
        let results: Vec<_> = posts.into_iter().map(|outcome| outcome.result).collect();
        assert_eq!(results, [too_long("key"), too_long("reply_to"), too_long("repost_of")], "{len}");
        let likes = world.import_likes(&[(3, 1, &key, OLD_MS), (3, 1, &longest, OLD_MS)]).await;
        assert_eq!(likes[0].result, too_long("key"), "{len}");
        assert!(likes[1].result.is_ok(), "{len}");
    }
}

/// A post as it is exported, without content.
fn deleted(author: u64, key: &str, at_ms: u64) -> ImportPost {
    ImportPost { body: Body::default(), deleted: true, ..old_post(author, key, at_ms) }
}

/// Posts come in the order of their ids, each with what an import needs; deleted ones without their content.
pub async fn posts_are_exported_in_the_order_of_their_ids(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.import_posts(&[old_post(2, "old", OLD_MS), old_post(1, "old", OLD_MS + 1)]).await;
    let first = Draft { visibility: Visibility::Followers, ..draft(1, "\u{4f60}\u{597d}") };
    let first = world.post(first).await;
    let second = world.post(draft(2, "second")).await;
    let answer = world.post(reply(3, second)).await;
    let shared = world.post(repost(300, second)).await;
    let quote = Draft { repost_of: Some(answer), ..draft(2, "a quote") };
    let quote =
        world.post(Draft { body: Body { attachments: vec![image("a")], ..quote.body }, ..quote }).await;
    let gone = world.post(reply(2, second)).await;
    assert_eq!(world.edit(2, second, text("edited")).await, Ok(true));
    assert_eq!(world.delete(2, gone).await, Ok(true));
    let all = world.all_posts(100).await;
    let ids: Vec<PostId> = all.iter().map(|post| post.id.unwrap()).collect();
    assert_eq!(ids[2..], [first, second, answer, shared, quote, gone]);
    let keys: Vec<&str> = all.iter().map(|post| post.key.as_str()).collect();
    assert_eq!(keys[..2], ["old", "old"]);
    assert!(all[2..].iter().all(|post| post.key == post.id.unwrap().to_string()));
    assert_eq!(all[0], ImportPost { id: Some(ids[0]), ..old_post(2, "old", OLD_MS) });
    assert_eq!((all[2].visibility, all[2].at_ms), (Visibility::Followers, START_MS));
    assert_eq!((&*all[3].body.text, &all[3].reply_to), ("edited", &None));
    assert_eq!((&all[4].reply_to, &all[4].repost_of), (&Some(of(2, second)), &None));
    assert_eq!((&all[5].repost_of, all[5].body.is_empty()), (&Some(of(2, second)), true));
    assert_eq!((&all[6].repost_of, all[6].body.attachments.len()), (&Some(of(3, answer)), 1));
    assert_eq!(
        (all[7].deleted, all[7].body.is_empty(), &all[7].reply_to),
        (true, true, &Some(of(2, second)))
    );
    for max in [1, 3] {
        assert_eq!(world.all_posts(max).await, all, "pages of {max}");
    }
    // Where it was exported it is there already.
    let before = world.last();
    for outcome in world.import_posts(&all).await {
        assert_eq!(outcome.result, Ok(false));
    }
    assert_eq!((world.events_since(&before).await, world.all_posts(5).await), (vec![], all));
}

/// A post of an export keeps its id if that is free, and takes the first free one of its time if it is not.
pub async fn a_wanted_id_is_kept_if_it_is_free(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let slots: Vec<PostId> = PostId::at_ms(u(1), OLD_MS).take(8).collect();
    let wanting = |key: &str, id| ImportPost { id: Some(id), ..old_post(1, key, OLD_MS) };
    let ahead = |ms| PostId::at_ms(u(1), world.now_ms() + ms).next().unwrap();
    let posts = [
        wanting("a", slots[5]),
        wanting("b", slots[5]),
        wanting("c", slots[1]),
        old_post(1, "d", OLD_MS),
        wanting("e", PostId::at_ms(u(2), OLD_MS).next().unwrap()),
        wanting("f", ahead(IMPORT_ID_AHEAD_MS + 1)),
        wanting("g", ahead(IMPORT_ID_AHEAD_MS)),
    ];
    let outcomes = world.import_posts(&posts).await;
    let ids: Vec<_> = outcomes.iter().map(|outcome| outcome.id).collect();
    let kept = [slots[5], slots[0], slots[1], slots[2]].map(Some);
    assert_eq!(ids[..4], kept);
    assert_eq!((ids[4], ids[5], ids[6]), (None, None, posts[6].id));
    for outcome in &outcomes[4..6] {
        assert_eq!(outcome.result, Err(Reason::InvalidField { field: "post_id" }));
    }
    assert!(world.post(draft(1, "next")).await > ahead(IMPORT_ID_AHEAD_MS));
    assert_eq!(world.import_posts(&posts[..1]).await[0].result, Ok(false));
}

/// What is of an export was written when its author could see what it refers to.
pub async fn exported_posts_are_not_judged_again(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("4-x1").await;
    let hidden = ImportPost { visibility: Visibility::Friends, ..old_post(1, "hidden", OLD_MS) };
    let originals = [hidden, deleted(1, "gone", OLD_MS + 1), old_post(1, "seen", OLD_MS + 2)];
    assert!(world.import_posts(&originals).await.iter().all(|outcome| outcome.result == Ok(true)));
    let posts = |exported: bool| {
        let line = |(n, author, original): (u64, u64, &str)| {
            let at = OLD_MS + 10 + n;
            let id = PostId::at_ms(u(author), at).next().filter(|_| exported);
            let post = ImportPost { id, ..old_post(author, &n.to_string(), at) };
            match n % 3 {
                0 => ImportPost { reply_to: Some(of(1, original)), ..post },
                1 => ImportPost { repost_of: Some(of(1, original)), ..post },
                _ => ImportPost { repost_of: Some(of(1, original)), body: Body::default(), ..post },
            }
        };
        let lines = ["hidden", "gone", "seen"].into_iter().flat_map(|original| [(original, 4); 3]);
        (0..).zip(lines).map(|(n, (original, author))| line((n, author, original))).collect::<Vec<_>>()
    };
    for outcome in world.import_posts(&posts(false)).await {
        assert_eq!(outcome.result, Err(Reason::PostForbidden));
    }
    for outcome in world.import_posts(&posts(true)).await {
        assert_eq!((outcome.result, outcome.revision), (Ok(true), 1));
    }
    let all = world.all_posts(100).await;
    assert_eq!(all[3..], posts(true), "as it came");
    // Of a deleted post not every backend tells the counters.
    for post in all[..3].iter().filter(|post| !post.deleted) {
        assert_eq!(world.stats(post.id.unwrap()).await, (0, 1, 2), "{}", post.key);
    }
    // Once a text that leaves no mark could be written.
    let blank = |exported: bool| {
        let id = PostId::at_ms(u(7), OLD_MS).next().filter(|_| exported);
        let body = Body { text: "\u{200b}".to_owned(), attachments: Vec::new() };
        ImportPost { id, body, ..old_post(7, "blank", OLD_MS) }
    };
    let results = world.import_posts(&[blank(false), blank(true)]).await;
    assert_eq!(results[0].result, Err(Reason::MissingField { field: "text" }));
    assert_eq!(results[1].result, Ok(true));
    let unknown = ImportPost { reply_to: Some(of(1, "unknown")), ..posts(true)[0].clone() };
    let unknown = ImportPost { key: "new".to_owned(), ..unknown };
    assert_eq!(world.import_posts(&[unknown]).await[0].result, Err(Reason::PostNotFound));
}

/// A post that comes deleted is there for what refers to it, counts as a deleted one, and cannot be restored.
pub async fn a_post_may_come_deleted(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let at = OLD_MS;
    let posts = [
        old_post(1, "original", at),
        ImportPost { reply_to: Some(of(1, "original")), ..deleted(2, "gone", at + 1) },
        ImportPost { repost_of: Some(of(1, "original")), ..deleted(2, "gone repost", at + 2) },
        ImportPost {
            repost_of: Some(of(1, "original")),
            body: Body::default(),
            ..old_post(2, "repost", at + 3)
        },
        ImportPost { deleted: true, ..old_post(2, "with text", at) },
        ImportPost {
            reply_to: Some(of(1, "original")),
            repost_of: Some(of(1, "original")),
            ..deleted(2, "both", at)
        },
    ];
    let outcomes = world.import_posts(&posts).await;
    let results: Vec<_> = outcomes.iter().map(|outcome| (outcome.result.clone(), outcome.revision)).collect();
    let refused = |field| (Err(Reason::InvalidField { field }), 0);
    let done = |revision| (Ok(true), revision);
    assert_eq!(
        results,
        [done(1), done(0), done(0), done(1), refused("text"), refused("repost_of")],
        "a deleted repost is none that stands"
    );
    let id = |n: usize| outcomes[n].id.unwrap();
    assert_eq!(world.stats(id(0)).await, (0, 0, 1), "only what stands counts");
    let exported = world.all_posts(2).await;
    assert_eq!(exported.iter().filter(|post| post.deleted).count(), 2);
    assert_eq!(exported[1], ImportPost { id: Some(id(1)), ..posts[1].clone() });
    for n in [1, 2] {
        let before = world.last();
        assert_eq!(world.restore(2, id(n)).await, Err(Reason::PostDeleted), "nothing of it is here");
        assert_eq!(world.delete(2, id(n)).await, Ok(false));
        assert_eq!(world.events_since(&before).await, []);
    }
    assert_eq!(world.try_post(reply(3, id(1))).await, Err(Reason::PostDeleted));
    assert!(world.reposted(2, id(0)).await, "by the one that stands");
    let repeat = world.import_posts(&posts[..4]).await;
    assert!(repeat.iter().all(|outcome| outcome.result == Ok(false)));
}

/// A post that was written here has its id for a key: no import makes it twice, and what is imported may refer to it.
pub async fn the_key_of_a_written_post_is_its_id(world: &World) {
    if world.lacks_posts() {
        return;
    }
    // What will be the id of the first post is the name of another one by then.
    let next = PostId::at_ms(u(1), world.now_ms()).next().unwrap();
    let taken = world.import_posts(&[old_post(1, &next.to_string(), OLD_MS)]).await[0].id.unwrap();
    let (first, second) = (world.post(draft(1, "first")).await, world.post(draft(1, "second")).await);
    assert_eq!(first, next);
    let keys: Vec<String> = world.all_posts(9).await.into_iter().map(|post| post.key).collect();
    assert_eq!(keys, [next.to_string(), format!("{next}+"), second.to_string()]);
    let at = |key: &str, ms| old_post(1, key, ms);
    let outcomes = world
        .import_posts(&[
            at(&keys[0], START_MS),
            at(&keys[1], START_MS),
            at(&keys[2], START_MS),
            at(&keys[2], START_MS - 1),
            ImportPost { author: u(2), ..at(&keys[2], START_MS - 1) },
            ImportPost { reply_to: Some(of(1, &keys[1])), ..old_post(3, "reply", OLD_MS) },
            ImportPost { reply_to: Some(of(1, &keys[0])), ..old_post(3, "other reply", OLD_MS) },
        ])
        .await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    let other = Err(Reason::InvalidField { field: "key" });
    assert_eq!(results, [Ok(false), Ok(false), Ok(false), other, Ok(true), Ok(true), Ok(true)]);
    let ids: Vec<_> = outcomes[..3].iter().map(|outcome| outcome.id.unwrap()).collect();
    assert_eq!(ids, [taken, first, second]);
    let replies = async |id| world.stats(id).await.1;
    assert_eq!((replies(taken).await, replies(first).await, replies(second).await), (1, 1, 0));
}

/// An imported like stands at its given time; one that is there keeps its own. The visibility of the post is not
/// checked.
pub async fn imported_likes_keep_their_time(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.build("5-x1").await;
    let id = world.post(draft(1, "written")).await;
    let hidden = ImportPost { visibility: Visibility::Friends, ..old_post(1, "hidden", OLD_MS) };
    let outcomes = world.import_posts(&[hidden, deleted(2, "gone", OLD_MS)]).await;
    let [hidden, gone] = [0, 1].map(|n: usize| outcomes[n].id.unwrap());
    let written = id.to_string();
    let likes = [
        (3, 1, &*written, OLD_MS + 9),
        (4, 1, &written, OLD_MS + 20),
        (5, 1, &written, OLD_MS + 10),
        (5, 1, "hidden", OLD_MS),
        (3, 2, "gone", OLD_MS),
        (3, 2, "hidden", OLD_MS),
        (3, 1, "", OLD_MS),
    ];
    for new in [true, false] {
        let before = world.last();
        let outcomes = world.import_likes(&likes).await;
        let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
        assert_eq!(results[..5], [const { Ok(true) }; 5].map(|_: Result<bool, Reason>| Ok(new)));
        assert_eq!(results[5..], [Err(Reason::PostNotFound), Err(Reason::MissingField { field: "key" })]);
        assert_eq!(outcomes[3].id, Some(hidden));
        let events = world.events_since(&before).await;
        assert_eq!(events.len(), if new { 5 } else { 0 });
        if let Some(event) = events.iter().find(|event| event.subject == u(4)) {
            let at = Stamp::from_ms(OLD_MS + 20);
            assert_eq!(event.change, Change::Liked { id, author: u(1), at });
            assert!(event.version > at, "it came now");
        }
    }
    let found = world.likers(id, 2).await;
    let found: Vec<_> = found.iter().map(|like| (like.uid.get(), like.at.ms() - OLD_MS)).collect();
    assert_eq!(found, [(4, 20), (5, 10), (3, 9)]);
    assert_eq!([world.stats(id).await.0, world.stats(hidden).await.0], [3, 1]);
    let again = world.import_likes(&[(3, 1, &written, OLD_MS + 500)]).await;
    assert_eq!(again[0].result, Ok(false));
    assert_eq!(world.unlike(3, id).await, Ok(true));
    assert_eq!(world.likers(id, 5).await.len(), 2);
    let all = world.all_likes(100).await;
    let shown: Vec<_> = all.iter().map(|like| (like.id, like.like.uid.get())).collect();
    assert_eq!(shown, {
        let mut wanted = vec![(hidden, 5), (gone, 3), (id, 4), (id, 5)];
        wanted.sort_unstable();
        wanted
    });
    assert_eq!((&*all[3].key, all[3].author, all[3].like.at.ms()), (&*written, u(1), OLD_MS + 10));
    for max in [1, 2, 3] {
        assert_eq!(world.all_likes(max).await, all, "pages of {max}");
    }
}

/// A job moves with its likes; batches are bounded, and a like without a time is of now.
pub async fn a_job_moves_with_its_likes(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.import_posts(&[old_post(1, "a", OLD_MS)]).await;
    let likes = |from: u64, count: u64| {
        let like = |uid| ImportLike { uid: u(uid), author: u(1), key: "a".to_owned(), at: None };
        Write::of(Command::ImportLikes((from..from + count).map(like).collect()))
    };
    let at = |from, to| Some(ImportCursor { job: "likes".to_owned(), from, to });
    let write = async |write: Write| world.try_write(write).await.map(drop);
    assert_eq!(write(likes(2, 3).at(at(0, 3))).await, Ok(()));
    let refused = Err(Reason::ImportPositionMismatch { position: 3 });
    assert_eq!(write(likes(5, 3).at(at(0, 3))).await, refused);
    assert_eq!(write(likes(5, 1).at(at(3, 4))).await, Ok(()));
    assert_eq!(world.view().await.import_position("likes").await.unwrap(), Some(4));
    let most = u64::from(IMPORT_LIKES_MAX);
    let refused = Err(Reason::BatchTooLarge { limit: IMPORT_LIKES_MAX });
    assert_eq!(write(likes(2, most + 1)).await, refused);
    let all = world.all_likes(9).await;
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|like| like.like.at.ms() == START_MS));
}
