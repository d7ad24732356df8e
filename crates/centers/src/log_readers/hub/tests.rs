//! Which streams are woken, by what, and that no stream waits for another.

use super::*;
use crate::log_readers::tests::Ground;
use crate::log_readers::tests::polled::Polled;
use guanxi_model::random::Rng;
use guanxi_model::{LogId, Logs, Uid};
use std::collections::HashSet;
use std::future::pending;
use std::sync::Weak;
use std::sync::atomic::Ordering::Relaxed;

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn user(n: u64) -> Interest {
    Interest::User(uid(n))
}

async fn subscribed(hub: &Hub, interests: impl IntoIterator<Item = Interest>) -> Subscription {
    let mut subscription = hub.subscribe(interests).await.unwrap();
    subscription.changed().await.unwrap();
    subscription
}

/// The reader beside the streams.
fn standing(hub: &Hub) -> Polled<'static, ()> {
    let hub = hub.clone();
    Polled::new(async move {
        hub.run(pending(), |_: &Error, _| Box::pin(pending()) as BoxFuture<'static, ()>).await;
    })
}

#[tokio::test]
async fn an_event_wakes_those_whom_it_concerns_and_nobody_else() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut reader = standing(&hub);
    assert!(reader.settle().is_none());
    let interests = [
        user(1),
        user(2),
        user(3),
        Interest::Relations(uid(1)),
        Interest::Relations(uid(2)),
        Interest::Posts(uid(1)),
    ];
    let mut all = Vec::new();
    for interest in interests.into_iter().chain([Interest::Everything]) {
        all.push(subscribed(&hub, [interest]).await);
    }
    let mut waits: Vec<_> = all.iter_mut().map(|stream| Polled::new(stream.changed())).collect();
    assert!(waits.iter_mut().all(|wait| wait.settle().is_none()));
    assert!(reader.settle().is_none());
    ground.follow(1, 2).await;
    assert_eq!(waits.iter().map(Polled::wakes).sum::<usize>(), 0, "nobody but the reader waits for the log");
    assert!(reader.is_woken() && reader.settle().is_none());
    let woken: Vec<bool> = waits.iter().map(Polled::is_woken).collect();
    assert_eq!(woken, [true, true, false, true, true, false, true]);
    let head = ground.log.head().await.unwrap();
    for wait in waits.iter_mut().filter(|wait| wait.is_woken()) {
        assert_eq!(wait.poll().unwrap().as_ref(), Ok(&head), "and is told how far to look");
    }
    assert_eq!(ground.log.readings(&Position::one(head.history(), 0)), Some((1, 1)));
}

#[tokio::test]
async fn without_a_reader_beside_them_one_of_the_streams_reads_and_hands_on_its_role() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let (mut a, mut b, mut c) = (
        subscribed(&hub, [user(1)]).await,
        subscribed(&hub, [user(2)]).await,
        subscribed(&hub, [user(3)]).await,
    );
    let mut waits = [a.changed(), b.changed(), c.changed()].map(|wait| Some(Polled::new(wait)));
    assert!(waits.iter_mut().flatten().all(|wait| wait.settle().is_none()));
    ground.follow(7, 8).await;
    let wakes = |waits: &[Option<Polled<'_, _>>]| waits.iter().flatten().map(Polled::wakes).sum::<usize>();
    assert_eq!(wakes(&waits), 1, "an event of strangers wakes the reader alone");
    assert!(waits.iter_mut().flatten().all(|wait| wait.settle().is_none()));
    let before = wakes(&waits);
    // Each reader in turn ends: by what it waited for, or by a drop. Another one goes on.
    waits[0] = None;
    assert_eq!(wakes(&waits), before - 1 + 1, "the first one's wake is gone with it, and its heir was woken");
    assert!(waits.iter_mut().flatten().all(|wait| wait.settle().is_none()));
    ground.follow(2, 8).await;
    let told: Vec<usize> = waits.iter_mut().map(|wait| usize::from(drain(wait))).collect();
    assert_eq!(told, [0, 1, 0]);
    waits[1] = None;
    assert!(drain(&mut waits[2]) || waits[2].as_mut().unwrap().settle().is_none());
    ground.follow(3, 8).await;
    assert!(drain(&mut waits[2]), "the last one reads for itself");
    let head = ground.log.head().await.unwrap();
    assert_eq!(
        ground.log.readings(&Position::one(head.history(), 0)),
        Some((1, 1)),
        "each event was read once"
    );
}

/// Polls a wait for as long as it is woken; whether it ended.
fn drain<T>(wait: &mut Option<Polled<'_, T>>) -> bool {
    wait.as_mut().is_some_and(|wait| wait.is_woken() && wait.settle().is_some())
}

