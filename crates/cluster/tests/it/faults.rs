//! Databases and processes that go away in the midst of things: nothing acknowledged is lost, nothing happens twice.

use crate::pair::{Pair, act, carry_modes, eventually, list, log_of, median, open, options, u};
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Command, Credential, CredentialCommand, List, Op, Page, Principal, Reason, Write};
use guanxi_ports::{Facts as _, Log as _, Store as _};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_an_answer_happens_once() {
    for carrying in carry_modes() {
        let pair = Pair::new().await;
        let store = open(&pair.lines, options(carrying, true)).await;
        for proxy in &pair.proxies {
            proxy.faults.cut_one_of.store(3, Ordering::Relaxed);
        }
        for object in 100..120 {
            let (changed, _) = act(&store, Op::Follow, 2, object).await.unwrap();
            assert!(changed, "{object} was followed by this very call");
        }
        for object in 100..110 {
            assert!(act(&store, Op::Unfollow, 2, object).await.unwrap().0);
            assert!(!act(&store, Op::Unfollow, 2, object).await.unwrap().0);
        }
        let cuts: u64 = pair.proxies.iter().map(|proxy| proxy.faults.cuts.load(Ordering::Relaxed)).sum();
        assert!(cuts > 5, "{cuts} commits were cut");
        for proxy in &pair.proxies {
            proxy.faults.cut_one_of.store(0, Ordering::Relaxed);
        }
        store.settle().await.unwrap();
        assert_eq!(log_of(&store, 2).await.len(), 30, "each change once");
        assert_eq!(list(&store, 2, List::Following, None).await, (110..120).collect());
        for object in 100..120 {
            let expected = if object < 110 { BTreeSet::new() } else { BTreeSet::from([2]) };
            assert_eq!(list(&store, object, List::Followers, None).await, expected);
        }
    }
}

/// What logs no event is done once, too: a second time it would come to another answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_an_answer_or_an_event_happens_once() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    for proxy in &pair.proxies {
        proxy.faults.cut_one_of.store(3, Ordering::Relaxed);
    }
    let head = store.head().await.unwrap();
    for n in 0..30_u8 {
        let dismissed = DismissCommand { viewer: u(2), uid: u(100 + u64::from(n)), dismissed: true };
        let token = Credential {
            hash: [n; 32],
            name: format!("token {n}"),
            principal: Principal::Admin,
            created_ms: 1,
            rate_per_minute: None,
        };
        for command in [Command::Dismiss(dismissed), Command::Credential(CredentialCommand::Add(token))] {
            let applied = store.apply(Write::of(command.clone())).await.unwrap();
            assert_eq!(applied.outcomes[0].result(), Ok(true), "{command:?}");
        }
    }
    assert_eq!(store.head().await.unwrap(), head, "nothing was logged");
    let cuts: u64 = pair.proxies.iter().map(|proxy| proxy.faults.cuts.load(Ordering::Relaxed)).sum();
    assert!(cuts > 10, "{cuts} commits were cut");
}

