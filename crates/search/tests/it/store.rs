//! The index behind the ports: its state when its directory is of no use, its disk is full, or its follower ends.

use crate::world::{HISTORY, at, options, post, uid};
use guanxi_model::post::PostStats;
use guanxi_model::{Error, HistoryId, Logs, Reason};
use guanxi_ports::search::{
    Audience, PostForm, PostState, PostTable as _, RowAsk, RowOrder, RowWalks as _, WALKS_HELD_MAX, WALKS_MAX,
};
use guanxi_ports::{Circle, IndexChange, IndexStage, PostAsk, PostDoc, PostSearch as _, SearchIndex as _};
use guanxi_search::{IndexOptions, PostIndexStore, StoreOptions};
use guanxi_text::Query;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn open_as(dir: &Path, index: IndexOptions, history: HistoryId) -> Result<PostIndexStore, Error> {
    let options = StoreOptions { commit_every: Duration::from_hours(1), ..StoreOptions::new(index) };
    PostIndexStore::open(&dir.join("search"), options, history, Logs::One)
}

fn open(dir: &Path) -> PostIndexStore {
    open_as(dir, options(), HISTORY).unwrap()
}

fn put(id: u64, text: &str) -> IndexChange<PostDoc> {
    IndexChange::Put(PostDoc {
        id: post(id),
        author: uid(1),
        form: PostForm::Post,
        audience: Audience::Public,
        state: PostState::Live,
        created_ms: 0,
        stats: PostStats::default(),
        revision: 1,
        digest: id,
        text: text.to_owned(),
    })
}

async fn found(store: &PostIndexStore, query: &str) -> Result<Vec<u64>, Error> {
    let query = Query::parse(query).unwrap();
    let (author, replies, from, below) = (None, None, None, None);
    let ask = PostAsk { query: &query, author, replies, from, below, circle: Circle::Public, max: 10 };
    Ok(store.search(ask).await?.ids.into_iter().map(guanxi_model::PostId::get).collect())
}

/// Builds an index with one post.
async fn build(store: &PostIndexStore, seq: u64) {
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(seq)).await.unwrap();
    indexing.apply(vec![put(7, "Green-Tea: 绿茶")], at(seq), None).await.unwrap();
    indexing.finish().await.unwrap();
    assert_eq!(indexing.stage(), IndexStage::Whole);
}

const fn none(cause: &'static str) -> Reason {
    Reason::SearchUnavailable { cause }
}

#[tokio::test]
async fn an_index_is_searched_once_it_is_built_and_found_again_by_the_next_process() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    assert_eq!(store.as_of().unwrap_err().reason, none("building"));
    assert_eq!(store.indexing().await.unwrap().stage(), IndexStage::Absent);
    build(&store, 4).await;
    for (query, ids) in
        [("tea", &[7][..]), ("\"green tea\"", &[7]), ("绿茶", &[7]), ("茶绿", &[]), ("gre* -绿", &[])]
    {
        assert_eq!(found(&store, query).await.unwrap(), ids, "{query}");
    }
    let mut indexing = store.indexing().await.unwrap();
    indexing.apply(vec![put(8, "tea")], at(5), None).await.unwrap();
    store.wait(&at(5)).await.unwrap();
    indexing.apply(vec![put(9, "tea")], at(6), None).await.unwrap();
    assert_eq!(store.as_of().unwrap(), at(5), "an hour has not passed, and nobody waits");
    assert_eq!(found(&store, "tea").await.unwrap(), [8, 7]);
    indexing.apply(Vec::new(), at(7), None).await.unwrap();
    store.close().await.unwrap();
    assert!(indexing.apply(Vec::new(), at(8), None).await.is_err(), "the store has ended");

    let store = open(dir.path());
    assert_eq!((found(&store, "tea").await.unwrap(), store.as_of().unwrap()), (vec![9, 8, 7], at(7)));
    let other = open_as(dir.path(), options(), HISTORY).unwrap_err();
    assert_eq!(other.reason, none("failed"), "two do not have it");
}

#[tokio::test]
async fn what_was_not_committed_is_dropped_with_its_position() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    let mut indexing = store.indexing().await.unwrap();
    indexing.apply(vec![put(8, "tea"), IndexChange::Remove(post(7))], at(5), None).await.unwrap();
    assert_eq!(indexing.position(), &at(5));
    assert_eq!(store.indexing().await.unwrap().position(), &at(4), "another follower begins at what is kept");
    indexing.apply(vec![put(8, "tea")], at(5), None).await.unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!((found(&store, "tea").await.unwrap(), store.as_of().unwrap()), (vec![7], at(4)));
}

