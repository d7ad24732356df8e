//! The paces of an index, in the threads that write it. A test measures the least time that the writes take at a pace.

use crate::world::{HISTORY, at, doc, options, post};
use guanxi_model::Logs;
use guanxi_model::post::PostStats;
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{IndexChange, PostDoc};
use guanxi_search::{IndexOptions, Pace, PostIndexStore, PostIndexWriter, StoreOptions};
use std::time::{Duration, Instant};

const SLOW: Duration = Duration::from_millis(300);

fn put(id: u64) -> IndexChange<PostDoc> {
    IndexChange::Put(PostDoc {
        id: post(id),
        author: crate::world::uid(1),
        form: PostForm::Post,
        audience: Audience::Public,
        state: PostState::Live,
        created_ms: 0,
        stats: PostStats::default(),
        revision: 1,
        digest: id,
        text: "tea".to_owned(),
    })
}

#[tokio::test]
async fn documents_are_taken_in_at_their_pace() {
    for is_built in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let index = IndexOptions { pace: Pace::new(1_000, u64::MAX), ..options() };
        let path = dir.path().join("search");
        let store = PostIndexStore::open(&path, StoreOptions::new(index), HISTORY, Logs::One).unwrap();
        let mut indexing = store.indexing().await.unwrap();
        indexing.begin_anew(at(1)).await.unwrap();
        if is_built {
            indexing.finish().await.unwrap();
        }
        let begin = Instant::now();
        for batch in 0..5 {
            let changes = (1..=100).map(|id| put(batch * 100 + id)).collect();
            indexing.apply(changes, at(2 + batch), None).await.unwrap();
        }
        assert!(begin.elapsed() > SLOW, "500 at 1,000 a second, 100 ms ahead, built: {is_built}");
    }
}

#[test]
fn segments_are_merged_at_their_pace() {
    let dir = tempfile::tempdir().unwrap();
    let index = IndexOptions { pace: Pace::new(u64::MAX, 10_000), ..options() };
    let mut writer = PostIndexWriter::create(dir.path(), index, at(0)).unwrap();
    let text = |id: u64| (0..50).map(|word| format!("{id}x{word} ")).collect::<String>();
    let begin = Instant::now();
    writer.apply((1..=50).map(|id| IndexChange::Put(doc(id, &text(id))))).unwrap();
    writer.commit(at(1)).unwrap();
    let written = begin.elapsed();
    writer.apply([IndexChange::Remove(post(1))]).unwrap();
    writer.commit(at(2)).unwrap();
    let begin = Instant::now();
    let mut merge = writer.rewrite().unwrap();
    while merge.is_done().is_none() {
        std::thread::yield_now();
    }
    let merged = begin.elapsed();
    assert!(merged > SLOW && merged > written, "merged in {merged:?}, written in {written:?}");
}
