//! The golden directories and dumps of this format and of those before open, with everything in them; what was made before the
//! first release is refused by its number.

use crate::world::{NOW_MS, clock, head, options, uid};
use guanxi_embedded::{DumpedTokens, EmbeddedStore, OpenError, RestoreError, restore};
use guanxi_model::post::{Body, Draft, Kind, PostCommand};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{
    Command, Credential, Edge, FriendRequest, GroupCommand, HistoryId, ImportCursor, ImportEdge, List,
    ManualClock, MuteCommand, Op, Page, PageStart, PairCommand, PairOutcome, PostId, Principal, Reason,
    RequestKey, RequestKind, Scope, Session, Stamp, Visibility, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{
    CredentialWrites, Credentials, Facts as _, MarkKind, SessionWrites as _, Sessions, Store as _,
    Upkeep as _, UserLike,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The golden directory and dump, and the mark of the directory.
fn golden(name: &str) -> PathBuf {
    golden_of(9, name)
}
const MARK: &str = "guanxi-data 9\n";

/// The golden directory and dump of a format.
fn golden_of(format: u32, name: &str) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests-data");
    data.join(format!("format-{format}")).join(name)
}

/// Posts of the golden world: 1 wrote these, of which the third is deleted; 2 reposted the first one and 3 quoted it.
const POSTS: [u64; 3] = [3_159_632_965_009_408_001, 3_159_632_969_203_712_001, 3_159_632_973_398_016_001];
const REPOST: u64 = 3_159_632_998_563_840_002;
const QUOTE: u64 = 3_159_633_006_952_448_003;
/// When the third one was deleted.
const DELETED_MS: u64 = NOW_MS + 11_000;

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            let _bytes = fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A copy of the golden directory.
fn store() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&golden("store"), dir.path());
    dir
}

