//! Directories of older formats open, with everything in them, and become ones of this format.

use crate::world::{clock, head, options, uid};
use guanxi_embedded::{DumpedTokens, Store, restore};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::{
    Command, HistoryId, List, Op, Outcome, Page, PageStart, PostId, PostWrite, Reason, RequestKey, Stamp,
    Visibility, Write,
};
use guanxi_ports::{Graph as _, Posts as _, Upkeep as _};
use std::fs;
use std::path::{Path, PathBuf};

/// What the program of format 1 left behind: 1 and 2 are friends, so are 1 and 5, 1 follows 3, 6 blocks 7 and mutes
/// 8, and 8 follows 9 by an import; 4 has followed 1 and left again.
fn format_1(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests-data").join(name)
}

fn copy(from: &Path, to: &Path) {
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
    let answer = store.write_posts(PostWrite::Command { command, request: None }).await.unwrap();
    answer.outcomes[0].id.unwrap()
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
    let follow = |(subject, object)| Command { op: Op::Follow, subject: uid(subject), object: uid(object) };
    let mut commands = [(1, 2), (2, 1), (1, 3), (4, 1), (5, 1), (1, 5)].map(follow).to_vec();
    commands.push(Command { op: Op::Block, subject: uid(6), object: uid(7) });
    commands.push(Command { op: Op::Mute, subject: uid(6), object: uid(8) });
    commands.push(Command { op: Op::Unfollow, ..follow((4, 1)) });
    Write::Commands { commands, request: Some(RequestKey { id: "once".into(), fingerprint: 1 }) }
}

#[tokio::test]
async fn a_directory_of_format_1_opens_and_becomes_one_of_format_2() {
    let dir = tempfile::tempdir().unwrap();
    copy(&format_1("format-1-store"), dir.path());
    assert_eq!(format_of(dir.path()), "guanxi-data 1\n");
    for _ in 0..2 {
        let store = Store::open(dir.path(), options(99), clock()).unwrap();
        assert_eq!(format_of(dir.path()), "guanxi-data 2\n");
        assert_eq!(head(&store).await.history(), HistoryId(7));
        check(&store).await;
        let again = store.write(remembered()).await.unwrap();
        assert_eq!(again.position.event_count(), 9, "the first answer");
        assert!(again.outcomes.iter().all(|Outcome { result, .. }| *result == Ok(true)));
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn an_upgrade_that_was_cut_off_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    copy(&format_1("format-1-store"), dir.path());
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    store.close().await.unwrap();
    drop(store);
    // As after a death between the creation of the tables and the mark.
    fs::write(dir.path().join("FORMAT"), "guanxi-data 1\n").unwrap();
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    assert_eq!(format_of(dir.path()), "guanxi-data 2\n");
    check(&store).await;
}

#[tokio::test]
async fn a_dump_of_format_1_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = fs::read(format_1("format-1.dump")).unwrap();
    let report = restore(&mut &bytes[..], dir.path(), &options(2), DumpedTokens::Keep, &mut |_| {}).unwrap();
    assert_eq!((report.dumped.event_count(), report.edges), (10, 6));
    let store = Store::open(dir.path(), options(99), clock()).unwrap();
    check(&store).await;
    let old = store.view(Some(&report.dumped)).await.err().unwrap();
    assert_eq!(old.reason, Reason::TokenFromOtherHistory);
}
