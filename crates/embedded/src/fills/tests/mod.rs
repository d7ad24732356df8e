//! What memory and the tables say together, at newer and older views.

mod history;

use crate::options::{Durability, Options};
use crate::store::EmbeddedStore;
use crate::view::View;
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::{HistoryId, ManualClock, Op, PairCommand, PostId, Uid, Visibility, Write};
use guanxi_ports::{Facts as _, Store as _};
use std::sync::Arc;
use std::time::Duration;

struct Opened {
    store: EmbeddedStore,
    _dir: tempfile::TempDir,
}

/// A new directory, and so many bytes for headers in memory.
fn open(item_cache_bytes: u64) -> Opened {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        new_history: HistoryId(1),
        free_space_reserve: 0,
        item_cache_bytes,
        durability: Durability::Group(Duration::from_secs(1)),
        ..Options::default()
    };
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    Opened { store: EmbeddedStore::open(dir.path(), options, clock).unwrap(), _dir: dir }
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

async fn command(opened: &Opened, command: PostCommand) -> PostId {
    let write = Write::of(command);
    let answer = opened.store.apply(write).await.unwrap();
    assert_eq!(answer.clone().post().unwrap().result, Ok(true));
    answer.post().unwrap().id.unwrap()
}

async fn post(opened: &Opened) -> PostId {
    let body = Body { text: "said".into(), ..Body::default() };
    let (visibility, reply_to, repost_of) = (Visibility::Public, None, None);
    command(opened, PostCommand::Create(Draft { author: uid(7), body, visibility, reply_to, repost_of }))
        .await
}

#[tokio::test]
async fn an_older_view_reads_the_headers_that_were_there() {
    // With a memory that has them from the first, and with one that has to be filled each time.
    for (bytes, held) in [(1 << 20, 2), (0, 0)] {
        let opened = open(bytes);
        let shared = opened.store.shared();
        let first = post(&opened).await;
        let before = shared.published.pin();
        let second = post(&opened).await;
        command(&opened, PostCommand::Delete { author: uid(7), id: first }).await;
        let now = shared.published.pin();
        let deleted = |view: &View| -> Vec<Option<bool>> {
            let headers = shared.headers_at(&[first, second], view).unwrap();
            headers.iter().map(|header| header.map(|header| header.deleted)).collect()
        };
        for _ in 0..2 {
            assert_eq!(deleted(&before), [Some(false), None]);
            assert_eq!(deleted(&now), [Some(true), Some(false)]);
        }
        assert_eq!(shared.headers.size().1, held);
    }
}

async fn act(store: &EmbeddedStore, op: Op, subject: u64, object: u64) {
    let commands = vec![PairCommand { op, subject: uid(subject), object: uid(object) }];
    store.apply(Write::all(commands)).await.unwrap();
}

async fn version(store: &EmbeddedStore, viewer: u64) -> u64 {
    store.view(None).await.unwrap().viewer_relations(uid(viewer)).await.unwrap().changed().seq()
}

#[tokio::test]
async fn the_version_follows_the_users_own_facts_whoever_changes_them() {
    let Opened { store, _dir } = open(0);
    assert_eq!(version(&store, 1).await, 0);
    act(&store, Op::Follow, 1, 2).await;
    let first = version(&store, 1).await;
    assert!(first > 0);
    act(&store, Op::Follow, 3, 1).await;
    act(&store, Op::Follow, 4, 5).await;
    assert_eq!(version(&store, 1).await, first, "a follower more says nothing about the user's own facts");
    let mut last = first;
    let changes = [
        (Op::Follow, 2, 1),
        (Op::Mute, 1, 9),
        (Op::Block, 1, 8),
        (Op::RemoveFollower, 2, 1),
        (Op::Unmute, 1, 9),
    ];
    for (op, subject, object) in changes {
        act(&store, op, subject, object).await;
        let now = version(&store, 1).await;
        assert!(now > last, "{op:?}");
        last = now;
    }
}