#[tokio::test]
async fn a_stream_that_nobody_polls_holds_up_nobody() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut stuck = subscribed(&hub, [user(1)]).await;
    let mut stuck = Polled::new(stuck.changed());
    assert!(stuck.poll().is_none(), "it reads for all, and is never polled again");
    let mut other = subscribed(&hub, [user(2)]).await;
    let mut reader = standing(&hub);
    assert!(reader.settle().is_none(), "takes its role away");
    for _ in 0..3 {
        let mut wait = Polled::new(other.changed());
        assert!(wait.settle().is_none());
        for stranger in 10..20 {
            ground.follow(1, stranger + ground.log.reads.load(Relaxed) as u64).await;
        }
        ground.follow(2, 1_000 + ground.log.reads.load(Relaxed) as u64).await;
        assert!(reader.settle().is_none());
        assert!(wait.is_woken() && wait.settle().unwrap().is_ok());
    }
    assert!(
        stuck.settle().unwrap().unwrap().covers(&ground.log.head().await.unwrap()),
        "it is told in the end"
    );
    // Without the reader beside them the streams read on.
    drop(reader);
    let mut wait = Polled::new(other.changed());
    assert!(wait.settle().is_none());
    ground.follow(2, 9_000).await;
    assert!(wait.is_woken() && wait.settle().unwrap().is_ok());
}

#[tokio::test]
async fn what_came_before_a_stream_registered_is_told_as_how_far_to_look() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut early = subscribed(&hub, [user(1)]).await;
    ground.follow(2, 8).await;
    let mut late = hub.subscribe([user(2)]).await.unwrap();
    ground.follow(2, 9).await;
    let mut wait = Polled::new(early.changed());
    assert!(wait.settle().is_none(), "it reads both events for all");
    let head = ground.log.head().await.unwrap();
    assert_eq!(late.quiet_to(), None);
    assert_eq!(late.changed().await, Ok(head.clone()), "marked once, however much came");
    assert_eq!(late.quiet_to(), Some(head.clone()));
    drop(wait);
    let mut wait = Polled::new(late.changed());
    assert!(wait.settle().is_none());
    ground.follow(7, 9).await;
    assert!(wait.settle().is_none());
    drop(wait);
    assert!(
        late.quiet_to().unwrap().covers(&ground.log.head().await.unwrap()),
        "nothing of it was its business"
    );
}

#[tokio::test]
async fn a_trimmed_log_marks_every_stream() {
    let ground = Ground::new(Logs::One, 2);
    let hub = Hub::new(ground.log.clone());
    let mut reader = standing(&hub);
    let mut streams = Vec::new();
    for n in 1..=20 {
        streams.push(subscribed(&hub, [user(n)]).await);
    }
    let mut waits: Vec<_> = streams.iter_mut().map(|stream| Polled::new(stream.changed())).collect();
    assert!(waits.iter_mut().all(|wait| wait.settle().is_none()) && reader.settle().is_none());
    for subject in 100..110 {
        ground.follow(subject, 99).await;
    }
    assert!(reader.settle().is_none());
    let head = ground.log.head().await.unwrap();
    assert!(waits.iter_mut().all(|wait| wait.poll() == Some(Ok(head.clone()))));
}

#[tokio::test]
async fn a_failed_reading_is_told_to_every_stream_once() {
    for has_reader in [false, true] {
        let ground = Ground::new(Logs::One, 1_000);
        let hub = Hub::new(ground.log.clone());
        let mut reader = has_reader.then(|| standing(&hub));
        let mut streams = Vec::new();
        for n in 1..=5 {
            streams.push(subscribed(&hub, [user(n)]).await);
        }
        {
            let mut waits: Vec<_> = streams.iter_mut().map(|stream| Polled::new(stream.changed())).collect();
            assert!(waits.iter_mut().all(|wait| wait.settle().is_none()));
            assert!(reader.as_mut().is_none_or(|reader| reader.settle().is_none()));
            ground.log.fails.store(true, Relaxed);
            ground.follow(9, 8).await;
            assert!(reader.as_mut().is_none_or(|reader| reader.settle().is_none()));
            for wait in &mut waits {
                assert_eq!(wait.settle().unwrap().unwrap_err().reason, Reason::Damaged, "{has_reader}");
            }
            assert_eq!(ground.log.reads.load(Relaxed), 1, "one reading failed");
        }
        ground.log.fails.store(false, Relaxed);
        streams.push(subscribed(&hub, [user(6)]).await);
        let mut waits: Vec<_> = streams.iter_mut().map(|stream| Polled::new(stream.changed())).collect();
        assert!(waits.iter_mut().all(|wait| wait.settle().is_none()), "told once, and later ones never");
    }
}

#[tokio::test]
async fn a_store_that_closes_ends_every_wait() {
    for has_reader in [false, true] {
        let ground = Ground::new(Logs::One, 1_000);
        let hub = Hub::new(ground.log.clone());
        let (mut a, mut b) = (subscribed(&hub, [user(1)]).await, subscribed(&hub, [user(2)]).await);
        let mut reader = has_reader.then(|| standing(&hub));
        ground.log.closes.store(true, Relaxed);
        assert!(reader.as_mut().is_none_or(|reader| reader.settle().is_some()), "the reader has ended");
        for stream in [&mut a, &mut b] {
            assert_eq!(stream.changed().await.unwrap_err().reason, Reason::ShuttingDown);
        }
    }
}

