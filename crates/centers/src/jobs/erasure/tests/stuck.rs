//! Users whose rows cannot be read.

use super::*;
use crate::jobs::erasure::stuck::{STUCK_PAUSE_MAX_MS, STUCK_PAUSE_MS};
use guanxi_model::Reason;
use guanxi_spec::viewed::{BrokenRows, faulty};
use std::sync::Mutex;

/// A world in which users 1 to 9 follow each other, 1 to 4 are deleted in this order, and rows of some cannot be read.
async fn world(reason: Reason, due_ms: u64) -> (World, Arc<Mutex<BrokenRows>>, Erasure) {
    let world = World::new(1, Logs::One);
    for (a, b) in (1..=9).flat_map(|a| (1..=9).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        world.write(PairCommand { op: Op::Follow, subject: u(a), object: u(b) }).await;
    }
    for uid in 1..=4 {
        world.delete(u(uid), due_ms + uid).await;
    }
    world.clock.set(START_MS + 10);
    let broken = BrokenRows { lists: [u(1), u(3)].into(), reason, ..BrokenRows::default() };
    let broken = Arc::new(Mutex::new(broken));
    let store = Arc::new(faulty(world.store.clone(), broken.clone()));
    let job = Erasure { parts: ErasureParts { store, ..world.job().parts }, ..world.job() };
    (world, broken, job)
}

/// Steps until nothing is to be done for now; returns whose removal failed.
async fn work(job: &mut Erasure) -> Vec<String> {
    let mut failed = Vec::new();
    for _ in 0..200 {
        match job.step().await {
            Ok(true) => {}
            Ok(false) => return failed,
            Err(error) => failed.push(error.detail.unwrap().to_string()),
        }
    }
    panic!("the job has no end: {failed:?}");
}

async fn status(world: &World, uid: u64) -> UserStatus {
    world.store.view(None).await.unwrap().standings(&[u(uid)]).await.unwrap()[0].status
}

#[tokio::test]
async fn whose_rows_cannot_be_read_stands_before_nobody_and_is_erased_once_they_can() {
    let (world, broken, mut job) = world(Reason::Damaged, START_MS).await;
    assert_eq!(work(&mut job).await, ["user 1: a row", "user 3: a row"]);
    let erased = UserStatus::Erased { at_ms: START_MS + 10 };
    assert_eq!((status(&world, 2).await, status(&world, 4).await), (erased, erased));
    assert!(matches!(status(&world, 1).await, UserStatus::Deleted { .. }));
    // Not before the rest is over, which is longer each time.
    assert_eq!(work(&mut job).await, [""; 0]);
    let mut now_ms = START_MS + 10;
    for pause_ms in [STUCK_PAUSE_MS, 2 * STUCK_PAUSE_MS, 4 * STUCK_PAUSE_MS] {
        world.clock.set(now_ms + pause_ms - 1);
        assert_eq!(work(&mut job).await, [""; 0], "{pause_ms}");
        now_ms += pause_ms;
        world.clock.set(now_ms);
        assert_eq!(work(&mut job).await, ["user 1: a row", "user 3: a row"], "{pause_ms}");
    }
    broken.lock().unwrap().lists.clear();
    world.clock.set(now_ms + STUCK_PAUSE_MAX_MS);
    assert_eq!(work(&mut job).await, [""; 0]);
    for uid in [1, 3] {
        assert_eq!(status(&world, uid).await, UserStatus::Erased { at_ms: now_ms + STUCK_PAUSE_MAX_MS });
        assert_eq!(world.left_by(u(uid)).await, 0);
    }
    assert_eq!(job.stuck.len(), 0);
}

/// The rows of users that are not due yet and that others see go in the same way, and no user is passed over for good.
#[tokio::test]
async fn what_others_see_of_who_was_stuck_goes_later() {
    let (world, broken, mut job) = world(Reason::Damaged, START_MS + DELETED_USERS_RETENTION_MS).await;
    assert_eq!(work(&mut job).await, ["user 1: a row", "user 3: a row"]);
    assert_eq!((world.left_by(u(2)).await, world.left_by(u(4)).await), (0, 0));
    broken.lock().unwrap().lists.clear();
    world.clock.set(START_MS + 10 + STUCK_PAUSE_MS);
    assert_eq!(work(&mut job).await, [""; 0]);
    assert_eq!((world.left_by(u(1)).await, world.left_by(u(3)).await), (0, 0));
    assert!(matches!(status(&world, 1).await, UserStatus::Deleted { .. }));
}

/// A store that refuses everybody says nothing of a user.
#[tokio::test]
async fn a_store_that_is_busy_makes_nobody_wait() {
    let (world, broken, mut job) = world(Reason::ShuttingDown, START_MS).await;
    assert!(job.step().await.is_err());
    assert_eq!(job.stuck.len(), 0);
    broken.lock().unwrap().lists.clear();
    assert_eq!(work(&mut job).await, [""; 0]);
    assert_eq!(status(&world, 1).await, UserStatus::Erased { at_ms: START_MS + 10 });
}
