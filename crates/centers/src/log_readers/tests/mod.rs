//! The recipe: nothing twice, nothing left out, with any failure of a follower.

pub(crate) mod polled;

use super::*;
use crate::Viewer;
use crate::relation::RelationCenter;
use guanxi_model::{Event, Logs, ManualClock, Op, Uid};
use guanxi_spec::memory::{MemoryStore, Options};
use polled::{Polled, TestLog};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// A store whose events the tests follow.
pub(super) struct Ground {
    pub(super) relations: RelationCenter,
    pub(super) log: Arc<TestLog>,
}

impl Ground {
    pub(super) fn new(logs: Logs, log_events_max: u64) -> Self {
        let options = Options { logs, log_events_max, ..Options::default() };
        let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_000)), options));
        let log = TestLog::new(store.clone());
        Self { relations: RelationCenter::new(store, Hub::new(log.clone())), log }
    }

    pub(super) async fn follow(&self, subject: u64, object: u64) {
        let (subject, object) = (Uid::new(subject).unwrap(), Uid::new(object).unwrap());
        self.relations.act(Viewer::Trusted, Op::Follow, subject, object, None).await.unwrap();
    }
}

/// What is derived: subjects in the order of their events, and the position, in one place as the recipe wants it.
#[derive(Clone)]
struct Kept {
    subjects: Vec<Uid>,
    position: Position,
    rebuilt: usize,
    /// Effects that cannot be written, from now on.
    broken: usize,
}

struct Deriving {
    kept: Arc<Mutex<Kept>>,
    position: Position,
    left: usize,
}

impl Deriving {
    fn begin(kept: &Arc<Mutex<Kept>>) -> BoxFuture<'static, Result<Self>> {
        let position = kept.lock().unwrap().position.clone();
        Box::pin(ready(Ok(Self { kept: kept.clone(), position, left: 0 })))
    }
}

impl Follower for Deriving {
    fn position(&self) -> &Position {
        &self.position
    }

    fn has_room(&self) -> bool {
        self.left == 0
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        let mut kept = self.kept.lock().unwrap();
        if kept.broken > 0 {
            kept.broken -= 1;
            return Box::pin(ready(Err(Error::new(Reason::Internal))));
        }
        kept.subjects.extend(batch.events.iter().map(|event: &Event| event.subject));
        kept.position = batch.position.clone();
        (self.position, self.left) = (batch.position, batch.events.len());
        Box::pin(ready(Ok(())))
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        let mut kept = self.kept.lock().unwrap();
        kept.subjects.clear();
        kept.rebuilt += 1;
        kept.position = head.clone();
        self.position = head;
        Box::pin(ready(Ok(())))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        let had = self.left > 0;
        self.left = self.left.saturating_sub(1);
        Box::pin(ready(Ok(had)))
    }
}

/// Follows in the background; what errors are told, and how long is rested, stands in `rests`.
struct Running {
    kept: Arc<Mutex<Kept>>,
    rests: Arc<Mutex<Vec<Duration>>>,
    stop: Arc<Notify>,
}

impl Running {
    async fn new(ground: &Ground) -> (Self, Polled<'static, Ended>) {
        let position = ground.log.head().await.unwrap();
        let kept = Kept { subjects: Vec::new(), position, rebuilt: 0, broken: 0 };
        let (kept, rests, stop) = (Arc::new(Mutex::new(kept)), Arc::default(), Arc::new(Notify::new()));
        let running = Self { kept, rests, stop };
        let polled = running.follow(ground);
        (running, polled)
    }

    fn follow(&self, ground: &Ground) -> Polled<'static, Ended> {
        let (kept, rests, stop) = (self.kept.clone(), self.rests.clone(), self.stop.clone());
        let log = ground.log.clone();
        Polled::new(async move {
            let failed = |_: &Error, rest: Duration| {
                rests.lock().unwrap().push(rest);
                Box::pin(crate::turn::yield_now()) as BoxFuture<'static, ()>
            };
            keep_following(&*log, || Deriving::begin(&kept), stop.notified(), failed).await
        })
    }

    fn rebuilt(&self) -> usize {
        self.kept.lock().unwrap().rebuilt
    }

    fn subjects(&self) -> Vec<u64> {
        self.kept.lock().unwrap().subjects.iter().map(|uid| uid.get()).collect()
    }
}