#[tokio::test]
async fn an_index_of_no_use_says_why_until_another_one_is_built() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    drop(store);
    let later = IndexOptions { analyser: 9, ..options() };
    let store = open_as(dir.path(), later.clone(), HISTORY).unwrap();
    let error = found(&store, "tea").await.unwrap_err();
    assert_eq!(error.reason, none("building"));
    assert!(error.to_string().contains("version 3 of the analyser"), "{error}");
    let waits = store.wait(&at(1)).await.unwrap_err();
    assert_eq!(waits.reason, none("building"));
    build(&store, 5).await;
    assert_eq!(found(&store, "tea").await.unwrap(), [7]);
    drop(store);
    assert_eq!(open_as(dir.path(), later, HISTORY).unwrap().as_of().unwrap(), at(5));
    let names = std::fs::read_dir(dir.path().join("search/posts")).unwrap().count();
    assert_eq!(names, 2, "the one before is removed");
}

/// A later program's index is left as it is, so that it answers again once that program is back.
#[tokio::test]
async fn an_index_of_a_later_format_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    drop(store);
    let meta = dir.path().join("search/posts/index-1/meta.json");
    let text = std::fs::read_to_string(&meta).unwrap();
    // Its fields may be others, too.
    let later =
        text.replace("guanxi-search format=3", "guanxi-search format=9").replace("\"digest\"", "\"digests\"");
    assert_ne!(later, text);
    std::fs::write(&meta, &later).unwrap();
    let store = open(dir.path());
    let told = found(&store, "tea").await.unwrap_err();
    assert_eq!(told.reason, none("newer_format"));
    assert!(told.to_string().contains("the format 9"), "{told}");
    assert_eq!(store.indexing().await.err().map(|error| error.reason), Some(none("newer_format")));
    store.close().await.unwrap();
    drop(store);
    assert_eq!(std::fs::read_to_string(&meta).unwrap(), later);
    std::fs::write(&meta, text).unwrap();
    assert_eq!(found(&open(dir.path()), "tea").await.unwrap(), [7]);
}

#[tokio::test]
async fn the_old_index_answers_while_another_one_is_built_and_after_that_was_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(9)).await.unwrap();
    indexing.apply(vec![put(2, "coffee")], at(9), None).await.unwrap();
    assert_eq!((found(&store, "tea").await.unwrap(), store.as_of().unwrap()), (vec![7], at(4)));
    drop(store);
    let store = open(dir.path());
    assert_eq!((found(&store, "tea").await.unwrap(), store.as_of().unwrap()), (vec![7], at(4)));
    build(&store, 9).await;
    assert_eq!(store.as_of().unwrap(), at(9));
}

#[tokio::test]
async fn a_full_disk_is_told_to_the_follower_and_what_was_built_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let free = Arc::new(AtomicU64::new(1));
    let asked = Arc::clone(&free);
    let free_bytes = Arc::new(move || Ok(asked.load(Ordering::Relaxed)));
    let store =
        open_as(dir.path(), IndexOptions { reserve_bytes: 1, free_bytes, ..options() }, HISTORY).unwrap();
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(3)).await.unwrap();
    indexing.apply(vec![put(2, "tea"), put(5, "tea")], at(3), None).await.unwrap();
    free.store(0, Ordering::Relaxed);
    let full = indexing.apply(vec![put(6, "tea")], at(3), None).await.unwrap_err();
    assert_eq!(full.reason, none("no_room"));
    assert_eq!(store.as_of().unwrap_err().reason, none("no_room"), "readers are told, too");
    free.store(1, Ordering::Relaxed);
    let mut indexing = store.indexing().await.unwrap();
    assert_eq!((indexing.stage(), indexing.position()), (IndexStage::Building(Some(post(5))), &at(3)));
    assert_eq!(store.as_of().unwrap_err().reason, none("building"));
    indexing.apply(vec![put(6, "tea")], at(3), None).await.unwrap();
    indexing.finish().await.unwrap();
    assert_eq!(found(&store, "tea").await.unwrap(), [6, 5, 2]);

    indexing.apply(vec![put(7, "tea")], at(4), None).await.unwrap();
    free.store(0, Ordering::Relaxed);
    let kept = tokio::join!(indexing.keep(), async {
        drop(tokio::time::timeout(Duration::from_millis(300), store.wait(&at(4))).await);
    })
    .0;
    assert_eq!(kept.unwrap_err().reason, none("no_room"), "who waits for the commit is told");
    assert_eq!(found(&store, "tea").await.unwrap(), [6, 5, 2], "searches go on");
    free.store(1, Ordering::Relaxed);
    let mut indexing = store.indexing().await.unwrap();
    assert_eq!(indexing.position(), &at(3));
    indexing.apply(vec![put(7, "tea")], at(4), None).await.unwrap();
    store.wait(&at(4)).await.unwrap();
    indexing.keep().await.unwrap();
    assert_eq!(found(&store, "tea").await.unwrap(), [7, 6, 5, 2]);
}

#[tokio::test]
async fn a_prefix_that_is_too_wide_is_a_query_that_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 1).await;
    let mut indexing = store.indexing().await.unwrap();
    let words = |id: u64| put(id, &format!("word{id}"));
    indexing.apply((10..400).map(words).collect(), at(2), None).await.unwrap();
    store.wait(&at(2)).await.unwrap();
    let wide = found(&store, "wo*").await.unwrap_err();
    assert_eq!(wide.reason, Reason::BadQuery { position: 0, expected: "a_longer_prefix" });
}

