//! A process whose clock is wrong writes nothing, and answers reads.

use crate::pair::{Pair, WallClock, act, eventually, list, log_of, open, options, serving};
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::{Clock, List, Op, Reason};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that is off by so many milliseconds.
#[derive(Default)]
struct OffClock(AtomicI64);

impl Clock for OffClock {
    fn now_ms(&self) -> u64 {
        WallClock.now_ms().checked_add_signed(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

const THREE_DAYS: i64 = 3 * 24 * 3_600_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_with_a_wrong_clock_refuses_writes_until_it_is_right() {
    let pair = Pair::new().await;
    let clock = Arc::new(OffClock::default());
    let served = ClusterOptions { serving: Some(serving("api,worker")), ..options(CarryMode::Log, true) };
    let right = open(&pair.lines, options(CarryMode::Log, false)).await;
    for off in [THREE_DAYS, -2_000] {
        // From the start, and while it serves.
        clock.0.store(off, Ordering::Relaxed);
        let store = ClusterStore::open(&databases(&pair.lines), served, clock.clone()).await.unwrap();
        for _ in 0..2 {
            clock.0.store(off, Ordering::Relaxed);
            assert_eq!(act(&store, Op::Follow, 2, 3).await.unwrap_err().reason, Reason::ClockWrong);
            assert!(!store.is_in_time());
            assert!(store.problems()[0].contains("synchronize both"), "{:?}", store.problems());
            // What it reads it reads; what is not applied yet other processes apply.
            let (_, token) = act(&right, Op::Follow, 5, 4).await.unwrap();
            assert!(list(&store, 5, List::Following, None).await.contains(&4));
            assert_eq!(list(&right, 4, List::Followers, Some(&token)).await, [5].into());
            assert_eq!(list(&store, 4, List::Followers, Some(&token)).await, [5].into());
            act(&right, Op::Unfollow, 5, 4).await.unwrap();
            // Nothing that it writes, or has applied, is of another time.
            clock.0.store(0, Ordering::Relaxed);
            eventually(async || act(&store, Op::Follow, 2, 3).await.is_ok()).await;
            act(&store, Op::Unfollow, 2, 3).await.unwrap();
            assert_eq!(store.problems(), [""; 0]);
        }
        store.leave().await;
    }
    for event in log_of(&right, 2).await {
        assert!(event.version.ms().abs_diff(WallClock.now_ms()) < 3_600_000, "{event:?}");
    }
}
