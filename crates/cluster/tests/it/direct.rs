//! Relations that are asked directly: memory tells them, and they are those of the rows.

use crate::pair::{Pair, act, carry_modes, eventually, open, options, u, write};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, MemoryBytes};
use guanxi_model::user::{PrivacyPatch, Standing, UserCommand, UserStatus};
use guanxi_model::{
    Command, FriendRequest, List, Op, Page, PairCommand, Position, Reason, Relation, Result, Uid, Write,
};
use guanxi_ports::{Facts as _, ListAsk, Log as _, Store as _};
use guanxi_spec::conformance::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// Users of two genes, one in each database.
pub(crate) const USERS: [u64; 6] = [0x0001, 0x0101, 0x0201, 0x0002, 0x0102, 0x0202];

const OPS: [Op; 15] = [
    Op::Follow,
    Op::Follow,
    Op::Unfollow,
    Op::RemoveFollower,
    Op::RemoveFriend,
    Op::AcceptFriendRequest,
    Op::ApproveFollow,
    Op::RejectFriendRequest,
    Op::RejectFollow,
    Op::CancelFriendRequest,
    Op::ExpireRequest,
    Op::Block,
    Op::Unblock,
    Op::Mute,
    Op::Unmute,
];

fn others(of: u64) -> Vec<Uid> {
    USERS.into_iter().filter(|user| *user != of).map(u).collect()
}

async fn direct(store: &ClusterStore, of: u64, at_least: Option<&Position>) -> Result<Vec<Relation>> {
    Ok(store.relations(u(of), &others(of), at_least).await?.0)
}

async fn of_rows(store: &ClusterStore, of: u64, at_least: Option<&Position>) -> Vec<Relation> {
    store.view(at_least).await.unwrap().relations(u(of), &others(of)).await.unwrap()
}

/// The same in a view that was asked for a list of the user before.
async fn beside_a_list(store: &ClusterStore, of: u64, at_least: Option<&Position>) -> Vec<Relation> {
    let view = store.view(at_least).await.unwrap();
    drop(view.list(u(of), List::Following, Page::first()).await.unwrap());
    view.relations(u(of), &others(of)).await.unwrap()
}

/// An act of a user about another one.
pub(crate) fn any_write(rng: &mut Rng) -> Write {
    let (a, b) = (*rng.pick(&USERS), *rng.pick(&USERS));
    let (subject, object) = (u(a), u(if a == b { USERS[(b as usize + 1) % 2] } else { b }));
    if subject == object {
        return any_write(rng);
    }
    match rng.below(8) {
        0 => Write::of(Command::SendFriendRequest(FriendRequest {
            sender: subject,
            receiver: object,
            message: String::new(),
            ttl_ms: None,
        })),
        1 => {
            let patch = PrivacyPatch { locked: Some(rng.below(2) == 0), ..PrivacyPatch::default() };
            Write::of(UserCommand::SetPrivacy { uid: subject, patch })
        }
        _ => Write::of(PairCommand { op: *rng.pick(&OPS), subject, object }),
    }
}

/// A process that asks the rows each time.
async fn without_memory(pair: &Pair, carrying: CarryMode) -> Arc<ClusterStore> {
    open(&pair.direct(), ClusterOptions { memory: MemoryBytes::NONE, ..options(carrying, false) }).await
}