#[tokio::test]
async fn each_of_many_logs_is_read_once_for_all_streams() {
    let ground = Ground::new(Logs::PerGene, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut streams = Vec::new();
    for n in 0..600 {
        streams.push(subscribed(&hub, [user(0x10_000 + n)]).await);
    }
    let beginning = ground.log.head().await.unwrap();
    let mut waits: Vec<_> = streams.iter_mut().map(|stream| Polled::new(stream.changed())).collect();
    assert!(waits.iter_mut().all(|wait| wait.settle().is_none()));
    for n in 0..256 {
        ground.follow(0x20_000 + n, 0x30_000).await;
    }
    assert!(waits.iter_mut().all(|wait| wait.settle().is_none()));
    assert_eq!(ground.log.readings(&beginning), Some((1, 1)));
    let logs: HashSet<LogId> = ground.log.read.lock().unwrap().keys().map(|(log, _)| *log).collect();
    assert_eq!(logs.len(), 256);
}

#[tokio::test]
async fn nobody_reads_when_no_stream_is_open_and_nothing_is_left_of_those_that_were() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut reader = standing(&hub);
    assert!(reader.settle().is_none());
    for round in 0..3 {
        ground.follow(1, 100 + round).await;
        assert!(reader.settle().is_none());
        assert_eq!(ground.log.reads.load(Relaxed) as u64, round, "nobody is told of it");
        let mut stream = subscribed(&hub, [user(1)]).await;
        ground.follow(1, 200 + round).await;
        assert!(reader.settle().is_none());
        let head = ground.log.head().await.unwrap();
        assert_eq!(stream.changed().await, Ok(head));
        assert_eq!(hub.size().streams, 1);
        drop(stream);
        assert!(reader.settle().is_none());
        assert_eq!(hub.size(), HubSize::default());
    }
    let inner: Weak<HubInner> = Arc::downgrade(&hub.0);
    drop((reader, hub));
    assert!(inner.upgrade().is_none());
}

#[tokio::test]
async fn a_stream_that_comes_as_the_last_one_goes_is_told_of_all() {
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut reader = standing(&hub);
    let mut stream = subscribed(&hub, [user(1)]).await;
    assert!(reader.settle().is_none());
    for round in 0..3 {
        // The reader sees nothing of the moment without streams.
        ground.follow(2, 100 + round).await;
        drop(stream);
        ground.follow(3, 100 + round).await;
        stream = subscribed(&hub, [user(1)]).await;
        let mut wait = Polled::new(stream.changed());
        assert!(wait.settle().is_none());
        ground.follow(1, 100 + round).await;
        assert!(reader.settle().is_none());
        let head = ground.log.head().await.unwrap();
        assert_eq!(wait.settle(), Some(Ok(head)), "round {round}");
    }
}

#[tokio::test]
async fn streams_that_come_and_go_leave_no_more_than_as_much_again() {
    const OPEN: u64 = 200;
    const EACH: u64 = 50;
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let mut rng = Rng::new(7);
    let mut streams = Vec::new();
    for n in 0..OPEN {
        streams.push(hub.subscribe((0..EACH).map(|i| Interest::Posts(uid(1 + n * EACH + i)))).await.unwrap());
    }
    let before = hub.size();
    for n in OPEN..100 * OPEN {
        let interests = (0..EACH).map(|i| Interest::Posts(uid(1 + n * EACH + i)));
        let at = rng.below(OPEN as usize);
        streams[at] = hub.subscribe(interests).await.unwrap();
    }
    let after = hub.size();
    assert_eq!(after.streams, before.streams);
    let fixed = interest::LISTS * size_of::<Vec<u32>>();
    assert!(after.bytes - fixed < 3 * (before.bytes - fixed), "{before:?} {after:?}");
}

#[tokio::test]
async fn a_slot_is_used_again_only_when_nothing_names_it() {
    // A new stream in an old one's slot would be woken for the old one's users.
    let ground = Ground::new(Logs::One, 1_000);
    let hub = Hub::new(ground.log.clone());
    let _stays = subscribed(&hub, [user(1)]).await;
    let old = subscribed(&hub, (100..200).map(user)).await;
    drop(old);
    let mut new = subscribed(&hub, [user(2)]).await;
    let mut wait = Polled::new(new.changed());
    for subject in 100..200 {
        ground.follow(subject, 3).await;
    }
    assert!(wait.settle().is_none());
}

#[test]
fn keys_of_users_have_nothing_in_common_but_by_chance() {
    const USERS: u64 = 20_000;
    let mut lists = vec![0_usize; interest::LISTS];
    let mut seen: HashSet<(usize, u32)> = HashSet::new();
    for n in 1..=USERS {
        for interest in [Interest::Posts(uid(n)), Interest::Relations(uid(n)), Interest::User(uid(n))] {
            let key = interest::InterestKey::of(interest).unwrap();
            lists[key.list] += 1;
            seen.insert((key.list, key.tag));
        }
    }
    let longest = lists.iter().max().unwrap();
    assert!(*longest < 3 * 3 * USERS as usize / interest::LISTS, "{longest}");
    assert!(seen.len() as u64 > 3 * USERS - 3 * USERS / 1_000, "{}", seen.len());
}