/// While the outcome of a commit is not known, because its shard is locked, users of that shard alone are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_nobody_knows_of_holds_up_its_shard_alone() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, false)).await;
    // Of one lane, and of two shards.
    for subject in [2, 6] {
        act(&store, Op::Follow, subject, 100).await.unwrap();
    }
    let faults = pair.proxies[0].faults.clone();
    faults.asked_late_ms.store(200, Ordering::Relaxed);
    faults.cut_one_of.store(1, Ordering::Relaxed);
    let unknown = tokio::spawn({
        let store = store.clone();
        async move { act(&store, Op::Follow, 2, 101).await }
    });
    // The transaction that waits for the row has it when the commit is over.
    let (other, mut client) = (pair.client(0).await, pair.client(0).await);
    let is_locked =
        async || other.batch_execute("select from gx.shard where gene = 2 for update nowait").await.is_err();
    eventually(is_locked).await;
    let holds = client.transaction().await.unwrap();
    holds.execute("select from gx.shard where gene = 2 for update", &[]).await.unwrap();
    eventually(async || faults.cuts.load(Ordering::Relaxed) > 0).await;
    faults.cut_one_of.store(0, Ordering::Relaxed);
    faults.asked_late_ms.store(0, Ordering::Relaxed);
    let mut while_unknown = 0;
    for object in 200..205 {
        assert!(act(&store, Op::Follow, 6, object).await.unwrap().0);
        while_unknown += u32::from(!unknown.is_finished());
        let refused = act(&store, Op::Follow, 2, object).await.unwrap_err();
        assert_eq!(refused.reason, Reason::SHARD_UNAVAILABLE);
    }
    assert!(while_unknown > 0, "others of its lane do not wait until it is known");
    holds.rollback().await.unwrap();
    // On a busy machine its caller was answered before that.
    match unknown.await.unwrap() {
        Ok((changed, _)) => assert!(changed, "it is known"),
        Err(error) => {
            let is_typed = matches!(error.reason, Reason::ShardUnavailable { .. } | Reason::OutcomeUnknown);
            assert!(is_typed, "{error}");
        }
    }
    // Then its process may still ask, and holds the shard until it knows.
    eventually(async || act(&store, Op::Follow, 2, 101).await.is_ok()).await;
    assert!(act(&store, Op::Follow, 2, 102).await.unwrap().0);
    assert_eq!(log_of(&store, 2).await.len(), 3, "each once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_applies_what_nobody_has_applied() {
    let pair = Pair::new().await;
    let (writer, reader) = (
        open(&pair.lines, options(CarryMode::Log, false)).await,
        open(&pair.lines, options(CarryMode::Log, false)).await,
    );
    let (_, token) = act(&writer, Op::Follow, 2, 3).await.unwrap();
    assert!(list(&reader, 3, List::Followers, None).await.is_empty(), "nobody has carried it there");
    assert!(!reader.is_applied(u(2), token.of(u(2))).await.unwrap());
    assert_eq!(list(&reader, 3, List::Followers, Some(&token)).await, [2].into());
    assert!(reader.is_applied(u(2), token.of(u(2))).await.unwrap());
    let echo = log_of(&reader, 3).await;
    assert_eq!(echo.iter().map(|event| event.echo).collect::<Vec<_>>(), [Some(token.of(u(2)))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_process_left_is_carried_on() {
    let pair = Pair::new().await;
    let mut blocked = 0;
    for n in 0..12_u64 {
        let (a, b) = (1_000 + 2 * n, 2_001 + 2 * n);
        let setup = open(&pair.direct(), options(CarryMode::Sync, false)).await;
        act(&setup, Op::Follow, b, a).await.unwrap();
        act(&setup, Op::Follow, a, b).await.unwrap();
        // The process dies between two steps: everything of it ends, and what is under way is cut.
        let lines = pair.lines.clone();
        for proxy in &pair.proxies {
            proxy.faults.late_ms.store(3, Ordering::Relaxed);
        }
        let dies_after = Duration::from_millis(16 * n);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let store = open(&lines, options(CarryMode::Log, false)).await;
                let block = tokio::spawn(async move { act(&store, Op::Block, a, b).await });
                tokio::time::sleep(dies_after).await;
                drop(block);
            });
            runtime.shutdown_timeout(Duration::ZERO);
        })
        .join()
        .unwrap();
        for proxy in &pair.proxies {
            proxy.faults.late_ms.store(0, Ordering::Relaxed);
        }
        let other = open(&pair.direct(), options(CarryMode::Log, true)).await;
        other.settle().await.unwrap();
        other.settle().await.unwrap();
        let view = other.view(None).await.unwrap();
        let from_a = view.relations(u(a), &[u(b)]).await.unwrap()[0];
        let from_b = view.relations(u(b), &[u(a)]).await.unwrap()[0];
        blocked += u32::from(from_a.blocking);
        assert_eq!(from_a.blocking, from_b.blocked_by, "both shards say the same of {a} and {b}");
        for relation in [from_a, from_b] {
            assert_eq!(relation.following_since.is_some(), !from_a.blocking, "{a} and {b}: {relation:?}");
            assert_eq!(relation.followed_by, !from_a.blocking);
        }
    }
    assert!(blocked > 0, "some of them got as far as a commit");
}

