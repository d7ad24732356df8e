//! Directories of older formats open, with everything in them, and become ones of this format.

use crate::world::{clock, head, options, uid};
use guanxi_embedded::{DumpedTokens, Store, restore};
use guanxi_model::post::{Body, Draft, Kind, PostCommand};
use guanxi_model::{
    Command, Edge, HistoryId, List, MuteCommand, MuteTerms, Op, Page, PageStart, PairCommand, PairOutcome,
    PostId, Principal, Reason, RequestKey, RequestKind, Scopes, Session, Stamp, Visibility, Write,
};
use guanxi_ports::{
    Credentials, Facts as _, Graph as _, MarkKind, Posts as _, Sessions, Upkeep as _, UserLike,
};
use std::fs;
use std::path::{Path, PathBuf};

/// What older programs left behind. In format 1, 1 and 2 are friends, so are 1 and 5, 1 follows 3, 6 blocks 7 and mutes
/// 8, and 8 follows 9 by an import; 4 has followed 1 and left again.
fn old(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests-data").join(name)
}

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

fn format_of(dir: &Path) -> String {
    fs::read_to_string(dir.join("FORMAT")).unwrap()
}

async fn create(store: &Store, author: u64) -> PostId {
    let body = Body { text: "hello".into(), attachments: Vec::new() };
    let visibility = Visibility::Public;
    let draft = Draft { author: uid(author), body, visibility, reply_to: None, repost_of: None };
    let command = PostCommand::Create(draft);
    let answer = store.apply(Write::of(command)).await.unwrap();
    answer.post().unwrap().id.unwrap()
}

/// Checks what the older program wrote, and that posts can be written beside it.
async fn check(store: &Store) {
    let view = store.view(None).await.unwrap();
    let page = |list| view.list(uid(1), list, Page::new(PageStart::Newest, 9).unwrap());
    let uids = |page: guanxi_model::EdgePage| page.items.iter().map(|e| e.uid.get()).collect::<Vec<_>>();
    assert_eq!(uids(page(List::Following).await.unwrap()), [5, 3, 2]);
    assert_eq!(uids(page(List::Followers).await.unwrap()), [5, 2]);
    let since = view.relations(uid(8), &[uid(9)]).await.unwrap()[0].following_since;
    assert_eq!(since, Some(Stamp::from_ms(5)));
    assert_eq!(view.import_position("job").await.unwrap(), Some(12));
    let id = create(store, 1).await;
    let post = store.post_view(None).await.unwrap().posts(&[id]).await.unwrap().remove(0).unwrap();
    assert_eq!(post.body.text, "hello");
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

/// The write whose answer the older program remembered.
fn remembered() -> Write {
    let follow =
        |(subject, object)| PairCommand { op: Op::Follow, subject: uid(subject), object: uid(object) };
    let mut commands = [(1, 2), (2, 1), (1, 3), (4, 1), (5, 1), (1, 5)].map(follow).to_vec();
    commands.push(PairCommand { op: Op::Block, subject: uid(6), object: uid(7) });
    commands.push(PairCommand { op: Op::Mute, subject: uid(6), object: uid(8) });
    commands.push(PairCommand { op: Op::Unfollow, ..follow((4, 1)) });
    Write::all(commands).under(Some(RequestKey { actor: uid(1), id: "once".into(), fingerprint: 1 }))
}

#[tokio::test]
async fn a_directory_of_format_1_opens_and_becomes_one_of_this_format() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-1-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 1\n");
    for _ in 0..2 {
        let store = Store::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
        assert_eq!(head(&store).await.history(), HistoryId(7));
        check(&store).await;
        let again = store.apply(remembered()).await.unwrap();
        assert_eq!(again.position.event_count(), 9, "the first answer");
        assert!(again.pairs().iter().all(|PairOutcome { result, .. }| *result == Ok(true)));
        store.close().await.unwrap();
    }
}

/// When the relations of some users last changed.
async fn changed(store: &Store) -> Vec<u64> {
    let view = store.post_view(None).await.unwrap();
    let mut changed = Vec::new();
    for n in [1, 2, 6, 77] {
        changed.push(view.viewer_relations(uid(n)).await.unwrap().changed().seq());
    }
    changed
}

