//! Checks of random histories of requests, between users of one gene and of two: without a fault there is no finding.

use crate::checks::{Cluster, uid};
use crate::direct::USERS;
use crate::world::databases;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, RepairCheck, RepairTerms};
use guanxi_model::limits::{REQUEST_COOLDOWN_MS, REQUEST_TTL_MS};
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{Command, FriendRequest, ManualClock, Op, Outcome, PairCommand, Write};
use guanxi_ports::Facts as _;
use guanxi_spec::conformance::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

const START_MS: u64 = 1_750_000_000_000;

/// How often the checks look at each history.
const ROUNDS: u32 = 3;

/// How requests end, and what begins anew after that.
const OPS: [Op; 12] = [
    Op::Follow,
    Op::Follow,
    Op::Unfollow,
    Op::RemoveFriend,
    Op::AcceptFriendRequest,
    Op::ApproveFollow,
    Op::RejectFriendRequest,
    Op::RejectFollow,
    Op::CancelFriendRequest,
    Op::ExpireRequest,
    Op::Block,
    Op::Unblock,
];

/// The operations that have to end requests in some history, between users of one gene and of two.
const ENDS: [Op; 6] = [
    Op::AcceptFriendRequest,
    Op::ApproveFollow,
    Op::RejectFriendRequest,
    Op::RejectFollow,
    Op::CancelFriendRequest,
    Op::ExpireRequest,
];

/// Users that act at random, and how often each operation changed something: by whether both are of one gene.
struct History {
    cluster: Cluster,
    store: Arc<ClusterStore>,
    clock: Arc<ManualClock>,
    rng: Rng,
    now_ms: u64,
    done: BTreeMap<(Op, bool), u32>,
}

impl History {
    /// All users are locked, so that follows ask.
    async fn new(carrying: CarryMode, seed: u64) -> Self {
        let cluster = Cluster::carrying(None).await;
        let clock = Arc::new(ManualClock::new(START_MS));
        let options = ClusterOptions { carrying, apply_every: None, ..ClusterOptions::default() };
        let named = databases(&cluster.lines);
        let store = Arc::new(ClusterStore::open(&named, options, clock.clone()).await.unwrap());
        let patch = PrivacyPatch { locked: Some(true), ..PrivacyPatch::default() };
        for user in USERS {
            let lock = Command::from(UserCommand::SetPrivacy { uid: uid(user), patch });
            drop(store.apply(Write::of(lock)).await.unwrap());
        }
        Self { cluster, store, clock, rng: Rng::new(seed), now_ms: START_MS, done: BTreeMap::new() }
    }

    /// Now and then so much time passes that requests or rejections are over.
    async fn step(&mut self) {
        let (a, b) = (*self.rng.pick(&USERS), *self.rng.pick(&USERS));
        if a == b {
            return;
        }
        if self.rng.below(40) == 0 {
            self.now_ms += *self.rng.pick(&[REQUEST_COOLDOWN_MS, REQUEST_TTL_MS]) + 1;
            self.clock.set(self.now_ms);
        }
        let (subject, object) = (uid(a), uid(b));
        let command = match self.rng.below(16) {
            0..4 => {
                let message = format!("{a} asks {b}");
                let ttl_ms = None;
                Command::SendFriendRequest(FriendRequest {
                    sender: subject,
                    receiver: object,
                    message,
                    ttl_ms,
                })
            }
            4 => Command::ForgetRejection { owner: subject, other: object },
            _ => Command::Pair(PairCommand { op: *self.rng.pick(&OPS), subject, object }),
        };
        let op = if let Command::Pair(command) = &command { Some(command.op) } else { None };
        let applied = self.store.apply(Write::of(command)).await.unwrap();
        if let Some(op) = op.filter(|_| applied.outcomes.first().map(Outcome::result) == Some(Ok(true))) {
            *self.done.entry((op, a % 256 == b % 256)).or_default() += 1;
        }
    }

    async fn finds_nothing(&self, after: &str) {
        for check in [RepairCheck::Digests, RepairCheck::Incremental, RepairCheck::Full] {
            self.store.settle().await.unwrap();
            let terms = RepairTerms::default();
            let report = self.store.repair(check, terms, &mut |_| ()).await.unwrap();
            assert_eq!(report.differences, [], "{check:?} after {after}");
            assert_eq!((report.cells_differed, report.unsettled), (0, 0), "{check:?} after {after}");
        }
    }
}

/// The histories that are played: all, or the one that `GUANXI_CHECKS_HISTORY` names by its number.
fn histories() -> Vec<(CarryMode, u64)> {
    let all = vec![(CarryMode::Log, 1), (CarryMode::Sync, 2), (CarryMode::Log, 3)];
    match std::env::var("GUANXI_CHECKS_HISTORY") {
        Ok(one) => vec![all[one.parse::<usize>().unwrap()]],
        Err(_) => all,
    }
}

/// However requests end, checks find nothing, while they wait and afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_history_of_requests_has_no_finding() {
    let mut done: BTreeMap<(Op, bool), u32> = BTreeMap::new();
    let histories = histories();
    for (carrying, seed) in histories.iter().copied() {
        let mut history = History::new(carrying, seed).await;
        for round in 0..ROUNDS {
            for _ in 0..700 {
                history.step().await;
            }
            history.finds_nothing(&format!("{round} rounds of seed {seed}")).await;
        }
        history.done.iter().for_each(|(what, times)| *done.entry(*what).or_default() += times);
        drop(history.cluster.lines);
    }
    for end in ENDS {
        for is_one_gene in [true, false] {
            // One history alone need not have all of them.
            assert!(
                histories.len() == 1 || done.contains_key(&(end, is_one_gene)),
                "{end:?}, one gene: {is_one_gene}: {done:?}"
            );
        }
    }
}