fn restored(dir: &Path) -> EmbeddedStore {
    let bytes = fs::read(golden("store.dump")).unwrap();
    restore(&mut &bytes[..], dir, &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    EmbeddedStore::open(dir, options(99), clock()).unwrap()
}

fn format_of(dir: &Path) -> String {
    fs::read_to_string(dir.join("FORMAT")).unwrap()
}

fn pair(op: Op, subject: u64, object: u64) -> PairCommand {
    PairCommand { op, subject: uid(subject), object: uid(object) }
}

/// The write whose answer is remembered: 1 and 2 are friends, so are 1 and 5, 1 follows 3; 4 has followed 1 and 3, left both,
/// and follows 3 again; 6 mutes 8, and blocks 7, who followed it; so does 5; 9 mutes 8.
fn remembered() -> Write {
    let follows = [(1, 2), (2, 1), (1, 3), (4, 1), (4, 3), (7, 6), (5, 1), (1, 5)];
    let mut commands = follows.map(|(a, b)| pair(Op::Follow, a, b)).to_vec();
    commands.extend([pair(Op::Unfollow, 4, 1), pair(Op::Unfollow, 4, 3), pair(Op::Follow, 4, 3)]);
    commands.extend([
        pair(Op::Block, 6, 7),
        pair(Op::Block, 5, 7),
        pair(Op::Mute, 6, 8),
        pair(Op::Mute, 9, 8),
    ]);
    Write::all(commands).under(Some(RequestKey { actor: uid(1), id: "once".into(), fingerprint: 1 }))
}

fn draft(author: u64, text: &str, repost_of: Option<PostId>) -> PostCommand {
    let body = Body { text: text.into(), attachments: Vec::new() };
    let visibility = Visibility::Public;
    PostCommand::Create(Draft { author: uid(author), body, visibility, reply_to: None, repost_of })
}

async fn create(store: &EmbeddedStore, draft: PostCommand) -> PostId {
    store.apply(Write::of(draft)).await.unwrap().post().unwrap().id.unwrap()
}

/// The tokens of the golden world, by name: an operator's, a service's, and one of user 7.
fn tokens() -> [Credential; 3] {
    let token = |n: u8, name: &str, principal| Credential {
        hash: [n; 32],
        name: name.into(),
        principal,
        created_ms: 5,
        rate_per_minute: None,
    };
    let service = Principal::Service([Scope::FeedRead, Scope::Watch].into_iter().collect());
    [
        token(1, "alice", Principal::EndUser(uid(7))),
        token(2, "ops", Principal::Admin),
        token(3, "reader", service),
    ]
}

/// Writes the golden world. A second passes after each write.
async fn write_world(store: &EmbeddedStore, clock: &ManualClock) {
    let apply = async |write: Write| {
        let applied = store.apply(write).await.unwrap();
        clock.advance(1_000);
        applied
    };
    apply(remembered()).await;
    let edge = ImportEdge::new(uid(8), uid(9), Some(Stamp::from_ms(5)));
    apply(Write::edges(vec![edge], false).at(Some(ImportCursor { job: "job".into(), from: 0, to: 12 })))
        .await;
    let mut posts = Vec::new();
    for text in ["first", "second", "third"] {
        let outcome = apply(Write::of(draft(1, text, None))).await.post().unwrap();
        posts.push(outcome.id.unwrap());
    }
    for (user, of) in [(4, 0), (5, 0), (8, 0), (4, 1), (5, 2)] {
        apply(Write::of(PostCommand::Like { uid: uid(user), id: posts[of] })).await;
    }
    apply(Write::of(draft(2, "", Some(posts[0])))).await;
    apply(Write::of(PostCommand::Delete { author: uid(1), id: posts[2] })).await;
    apply(Write::of(draft(3, "look", Some(posts[0])))).await;
    let ask = FriendRequest { message: "你好".into(), ..FriendRequest::plain(uid(3), uid(2)) };
    apply(Write::of(Command::SendFriendRequest(ask))).await;
    let mute = MuteCommand { subject: uid(1), object: uid(4), reposts_only: true, duration_ms: Some(9) };
    apply(Write::of(Command::Mute(mute))).await;
    let patch = PrivacyPatch { locked: Some(true), ..PrivacyPatch::default() };
    apply(Write::of(UserCommand::SetPrivacy { uid: uid(9), patch })).await;
    apply(Write::of(Command::Group(GroupCommand::Create { owner: uid(1), name: "家人".into() }))).await;
    let dismissed = DismissCommand { viewer: uid(1), uid: uid(8), dismissed: true };
    apply(Write::of(Command::Dismiss(dismissed))).await;
    for token in tokens() {
        CredentialWrites::add(store, token).await.unwrap();
    }
    store.put(Session::lone(uid(7), [1; 32], 5)).await.unwrap();
}

/// Checks all that the golden world has.
async fn check(store: &EmbeddedStore) {
    check_relations(store).await;
    check_traces(store).await;
    check_posts(store).await;
    check_tokens(store).await;
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

async fn check_relations(store: &EmbeddedStore) {
    let view = store.view(None).await.unwrap();
    let page = |list| view.list(uid(1), list, Page::new(PageStart::Newest, 9).unwrap());
    let uids = |page: guanxi_model::EdgePage| page.items.iter().map(|e| e.uid.get()).collect::<Vec<_>>();
    assert_eq!(uids(page(List::Following).await.unwrap()), [5, 3, 2]);
    assert_eq!(uids(page(List::Followers).await.unwrap()), [5, 2]);
    let relation = async |a, b| view.relations(uid(a), &[uid(b)]).await.unwrap()[0];
    assert_eq!(relation(8, 9).await.following_since, Some(Stamp::from_ms(5)));
    assert!(relation(1, 2).await.friends_since.is_some() && relation(6, 7).await.blocking);
    assert_eq!(relation(3, 2).await.requested, Some(RequestKind::Friend));
    assert!(view.mute_terms(uid(1), &[uid(4)]).await.unwrap()[0].reposts_only);
    assert_eq!(view.due_ends(u64::MAX, Walk::new(None, 9)).await.unwrap().len(), 2);
    assert_eq!(view.import_position("job").await.unwrap(), Some(12));
}

async fn check_traces(store: &EmbeddedStore) {
    let [first, second, third] = POSTS.map(post);
    let view = store.view(None).await.unwrap();
    let mut likes = Vec::new();
    for user in 1..=9 {
        for UserLike { id, at } in view.likes_by(uid(user), Walk::new(None, 9)).await.unwrap() {
            if id != third {
                let listed = view.likers(id, Page::new(PageStart::Newest, 9).unwrap()).await.unwrap();
                assert!(listed.items.contains(&Edge { at, uid: uid(user) }), "{user} likes {id}");
            }
            likes.push((user, id));
        }
    }
    likes.sort_unstable();
    assert_eq!(likes, [(4, first), (4, second), (5, first), (5, third), (8, first)]);
    let mut marks = Vec::new();
    for object in 1..=9 {
        for kind in MarkKind::ALL {
            let found = view.marked_by(uid(object), kind, Walk::new(None, 9)).await.unwrap();
            marks.extend(found.into_iter().map(|subject| (subject.get(), kind, object)));
        }
    }
    let expected = [
        (4, MarkKind::RemovedFollow, 1),
        (1, MarkKind::Mute, 4),
        (7, MarkKind::RemovedFollow, 6),
        (5, MarkKind::Block, 7),
        (6, MarkKind::Block, 7),
        (6, MarkKind::Mute, 8),
        (9, MarkKind::Mute, 8),
    ];
    assert_eq!(marks, expected, "the follow of 4 to 3 stands again");
}

fn post(raw: u64) -> PostId {
    PostId::new(raw).unwrap()
}

async fn check_posts(store: &EmbeddedStore) {
    let view = store.view(None).await.unwrap();
    let begin = view.created_from(&[uid(1), uid(2), uid(9)]).await.unwrap();
    assert_eq!(begin, [Some(post(POSTS[0])), Some(post(REPOST)), None]);
    let posts = view.posts(&[REPOST, QUOTE, POSTS[2]].map(post)).await.unwrap();
    let [repost, quote, third] = <[_; 3]>::try_from(posts).unwrap().map(Option::unwrap);
    assert!(matches!(repost.header.kind, Kind::Repost { of, .. } if of.get() == POSTS[0]));
    assert!(matches!(quote.header.kind, Kind::Quote { .. }) && quote.body.text == "look");
    assert_eq!((third.body.text.as_str(), third.deleted_ms), ("third", Some(DELETED_MS)));
    assert_eq!(view.deleted_posts(Walk::new(None, 9)).await.unwrap(), [(DELETED_MS, post(POSTS[2]))]);
    let stats = view.stats(&POSTS.map(post)).await.unwrap();
    assert_eq!((stats[0].likes, stats[0].reposts, stats[1].likes), (3, 2, 1));
    let shown = view.shown(Some(uid(2)), &[post(POSTS[0])]).await.unwrap().remove(0);
    assert!(shown.unwrap().1.reposted);
    assert_eq!(view.reposts_of(post(POSTS[0]), None, 9).await.unwrap(), [QUOTE, REPOST].map(post));
}

async fn check_tokens(store: &EmbeddedStore) {
    assert_eq!(Credentials::list(store).await.unwrap(), tokens());
    let session = Session::lone(uid(7), [1; 32], 5);
    assert_eq!(Sessions::find(store, session.key(session.id)).await, Ok(Some(session)));
}

#[tokio::test]
async fn the_golden_directory_opens() {
    if std::env::var_os("GUANXI_BLESS").is_some() {
        bless().await;
    }
    let dir = store();
    for _ in 0..2 {
        assert_eq!(format_of(dir.path()), MARK);
        let store = EmbeddedStore::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(head(&store).await.history(), HistoryId(7));
        check(&store).await;
        let again = store.apply(remembered()).await.unwrap();
        assert!(again.position.event_count() < head(&store).await.event_count(), "the first answer");
        assert!(again.pairs().iter().all(|PairOutcome { result, .. }| *result == Ok(true)));
        store.close().await.unwrap();
    }
    let store = EmbeddedStore::open(dir.path(), options(99), clock()).unwrap();
    let id = create(&store, draft(1, "hello", None)).await;
    let view = store.view(None).await.unwrap();
    assert_eq!(view.posts(&[id]).await.unwrap()[0].as_ref().unwrap().body.text, "hello");
}

#[tokio::test]
async fn the_golden_dump_is_restored_and_dumped_again() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = restored(first.path());
    check(&store).await;
    let before = EmbeddedStore::open(self::store().path(), options(99), clock()).unwrap();
    let refused = store.view(Some(&head(&before).await)).await.err().unwrap();
    assert_eq!(refused.reason, Reason::TokenFromOtherHistory);
    let mut dump = Vec::new();
    store.dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], second.path(), &options(3), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    check(&EmbeddedStore::open(second.path(), options(99), clock()).unwrap()).await;
}

