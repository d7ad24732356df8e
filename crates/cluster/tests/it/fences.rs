//! What a process does not know or cannot do is refused by the database: shards that are elsewhere now, and a full disk.

use crate::pair::{Pair, act, assert_clean, eventually, list, open, options, u};
use guanxi_cluster::CarryMode;
use guanxi_model::error::WRITE_COMMITTED;
use guanxi_model::{List, Op, Page, Reason};
use guanxi_ports::Store as _;
use std::collections::BTreeSet;
use std::time::Duration;

/// Some genes of the first database, among them that of user 2.
const GENES: &str = "gene % 16 = 2";

async fn sql(pair: &Pair, n: usize, sql: &str) {
    pair.client(n).await.batch_execute(sql).await.unwrap();
}

/// Rows of a user in a database.
async fn follows(pair: &Pair, n: usize) -> i64 {
    let sql = "select count(*) from gx.follow where subject = 2";
    pair.client(n).await.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_an_old_map_writes_and_reads_nothing_in_the_wrong_place() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 2, 100).await.unwrap();
    // The map has changed: a writer meets the fence, reads the map anew, and goes on.
    sql(&pair, 0, &format!("update meta.shard set epoch = 2 where {GENES}")).await;
    sql(&pair, 0, &format!("update gx.shard set epoch = 2 where {GENES}")).await;
    assert!(act(&store, Op::Follow, 2, 101).await.unwrap().0);
    assert_eq!(list(&store, 2, List::Following, None).await, [100, 101].into());
    // It moves: who writes waits for a moment, and goes on where it is then.
    sql(&pair, 0, &format!("update gx.shard set epoch = 3, writable = false where {GENES}")).await;
    let waits = tokio::spawn({
        let store = store.clone();
        async move { act(&store, Op::Follow, 2, 102).await }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(follows(&pair, 0).await, 2, "nothing is written meanwhile");
    sql(&pair, 0, &format!("update meta.shard set epoch = 3 where {GENES}")).await;
    sql(&pair, 0, &format!("update gx.shard set writable = true where {GENES}")).await;
    assert!(waits.await.unwrap().unwrap().0);
    // The map names a database that does not have it, and the one that had it is fenced: refused, and written nowhere.
    sql(&pair, 0, &format!("update meta.shard set epoch = 4, database = 1 where {GENES}")).await;
    sql(&pair, 0, &format!("update gx.shard set epoch = 4, writable = false where {GENES}")).await;
    let error = act(&store, Op::Follow, 2, 103).await.unwrap_err();
    assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE);
    assert_eq!((follows(&pair, 0).await, follows(&pair, 1).await), (3, 0));
    let view = store.view(None).await.unwrap();
    let error = view.list(u(2), List::Following, Page::first()).await.unwrap_err();
    assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE, "what is left of it where it was is not read");
    drop(view);
    // Users of other shards do not notice.
    assert!(
        act(&store, Op::Follow, 3, 105).await.unwrap().0 && act(&store, Op::Follow, 4, 105).await.unwrap().0
    );
    sql(&pair, 0, &format!("update meta.shard set epoch = 5, database = 0 where {GENES}")).await;
    sql(&pair, 0, &format!("update gx.shard set epoch = 5, writable = true where {GENES}")).await;
    eventually(async || act(&store, Op::Follow, 2, 104).await.is_ok()).await;
    assert_eq!(list(&store, 2, List::Following, None).await, [100, 101, 102, 104].into());
    assert_clean(&store).await;
}

/// What a server says whose disk is full, for a table.
const FULL: &str = "create or replace function gx.full() returns trigger language plpgsql as \
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$; \
    create trigger is_full before insert on gx.follow for each row execute function gx.full(); \
    create trigger is_full before insert on gx.fan for each row execute function gx.full()";

const FREE: &str = "drop trigger is_full on gx.follow; drop trigger is_full on gx.fan";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_refuses_what_it_has_no_room_for() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 3, 5).await.unwrap();
    act(&store, Op::Follow, 7, 2).await.unwrap();
    store.settle().await.unwrap();
    sql(&pair, 1, FULL).await;
    let error = act(&store, Op::Follow, 3, 7).await.unwrap_err();
    assert!(matches!(error.reason, Reason::DiskFull { .. }), "{error}");
    // What takes no room goes on, and so does the other database, also towards this one.
    assert_eq!(list(&store, 3, List::Following, None).await, [5].into());
    for object in 0..5 {
        assert!(act(&store, Op::Follow, 2, 100 + 2 * object).await.unwrap().0);
        assert!(act(&store, Op::Follow, 4, 201 + 2 * object).await.unwrap().0);
    }
    assert!(list(&store, 201, List::Followers, None).await.is_empty());
    // A block stands in both shards or is not acknowledged: what comes before it has no room.
    let error = act(&store, Op::Block, 4, 201).await.unwrap_err();
    assert_eq!(error.reason, Reason::ShardUnavailable { write: WRITE_COMMITTED });
    sql(&pair, 1, FREE).await;
    assert!(act(&store, Op::Follow, 3, 7).await.unwrap().0);
    store.settle().await.unwrap();
    let view = store.view(None).await.unwrap();
    assert!(view.relations(u(201), &[u(4)]).await.unwrap()[0].blocked_by, "it was completed");
    drop(view);
    for object in 1..5 {
        assert_eq!(list(&store, 201 + 2 * object, List::Followers, None).await, BTreeSet::from([4]));
    }
    assert_clean(&store).await;
}
