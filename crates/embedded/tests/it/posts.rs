//! Posts across reopening, dumps and write load.

use crate::post_world::{create, seen_posts, write_posts};
use crate::world::{NOW_MS, Rng, clock, command, open, options, uid, write};
use guanxi_embedded::{DumpedTokens, EmbeddedStore, restore};
use guanxi_model::event::PostChange;
use guanxi_model::post::ImportPost;
use guanxi_model::{
    Change, Command, FanoutMode, FanoutPolicy, LogId, ManualClock, Position, PostId, Visibility, Write,
};
use guanxi_ports::{Facts as _, Log as _, Store as _, Upkeep as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

async fn new_post(store: &EmbeddedStore, author: u64) -> PostId {
    let answer = store.apply(create(author, None, None)).await.unwrap();
    answer.post().unwrap().id.unwrap()
}

fn import(at_ms: u64) -> Write {
    let post = ImportPost {
        id: None,
        key: "n:1".into(),
        author: uid(1),
        at_ms,
        body: crate::post_world::body("old".into()),
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    Write::of(Command::ImportPosts(vec![post]))
}

/// A store whose clock stands at a time.
fn open_at(dir: &Path, ms: u64) -> EmbeddedStore {
    EmbeddedStore::open(dir, options(99), Arc::new(ManualClock::new(ms))).unwrap()
}

fn restored(dump: &[u8], dir: &Path) -> (EmbeddedStore, u64) {
    let report = restore(&mut &*dump, dir, &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    (open(dir, 99), report.posts)
}

#[tokio::test]
async fn ids_go_on_after_a_reopening_and_a_restore_although_the_clock_went_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let mut last = new_post(&store, 1).await;
    store.close().await.unwrap();
    drop(store);
    for back in [0, 1, 3_600_000] {
        let store = open_at(dir.path(), NOW_MS - back);
        let id = new_post(&store, 2).await;
        assert!(id > last, "{back} ms back");
        last = id;
        store.close().await.unwrap();
    }
    // An imported post may be the newest one: an id above it does not repeat it either.
    let store = open_at(dir.path(), NOW_MS + 10);
    let imported = store.apply(import(NOW_MS + 10)).await.unwrap().post().unwrap().id.unwrap();
    assert!(imported > last);
    let mut bytes = Vec::new();
    store.dump(&mut bytes, &mut |_| {}).unwrap();
    let restored_dir = tempfile::tempdir().unwrap();
    let (restored, posts) = restored(&bytes, restored_dir.path());
    assert_eq!(posts, 5);
    assert!(new_post(&restored, 3).await > imported);
    let again = restored.apply(import(NOW_MS)).await.unwrap().post().unwrap();
    assert_eq!((again.result, again.id), (Ok(false), Some(imported)), "the source key is restored");
    assert!(restored.verify(&mut |_| {}).unwrap().clean());
}

#[tokio::test]
async fn everything_of_posts_is_there_after_a_reopening_and_in_a_restored_dump() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let mut rng = Rng::new(7);
    write(&store, (0..300).map(|_| command(&mut rng)).collect()).await;
    write_posts(&store, &mut rng, 600).await;
    let policy = FanoutPolicy { mode: FanoutMode::Hybrid, ..FanoutPolicy::default() };
    store.apply(Write::of(Command::FanoutPolicy(policy))).await.unwrap();
    let before = seen_posts(&store).await.unwrap();
    assert_eq!(before.policy, policy);
    assert!(before.posts.len() > 100 && before.likers.iter().any(|likers| likers.len() > 3));
    assert!(before.dismissed.iter().flatten().count() > 5);
    assert!(before.affinities.iter().filter(|known| known.all.len() > 2).count() > 5);
    assert!(before.revisions.iter().any(|revisions| !revisions.is_empty()));
    assert!(before.stats.iter().any(|stats| stats.replies > 0 && stats.likes > 0));
    store.close().await.unwrap();
    drop(store);
    let store = open(dir.path(), 1);
    assert_eq!(seen_posts(&store).await.unwrap(), before);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!(report.posts, before.posts.len() as u64);
    assert_eq!(report.likes, before.stats.iter().map(|stats| stats.likes).sum::<u64>());

    let mut bytes = Vec::new();
    store.dump(&mut bytes, &mut |_| {}).unwrap();
    let restored_dir = tempfile::tempdir().unwrap();
    let (restored, posts) = restored(&bytes, restored_dir.path());
    assert_eq!(posts, report.posts);
    assert_eq!(seen_posts(&restored).await.unwrap(), before);
    write_posts(&restored, &mut rng, 50).await;
    let report = restored.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn posts_under_write_load_verify_clean_and_are_dumped_at_one_position() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), options(1), clock()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|seed| {
            let (store, stop) = (store.clone(), stop.clone());
            tokio::spawn(async move {
                let mut rng = Rng::new(seed);
                while !stop.load(Ordering::Relaxed) {
                    write_posts(&store, &mut rng, 20).await;
                    write(&store, (0..3).map(|_| command(&mut rng)).collect()).await;
                }
            })
        })
        .collect();
    let mut dumps = Vec::new();
    while dumps.len() < 4 {
        let working = store.clone();
        let dumped = tokio::task::spawn_blocking(move || {
            let report = working.verify(&mut |_| {}).unwrap();
            assert!(report.clean(), "{:?}", report.differences);
            let mut bytes = Vec::new();
            let position = working.dump(&mut bytes, &mut |_| {}).unwrap();
            (bytes, position)
        });
        dumps.push(dumped.await.unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    for (bytes, position) in dumps {
        let restored_dir = tempfile::tempdir().unwrap();
        let (restored, posts) = restored(&bytes, restored_dir.path());
        assert_eq!(posts, came_until(&store, position).await);
        let report = restored.verify(&mut |_| {}).unwrap();
        assert!(report.clean(), "{:?}", report.differences);
    }
}

/// How many posts the log says there are at a position.
async fn came_until(store: &EmbeddedStore, to: Position) -> u64 {
    let (mut at, mut came) = (Position::one(to.history(), 0), 0);
    while !at.covers(&to) {
        let batch = store.read(LogId(0), &at, 1_000).await.unwrap();
        let until = batch.events.iter().filter(|event| to.includes(event.at));
        let new = [PostChange::Created, PostChange::Imported];
        came += until
            .filter(|event| matches!(event.change, Change::Post { kind, .. } if new.contains(&kind)))
            .count() as u64;
        at = batch.position;
    }
    came
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn lists_that_are_filled_while_commits_go_on_hold_each_entry_once() {
    let dir = tempfile::tempdir().unwrap();
    // So little memory that lists are dropped and filled again all the time.
    let small =
        guanxi_embedded::Options { author_cache_bytes: 4_096, first_page_cache_bytes: 4_096, ..options(1) };
    let store = EmbeddedStore::open(dir.path(), small, clock()).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2).map(|_| tokio::spawn(read_lists(store.clone(), done.clone()))).collect();
    for round in 0..400_u64 {
        let author = round % 12 + 1;
        new_post(&store, author).await;
        let (subject, object) = (uid(100 + round), uid(author));
        write(&store, vec![guanxi_model::PairCommand { op: guanxi_model::Op::Follow, subject, object }])
            .await;
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    store.close().await.unwrap();
}

/// Reads outboxes and followers until told to stop: newest first, each once. Returns how many it read.
async fn read_lists(store: EmbeddedStore, done: Arc<AtomicBool>) -> u64 {
    let mut lists = 0;
    while !done.load(Ordering::Relaxed) {
        let view = store.view(None).await.unwrap();
        for author in 1..=12 {
            let ask = guanxi_ports::OutboxAsk { author: uid(author), below: None };
            let ids = view.outboxes(&[ask], 50).await.unwrap().ids;
            assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
            let page = guanxi_model::Page::new(guanxi_model::PageStart::Newest, 60).unwrap();
            let followers = view.list(uid(author), guanxi_model::List::Followers, page).await.unwrap().items;
            assert!(followers.is_sorted_by(|a, b| a > b), "{followers:?}");
            lists += 1;
        }
        tokio::task::yield_now().await;
    }
    lists
}