#[tokio::test]
async fn a_follower_goes_on_where_its_effect_stands_after_errors_and_after_its_end() {
    let ground = Ground::new(Logs::One, 1_000);
    ground.follow(9, 1).await;
    let (running, mut following) = Running::new(&ground).await;
    assert_eq!(following.settle(), None);
    for subject in 1..=3 {
        ground.follow(subject, 7).await;
    }
    running.kept.lock().unwrap().broken = 2;
    assert_eq!(following.settle(), None);
    assert_eq!(running.subjects(), [1, 2, 3]);
    // The process dies, and another one begins.
    drop(following);
    ground.follow(4, 7).await;
    let mut following = running.follow(&ground);
    assert_eq!(following.settle(), None);
    assert_eq!(running.subjects(), [1, 2, 3, 4]);
    assert_eq!(
        ground.log.reads.load(Relaxed),
        4,
        "three reads of one batch, two of which were lost, and one"
    );
}

#[tokio::test]
async fn rests_grow_with_errors_in_a_row_and_begin_anew_after_a_success() {
    let ground = Ground::new(Logs::One, 1_000);
    let (running, mut following) = Running::new(&ground).await;
    assert_eq!(following.settle(), None);
    ground.log.fails.store(true, Relaxed);
    ground.follow(1, 7).await;
    while running.rests.lock().unwrap().len() < 9 {
        assert_eq!(following.poll(), None);
    }
    ground.log.fails.store(false, Relaxed);
    assert_eq!(following.settle(), None);
    running.kept.lock().unwrap().broken = 1;
    ground.follow(2, 7).await;
    assert_eq!(following.settle(), None);
    let rests: Vec<u128> = running.rests.lock().unwrap().iter().map(Duration::as_millis).collect();
    assert_eq!(rests, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 100]);
    assert_eq!(running.subjects(), [1, 2]);
}

#[tokio::test]
async fn what_was_trimmed_is_rebuilt_and_what_follows_is_followed() {
    let ground = Ground::new(Logs::One, 2);
    let (running, mut following) = Running::new(&ground).await;
    assert_eq!(following.settle(), None);
    for subject in 1..=5 {
        ground.follow(subject, 7).await;
    }
    assert_eq!(following.settle(), None);
    assert_eq!((running.rebuilt(), running.subjects()), (1, vec![]));
    ground.follow(6, 7).await;
    assert_eq!(following.settle(), None);
    assert_eq!((running.rebuilt(), running.subjects()), (1, vec![6]));
}

#[tokio::test]
async fn a_follower_ends_when_it_is_told_to_wherever_it_is_and_when_the_store_closes() {
    let ground = Ground::new(Logs::One, 1_000);
    let (running, mut waiting) = Running::new(&ground).await;
    assert_eq!(waiting.settle(), None);
    running.stop.notify_waiters();
    assert_eq!(waiting.settle(), Some(Ended::Stopped), "it waited");
    let (running, mut resting) = Running::new(&ground).await;
    ground.log.fails.store(true, Relaxed);
    ground.follow(1, 7).await;
    assert_eq!(resting.poll(), None);
    assert_eq!(running.rests.lock().unwrap().len(), 1);
    running.stop.notify_waiters();
    assert_eq!(resting.settle(), Some(Ended::Stopped), "it rested");
    ground.log.fails.store(false, Relaxed);
    let (running, mut busy) = Running::new(&ground).await;
    for subject in 2..=50 {
        ground.follow(subject, 99).await;
    }
    assert_eq!(busy.poll(), None);
    running.stop.notify_waiters();
    assert_eq!(busy.settle(), Some(Ended::Stopped), "it worked");
    assert_eq!(running.subjects().len(), 49, "what was begun was done");
    ground.log.closes.store(true, Relaxed);
    let mut closing = running.follow(&ground);
    assert_eq!(closing.settle(), Some(Ended::Closed));
}

#[tokio::test]
async fn each_of_many_logs_is_read_once_and_only_when_it_goes_on() {
    let ground = Ground::new(Logs::PerGene, 1_000);
    let (running, mut following) = Running::new(&ground).await;
    assert_eq!(following.settle(), None);
    assert_eq!(ground.log.reads.load(Relaxed), 0, "nothing has happened");
    for subject in [0x101, 0x102, 0x203] {
        ground.follow(subject, 0x304).await;
    }
    assert_eq!(following.settle(), None);
    let mut subjects = running.subjects();
    subjects.dedup();
    for subject in [0x101, 0x102, 0x203] {
        assert!(subjects.contains(&subject), "{subjects:?}");
    }
    let reads = ground.log.reads.load(Relaxed);
    assert!(
        (3..=4).contains(&reads),
        "the three subjects' logs, and the object's if echoes stand there: {reads}"
    );
}