#[tokio::test]
async fn relations_of_an_older_format_changed_before_the_upgrade_and_stay_so() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-1-store"), dir.path());
    let mut store = Store::open(dir.path(), options(99), clock()).unwrap();
    let last = head(&store).await.event_count();
    assert_eq!(changed(&store).await, [last, last, last, 0], "user 77 is in no row");
    let follow = PairCommand { op: Op::Follow, subject: uid(2), object: uid(6) };
    store.apply(Write::of(follow)).await.unwrap();
    create(&store, 1).await;
    for _ in 0..2 {
        assert_eq!(changed(&store).await, [last, last + 1, last, 0]);
        store.close().await.unwrap();
        drop(store);
        store = Store::open(dir.path(), options(99), clock()).unwrap();
    }
}

/// The name and principal of each token that the program of format 2 left behind; 1 and 2 are friends there.
const TOKENS_OF_FORMAT_2: [(&str, &str); 7] = [
    ("alice", "7"),
    ("alice-phone", "7"),
    ("bob", "600"),
    ("both", "read,write"),
    ("ops", "admin"),
    ("reader", "read"),
    ("writer", "write"),
];

fn principal_of(text: &str) -> Principal {
    if text == "admin" {
        return Principal::Admin;
    }
    if let Ok(raw) = text.parse() {
        return Principal::EndUser(uid(raw));
    }
    // What the words stood for then.
    let says = |word| text.split(',').any(|given| given == word);
    Principal::Service(Scopes::of_first_bits(says("read"), says("write")))
}

/// Checks that the tokens of the older program are what they were, and those of end users sessions.
async fn check_tokens(store: &Store) {
    let listed = Credentials::list(store).await.unwrap();
    let named: Vec<_> = listed.iter().map(|found| (found.name.clone(), found.principal.clone())).collect();
    let expected = TOKENS_OF_FORMAT_2.map(|(name, principal)| (name.to_owned(), principal_of(principal)));
    assert_eq!(named, expected);
    for credential in listed {
        assert_eq!(Credentials::find(store, credential.hash).await, Ok(Some(credential.clone())));
        if let Principal::EndUser(uid) = credential.principal {
            let session = Session::lone(uid, credential.hash, credential.created_ms);
            assert_eq!(Sessions::find(store, session.key(session.id)).await, Ok(Some(session)));
        }
    }
    assert_eq!(Sessions::list(store, uid(7), None, 9).await.unwrap().sessions.len(), 2);
}

