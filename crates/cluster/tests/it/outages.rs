//! One of two servers is killed, falls silent, or becomes slow, while users of both write and read: nothing that was acknowledged is
//! lost, no answer is shorter than it should be, and users of the other one notice nothing.
//!
//! In a default run the first server, which has the map and the credentials, is killed and falls silent for a moment; with
//! `GUANXI_FAULTS=all` each server has each fault, for longer.

use crate::pair::{Pair, WallClock, act, assert_clean, eventually, list, median, open, options, u};
use crate::world::HISTORY;
use futures_util::future::{join, join_all};
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::log_readers::Hub;
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::{
    Credential, List, Logs, Op, Page, PageStart, PostPage, Principal, Reason, Visibility, Write,
};
use guanxi_ports::{CredentialWrites as _, Credentials as _, Facts as _, Store as _};
use guanxi_spec::memory::MemoryInbox;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// What happens to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Killed,
    Silent,
    Slow,
}

/// Callers of each database.
const CALLERS: u64 = 3;

/// What the callers of one database have seen.
#[derive(Debug, Default)]
struct Lived {
    /// Follows that were acknowledged.
    followed: BTreeSet<(u64, u64)>,
    /// How long calls took, in order of time.
    took: Vec<Duration>,
    refused: u64,
}

impl Lived {
    fn p99(&self) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        took[(took.len() * 99 / 100).min(took.len() - 1)]
    }
}

/// Users of one database: followers, and the users whom they follow.
struct Callers<'a> {
    store: &'a ClusterStore,
    database: u64,
    /// Which time it is: other users each time.
    turn: u64,
    /// The next one to be followed.
    next: &'a AtomicU64,
}

impl Callers<'_> {
    /// One user of the database: follows others of it and now and then of the other one, and reads what it follows.
    async fn live(&self, caller: u64, ends: &AtomicBool) -> Lived {
        let (uid, mut lived) = (1_000 + 100 * self.turn + 2 * caller + self.database, Lived::default());
        while !ends.load(Ordering::Acquire) {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            // Every fifth one is of the other database: that is a fact of this one all the same.
            let object =
                100_000 + 2 * n + if n.is_multiple_of(5) { 1 - self.database } else { self.database };
            let began = Instant::now();
            match act(self.store, Op::Follow, uid, object).await {
                Ok((changed, _)) => {
                    assert!(changed);
                    lived.followed.insert((uid, object));
                }
                Err(error) => lived.refuse(&error.reason),
            }
            lived.took.push(began.elapsed());
            let began = Instant::now();
            match self.following(uid).await {
                Ok(following) => {
                    let known: BTreeSet<u64> = lived.followed.iter().map(|(_, object)| *object).collect();
                    assert!(known.is_subset(&following), "a shorter list of {uid}");
                }
                Err(error) => lived.refuse(&error.reason),
            }
            lived.took.push(began.elapsed());
            sleep(Duration::from_millis(2)).await;
        }
        lived
    }

    async fn following(&self, uid: u64) -> guanxi_model::Result<BTreeSet<u64>> {
        let view = self.store.view(None).await?;
        let (mut all, mut start) = (BTreeSet::new(), PageStart::Newest);
        loop {
            let page = view.list(u(uid), List::Following, Page::new(start, 1_000).unwrap()).await?;
            all.extend(page.items.iter().map(|edge| edge.uid.get()));
            match page.next {
                Some(next) => start = PageStart::After(next),
                None => return Ok(all),
            }
        }
    }

    /// All of them, for a time.
    async fn all(&self, time: Duration) -> Lived {
        let ends = AtomicBool::new(false);
        let callers = join_all((0..CALLERS).map(|caller| self.live(caller, &ends)));
        let (lived, ()) = join(callers, async {
            sleep(time).await;
            ends.store(true, Ordering::Release);
        })
        .await;
        let mut all = Lived::default();
        for one in lived {
            all.followed.extend(one.followed);
            all.took.extend(one.took);
            all.refused += one.refused;
        }
        all
    }
}

impl Lived {
    fn refuse(&mut self, reason: &Reason) {
        let is_passing = matches!(
            reason,
            Reason::ShardUnavailable { .. } | Reason::OutcomeUnknown | Reason::Overloaded { .. }
        );
        assert!(is_passing, "{reason:?}");
        self.refused += 1;
    }
}

/// How soon followers of users of a database are there: the middle one of ten, which begin at a number. Callers are known all
/// the while.
async fn arrivals(store: &ClusterStore, database: u64, first: u64) -> Duration {
    let mut took = Vec::new();
    for n in first..first + 10 {
        let (a, b) = (50_000 + 2 * n + database, 60_000 + 2 * n + database);
        act(store, Op::Follow, a, b).await.unwrap();
        took.push(eventually(async || list(store, b, List::Followers, None).await.contains(&a)).await);
        assert!(store.find([7; 32]).await.unwrap().is_some(), "callers are known");
    }
    median(&took)
}

/// What users of the other database need of this process while one is away: followers are there as soon as before, and home is
/// never shorter.
async fn others_go_on(store: &Arc<ClusterStore>, well: u64, (first, fault): (u64, Fault)) -> Duration {
    let took = arrivals(store, well, first).await;
    let inbox = Arc::new(MemoryInbox::new(HISTORY, Logs::PerGene));
    let feed = FeedCenter::new(store.clone(), inbox, Hub::new(store.clone()), Arc::new(WallClock));
    let viewer = u(70_000 + well);
    let home = feed.home(viewer, PostPage { below: None, size: 10 }, None).await;
    match home {
        Ok(page) => assert_eq!(page.ids.len(), 2, "{fault:?}: never a shorter page"),
        Err(error) => {
            assert!(matches!(error.reason, Reason::ShardUnavailable { .. } | Reason::Overloaded { .. }));
        }
    }
    took
}

