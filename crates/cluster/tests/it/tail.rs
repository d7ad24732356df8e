//! A process looks at its logs once for all of its readers, and these are answered the same from what looks have brought and from the
//! table.

use crate::pair::{Pair, act, assert_clean, eventually, list, open, options, u};
use futures_util::future::join_all;
use guanxi_centers::log_readers::{Follower, follow};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::{EventAt, List, LogId, Logs, Op, Position, Reason, Result, Visibility, Write};
use guanxi_ports::{BoxFuture, EventBatch, Facts as _, Log as _};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// A reader that says where it is.
struct Reader {
    position: Position,
    told: watch::Sender<Position>,
}

impl Follower for Reader {
    fn position(&self) -> &Position {
        &self.position
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        self.position = batch.position;
        self.told.send_replace(self.position.clone());
        Box::pin(ready(Ok(())))
    }

    fn rebuild(&mut self, _: Position) -> BoxFuture<'_, Result<()>> {
        panic!("nothing is trimmed")
    }
}

/// Transactions that both databases have committed, as their statistics say.
async fn transactions(pair: &Pair) -> i64 {
    let mut sum = 0;
    for database in 0..2 {
        let asked = "select xact_commit from pg_stat_database where datname = current_database()";
        sum += pair.client(database).await.query_one(asked, &[]).await.unwrap().get::<_, i64>(0);
    }
    sum
}