/// Has user 3 follow some, one after the other. Returns how long the middle one took.
async fn follows_of_3(store: &ClusterStore, objects: impl Iterator<Item = u64>) -> Duration {
    let mut took = Vec::new();
    for object in objects {
        let began = Instant::now();
        assert!(act(store, Op::Follow, 3, object).await.unwrap().0);
        took.push(began.elapsed());
    }
    median(&took)
}

/// How long it takes until user 2 is told that it cannot follow somebody now.
async fn refusal_of_2(store: &ClusterStore, object: u64) -> Duration {
    let began = Instant::now();
    let refused = act(store, Op::Follow, 2, object).await.unwrap_err();
    assert!(matches!(refused.reason, Reason::ShardUnavailable { .. } | Reason::OutcomeUnknown), "{refused}");
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_of_other_databases_go_on_while_one_is_away() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    act(&store, Op::Follow, 2, 4).await.unwrap();
    let before = follows_of_3(&store, (1_001..1_041).step_by(2)).await;
    // What may go well another time is tried for a while, as where somebody else has locked the shard.
    let mut client = pair.client(0).await;
    let holds = client.transaction().await.unwrap();
    holds.execute("select from gx.shard where gene = 2 for update", &[]).await.unwrap();
    let tried = refusal_of_2(&store, 6).await;
    holds.rollback().await.unwrap();
    // The first database, which has the map, is the one that goes.
    let faults = &pair.proxies[0].faults;
    faults.is_down.store(true, Ordering::Relaxed);
    refusal_of_2(&store, 6).await;
    // Later callers are told at once.
    let mut told = Vec::new();
    for object in [12, 14, 16] {
        told.push(refusal_of_2(&store, object).await);
    }
    let during = follows_of_3(&store, (2_001..2_041).step_by(2)).await;
    println!(
        "refused after {told:?}, and {tried:?} where it is tried; others took {before:?} before and {during:?} meanwhile"
    );
    assert!(median(&told) < tried / 2, "{told:?} and {tried:?}");
    assert!(during < before * 10, "another database is as fast as before: {before:?} and {during:?}");
    // Whom users of it follow is theirs, wherever the others are.
    let (_, token) = act(&store, Op::Follow, 3, 8).await.unwrap();
    assert_eq!(list(&store, 3, List::Following, Some(&token)).await.len(), 41);
    let view = store.view(None).await.unwrap();
    let error = view.list(u(8), List::Followers, Page::first()).await.unwrap_err();
    assert_eq!(error.reason, Reason::SHARD_UNAVAILABLE, "never a shorter list");
    faults.is_down.store(false, Ordering::Relaxed);
    eventually(async || store.settle().await.is_ok()).await;
    // Each pool leaves a database alone for half a second after it was in vain.
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(list(&store, 8, List::Followers, None).await, [3].into());
    assert!(act(&store, Op::Follow, 2, 10).await.unwrap().0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_of_one_cluster_write_the_same_shards() {
    let pair = Pair::new().await;
    let stores = [
        open(&pair.lines, options(CarryMode::Log, true)).await,
        open(&pair.lines, options(CarryMode::Sync, true)).await,
        open(&pair.lines, options(CarryMode::Log, false)).await,
    ];
    let tasks: Vec<_> = (0..6_u64)
        .map(|n| {
            let store = stores[usize::try_from(n % 3).unwrap()].clone();
            tokio::spawn(async move {
                for object in 0..30 {
                    // All of them follow and leave the same ones.
                    let op = if (object + n) % 3 == 0 { Op::Unfollow } else { Op::Follow };
                    act(&store, op, 2 + n % 2, 100 + object % 7).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    stores[2].settle().await.unwrap();
    let view = stores[2].view(None).await.unwrap();
    for uid in [2, 3] {
        let events = log_of(&stores[0], uid).await;
        let seqs: Vec<u64> = events.iter().map(|event| event.at.seq()).collect();
        assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>(), "the log has no gap");
        assert!(events.windows(2).all(|two| two[0].version < two[1].version), "versions rise");
        let following = list(&stores[1], uid, List::Following, None).await;
        assert_eq!(view.counts(&[u(uid)]).await.unwrap()[0].following as usize, following.len());
        for object in 100..107 {
            let followers = list(&stores[1], object, List::Followers, None).await;
            assert_eq!(followers.contains(&uid), following.contains(&object), "{uid} and {object}");
        }
    }
}
