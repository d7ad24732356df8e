//! Deleted posts by time: what is on one side only is named.

use super::traces::{FIRST, check_in};
use super::*;
use guanxi_model::PostId;

/// The post of 1 that is deleted in the golden directory, and since when.
const DELETED: u64 = 3_159_632_973_398_016_001;
const LAST_MS: u64 = 1_700_000_011_000;

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
            |_, b| b.remove(Table::Records, &key(LAST_MS, DELETED)),
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
            |_, b| b.put(Table::Records, &key(LAST_MS + 1, DELETED), &[]),
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "flip the time of a post",
            |e, b| {
                let mut value = value(e, DELETED);
                value.post.deleted_ms = Some(5);
                b.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
            },
            &[(DeletedIndex, Some(1), None), (DeletedIndex, Some(1), None)],
        ),
        (
            "a deleted post without a time",
            |e, b| {
                let mut value = value(e, DELETED);
                value.post.deleted_ms = None;
                b.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
                b.remove(Table::Records, &key(LAST_MS, DELETED));
            },
            &[(DeletedIndex, Some(1), None)],
        ),
        (
            "one with a value",
            |_, b| b.put(Table::Records, &key(7, FIRST), &[1]),
            &[(Undecodable, None, None)],
        ),
    ];
    check_in(&cases).await;
}