/// Returns how many transactions it takes that another process writes and so many readers of one process follow.
async fn cost_of(pair: &Pair, readers: usize, from: u64) -> i64 {
    const WRITES: u64 = 150;
    let of = ClusterOptions { apply_every: None, ..options(CarryMode::Log, false) };
    let (writer, store) = (open(&pair.direct(), of).await, open(&pair.direct(), of).await);
    let head = store.head().await.unwrap();
    let reading = (0..readers).map(|_| {
        let (told, position) = watch::channel(head.clone());
        let (store, mut reader) = (store.clone(), Reader { position: head.clone(), told });
        let task = tokio::spawn(async move { follow(&*store, &mut reader, std::future::pending()).await });
        (task, position)
    });
    let reading: Vec<_> = reading.collect();
    // Statistics are told once a second at most.
    sleep(Duration::from_millis(1_100)).await;
    let before = transactions(pair).await;
    for n in 0..WRITES {
        act(&writer, Op::Follow, from + n % 16, from + 100 + n).await.unwrap();
        sleep(Duration::from_millis(8)).await;
    }
    let end = writer.head().await.unwrap();
    for (_, position) in &reading {
        position.clone().wait_for(|position| position.covers(&end)).await.unwrap();
    }
    sleep(Duration::from_millis(1_100)).await;
    let cost = transactions(pair).await - before;
    reading.into_iter().for_each(|(task, _)| task.abort());
    cost
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_of_a_process_cost_the_looks_of_one() {
    let pair = Pair::new().await;
    let (one, ten) = (cost_of(&pair, 1, 10_000).await, cost_of(&pair, 10, 20_000).await);
    println!("150 writes and one reader: {one} transactions, ten readers: {ten}");
    assert!(ten < one * 3 / 2, "one reader: {one} transactions, ten readers: {ten}");
}

/// Two processes: one reads what looks have brought, the other the table alone.
struct Both {
    pair: Pair,
    ring: Arc<ClusterStore>,
    table: Arc<ClusterStore>,
}

/// The log that is read, and its database.
const LOG: LogId = LogId(2);
const DATABASE: usize = 0;

impl Both {
    async fn new(log_events_max: u64) -> Self {
        let pair = Pair::new().await;
        let of = ClusterOptions { log_events_max, ..options(CarryMode::Log, false) };
        let ring = open(&pair.direct(), of).await;
        let table = open(&pair.direct(), ClusterOptions { ring_events_max: 0, ..of }).await;
        Self { pair, ring, table }
    }

    async fn sql(&self, sql: &str) {
        self.pair.client(DATABASE).await.batch_execute(sql).await.unwrap();
    }

    async fn read(store: &ClusterStore, after: u64, max: usize) -> std::result::Result<EventBatch, Reason> {
        let history = store.history();
        let after = Position::seen(history, Logs::PerGene, EventAt::new(LOG, after));
        store.read(LOG, &after, max).await.map_err(|error| error.reason)
    }

    /// Both answer the same, wherever somebody reads. Returns what they answer from the beginning.
    async fn same(&self) -> std::result::Result<EventBatch, Reason> {
        join_all([&self.ring, &self.table].map(|store| store.head())).await;
        for after in 0..25 {
            for max in [0, 1, 3, 1_000] {
                let ring = Self::read(&self.ring, after, max).await;
                assert_eq!(ring, Self::read(&self.table, after, max).await, "{max} after {after}");
            }
        }
        Self::read(&self.ring, 0, 1_000).await
    }

    /// The log has these events, for who reads the table.
    async fn without_rows(&self, then: impl AsyncFn(&Self)) {
        self.sql("create table public.kept as select * from gx.log; delete from gx.log").await;
        then(self).await;
        self.sql("insert into gx.log select * from public.kept; drop table public.kept").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_is_answered_the_same_by_the_ring_and_by_the_table() {
    let both = Both::new(1_000).await;
    for object in [3, 5, 4, 7] {
        act(&both.ring, Op::Follow, 2, object).await.unwrap();
    }
    // Of another log: its echo is an event of this one.
    act(&both.ring, Op::Follow, 3, 2).await.unwrap();
    both.ring.settle().await.unwrap();
    // Events that cannot be read from the beginning.
    both.sql(
        "create function damage() returns trigger language plpgsql as \
        $$ begin new.detail := '\\xff'; return new; end $$; \
        create trigger damage before insert on gx.log for each row when (new.gene = 2) execute function damage()",
    )
    .await;
    act(&both.table, Op::Follow, 2, 9).await.unwrap();
    both.sql("drop trigger damage on gx.log").await;
    let body = Body { text: "tea".to_owned(), attachments: Vec::new() };
    let draft = Draft { author: u(2), body, visibility: Visibility::Public, reply_to: None, repost_of: None };
    both.table.apply(Write::of(PostCommand::Create(draft))).await.unwrap();
    let all = both.same().await.unwrap();
    assert_eq!((all.events.len(), all.unreadable.len()), (6, 1), "{all:?}");
    assert!(all.events.iter().any(|event| event.echo.is_some()));
    // It does come from the ring.
    both.without_rows(async |both| {
        assert_eq!(Both::read(&both.ring, 0, 1_000).await.unwrap(), all);
        assert_eq!(Both::read(&both.table, 0, 1_000).await.unwrap_err(), Reason::Trimmed);
    })
    .await;
    // A process knows at once what it has written itself, before any look.
    act(&both.ring, Op::Follow, 2, 11).await.unwrap();
    assert_eq!(Both::read(&both.ring, 7, 9).await.unwrap().events.len(), 1);
    // A log that was trimmed.
    both.sql(
        "update gx.shard set first_seq = 4 where gene = 2; delete from gx.log where gene = 2 and seq < 4",
    )
    .await;
    assert_eq!(both.same().await, Err(Reason::Trimmed));
    assert_eq!(Both::read(&both.ring, 3, 1_000).await.unwrap().events.len(), 4);
    assert_eq!(Both::read(&both.ring, 9, 1_000).await, Err(Reason::TokenAhead));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_looks_have_brought_is_applied_from_there() {
    let both = Both::new(1_000).await;
    for object in [4, 5] {
        act(&both.table, Op::Follow, 2, object).await.unwrap();
    }
    both.ring.head().await.unwrap();
    both.without_rows(async |both| both.ring.settle().await.unwrap()).await;
    for object in [4, 5] {
        assert_eq!(list(&both.ring, object, List::Followers, None).await, [2].into());
    }
    assert_clean(&both.ring).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_served_no_more_and_what_was_lost_is_refused_by_both() {
    let both = Both::new(5).await;
    for object in 3..12 {
        act(&both.ring, Op::Follow, 2, object).await.unwrap();
    }
    assert_eq!(both.same().await, Err(Reason::Trimmed), "more than five are not served");
    assert_eq!(Both::read(&both.ring, 4, 9).await.unwrap().events.len(), 5);
    both.ring.settle().await.unwrap();
    // Another event where one was: the next look finds it, when the log moves.
    both.sql("update gx.log set version = version + 1 where gene = 2 and seq = 9").await;
    let _noticed = act(&both.table, Op::Follow, 2, 13).await;
    let is_refused =
        async |store: &ClusterStore| Both::read(store, 8, 9).await == Err(Reason::DatabaseLostWrites);
    eventually(async || is_refused(&both.ring).await && is_refused(&both.table).await).await;
    let said = both.ring.problems().concat();
    assert!(said.contains("event 9 of log 02 is another one than"), "{said}");
    both.sql("update gx.log set version = version - 1 where gene = 2 and seq = 9").await;
    eventually(async || {
        let head = both.ring.head().await;
        head.is_ok() && Both::read(&both.ring, 8, 9).await.is_ok_and(|read| read.events.len() == 2)
    })
    .await;
    // The log became shorter.
    both.sql("delete from gx.log where gene = 2 and seq = 10; update gx.shard set seq = 9 where gene = 2")
        .await;
    eventually(async || is_refused(&both.ring).await && is_refused(&both.table).await).await;
}
