//! Wrong rows of posts.

use super::*;
use crate::rows;
use guanxi_model::post::{AuthorRow, Body, Draft, Edit, ImportPost, PostCommand, PostStats};
use guanxi_model::{Command, FanoutPolicy, PostId, Visibility, Write};
use guanxi_ports::AuthorHead;

async fn command(store: &EmbeddedStore, command: PostCommand) -> PostId {
    let answer = store.apply(Write::of(command)).await.unwrap();
    let outcome = answer.post().unwrap();
    assert_eq!(outcome.result, Ok(true));
    outcome.id.unwrap()
}

fn draft(author: u64, reply_to: Option<PostId>, repost_of: Option<PostId>) -> PostCommand {
    let text = if repost_of.is_some() { String::new() } else { format!("by {author}") };
    let body = Body { text, attachments: Vec::new() };
    PostCommand::Create(Draft {
        author: uid(author),
        body,
        visibility: Visibility::Public,
        reply_to,
        repost_of,
    })
}

/// 1 wrote a post and edited it; 2 answered twice and took one answer back; 3 reposted it; 4 and 5 like it, and 4 the
/// answer; 7 has an imported post.
async fn world_of_posts(dir: &Path) {
    let store = open(dir);
    let post = command(&store, draft(1, None, None)).await;
    let edit =
        Edit { text: Some("new".into()), attachments: None, visibility: None, expected_revision: Some(1) };
    command(&store, PostCommand::Update { author: uid(1), id: post, edit }).await;
    let gone = command(&store, draft(2, Some(post), None)).await;
    let reply = command(&store, draft(2, Some(post), None)).await;
    command(&store, PostCommand::Delete { author: uid(2), id: gone }).await;
    command(&store, draft(3, None, Some(post))).await;
    for (who, id) in [(4, post), (5, post), (4, reply)] {
        command(&store, PostCommand::Like { uid: uid(who), id }).await;
    }
    let imported = ImportPost {
        id: None,
        key: "n:1".into(),
        author: uid(7),
        at_ms: 1_500_000_000_000,
        body: Body { text: "old".into(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    store.apply(Write::of(Command::ImportPosts(vec![imported]))).await.unwrap();
    store
        .apply(Write::of(Command::MarkSeen { uid: uid(1), seen: store.shared().position(3) }))
        .await
        .unwrap();
    store.apply(Write::of(Command::FanoutPolicy(FanoutPolicy::default()))).await.unwrap();
    store.close().await.unwrap();
}

async fn verify_posts_after(corruptions: &[Corrupt]) -> VerifyReport {
    let dir = tempfile::tempdir().unwrap();
    world_of_posts(dir.path()).await;
    corrupted(dir.path(), corruptions).await
}

/// The newest post of an author.
fn newest(engine: &Engine, author: u64) -> PostId {
    rows::posts::outbox(&engine.snapshot(), uid(author), None).next().unwrap().unwrap()
}

fn value(engine: &Engine, author: u64) -> PostValue {
    rows::posts::post(&engine.snapshot(), newest(engine, author)).unwrap().unwrap()
}

/// The like of a user of the post of user 1: its row, and its place in the list.
fn like(engine: &Engine, user: u64) -> ([u8; 17], [u8; 25]) {
    let id = newest(engine, 1);
    let at = rows::posts::like(&engine.snapshot(), id, uid(user)).unwrap().unwrap();
    (like_key(id, uid(user)), like_time_key(id, Edge { at, uid: uid(user) }))
}

/// The key of a user's reposts of the post of user 1.
fn entry(engine: &Engine, user: u64) -> [u8; 17] {
    reposted_key(uid(user), newest(engine, 1))
}

fn stats(engine: &Engine, batch: &mut RowBatch, change: impl FnOnce(&mut PostStats)) {
    let id = newest(engine, 1);
    let mut value = rows::posts::stats(&engine.snapshot(), id).unwrap();
    change(&mut value);
    batch.put(Table::Records, &of_post_key(POST_STATS, id), &encode_stats(&value));
}

fn head(engine: &Engine, batch: &mut RowBatch, of: u64, change: impl FnOnce(&mut AuthorHead)) {
    author(engine, batch, of, |row| change(&mut row.head));
}

fn author(engine: &Engine, batch: &mut RowBatch, of: u64, change: impl FnOnce(&mut AuthorRow)) {
    let mut value = rows::posts::author(&engine.snapshot(), uid(of)).unwrap();
    change(&mut value);
    batch.put(Table::Records, &user_key(AUTHOR, uid(of)), &encode_author(&value));
}

#[tokio::test]
async fn undamaged_posts_are_clean_and_counted() {
    let report = verify_posts_after(&[]).await;
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!((report.posts, report.likes, report.position.event_count()), (5, 3, 10));
}

#[tokio::test]
async fn every_wrong_place_of_a_post_is_named() {
    let cases: [(&str, Corrupt, &[Named]); 9] = [
        (
            "drop a place",
            |e, b| b.remove(Table::Outbox, &outbox_key(uid(1), newest(e, 1))),
            &[(OutboxMissing, Some(1), None)],
        ),
        (
            "somebody else's place",
            |e, b| b.put(Table::Outbox, &outbox_key(uid(9), newest(e, 1)), &[]),
            &[(PostMissing, Some(9), None)],
        ),
        (
            "a place without a post",
            |_, b| b.put(Table::Outbox, &outbox_key(uid(1), PostId::MAX), &[]),
            &[(PostMissing, Some(1), None)],
        ),
        // A missing fact also makes what counted it wrong.
        (
            "drop a liked reply",
            |e, b| b.remove(Table::Posts, &post_key(newest(e, 2))),
            &[(PostMissing, None, None), (PostMissing, Some(2), None), (RepliesCount, Some(1), None)],
        ),
        (
            "head of another post",
            |e, b| head(e, b, 2, |head| head.last_id = Some(PostId::MIN)),
            &[(HeadBehind, Some(2), None)],
        ),
        (
            "head of an earlier event",
            |e, b| head(e, b, 2, |head| head.last = event_at(1)),
            &[(HeadBehind, Some(2), None)],
        ),
        (
            "no created posts",
            |e, b| author(e, b, 1, |row| row.created_from = None),
            &[(HeadBehind, Some(1), None)],
        ),
        (
            "created posts begin above one",
            |e, b| author(e, b, 1, |row| row.created_from = Some(PostId::MAX)),
            &[(HeadBehind, Some(1), None)],
        ),
        (
            "drop a head",
            |_, b| b.remove(Table::Records, &user_key(AUTHOR, uid(7))),
            &[(HeadBehind, Some(7), None)],
        ),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_posts_after(&[corrupt]).await), expected, "{what}");
    }
    let ids: Corrupt = |_, b| b.put(Table::Records, IDS_KEY, &encode_number(5));
    assert_eq!(names(&verify_posts_after(&[ids]).await), [(PostIdsBehind, None, None)]);
}

#[tokio::test]
async fn every_wrong_like_and_counter_is_named() {
    let (liked, counted) = ((LikeMissing, Some(5), Some(1)), (LikesCount, Some(1), None));
    let (unlisted, of_user) = ((LikeUnlisted, Some(5), Some(1)), (LikeIndex, Some(5), None));
    let (replies, reposts) = ((RepliesCount, Some(1), None), (RepostsCount, Some(1), None));
    let cases: [(&str, Corrupt, &[Named]); 9] = [
        ("drop a like", |e, b| b.remove(Table::Records, &like(e, 5).0), &[liked, of_user, counted]),
        ("drop a listed like", |e, b| b.remove(Table::Records, &like(e, 5).1), &[unlisted]),
        (
            "flip a like's time",
            |e, b| b.put(Table::Records, &like(e, 5).0, &encode_stamp(Stamp::from_ms(5))),
            &[unlisted, liked, of_user],
        ),
        ("likes", |e, b| stats(e, b, |stats| stats.likes += 1), &[counted]),
        ("replies", |e, b| stats(e, b, |stats| stats.replies = u64::MAX), &[replies]),
        ("reposts", |e, b| stats(e, b, |stats| stats.reposts = 0), &[reposts]),
        (
            "all counters",
            |e, b| b.remove(Table::Records, &of_post_key(POST_STATS, newest(e, 1))),
            &[counted, replies, reposts],
        ),
        (
            "counters of no post",
            |_, b| {
                let none = PostStats { likes: 1, ..PostStats::default() };
                b.put(Table::Records, &of_post_key(POST_STATS, PostId::MIN), &encode_stats(&none));
            },
            &[(PostMissing, None, None)],
        ),
        (
            "a repost that is deleted",
            |e, b| {
                let mut value = value(e, 3);
                value.post.header.deleted = true;
                b.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
            },
            &[
                (DeletedIndex, Some(3), None),
                reposts,
                (RepostIndex, None, None),
                (RepostIndex, Some(3), None),
            ],
        ),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_posts_after(&[corrupt]).await), expected, "{what}");
    }
}

