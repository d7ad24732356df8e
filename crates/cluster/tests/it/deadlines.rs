//! A call that a database cannot answer is answered before the deadline that calls have by default. The answer of a write says
//! whether it is open, so that a repetition does it, or committed, so that it completes by itself.

use crate::pair::{Pair, act, assert_clean, eventually, list, median, open, options, u};
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::error::{WRITE_COMMITTED, WRITE_OPEN};
use guanxi_model::{List, Op, Page, Reason};
use guanxi_ports::Store as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The deadline of a call that names none.
const DEADLINE: Duration = Duration::from_secs(2);

/// Why a database does not answer.
#[derive(Clone, Copy, Debug)]
enum Sick {
    /// Connections to it are refused.
    Away,
    /// It takes questions and gives no answers.
    Frozen,
    /// It has no room for what follows from others' events.
    Full,
    /// Its shards are not where processes know them.
    Moved,
}

impl Sick {
    const ALL: [Self; 4] = [Self::Away, Self::Frozen, Self::Full, Self::Moved];

    /// Makes the second database of a pair so, or well again.
    async fn set(self, pair: &Pair, is_sick: bool) {
        let faults = &pair.proxies[1].faults;
        let set = |flag: &AtomicBool| flag.store(is_sick, Ordering::Relaxed);
        match self {
            Self::Away => set(&faults.is_down),
            Self::Frozen => set(&faults.is_silent),
            Self::Full => sql(pair, if is_sick { FULL } else { FREE }).await,
            Self::Moved => sql(pair, &format!("update gx.shard set writable = {}", !is_sick)).await,
        }
    }
}

/// What a server says whose disk is full, for what is derived from a block.
const FULL: &str = "create or replace function gx.full() returns trigger language plpgsql as \
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$; \
    create trigger is_full before insert on gx.blocked_by for each row execute function gx.full()";

const FREE: &str = "drop trigger is_full on gx.blocked_by";

async fn sql(pair: &Pair, sql: &str) {
    pair.client(1).await.batch_execute(sql).await.unwrap();
}

/// Has a user block some, each of which is refused. Returns how long that took.
async fn refused(
    store: &ClusterStore,
    subject: u64,
    objects: [u64; 3],
    write: &'static str,
) -> Vec<Duration> {
    let mut took = Vec::new();
    for object in objects {
        let began = Instant::now();
        let error = act(store, Op::Block, subject, object).await.unwrap_err();
        assert_eq!(error.reason, Reason::ShardUnavailable { write }, "{error}");
        took.push(began.elapsed());
    }
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_calls_a_database_that_does_not_answer_is_told_before_the_deadline() {
    let pair = Pair::new().await;
    for (first, sick) in (1_000..).step_by(100).zip(Sick::ALL) {
        let store = open(&pair.lines, options(CarryMode::Log, true)).await;
        act(&store, Op::Block, 3, first).await.unwrap();
        act(&store, Op::Block, 2, first + 1).await.unwrap();
        sick.set(&pair, true).await;
        // The fact is of a database that is well, and the other has to know of it.
        let objects = [first + 11, first + 13, first + 15];
        let towards = refused(&store, 2, objects, WRITE_COMMITTED).await;
        assert!(median(&towards) < DEADLINE, "{sick:?}: {towards:?}");
        // A full one still writes what takes no room: its own facts.
        if !matches!(sick, Sick::Full) {
            let others = [first + 21, first + 23, first + 25];
            let of_it = refused(&store, 3, others, WRITE_OPEN).await;
            assert!(median(&of_it) < DEADLINE, "{sick:?}: {of_it:?}");
            println!("{sick:?}: refused after {towards:?}, and {of_it:?} of its own");
        }
        if matches!(sick, Sick::Away | Sick::Frozen) {
            let view = store.view(None).await.unwrap();
            let began = Instant::now();
            let error = view.list(u(3), List::Following, Page::first()).await.unwrap_err();
            assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE);
            assert!(began.elapsed() < DEADLINE);
        }
        sick.set(&pair, false).await;
        eventually(async || store.settle().await.is_ok()).await;
        for object in objects {
            let view = store.view(None).await.unwrap();
            let relation = view.relations(u(object), &[u(2)]).await.unwrap()[0];
            assert!(relation.blocked_by, "{sick:?}: it completed by itself");
        }
        eventually(async || act(&store, Op::Block, 3, first + 21).await.is_ok()).await;
        assert!(list(&store, 3, List::Following, None).await.is_empty());
    }
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    store.settle().await.unwrap();
    assert_clean(&store).await;
}

/// Callers who come while the first one waits do not wait longer than it does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_who_call_a_frozen_database_are_told_before_the_deadline() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 3, 5).await.unwrap();
    pair.proxies[1].faults.is_silent.store(true, Ordering::Relaxed);
    let mut calls = Vec::new();
    for n in 0..40_u64 {
        let store = store.clone();
        let call = async move {
            let began = Instant::now();
            let error = act(&store, Op::Follow, 3 + 2 * (n % 8), 1_001 + 2 * n).await.unwrap_err();
            let is_typed = matches!(error.reason, Reason::ShardUnavailable { .. } | Reason::OutcomeUnknown);
            assert!(is_typed, "{error}");
            began.elapsed()
        };
        calls.push(tokio::spawn(call));
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    let mut took = Vec::new();
    for call in calls {
        took.push(call.await.unwrap());
    }
    took.sort_unstable();
    println!("{:?} at most, {:?} the middle one", took[took.len() - 1], median(&took));
    // A tenth of them may meet a machine that is busy.
    assert!(took[took.len() * 9 / 10] < DEADLINE, "{took:?}");
    pair.proxies[1].faults.is_silent.store(false, Ordering::Relaxed);
    eventually(async || store.settle().await.is_ok()).await;
    assert!(act(&store, Op::Follow, 3, 7).await.is_ok());
    store.settle().await.unwrap();
    assert_clean(&store).await;
}