async fn post(store: &ClusterStore, author: u64) {
    let body = Body { text: "a post".to_owned(), attachments: Vec::new() };
    let visibility = Visibility::Public;
    let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of: None };
    store.apply(Write::of(PostCommand::Create(draft))).await.unwrap();
}

/// A cluster on two servers, whose users have written something.
async fn set_up() -> (Pair, Arc<ClusterStore>) {
    let pair = Pair::apart().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    let known = Credential {
        hash: [7; 32],
        name: "known".to_owned(),
        principal: Principal::Admin,
        created_ms: 0,
        rate_per_minute: None,
    };
    store.add(known).await.unwrap();
    for author in [80_000, 80_001] {
        for viewer in [70_000, 70_001] {
            act(&store, Op::Follow, viewer, author).await.unwrap();
        }
        post(&store, author).await;
    }
    store.settle().await.unwrap();
    (pair, store)
}

/// Waits until everything that was followed stands on both sides. Returns how long that took.
async fn repaired(store: &ClusterStore, followed: &BTreeSet<(u64, u64)>) -> Duration {
    let began = Instant::now();
    eventually(async || store.settle().await.is_ok()).await;
    for (subject, object) in followed {
        let arrives = async || {
            let view = store.view(None).await.unwrap();
            let page = view.list(u(*object), List::Followers, Page::first()).await;
            page.is_ok_and(|page| page.items.iter().any(|edge| edge.uid.get() == *subject))
        };
        eventually(arrives).await;
    }
    began.elapsed()
}

/// How many were followed so far, in each database.
type Next = [AtomicU64; 2];

async fn run(
    (pair, store): (&mut Pair, &Arc<ClusterStore>),
    (turn, next): (u64, &Next),
    (fault, sick): (Fault, usize),
    (time, is_strict): (Duration, bool),
) {
    let (sick_n, well_n) = (sick as u64, 1 - sick as u64);
    let callers = |database: u64| {
        let next = &next[usize::try_from(database).unwrap()];
        Callers { store, database, turn, next }
    };
    let (quiet, carried_before) =
        join(callers(well_n).all(time / 2), arrivals(store, well_n, 100 * turn)).await;
    let faults = pair.proxies[sick].faults.clone();
    let sick_world = pair.own_world(sick);
    let break_it = async {
        // In the midst of writes.
        sleep(time / 10).await;
        match fault {
            Fault::Killed => sick_world.kill(),
            Fault::Silent => faults.is_silent.store(true, Ordering::Relaxed),
            Fault::Slow => faults.late_ms.store(300, Ordering::Relaxed),
        }
    };
    let others = async {
        sleep(time / 5).await;
        others_go_on(store, well_n, (100 * turn + 10, fault)).await
    };
    let (of_sick, of_well) = (callers(sick_n), callers(well_n));
    let ((lived_sick, lived_well), (carried, ())) =
        join(join(of_sick.all(time), of_well.all(time)), join(others, break_it)).await;
    match fault {
        Fault::Killed => pair.own_world(sick).resume(),
        Fault::Silent => pair.proxies[sick].faults.is_silent.store(false, Ordering::Relaxed),
        Fault::Slow => pair.proxies[sick].faults.late_ms.store(0, Ordering::Relaxed),
    }
    let followed: BTreeSet<(u64, u64)> =
        [&quiet, &lived_sick, &lived_well].iter().flat_map(|lived| lived.followed.iter().copied()).collect();
    let repaired = repaired(store, &followed).await;
    let (before, during) = (quiet.p99(), lived_well.p99());
    println!(
        "{fault:?} of {sick}: p99 of the others {before:?} before and {during:?} meanwhile ({:.2}x, {} and {} calls), \
         their followers {carried_before:?} before and {carried:?} meanwhile; of its own {} calls {} were refused; all {} follows stand {repaired:?} after",
        during.as_secs_f64() / before.as_secs_f64(),
        quiet.took.len(),
        lived_well.took.len(),
        lived_sick.took.len(),
        lived_sick.refused,
        followed.len(),
    );
    assert_eq!((quiet.refused, lived_well.refused), (0, 0), "users of the other database are served");
    assert!(fault == Fault::Slow || lived_sick.refused > 0);
    assert!(carried < carried_before * 10, "{carried:?} and {carried_before:?}");
    // For twice as long: a quarter as many at a time.
    assert!(lived_well.took.len() * 2 > quiet.took.len());
    if is_strict {
        assert!(during < before * 2 + Duration::from_millis(5), "{during:?} and {before:?}");
    }
    assert_clean(store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_of_the_other_server_notice_nothing() {
    let is_all = std::env::var("GUANXI_FAULTS").is_ok_and(|faults| faults == "all");
    let faults = if is_all {
        let each = [Fault::Killed, Fault::Silent, Fault::Slow].map(|fault| [(fault, 0), (fault, 1)]);
        each.concat()
    } else {
        vec![(Fault::Killed, 0), (Fault::Silent, 0)]
    };
    let time = Duration::from_secs(if is_all { 12 } else { 2 });
    let ((mut pair, store), next) = (set_up().await, Next::default());
    for (turn, fault) in (0..).zip(faults) {
        run((&mut pair, &store), (turn, &next), fault, (time, is_all)).await;
    }
}