/// All that an older directory or dump has is found after it was brought up, also what its format did not have yet.
#[tokio::test]
async fn directories_and_dumps_of_older_formats_are_brought_up() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(&golden_of(8, "store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
    for _ in 0..2 {
        let store = EmbeddedStore::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), MARK);
        check(&store).await;
        store.close().await.unwrap();
    }
    let bytes = fs::read(golden_of(8, "store.dump")).unwrap();
    restore(&mut &bytes[..], other.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    assert_eq!(format_of(other.path()), MARK);
    check(&EmbeddedStore::open(other.path(), options(99), clock()).unwrap()).await;
}

#[tokio::test]
async fn a_directory_of_before_the_first_release_is_refused_by_its_number() {
    for found in [0, 1, 7] {
        let dir = store();
        fs::write(dir.path().join("FORMAT"), format!("guanxi-data {found}\n")).unwrap();
        let refused = EmbeddedStore::open(dir.path(), options(99), clock()).err().unwrap();
        assert!(matches!(refused, OpenError::Older { found: number, .. } if number == found), "{refused}");
        let said = refused.to_string();
        assert!(said.contains(&format!("has format {found}, which was made before 0.1.0")), "{said}");
        assert_eq!(format_of(dir.path()), format!("guanxi-data {found}\n"), "nothing is changed");
    }
}

