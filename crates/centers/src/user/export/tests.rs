//! Exports over the backend of the specification, whose rows stand in one shard or in many.

use super::*;
use guanxi_model::limits::REVISIONS_MAX;
use guanxi_model::post::{Body, Draft, Edit, ImportPost, PostCommand};
use guanxi_model::user::{ProfilePatch, UserCommand, UserStatus};
use guanxi_model::{Command, GroupCommand, ImportEdge, Logs, ManualClock, Stamp, Visibility, Write};
use guanxi_ports::Facts as _;
use guanxi_spec::memory::{Carrying, MemoryStore, Options};

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn body(text: String) -> Body {
    Body { text, attachments: Vec::new() }
}

/// Every record of a user, with how many parts it came in.
async fn whole(exports: &UserExports, uid: Uid, at_least: Option<Position>) -> (Vec<UserRecord>, usize) {
    let mut export = exports.start(uid, at_least);
    let (mut records, mut parts) = (Vec::new(), 0);
    while let Some(part) = export.next().await.unwrap() {
        records.extend(part);
        parts += 1;
    }
    assert!(export.next().await.unwrap().is_none(), "the end is the end");
    (records, parts)
}

/// More of everything than one read takes.
const FOLLOWERS: u64 = 2_500;
const POSTS: usize = 450;
const EDITS: u32 = 130;
const GROUPS: u64 = 5;
const _: () = assert!(EDITS < REVISIONS_MAX);

/// A user with much of everything, and where all of it stands.
struct Crowd {
    /// Imported posts.
    ids: Vec<PostId>,
    /// A post that was edited.
    edited: PostId,
    liked: Vec<PostId>,
    last: Position,
}

/// Followers of other shards, two at each time.
fn followers(of: Uid, range: std::ops::Range<u64>) -> Write {
    let edge = |n| ImportEdge::new(u(9_000 + n), of, Some(Stamp::from_ms(1_000 + n / 2)));
    Write::edges(range.map(edge).collect(), false)
}

fn old_post(author: Uid, n: usize) -> ImportPost {
    let deleted = n % 5 == 4;
    ImportPost {
        id: None,
        key: format!("name {n}"),
        author,
        at_ms: 1_700_000_000_000 + n as u64,
        body: if deleted { Body::default() } else { body(format!("post {n}")) },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted,
    }
}

async fn crowd(store: &MemoryStore, uid: Uid) -> Crowd {
    let mut last = store.apply(followers(uid, 0..FOLLOWERS)).await.unwrap().position;
    let mut apply = async |write: Write| {
        let answer = store.apply(write).await.unwrap();
        last.join(&answer.position);
        answer
    };
    let posts = (0..POSTS).map(|n| old_post(uid, n)).collect();
    let imported = apply(Write::of(Command::ImportPosts(posts))).await.posts();
    let ids: Vec<PostId> = imported.iter().map(|outcome| outcome.id.unwrap()).collect();
    let draft = Draft {
        author: uid,
        body: body("first".into()),
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
    };
    let edited = apply(Write::of(PostCommand::Create(draft))).await.post().unwrap().id.unwrap();
    for n in 0..EDITS {
        let text = Some(format!("edit {n}"));
        let edit = Edit { text, attachments: None, visibility: None, expected_revision: None };
        apply(Write::of(PostCommand::Update { author: uid, id: edited, edit })).await;
    }
    for n in 0..GROUPS {
        let made = apply(Write::of(GroupCommand::Create { owner: uid, name: format!("group {n}") })).await;
        let (id, members) = (made.group().unwrap().id.unwrap(), (1..=n).map(u).collect::<Vec<_>>());
        if n > 0 {
            apply(Write::of(GroupCommand::AddMembers { owner: uid, id, members })).await;
        }
    }
    let visible = ids.iter().copied().enumerate().filter(|(n, _)| n % 5 < 4);
    let mut liked: Vec<PostId> = visible.map(|(_, id)| id).collect();
    for id in &liked {
        apply(Write::of(PostCommand::Like { uid, id: *id })).await;
    }
    liked.sort_unstable();
    Crowd { ids, edited, liked, last }
}

/// Posts come newest first, and earlier revisions behind their post.
fn check_posts(records: &[UserRecord], crowd: &Crowd) {
    let mut expected = crowd.ids.clone();
    expected.push(crowd.edited);
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let (mut found, mut texts) = (Vec::new(), Vec::new());
    for record in records {
        match record {
            UserRecord::Post(post) => found.push(post.header.id),
            UserRecord::Revision { id, revision, .. } => {
                assert_eq!((Some(id), *id), (found.last(), crowd.edited), "behind its post");
                texts.push((revision.revision, revision.body.text.clone()));
            }
            _ => {}
        }
    }
    assert_eq!(found, expected);
    let text = |n: u32| if n == 1 { "first".to_owned() } else { format!("edit {}", n - 2) };
    assert_eq!(texts, (1..=EDITS).rev().map(|n| (n, text(n))).collect::<Vec<_>>());
}