#[tokio::test]
async fn a_directory_of_format_2_opens_with_its_tokens() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-2-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 2\n");
    for _ in 0..2 {
        let store = Store::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
        check_tokens(&store).await;
        assert!(store.verify(&mut |_| {}).unwrap().clean());
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_dump_of_format_2_is_restored_with_its_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = fs::read(old("format-2.dump")).unwrap();
    let _report =
        restore(&mut &bytes[..], dir.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    check_tokens(&store).await;
}

#[tokio::test]
async fn a_moved_token_that_was_revoked_stays_revoked() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-2-store"), dir.path());
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(store.revoke_all(uid(7)).await, Ok(2));
    store.close().await.unwrap();
    drop(store);
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(Sessions::list(&store, uid(7), None, 9).await.unwrap().sessions, []);
    assert_eq!(Sessions::list(&store, uid(600), None, 9).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn an_upgrade_that_was_cut_off_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-1-store"), dir.path());
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    store.close().await.unwrap();
    drop(store);
    // As after a death between the creation of the tables and the mark.
    fs::write(dir.path().join("FORMAT"), "guanxi-data 1\n").unwrap();
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
    check(&store).await;
}

#[tokio::test]
async fn a_dump_of_format_1_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = fs::read(old("format-1.dump")).unwrap();
    let report =
        restore(&mut &bytes[..], dir.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    assert_eq!((report.dumped.event_count(), report.edges), (10, 6));
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    check(&store).await;
    let old = store.view(Some(&report.dumped)).await.err().unwrap();
    assert_eq!(old.reason, Reason::TokenFromOtherHistory);
}

/// What the program of format 2 left behind: 1 wrote `ORIGINAL` and 2 `OTHER`. 2 has reposted the first three times, and
/// once more but deleted that; 3 quoted it, reposted it by its quote, and quoted the other with a picture; 4 answered it,
/// and has given a repost of the other a text; 5 has taken its text from one.
const ORIGINAL: u64 = 3_559_316_991_258_918_913;
const OTHER: u64 = 3_559_316_991_279_890_434;
const REPEATS: [u64; 3] = [3_559_316_991_321_833_474, 3_559_316_991_355_387_906, 3_559_316_991_376_359_426];
const QUOTE: u64 = 3_559_316_991_393_136_643;
const BY_A_QUOTE: u64 = 3_559_316_991_409_913_859;
const GIVEN_A_TEXT: u64 = 3_559_316_991_422_496_772;
const TAKEN_A_TEXT: u64 = 3_559_316_991_435_079_685;

fn post(raw: u64) -> PostId {
    PostId::new(raw).unwrap()
}

async fn act(store: &Store, command: PostCommand) -> (bool, Option<PostId>) {
    let outcome = store.apply(Write::of(command)).await.unwrap().post().unwrap();
    (outcome.result.unwrap(), outcome.id)
}

fn repost(author: u64, of: u64) -> PostCommand {
    let visibility = Visibility::Public;
    let repost_of = Some(post(of));
    let draft = Draft { author: uid(author), body: Body::default(), visibility, reply_to: None, repost_of };
    PostCommand::Create(draft)
}

/// Checks what the program of format 2 wrote, and that its reposts are known and can be undone.
async fn check_reposts(store: &Store) {
    let view = store.post_view(None).await.unwrap();
    let begin = view.created_from(&[uid(1), uid(2), uid(9)]).await.unwrap();
    assert_eq!(begin, [Some(post(ORIGINAL)), Some(post(OTHER)), None]);
    let reposted = |user, of| {
        let view = &view;
        async move { view.marks(uid(user), &[post(of)]).await.unwrap()[0].reposted }
    };
    for (user, of, stands) in [
        (2, ORIGINAL, true),
        (3, ORIGINAL, true),
        (4, ORIGINAL, false),
        (4, OTHER, false),
        (5, OTHER, true),
        (3, OTHER, false),
    ] {
        assert_eq!(reposted(user, of).await, stands, "{user} of {of}");
    }
    let ids = [REPEATS[0], REPEATS[1], QUOTE, BY_A_QUOTE, GIVEN_A_TEXT, TAKEN_A_TEXT].map(post);
    let posts = view.posts(&ids).await.unwrap().into_iter().map(Option::unwrap);
    let headers = view.headers(&ids).await.unwrap();
    for ((found, header), quotes) in posts.zip(headers).zip([false, false, true, false, true, false]) {
        assert_eq!(Some(found.header), header);
        assert_eq!(matches!(found.header.kind, Kind::Quote { .. }), quotes, "{found:?}");
        assert_eq!(found.create_ms, found.header.id.ms());
    }
    assert_eq!(view.stats(&[post(ORIGINAL)]).await.unwrap()[0].reposts, 5);
    assert_eq!(act(store, repost(2, ORIGINAL)).await, (false, Some(post(REPEATS[0]))));
    let delete = |id| PostCommand::Delete { author: uid(2), id: post(id) };
    assert!(act(store, delete(REPEATS[1])).await.0, "each repeat by itself");
    let undo = || PostCommand::UndoRepost { uid: uid(2), id: post(ORIGINAL) };
    assert!(act(store, undo()).await.0);
    assert!(!act(store, undo()).await.0, "all of them");
    let view = store.post_view(None).await.unwrap();
    assert_eq!(view.stats(&[post(ORIGINAL)]).await.unwrap()[0].reposts, 2);
    assert!(!view.marks(uid(2), &[post(ORIGINAL)]).await.unwrap()[0].reposted);
    assert!(act(store, repost(2, ORIGINAL)).await.0);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

#[tokio::test]
async fn a_directory_of_format_2_knows_its_reposts() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-2-posts-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 2\n");
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    check_reposts(&store).await;
    store.close().await.unwrap();
    drop(store);
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert!(store.verify(&mut |_| {}).unwrap().clean());
}

#[tokio::test]
async fn an_upgrade_done_twice_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-2-posts-store"), dir.path());
    for _ in 0..2 {
        // As after a death between the last row and the mark.
        fs::write(dir.path().join("FORMAT"), "guanxi-data 2\n").unwrap();
        Store::open(dir.path(), options(99), clock()).unwrap().close().await.unwrap();
    }
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    check_reposts(&store).await;
}