#[tokio::test]
async fn every_wrong_place_in_a_list_of_reposts_is_named() {
    let cases: [(&str, Corrupt, &[Named]); 4] = [
        (
            "drop a place",
            |e, b| b.remove(Table::Records, &repost_of_key(newest(e, 1), newest(e, 3))),
            &[(RepostIndex, Some(3), None)],
        ),
        (
            "the place of an answer",
            |e, b| b.put(Table::Records, &repost_of_key(newest(e, 1), newest(e, 2)), &[]),
            &[(RepostIndex, None, None)],
        ),
        (
            "a place at another post",
            |e, b| {
                b.remove(Table::Records, &repost_of_key(newest(e, 1), newest(e, 3)));
                b.put(Table::Records, &repost_of_key(newest(e, 2), newest(e, 3)), &[]);
            },
            &[(RepostIndex, None, None), (RepostIndex, Some(3), None)],
        ),
        (
            "a place with a value",
            |e, b| b.put(Table::Records, &repost_of_key(newest(e, 1), newest(e, 3)), &[1]),
            &[(Undecodable, None, None)],
        ),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_posts_after(&[corrupt]).await), expected, "{what}");
    }
}

#[tokio::test]
async fn every_wrong_entry_of_reposts_is_named() {
    let wrong = |uid| (RepostIndex, Some(uid), None);
    let cases: [(&str, Corrupt, &[Named]); 4] = [
        ("drop an entry", |e, b| b.remove(Table::Records, &entry(e, 3)), &[wrong(3)]),
        (
            "another post in an entry",
            |e, b| b.put(Table::Records, &entry(e, 3), &encode_reposts(&[newest(e, 2), newest(e, 3)])),
            &[wrong(3)],
        ),
        (
            "an entry of another user",
            |e, b| b.put(Table::Records, &entry(e, 2), &encode_reposts(&[newest(e, 3)])),
            &[wrong(2)],
        ),
        (
            "an entry that cannot be decoded",
            |e, b| b.put(Table::Records, &entry(e, 3), &[1]),
            &[(Undecodable, None, None), wrong(3)],
        ),
    ];
    for (what, corrupt, expected) in cases {
        let mut found = names(&verify_posts_after(&[corrupt]).await);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{what}");
    }
}

