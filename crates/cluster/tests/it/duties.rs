//! What the processes of a cluster agree on, and what one of them does at a time.

use crate::pair::{WallClock, eventually};
use crate::shelf::Lent;
use crate::world::{HISTORY, databases};
use guanxi_cluster::{
    CheckSchedule, ClusterOptions, ClusterStore, RepairCheck, ServingAs, ServingRoles, check,
};
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_model::{Clock, Command, HistoryId, Op, PairCommand, Uid, Write};
use guanxi_ports::{Facts as _, IndexReplica, IndexReplicas as _, Log as _, Store as _};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

fn clock() -> Arc<dyn Clock> {
    Arc::new(WallClock)
}

const SERVING: ServingAs = ServingAs {
    roles: ServingRoles { api: true, worker: false, repair: true, index: false },
    program: "test",
    host: "here",
    pid: 7,
};

async fn serve(lent: &Lent, uids: Option<UidPolicy>) -> Result<ClusterStore, String> {
    let options =
        ClusterOptions { serving: Some(SERVING), uids, apply_every: None, ..ClusterOptions::default() };
    ClusterStore::open(&databases(&lent.lines), options, clock()).await.map_err(|error| error.to_string())
}

fn uid(uid: u64) -> Uid {
    Uid::new(uid).unwrap()
}

/// The first process says whose numbers uids are, and the others have to say the same, or nothing.
#[tokio::test(flavor = "multi_thread")]
async fn all_processes_agree_on_uids() {
    let lent = Lent::take(HistoryId(HISTORY.0)).await;
    let minted = UidPolicy::Minted(UidRange::ALL);
    let first = serve(&lent, Some(UidPolicy::Foreign)).await.unwrap();
    assert_eq!(first.uids(), UidPolicy::Foreign);
    let second = serve(&lent, None).await.unwrap();
    assert_eq!(second.uids(), UidPolicy::Foreign);
    serve(&lent, Some(UidPolicy::Foreign)).await.unwrap().leave().await;
    let refused = serve(&lent, Some(minted)).await.err().unwrap();
    assert!(refused.contains("`foreign`: set `uids` of this one alike"), "{refused}");
    let seen = check(&databases(&lent.lines), &*clock()).await;
    let roles: Vec<&str> = seen.processes.iter().map(|process| &*process.roles).collect();
    assert!(roles.len() >= 2 && roles.iter().all(|roles| *roles == "api,repair"), "{:?}", seen.processes);

    // No process serves any more, and none has written anything.
    first.leave().await;
    second.leave().await;
    let end = "delete from gx.serving";
    lent.run(end).await;
    let third = serve(&lent, Some(minted)).await.unwrap();
    assert_eq!(third.uids(), minted);
    let follow = PairCommand { subject: uid(1), object: uid(2), op: Op::Follow };
    third.apply(Write::of(Command::Pair(follow))).await.unwrap();
    third.leave().await;
    let range = UidPolicy::Minted(UidRange::new(1 << 62, i64::MAX as u64).unwrap());
    let refused = serve(&lent, Some(range)).await.err().unwrap();
    assert!(refused.contains("`minted`, and it has users"), "{refused}");
}

/// A process that keeps indexes of search says where and how far they are, until it leaves or says nothing more.
#[tokio::test(flavor = "multi_thread")]
async fn processes_know_who_answers_searches() {
    let lent = Lent::take(HistoryId(HISTORY.0)).await;
    let (keeps, asks) = (serve(&lent, None).await.unwrap(), serve(&lent, None).await.unwrap());
    assert_eq!(asks.replicas().await, Ok(Vec::new()));
    let follow = PairCommand { subject: uid(1), object: uid(2), op: Op::Follow };
    keeps.apply(Write::of(Command::Pair(follow))).await.unwrap();
    // It is building the index of users.
    let posts = Some(keeps.head().await.unwrap());
    let says = IndexReplica { address: "index1:7422".to_owned(), posts, users: None };
    let said = says.clone();
    keeps.tell_of_index(Arc::new(move || said.clone())).await.unwrap();
    assert_eq!(asks.replicas().await, Ok(vec![says.clone()]));
    lent.run("update gx.serving set seen_at = now() - interval '16 seconds'").await;
    assert_eq!(asks.replicas().await, Ok(Vec::new()), "it may be dead");
    eventually(async || asks.replicas().await == Ok(vec![says.clone()])).await;
    keeps.leave().await;
    assert_eq!(asks.replicas().await, Ok(Vec::new()));
}

/// Two processes want to do the same for ever: one does, and the other when that one has left.
#[tokio::test(flavor = "multi_thread")]
async fn one_process_does_it_at_a_time() {
    let lent = Lent::take(HistoryId(HISTORY.0)).await;
    let stores = [serve(&lent, None).await.unwrap(), serve(&lent, None).await.unwrap()].map(Arc::new);
    let at_work = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let tasks = stores.iter().enumerate().map(|(number, store)| {
        let (store, at_work) = (store.clone(), at_work.clone());
        tokio::spawn(async move {
            let work = || async {
                at_work[number].fetch_add(1, Ordering::Relaxed);
                pending::<()>().await;
            };
            store.do_alone("test", &|| 0, work).await;
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let counts = || at_work.iter().map(|count| count.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let until = async |total: usize| eventually(async || counts().iter().sum::<usize>() >= total).await;
    until(1).await;
    sleep(Duration::from_millis(500)).await;
    let before = counts();
    assert_eq!(before.iter().sum::<usize>(), 1, "{before:?}");
    let first = before.iter().position(|count| *count == 1).unwrap();
    tasks[first].abort();
    stores[first].leave().await;
    // The other one asks again in a moment.
    until(2).await;
    assert_eq!(counts(), [1, 1]);
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}

/// Checks on schedule mend what a hand has broken, whichever process they run in.
#[tokio::test(flavor = "multi_thread")]
async fn checks_run_when_they_are_due() {
    let lent = Lent::take(HistoryId(HISTORY.0)).await;
    let store = Arc::new(serve(&lent, None).await.unwrap());
    let follow = PairCommand { subject: uid(1), object: uid(256), op: Op::Follow };
    let position = store.apply(Write::of(Command::Pair(follow))).await.unwrap().position;
    let followers = async || {
        let view = store.view(Some(&position)).await.unwrap();
        view.counts(&[uid(256)]).await.unwrap()[0].followers
    };
    assert_eq!(followers().await, 1);
    lent.run("update gx.user_state set followers = 7 where uid = 256").await;
    assert_eq!(followers().await, 7);
    let schedule = CheckSchedule {
        every: vec![
            (RepairCheck::Full, Duration::from_millis(200)),
            (RepairCheck::Pairs, Duration::from_millis(200)),
        ],
        share: 1.0,
    };
    let checking = store.clone();
    let task = tokio::spawn(async move { checking.check_on_schedule(&schedule, &|| 0).await });
    eventually(async || followers().await == 1).await;
    let done = "select 1 from gx.duty where name = 'check/pairs' and done_at is not null";
    eventually(async || lent.count(done).await == 1).await;
    task.abort();
}