#[tokio::test]
async fn a_dump_of_format_2_is_restored_with_its_reposts() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = fs::read(old("format-2-posts.dump")).unwrap();
    let report =
        restore(&mut &bytes[..], dir.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    assert_eq!(report.posts, 13);
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert!(store.verify(&mut |_| {}).unwrap().clean());
    check_reposts(&store).await;
}

/// What a program of format 5 left behind: 1 and 2 are friends, 4 has followed 1 and 3 and left both, and 3 again; 6 mutes
/// 8 and blocks 7, as 5 does by an import; 9 mutes 8. 1 wrote two posts: 4 and 5 like the first, 8 by an import, and 4
/// the second.
async fn check_traces(store: &Store) {
    let [first, second] = [3_159_632_956_620_800_001, 3_159_632_956_620_800_257].map(post);
    let view = store.post_view(None).await.unwrap();
    let mut likes = Vec::new();
    for user in 1..=9 {
        let found = view.likes_by(uid(user), None, 9).await.unwrap();
        for UserLike { id, at } in found {
            let listed = view.likers(id, Page::new(PageStart::Newest, 9).unwrap()).await.unwrap();
            assert!(listed.items.contains(&Edge { at, uid: uid(user) }), "{user} likes {id}");
            likes.push((user, id));
        }
    }
    assert_eq!(likes, [(4, first), (4, second), (5, first), (8, first)]);
    let mut marks = Vec::new();
    for object in 1..=9 {
        for kind in MarkKind::ALL {
            let found = view.marked_by(uid(object), kind, None, 9).await.unwrap();
            marks.extend(found.into_iter().map(|subject| (subject.get(), kind, object)));
        }
    }
    let expected = [
        (4, MarkKind::RemovedFollow, 1),
        (7, MarkKind::RemovedFollow, 6),
        (5, MarkKind::Block, 7),
        (6, MarkKind::Block, 7),
        (6, MarkKind::Mute, 8),
        (9, MarkKind::Mute, 8),
    ];
    assert_eq!(marks, expected, "the follow of 4 to 3 stands again");
    let left = view.removed_follows(uid(4), None, 9).await.unwrap();
    assert_eq!(left.iter().map(|edge| edge.uid).collect::<Vec<_>>(), [uid(1)]);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

#[tokio::test]
async fn a_directory_of_format_5_knows_who_left_what() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-5-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 5\n");
    for _ in 0..2 {
        let store = Store::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
        check_traces(&store).await;
        store.close().await.unwrap();
        drop(store);
        // As after a death between the last row and the mark.
        fs::write(dir.path().join("FORMAT"), "guanxi-data 5\n").unwrap();
    }
}

#[tokio::test]
async fn a_dump_of_format_5_is_restored_with_who_left_what() {
    let bytes = fs::read(old("format-5.dump")).unwrap();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    restore(&mut &bytes[..], first.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = Store::open(first.path(), options(99), clock()).unwrap();
    check_traces(&store).await;
    let mut dump = Vec::new();
    store.dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], second.path(), &options(3), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    check_traces(&Store::open(second.path(), options(99), clock()).unwrap()).await;
}

/// What a program of format 6 left behind: 1 wrote three posts, 3 one, and 2 reposted the first. Deleted are the second,
/// which 5 and 6 like, the repost, and an imported one of 4; that of 3 has come back, the third was purged, and another one
/// was imported as deleted.
const DELETED: [u64; 3] = [2_740_202_556_620_800_260, 3_159_632_965_009_408_001, 3_159_632_973_398_016_258];
/// When the last write of that program was.
const LAST_MS: u64 = 1_700_000_078_000;