/// Everything comes, once, of a store of a shape.
async fn everything_comes_once(options: Options) {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_750_000_000_000)), options));
    let (exports, uid) = (UserExports::new(store.clone(), store.clone(), None), u(0x0107));
    let crowd = crowd(&store, uid).await;
    let (records, parts) = whole(&exports, uid, Some(crowd.last.clone())).await;
    assert!(parts > 12, "{parts} parts");
    assert!(matches!(&records[0], UserRecord::Account(account) if account.counts.followers == FOLLOWERS));
    let Some(UserRecord::End { records: told, .. }) = records.last() else { panic!("no end") };
    assert_eq!(*told as usize, records.len() - 1);
    let (mut seen, mut likes, mut names, mut groups) = (Vec::new(), Vec::new(), 0, Vec::new());
    for record in &records {
        match record {
            UserRecord::Edge(List::Followers, edge) => seen.push(edge.uid.get() - 9_000),
            UserRecord::Like(like) => likes.push(like.id),
            UserRecord::ImportedName(..) => names += 1,
            UserRecord::Group(group) => {
                let members: Vec<u64> = group.members.iter().map(|edge| edge.uid.get()).collect();
                groups.push((group.group.name.clone(), members));
            }
            _ => {}
        }
    }
    assert_eq!(seen, (0..FOLLOWERS).rev().collect::<Vec<_>>());
    assert_eq!((likes, names), (crowd.liked.clone(), POSTS));
    let group = |n: u64| (format!("group {n}"), (1..=n).rev().collect());
    assert_eq!(groups, (0..GROUPS).map(group).collect::<Vec<(String, Vec<u64>)>>());
    check_posts(&records, &crowd);
}

#[tokio::test]
async fn everything_of_a_user_comes_once_in_parts() {
    everything_comes_once(Options::default()).await;
}

#[tokio::test]
async fn an_export_with_the_tokens_of_acts_has_them_wherever_they_stand() {
    let carrying = Carrying::Disordered { seed: 7 };
    everything_comes_once(Options { logs: Logs::PerGene, carrying, ..Options::default() }).await;
}

#[tokio::test]
async fn what_changes_meanwhile_is_there_once_at_most_and_the_rest_exactly_once() {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_750_000_000_000)), Options::default()));
    let (exports, uid) = (UserExports::new(store.clone(), store.clone(), None), u(7));
    let edges = |range: std::ops::Range<u64>, ms: u64| {
        let edge = |n| ImportEdge::new(u(9_000 + n), uid, Some(Stamp::from_ms(ms + n)));
        Write::edges(range.map(edge).collect(), false)
    };
    store.apply(edges(0..3_000, 1_000)).await.unwrap();
    let mut export = exports.start(uid, None);
    let (mut found, mut step) = (Vec::new(), 0);
    while let Some(part) = export.next().await.unwrap() {
        found.extend(part.into_iter().filter_map(|record| match record {
            UserRecord::Edge(List::Followers, edge) => Some(edge.uid.get() - 9_000),
            _ => None,
        }));
        // Newcomers on top, which are newer than the place at which the export stands.
        store.apply(edges(3_000 + step * 100..3_100 + step * 100, 1_000)).await.unwrap();
        step += 1;
    }
    let stayed: Vec<u64> = found.iter().copied().filter(|n| *n < 3_000).collect();
    assert_eq!(stayed, (0..3_000).rev().collect::<Vec<_>>());
    found.dedup();
    assert!(found.is_sorted_by(|a, b| a > b), "nobody twice");
}

#[tokio::test]
async fn what_is_left_of_a_deleted_and_of_an_erased_user_is_exported() {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_750_000_000_000)), Options::default()));
    let (exports, uid) = (UserExports::new(store.clone(), store.clone(), None), u(7));
    let patch = ProfilePatch { bio: Some("words".into()), ..ProfilePatch::default() };
    let update = UserCommand::Update { uid, patch, expected_revision: None };
    for command in [
        Command::User(update),
        Command::ImportPosts(vec![old_post(uid, 0)]),
        Command::User(UserCommand::SetStatus { uid, status: UserStatus::Deleted { erase_at_ms: 5 } }),
    ] {
        store.apply(Write::of(command)).await.unwrap();
    }
    let account = |records: &[UserRecord]| match &records[0] {
        UserRecord::Account(account) => account.user.clone(),
        other => panic!("{other:?} is no account"),
    };
    let posts = |records: &[UserRecord]| {
        let texts = records.iter().filter_map(|record| match record {
            UserRecord::Post(post) => Some((post.revision, post.body.text.clone())),
            _ => None,
        });
        texts.collect::<Vec<_>>()
    };
    let (records, _) = whole(&exports, uid, None).await;
    let user = account(&records);
    assert_eq!((user.profile.bio.as_str(), user.status), ("words", UserStatus::Deleted { erase_at_ms: 5 }));
    assert_eq!(posts(&records), [(1, "post 0".to_owned())], "its content is kept until it is erased");
    let UserRecord::Post(post) = records.iter().find(|record| matches!(record, UserRecord::Post(_))).unwrap()
    else {
        panic!("a post")
    };
    let id = post.header.id;
    for command in [
        Command::Post(PostCommand::Purge { author: uid, id, deleted_until: None }),
        Command::User(UserCommand::SetStatus { uid, status: UserStatus::Erased { at_ms: 6 } }),
    ] {
        store.apply(Write::of(command)).await.unwrap();
    }
    let (records, _) = whole(&exports, uid, None).await;
    let user = account(&records);
    assert!(matches!(user.status, UserStatus::Erased { .. }), "{user:?}");
    assert_eq!((user.profile.bio.as_str(), posts(&records)), ("", vec![(0, String::new())]));
    assert!(!format!("{records:?}").contains("words") && !format!("{records:?}").contains("post 0"));
}