/// After a history each process tells by memory what the rows say.
async fn assert_agree(stores: &[Arc<ClusterStore>], plain: &ClusterStore) {
    eventually(async || stores[0].settle().await.is_ok()).await;
    let at = stores[0].head().await.unwrap();
    for (nth, store) in stores.iter().enumerate() {
        for (user, list) in USERS.into_iter().flat_map(|user| List::ALL.map(|list| (user, list))) {
            for subject in USERS.map(u) {
                let ask = ListAsk { of: u(user), list, page: Page::first(), subject: Some(subject) };
                let rows = ask.in_view(&*plain.view(Some(&at)).await.unwrap()).await.unwrap();
                // At first memory lacks the page, then how its users stand.
                for time in 0..if subject == u(user) { 3 } else { 1 } {
                    let told = store.list(ask, Some(&at)).await.unwrap();
                    let answers = ((&told.page, &told.beside), (&rows.page, &rows.beside));
                    assert_eq!(answers.0, answers.1, "{ask:?} by process {nth}, time {time}");
                }
            }
        }
        for user in USERS {
            let rows = of_rows(plain, user, Some(&at)).await;
            assert_eq!(
                beside_a_list(store, user, Some(&at)).await,
                rows,
                "{user:#x} by a view of process {nth}"
            );
            for once_more in [false, true] {
                let told = direct(store, user, Some(&at)).await.unwrap();
                assert_eq!(told, rows, "{user:#x} by process {nth}, once more: {once_more}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_memory_tells_is_what_the_rows_say() {
    for carrying in carry_modes() {
        let pair = Pair::new().await;
        let stores = [
            open(&pair.direct(), options(carrying, true)).await,
            open(&pair.direct(), options(carrying, true)).await,
        ];
        let plain = without_memory(&pair, carrying).await;
        let (mut rng, mut at) = (Rng::new(7), stores[0].head().await.unwrap());
        for step in 0..200 {
            let applied = stores[rng.below(2) as usize].apply(any_write(&mut rng)).await.unwrap();
            at.join(&applied.position);
            let (store, user) = (&stores[rng.below(2) as usize], *rng.pick(&USERS));
            let rows = of_rows(&plain, user, Some(&at)).await;
            let told = direct(store, user, Some(&at)).await.unwrap();
            assert_eq!(told, rows, "{carrying:?}, step {step}: {user:#x}");
            let told = beside_a_list(store, user, Some(&at)).await;
            assert_eq!(told, rows, "{carrying:?}, step {step}: {user:#x} beside a list");
            let ask =
                ListAsk { of: u(user), list: *rng.pick(&List::ALL), page: Page::first(), subject: None };
            let told = store.list(ask, Some(&at)).await.unwrap();
            let rows = ask.in_view(&*plain.view(Some(&at)).await.unwrap()).await.unwrap();
            let answers = ((told.page, told.beside), (rows.page, rows.beside));
            assert_eq!(answers.0, answers.1, "{carrying:?}, step {step}: {ask:?}");
            // Without a token it is some state of before, and is kept for later readers.
            drop(direct(store, *rng.pick(&USERS), None).await.unwrap());
            drop(store.list(ListAsk { of: u(*rng.pick(&USERS)), ..ask }, None).await.unwrap());
        }
        assert_agree(&stores, &plain).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_memory_tells_stays_right_beside_writers() {
    let pair = Pair::new().await;
    let of = options(CarryMode::Log, true);
    let stores = [open(&pair.direct(), of).await, open(&pair.direct(), of).await];
    let ends = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|nth| {
            let (store, ends) = (stores[nth % 2].clone(), ends.clone());
            tokio::spawn(async move {
                let (mut rng, mut asked) = (Rng::new(nth as u64), 0_u32);
                while !ends.load(Ordering::Acquire) {
                    drop(direct(&store, *rng.pick(&USERS), None).await.unwrap());
                    drop(beside_a_list(&store, *rng.pick(&USERS), None).await);
                    let (of, list) = (u(*rng.pick(&USERS)), *rng.pick(&List::ALL));
                    let ask = ListAsk { of, list, page: Page::first(), subject: None };
                    drop(store.list(ask, None).await.unwrap());
                    asked += 1;
                    // Memory answers without a pause.
                    sleep(Duration::from_millis(1)).await;
                }
                asked
            })
        })
        .collect();
    let writers = (0..3_u64).map(|nth| {
        let store = stores[nth as usize % 2].clone();
        async move {
            let mut rng = Rng::new(100 + nth);
            for _ in 0..80 {
                store.apply(any_write(&mut rng)).await.unwrap();
            }
        }
    });
    futures_util::future::join_all(writers).await;
    ends.store(true, Ordering::Release);
    for reader in readers {
        assert!(reader.await.unwrap() > 10);
    }
    let plain = without_memory(&pair, CarryMode::Log).await;
    assert_agree(&stores, &plain).await;
}

/// A row that changes without an event is not noticed: nothing was asked. Each event about the two is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_relation_is_told_without_a_question() {
    let pair = Pair::new().await;
    let of = options(CarryMode::Log, true);
    let (store, without) = (
        open(&pair.direct(), of).await,
        open(&pair.direct(), ClusterOptions { memory: MemoryBytes::NONE, ..of }).await,
    );
    act(&store, Op::Follow, 1, 2).await.unwrap();
    let follows = async |store: &ClusterStore| {
        store.relations(u(1), &[u(2)], None).await.unwrap().0[0].following_since.is_some()
    };
    // The first answer is as of an event that no look has brought yet.
    eventually(async || {
        assert!(follows(&store).await);
        pair.client(1)
            .await
            .batch_execute("update gx.follow set active = false where subject = 1")
            .await
            .unwrap();
        let is_told = follows(&store).await;
        pair.client(1)
            .await
            .batch_execute("update gx.follow set active = true where subject = 1")
            .await
            .unwrap();
        is_told
    })
    .await;
    pair.client(1)
        .await
        .batch_execute("update gx.follow set active = false where subject = 1")
        .await
        .unwrap();
    assert!(follows(&store).await && !follows(&without).await);
    act(&store, Op::Mute, 1, 4).await.unwrap();
    assert!(follows(&store).await, "that was about another user");
    act(&store, Op::Mute, 1, 2).await.unwrap();
    assert!(!follows(&store).await, "that was about the two");
}

/// Rows that change without an event are not noticed: nothing was asked. Each event about the list is, and each about one of its users.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_list_is_told_without_a_question() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    for follower in [1, 4] {
        act(&store, Op::Follow, follower, 2).await.unwrap();
    }
    store.settle().await.unwrap();
    let ask = ListAsk { of: u(2), list: List::Followers, page: Page::first(), subject: None };
    let told = async || {
        let told = store.list(ask, None).await.unwrap();
        let gone = told.beside.standings.iter().map(Standing::is_gone);
        told.page.items.iter().map(|edge| edge.uid.get()).zip(gone).collect::<Vec<_>>()
    };
    let rows = async |change: &str| {
        for database in [0, 1] {
            pair.client(database).await.batch_execute(change).await.unwrap();
        }
    };
    eventually(async || {
        assert_eq!(told().await, [(4, false), (1, false)]);
        rows("update gx.fan set active = false").await;
        let is_told = told().await.len() == 2;
        rows("update gx.fan set active = true").await;
        is_told
    })
    .await;
    rows("update gx.fan set active = false").await;
    assert_eq!(told().await, [(4, false), (1, false)]);
    let gone = |uid| UserCommand::SetStatus { uid: u(uid), status: UserStatus::Deactivated };
    store.apply(Write::of(gone(1))).await.unwrap();
    assert_eq!(told().await, [(4, false), (1, true)]);
    act(&store, Op::Unfollow, 1, 2).await.unwrap();
    act(&store, Op::Follow, 6, 2).await.unwrap();
    store.settle().await.unwrap();
    eventually(async || told().await == [(6, false), (4, false)]).await;
}

/// A view may be older than what memory was told: what it reads is not taken for newer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_of_before_leaves_nothing_in_memory() {
    let pair = Pair::new().await;
    let store = open(&pair.direct(), options(CarryMode::Log, true)).await;
    let told =
        async |object: u64| store.relations(u(1), &[u(object)], None).await.unwrap().0[0].following_since;
    act(&store, Op::Follow, 1, 2).await.unwrap();
    let view = store.view(None).await.unwrap();
    drop(view.list(u(1), List::Following, Page::first()).await.unwrap());
    act(&store, Op::Unfollow, 1, 2).await.unwrap();
    // A look brings that, which no relation in memory is about.
    assert_eq!(told(4).await, None);
    assert!(view.relations(u(1), &[u(2)]).await.unwrap()[0].following_since.is_some(), "it stands still");
    assert_eq!(told(2).await, None);
}

/// A process sees its own writes at once, and those of others as soon as its staleness says, or a token.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_as_new_as_readers_ask_for() {
    let pair = Pair::new().await;
    let of = options(CarryMode::Log, false);
    let stale = |staleness| ClusterOptions { staleness, ..of };
    let writer = open(&pair.direct(), of).await;
    let fresh = open(&pair.direct(), stale(Duration::ZERO)).await;
    let deaf = ClusterOptions { notifies: false, ..stale(Duration::from_mins(1)) };
    let late = open(&pair.direct(), deaf).await;
    let blocks = async |store: &ClusterStore, at: Option<&Position>| {
        store.relations(u(1), &[u(3)], at).await.unwrap().0[0].blocking
    };
    let mut were_late = 0;
    for n in 0..30 {
        let op = if n % 2 == 0 { Op::Block } else { Op::Unblock };
        let at = writer.apply(write(op, 1, 3)).await.unwrap().position;
        were_late += u32::from(blocks(&late, None).await != (n % 2 == 0));
        for (store, at) in [(&writer, None), (&fresh, None), (&late, Some(&at)), (&late, None)] {
            assert_eq!(blocks(store, at).await, n % 2 == 0, "{n}");
        }
    }
    assert!(were_late > 0, "memory was never asked before it had heard");
}