async fn check_deleted(store: &Store) {
    let view = store.post_view(None).await.unwrap();
    let expected = DELETED.map(|raw| (LAST_MS, post(raw)));
    assert_eq!(view.deleted_posts(None, 9).await.unwrap(), expected);
    let posts = view.posts(&DELETED.map(post)).await.unwrap().into_iter().map(Option::unwrap);
    let said: Vec<_> = posts.map(|post| (post.body.text, post.revision, post.deleted_ms)).collect();
    let said_so = |text: &str, revision| (text.to_owned(), revision, Some(LAST_MS));
    assert_eq!(said, [said_so("old", 1), said_so("second, edited", 2), said_so("", 1)]);
    assert_eq!(view.stats(&[post(DELETED[1])]).await.unwrap()[0].likes, 2);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

#[tokio::test]
async fn a_directory_of_format_6_knows_since_when_posts_are_deleted() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-6-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 6\n");
    for _ in 0..2 {
        let store = Store::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
        check_deleted(&store).await;
        store.close().await.unwrap();
        drop(store);
        // As after a death between the last row and the mark.
        fs::write(dir.path().join("FORMAT"), "guanxi-data 6\n").unwrap();
    }
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    let (author, id) = (uid(1), post(DELETED[1]));
    assert!(!act(&store, PostCommand::Purge { author, id, deleted_until: Some(LAST_MS - 1) }).await.0);
    assert!(act(&store, PostCommand::Restore { author, id }).await.0);
    let left = store.post_view(None).await.unwrap().deleted_posts(None, 9).await.unwrap();
    assert_eq!(left, [DELETED[0], DELETED[2]].map(|raw| (LAST_MS, post(raw))));
}

#[tokio::test]
async fn a_dump_of_format_6_is_restored_with_since_when_posts_are_deleted() {
    let bytes = fs::read(old("format-6.dump")).unwrap();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    restore(&mut &bytes[..], first.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = Store::open(first.path(), options(99), clock()).unwrap();
    check_deleted(&store).await;
    let mut dump = Vec::new();
    store.dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], second.path(), &options(3), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    check_deleted(&Store::open(second.path(), options(99), clock()).unwrap()).await;
}

/// What a program of format 7 left behind: 1 and 2 are friends, 3 follows 1 and is locked, 1 mutes 3 and 4, 2 blocks 5, and 6
/// has left 2.
async fn check_relations(store: &Store) {
    let view = store.view(None).await.unwrap();
    let relation = async |a, b| view.relations(uid(a), &[uid(b)]).await.unwrap()[0];
    assert!(relation(1, 2).await.friends_since.is_some());
    assert!(relation(3, 1).await.following_since.is_some());
    assert!(relation(1, 3).await.muting && relation(1, 4).await.muting && relation(2, 5).await.blocking);
    let terms = view.mute_terms(uid(1), &[uid(3), uid(4)]).await.unwrap();
    assert_eq!(terms, [MuteTerms::default(); 2], "a mute of before was of everything, for ever");
    assert_eq!(view.due_ends(None, u64::MAX, 9).await.unwrap(), []);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

/// Requests and terms take their places beside what was there.
async fn ask_and_mute(store: &Store) {
    let follow = PairCommand { op: Op::Follow, subject: uid(2), object: uid(3) };
    let mute = MuteCommand { subject: uid(1), object: uid(4), reposts_only: true, duration_ms: Some(9) };
    for command in [Command::Pair(follow), Command::Mute(mute)] {
        let applied = store.apply(Write::of(command)).await.unwrap();
        assert_eq!(applied.outcomes[0].result(), Ok(true));
    }
    let view = store.view(None).await.unwrap();
    let relation = view.relations(uid(2), &[uid(3)]).await.unwrap()[0];
    assert_eq!(relation.requested, Some(RequestKind::Follow), "a user who was locked before is asked now");
    assert!(view.mute_terms(uid(1), &[uid(4)]).await.unwrap()[0].reposts_only);
    assert_eq!(view.due_ends(None, u64::MAX, 9).await.unwrap().len(), 2);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

#[tokio::test]
async fn a_directory_of_format_7_takes_requests() {
    let dir = tempfile::tempdir().unwrap();
    copy(&old("format-7-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 7\n");
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
    check_relations(&store).await;
    ask_and_mute(&store).await;
}

#[tokio::test]
async fn a_dump_of_format_7_is_restored_and_takes_requests() {
    let bytes = fs::read(old("format-7.dump")).unwrap();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    restore(&mut &bytes[..], first.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = Store::open(first.path(), options(99), clock()).unwrap();
    check_relations(&store).await;
    ask_and_mute(&store).await;
    let mut dump = Vec::new();
    store.dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], second.path(), &options(3), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = Store::open(second.path(), options(99), clock()).unwrap();
    let view = store.view(None).await.unwrap();
    assert_eq!(view.due_ends(None, u64::MAX, 9).await.unwrap().len(), 2);
    assert!(store.verify(&mut |_| {}).unwrap().clean());
}
