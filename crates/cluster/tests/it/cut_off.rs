//! A process is cut off between two steps of a write: another one carries on what it left, or gives it back.

use crate::pair::{Pair, WallClock, act, assert_clean, eventually, list, open, options, u};
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{Clock, Command, FriendRequest, List, Op, PairCommand, Write};
use guanxi_ports::Facts as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A clock that is ahead, for tests that wait for something to be old.
struct LaterClock(u64);

impl Clock for LaterClock {
    fn now_ms(&self) -> u64 {
        WallClock.now_ms() + self.0
    }
}

/// Processes that are cut off, each later than the one before, until one comes to its end.
const TRIES_MAX: u64 = 16;

/// How long each has.
fn time_of(n: u64) -> Duration {
    Duration::from_millis(25).mul_f64(1.5_f64.powi(i32::try_from(n).unwrap()))
}

/// How often it is looked for what the server commits late, and the time in between.
const LATE_LOOKS: u32 = 20;
const LATE_PAUSE: Duration = Duration::from_millis(100);

/// How late answers are while a process is cut off.
const LATE_MS: u64 = 10;

/// Does a write of two users in a process that ends after a while, in the midst of its work. Returns whether that was long
/// enough.
fn cut_off(pair: &Pair, write: Write, (a, b): (u64, u64), after: Duration) -> bool {
    let (lines, faults) = (pair.lines.clone(), pair.proxies.each_ref().map(|proxy| proxy.faults.clone()));
    let process = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let late = |ms| faults.iter().for_each(|faults| faults.late_ms.store(ms, Ordering::Relaxed));
        let is_done = runtime.block_on(async {
            let store = open(&lines, options(CarryMode::Log, false)).await;
            // Others of the same shards, so that connections are there.
            for op in [Op::Block, Op::Unblock] {
                act(&store, op, a + 256, b + 256).await.unwrap();
                act(&store, op, b + 256, a + 256).await.unwrap();
            }
            late(LATE_MS);
            let written = tokio::spawn(async move { store.apply(write).await });
            tokio::time::sleep(after).await;
            written.is_finished()
        });
        runtime.shutdown_timeout(Duration::ZERO);
        late(0);
        is_done
    });
    process.join().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_carried_by_another_process() {
    let pair = Pair::new().await;
    let other = open(&pair.direct(), options(CarryMode::Log, true)).await;
    let mut took = Vec::new();
    for n in 0..10 {
        let (a, b) = (1_000 + 2 * n, 2_001 + 2 * n);
        let writer = open(&pair.direct(), options(CarryMode::Log, false)).await;
        act(&writer, Op::Follow, a, b).await.unwrap();
        drop(writer);
        let arrives = async || list(&other, b, List::Followers, None).await.contains(&a);
        took.push(eventually(arrives).await);
    }
    println!("carried within {:?} at most", took.iter().max());
    assert_clean(&other).await;
}

/// How many rows there are in both databases.
async fn count(pair: &Pair, sql: &str) -> i64 {
    let mut rows = 0;
    for n in 0..2 {
        rows += pair.client(n).await.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
    }
    rows
}

const ASKED: &str = "select count(*) from gx.request where kind is not null";
const SENT: &str = "select count(*) from gx.sent where kind is not null";
const RESERVED: &str = "select count(*) from gx.sent where kind is not null and not waits";
const PLACES: &str = "select coalesce(sum(asking), 0)::bigint from gx.user_state";

async fn survivor(pair: &Pair) -> ClusterStore {
    let options = options(CarryMode::Log, false);
    ClusterStore::open(&databases(&pair.direct()), options, Arc::new(LaterClock(61_000))).await.unwrap()
}

/// A place is reserved in the shard of the sender, then the request is stored in the other's. A process that dies in between
/// leaves a place that is given back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_that_nobody_comes_back_to_is_given_back() {
    let pair = Pair::new().await;
    let setup = open(&pair.direct(), options(CarryMode::Log, false)).await;
    let (mut reserved, mut left, mut tries) = (0, 0, 0);
    for n in 0..TRIES_MAX {
        let (a, b) = (1_000 + 2 * n, 2_001 + 2 * n);
        let patch = PrivacyPatch { locked: Some(true), ..PrivacyPatch::default() };
        setup.apply(Write::of(UserCommand::SetPrivacy { uid: u(b), patch })).await.unwrap();
        let follow = PairCommand { op: Op::Follow, subject: u(a), object: u(b) };
        let is_done = cut_off(&pair, Write::of(follow), (a, b), time_of(n));
        tries += 1;
        let now = count(&pair, RESERVED).await;
        (reserved, left) = (reserved + i64::from(now > left), now);
        if is_done {
            break;
        }
    }
    let survivor = survivor(&pair).await;
    survivor.settle().await.unwrap();
    survivor.keep_house().await.unwrap();
    survivor.settle().await.unwrap();
    let (asked, sent) = (count(&pair, ASKED).await, count(&pair, SENT).await);
    println!("{reserved} reservations were seen; {asked} requests came of {tries}");
    assert!(reserved > 0, "some were cut off in between");
    assert_eq!(count(&pair, RESERVED).await, 0, "none is left");
    assert_eq!((sent, count(&pair, PLACES).await), (asked, asked));
    assert_clean(&survivor).await;
}

/// Two become friends in the shard of who accepts, then in the other's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn friends_are_friends_in_both_shards_whoever_died() {
    let pair = Pair::new().await;
    let setup = open(&pair.direct(), options(CarryMode::Sync, false)).await;
    let (mut friends, mut between) = (0, 0);
    for n in 0..TRIES_MAX {
        let (a, b) = (u(1_000 + 2 * n), u(2_001 + 2 * n));
        let request = FriendRequest { sender: a, receiver: b, message: String::new(), ttl_ms: None };
        setup.apply(Write::of(Command::SendFriendRequest(request))).await.unwrap();
        let accept = PairCommand { op: Op::AcceptFriendRequest, subject: b, object: a };
        let is_done = cut_off(&pair, Write::of(accept), (a.get(), b.get()), time_of(n));
        let follows = "select count(*) from gx.follow where active and friend_at is not null";
        between += i64::from(count(&pair, follows).await % 2 != 0);
        let mut now = friends + 1;
        // The server may commit what was cut off a moment later.
        for _ in 0..LATE_LOOKS {
            for _ in 0..3 {
                setup.settle().await.unwrap();
            }
            now = count(&pair, follows).await;
            if now % 2 == 0 {
                break;
            }
            tokio::time::sleep(LATE_PAUSE).await;
        }
        assert!(now == friends || now == friends + 2, "both of them or none: {friends} and {now}");
        assert_eq!(count(&pair, ASKED).await, i64::try_from(n).unwrap() + 1 - now / 2);
        friends = now;
        if is_done {
            break;
        }
    }
    println!("{} became friends, {between} were cut off in between", friends / 2);
    assert!(friends > 0);
    assert_eq!(count(&pair, SENT).await, count(&pair, ASKED).await);
    assert_clean(&setup).await;
}