/// A database that is away is not answered for by memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_does_not_outlive_its_database() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 1, 3).await.unwrap();
    act(&store, Op::Follow, 2, 4).await.unwrap();
    let ask = async |of: u64| store.relations(u(of), &[u(of + 2)], None).await;
    for of in [1, 2, 1, 2] {
        assert!(ask(of).await.unwrap().0[0].following_since.is_some());
    }
    pair.proxies[0].faults.is_down.store(true, Ordering::Relaxed);
    eventually(async || ask(2).await.is_err()).await;
    assert_eq!(ask(2).await.unwrap_err().reason, Reason::SHARD_UNAVAILABLE);
    assert!(ask(1).await.unwrap().0[0].following_since.is_some(), "the other database answers");
    pair.proxies[0].faults.is_down.store(false, Ordering::Relaxed);
    eventually(async || ask(2).await.is_ok_and(|told| told.0[0].following_since.is_some())).await;
}

/// A question about nobody else says where the shard stands all the same, also where memory keeps nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_has_no_relation_to_itself() {
    let pair = Pair::new().await;
    for memory in [ClusterOptions::default().memory, MemoryBytes::NONE] {
        let store = open(&pair.direct(), ClusterOptions { memory, ..options(CarryMode::Log, false) }).await;
        act(&store, Op::Follow, 2, 3).await.unwrap();
        for objects in [&[u(2)][..], &[u(2), u(3)], &[]] {
            let (relations, position) = store.relations(u(2), objects, None).await.unwrap();
            let follows: Vec<bool> = relations.iter().map(|told| told.following_since.is_some()).collect();
            assert_eq!(follows, objects.iter().map(|object| *object == u(3)).collect::<Vec<_>>());
            assert_eq!(position.of(u(2)).seq(), 1);
        }
    }
}