/// Whether any segment below a directory has a document that was removed: its words are in the files still.
fn has_tombstones(dir: &Path) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { has_tombstones(&path) } else { path.extension().is_some_and(|kind| kind == "del") }
    })
}

async fn until_clean(dir: &Path) {
    let gone = async {
        while has_tombstones(dir) || dir.join("search/posts/ERASING").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("the segments are written anew");
}

#[tokio::test]
async fn segments_of_what_is_erased_are_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    let mut indexing = store.indexing().await.unwrap();
    // One of four is removed: below the three tenths at which a merge comes by itself, maybe before the test looks.
    indexing.apply((8..12).map(|id| put(id, "tea")).collect(), at(5), None).await.unwrap();
    store.wait(&at(5)).await.unwrap();
    // Removed: it may come back, and its words stay for now.
    indexing.apply(vec![IndexChange::Remove(post(8))], at(6), None).await.unwrap();
    store.wait(&at(6)).await.unwrap();
    assert!(has_tombstones(dir.path()));
    indexing.apply(vec![IndexChange::Erase(post(8))], at(7), None).await.unwrap();
    store.wait(&at(7)).await.unwrap();
    until_clean(dir.path()).await;
    assert_eq!(found(&store, "tea").await.unwrap(), [11, 10, 9, 7]);
    // The next time is a pause away, and a process that comes first does it.
    indexing.apply((12..16).map(|id| put(id, "tea")).collect(), at(8), None).await.unwrap();
    store.wait(&at(8)).await.unwrap();
    indexing.apply(vec![IndexChange::Erase(post(12))], at(9), None).await.unwrap();
    store.wait(&at(9)).await.unwrap();
    assert!(has_tombstones(dir.path()));
    drop(store);
    let store = open(dir.path());
    until_clean(dir.path()).await;
    assert_eq!(found(&store, "tea").await.unwrap(), [15, 14, 13, 11, 10, 9, 7]);
    // After a short rewriting, the pause is short, too.
    let mut indexing = store.indexing().await.unwrap();
    indexing.apply(vec![IndexChange::Erase(post(13))], at(10), None).await.unwrap();
    store.wait(&at(10)).await.unwrap();
    assert!(has_tombstones(dir.path()));
    until_clean(dir.path()).await;
}

/// A page of a walk over all posts, or the reason why there is none.
async fn page(store: &PostIndexStore, walk: Option<u64>) -> Result<u64, Reason> {
    let order = RowOrder { by: None, falling: false };
    let ask = RowAsk {
        texts: None,
        filters: Vec::new(),
        order,
        after: None,
        max: 9,
        total: None,
        sums: Vec::new(),
    };
    store.post_rows(walk, ask).await.map(|found| found.walk).map_err(|error| error.reason)
}

#[tokio::test]
async fn a_walk_that_is_held_outlives_others_and_ends_with_an_erasure_or_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    build(&store, 4).await;
    let ends = Arc::new(AtomicU64::new(0));
    let counted = ends.clone();
    store.at_end(Box::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    let (held, left) = (page(&store, None).await.unwrap(), page(&store, None).await.unwrap());
    store.hold(held).unwrap();
    for _ in 0..WALKS_MAX {
        page(&store, None).await.unwrap();
    }
    assert_eq!(page(&store, Some(held)).await, Ok(held));
    assert_eq!(page(&store, Some(left)).await, Err(Reason::StaleCursor));
    assert_eq!(store.hold(left).unwrap_err().reason, Reason::StaleCursor);
    store.end(held);
    assert_eq!(page(&store, Some(held)).await, Err(Reason::StaleCursor), "it was released");
    for _ in 0..WALKS_HELD_MAX {
        store.hold(page(&store, None).await.unwrap()).unwrap();
    }
    let more = page(&store, None).await.unwrap();
    assert!(matches!(store.hold(more).unwrap_err().reason, Reason::Overloaded { .. }));

    let mut indexing = store.indexing().await.unwrap();
    assert_eq!(ends.load(Ordering::Relaxed), 0);
    indexing.apply(vec![IndexChange::Erase(post(7))], at(5), None).await.unwrap();
    assert_eq!((ends.load(Ordering::Relaxed), page(&store, Some(more)).await), (1, Err(Reason::StaleCursor)));
    // The post is searched until the next commit, and a walk that begins before it shows it.
    let between = page(&store, None).await.unwrap();
    store.hold(between).unwrap();
    store.wait(&at(5)).await.unwrap();
    assert_eq!(
        (ends.load(Ordering::Relaxed), page(&store, Some(between)).await),
        (2, Err(Reason::StaleCursor))
    );
    let before = page(&store, None).await.unwrap();
    indexing.begin_anew(at(6)).await.unwrap();
    assert_eq!(
        (ends.load(Ordering::Relaxed), page(&store, Some(before)).await),
        (3, Err(Reason::StaleCursor))
    );
}