#[tokio::test]
async fn a_dump_of_before_the_first_release_is_refused_by_its_number() {
    let whole = fs::read(golden("store.dump")).unwrap();
    let rest = whole.strip_prefix(b"guanxi-dump 3\n").unwrap();
    for version in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let bytes = [format!("guanxi-dump {version}\n").as_bytes(), rest].concat();
        let refused = restore(&mut &bytes[..], dir.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {});
        let refused = refused.unwrap_err();
        assert!(matches!(refused, RestoreError::Older(found) if found == version), "{refused}");
        assert!(refused.to_string().contains("made before 0.1.0"), "{refused}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is written");
    }
}

/// Writes the golden directory and dump anew.
async fn bless() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let store = EmbeddedStore::open(dir.path(), options(7), clock.clone()).unwrap();
    write_world(&store, &clock).await;
    let mut dump = Vec::new();
    store.dump(&mut dump, &mut |_| {}).unwrap();
    store.close().await.unwrap();
    drop(store);
    // Everything is in table files; the journal is allocated ahead.
    for entry in fs::read_dir(dir.path().join("engine")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jnl") {
            fs::write(path, b"").unwrap();
        }
    }
    if golden("store").exists() {
        fs::remove_dir_all(golden("store")).unwrap();
    }
    copy(dir.path(), &golden("store"));
    fs::write(golden("store.dump"), dump).unwrap();
}
