//! Deleted posts by time: what is on one side only is named, and old directories get it.

use super::traces::{check_in, old_store};
use super::*;
use crate::directory::upgrade::step_of_deleted_posts;
use guanxi_model::PostId;

/// What a program of format 6 left behind: 1 wrote three posts, 3 one, and 2 reposted the first. Deleted are the second, the
/// repost, and an imported one of 4; that of 3 has come back, the third was purged, and another one was imported as deleted.
const STORE: &str = "format-6-store";
const FIRST: u64 = 3_159_632_960_815_104_001;
const SECOND: u64 = 3_159_632_965_009_408_001;
const LAST_MS: u64 = 1_700_000_078_000;

fn key(ms: u64, raw: u64) -> [u8; 17] {
    deleted_post_key(ms, PostId::new(raw).unwrap())
}

fn value(engine: &Engine, raw: u64) -> PostValue {
    let id = PostId::new(raw).unwrap();
    PostValue::decode(id, &engine.snapshot().get(Table::Posts, &post_key(id)).unwrap().unwrap()).unwrap()
}

#[tokio::test]
async fn every_wrong_deletion_is_named() {
    let cases: [(&str, Corrupt, &[Named]); 8] = [
        ("nothing", |_, _| {}, &[]),
        (
            "drop one",
            |_, b| b.remove(Table::Records, &key(LAST_MS, SECOND)),
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "add one of a post that is not deleted",
            |_, b| b.put(Table::Records, &key(LAST_MS, FIRST), &[]),
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "add one of no post",
            |_, b| b.put(Table::Records, &key(LAST_MS, 5), &[]),
            &[(DeletedIndex, None, None)],
        ),
        (
            "add one at another time",
            |_, b| b.put(Table::Records, &key(LAST_MS + 1, SECOND), &[]),
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "flip the time of a post",
            |e, b| {
                let mut value = value(e, SECOND);
                value.post.deleted_ms = Some(5);
                b.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
            },
            &[(DeletedIndex, Some(1), None), (DeletedIndex, Some(1), None)],
        ),
        (
            "a deleted post without a time",
            |e, b| {
                let mut value = value(e, SECOND);
                value.post.deleted_ms = None;
                b.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
                b.remove(Table::Records, &key(LAST_MS, SECOND));
            },
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "one with a value",
            |_, b| b.put(Table::Records, &key(7, FIRST), &[1]),
            &[(Undecodable, None, None)],
        ),
    ];
    check_in(STORE, &cases).await;
}

/// Posts, and deleted posts by time.
fn rows_of(engine: &Engine) -> Vec<(Vec<u8>, Vec<u8>)> {
    let snapshot = engine.snapshot();
    let posts = snapshot.prefix(Table::Posts, &[]).chain(snapshot.prefix(Table::Records, &[DELETED_POST]));
    posts.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect()
}

#[test]
fn an_upgrade_to_format_7_that_was_cut_off_goes_on() {
    let whole = {
        let dir = old_store(STORE);
        rows_of(&open_engine(dir.path(), &Options::default()).unwrap())
    };
    assert_eq!(whole.len(), 10, "seven posts, of which three are deleted and can be restored");
    for posts in [1, 2, 3, 7, 8] {
        let dir = old_store(STORE);
        {
            let engine = open_engine(dir.path(), &Options::default()).unwrap();
            let mut batch = engine.batch();
            for (key, bytes) in &whole {
                match parse_post_key(key).and_then(|id| PostValue::decode(id, bytes)) {
                    Some(mut value) => {
                        value.post.deleted_ms = None;
                        batch.put(Table::Posts, key, &value.encode());
                    }
                    None => batch.remove(Table::Records, key),
                }
            }
            batch.commit(Wait::Disk).unwrap();
        }
        let mut steps = 0;
        loop {
            // Each step is after another death.
            let engine = open_engine(dir.path(), &Options::default()).unwrap();
            let more = step_of_deleted_posts(&engine, LAST_MS, posts).unwrap();
            assert_eq!(engine.snapshot().contains(Table::Records, UPGRADE_7_KEY).unwrap(), more);
            steps += 1;
            if !more {
                break;
            }
        }
        assert_eq!(steps, 7 / posts + 1, "{posts} posts at a time");
        let engine = open_engine(dir.path(), &Options::default()).unwrap();
        assert_eq!(rows_of(&engine), whole, "{posts} posts at a time");
    }
}