#[tokio::test]
async fn every_undecodable_row_of_posts_is_named() {
    let bare = (Undecodable, None, None);
    let (liked, counted) = ((LikeMissing, Some(5), Some(1)), (LikesCount, Some(1), None));
    let cases: [(&str, Corrupt, &[Named]); 14] = [
        ("post", |e, b| b.put(Table::Posts, &post_key(newest(e, 1)), &[99]), &[bare]),
        ("key of a post", |_, b| b.put(Table::Posts, &[1], &[]), &[bare]),
        ("place", |e, b| b.put(Table::Outbox, &outbox_key(uid(1), newest(e, 1)), &[1]), &[bare]),
        ("like", |e, b| b.put(Table::Records, &like(e, 5).0, &[1]), &[liked, counted, bare]),
        ("listed like", |e, b| b.put(Table::Records, &like(e, 5).1, &[1]), &[bare]),
        ("counters", |e, b| b.put(Table::Records, &of_post_key(POST_STATS, newest(e, 1)), &[]), &[bare]),
        (
            "head",
            |_, b| b.put(Table::Records, &user_key(AUTHOR, uid(2)), &[1]),
            &[(Undecodable, Some(2), None)],
        ),
        ("revision", |e, b| b.put(Table::Records, &revision_key(newest(e, 1), 1), &[9]), &[bare]),
        ("source key", |_, b| b.put(Table::Records, &source_key(uid(7), "n:1"), &[9]), &[bare]),
        (
            "source key of another's post",
            |e, b| b.put(Table::Records, &source_key(uid(7), "n:2"), &encode_number(newest(e, 1).get())),
            &[bare],
        ),
        ("name", |e, b| b.put(Table::Records, &of_post_key(NAME, newest(e, 7)), b""), &[bare]),
        ("other name", |e, b| b.put(Table::Records, &of_post_key(NAME, newest(e, 7)), b"n:2"), &[bare]),
        ("no name", |e, b| b.remove(Table::Records, &of_post_key(NAME, newest(e, 7))), &[bare]),
        ("seen mark", |_, b| b.put(Table::Records, &user_key(SEEN, uid(1)), &[9]), &[bare]),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_posts_after(&[corrupt]).await), expected, "{what}");
    }
    let policy: Corrupt = |_, b| b.put(Table::Records, POLICY_KEY, &[9]);
    assert_eq!(names(&verify_posts_after(&[policy]).await), [bare]);
}
