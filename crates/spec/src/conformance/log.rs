//! The log: gapless, in order, resumable anywhere, and told apart from a trimmed one.

use super::model_check::client_ops;
use super::{Need, Replay, Rng, World, follow, u};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{
    Edge, Event, EventAt, LogId, Op, Page, PageStart, Position, Reason, RequestDirection, RequestKind, Write,
};
use guanxi_ports::Log;
use std::sync::Arc;
use std::time::Duration;

/// Longest that a wake-up may take; generous, since machines are busy.
const WAKE_MAX: Duration = Duration::from_secs(10);

/// Reads on from a position, which names every log, until `count` facts have come, waiting for those that are not
/// there yet.
async fn follow_log(log: Arc<dyn Log>, mut after: Position, count: usize, max: usize) -> Vec<Event> {
    let mut facts: Vec<Event> = Vec::new();
    while facts.len() < count {
        tokio::time::timeout(WAKE_MAX, log.wait(&after)).await.unwrap().unwrap();
        for id in log.logs().all() {
            let batch = log.read(id, &after, max).await.unwrap();
            assert!(batch.events.len() <= max, "at most {max} events were asked for");
            let (from, to) = (after.in_log(id).seq(), batch.position.in_log(id).seq());
            assert_eq!(to, from + batch.events.len() as u64, "the position is after the batch");
            after = batch.position;
            facts.extend(batch.events.into_iter().filter(|event| event.echo.is_none()));
        }
    }
    facts
}

/// The log of a user, and its last event before a position.
fn log_of(position: &Position, uid: u64) -> LogId {
    position.of(u(uid)).log()
}

/// Only changes are logged, each once.
pub async fn only_changes_are_logged(world: &World) {
    world.build("1->2 3-x4").await;
    for (op, a, b) in [(Op::Follow, 1, 2), (Op::Follow, 4, 3), (Op::Unfollow, 2, 1), (Op::Unmute, 1, 2)] {
        assert_ne!(world.result(op, a, b).await, Ok(true));
    }
    assert_eq!(world.events_since(&world.origin).await.len(), 2);
    let end = world.last();
    let batch = world.backend.log.read(log_of(&end, 1), &end, 10).await.unwrap();
    assert_eq!((batch.events, batch.position), (vec![], end), "at the head there is nothing yet");
}

/// From every position and by batches of every size, the same events follow.
pub async fn the_log_resumes_at_any_position(world: &World) {
    world.build("1->2 2->1 3->1 1-x3 4-m1 1-/2 1->4 1-o3 4-u1 5<->1 1-r5").await;
    world.settle(1..=5).await;
    let head = world.backend.log.head().await.unwrap();
    for (id, _) in head.marks() {
        let log = &world.backend.log;
        let all = log.read(id, &world.origin, 1_000).await.unwrap().events;
        let mut after = world.origin.clone();
        for (read, first) in (0..all.len()).zip(&all) {
            for max in 1..=all.len() - read {
                let batch = log.read(id, &after, max).await.unwrap();
                assert_eq!(batch.events, all[read..read + max]);
            }
            assert_eq!(first.at.before(), after.in_log(id));
            after = log.read(id, &after, 1).await.unwrap().position;
        }
        assert_eq!(after.in_log(id), head.in_log(id));
    }
}

/// One read is bounded, for any bound that the caller asks for.
pub async fn a_read_of_the_log_is_bounded(world: &World) {
    world.import((1..=1_500).map(|n| (n + 10, 1, n))).await;
    let id = log_of(&world.last(), 1);
    let batch = world.backend.log.read(id, &world.origin, usize::MAX).await.unwrap();
    assert!(!batch.events.is_empty() && batch.events.len() <= EVENT_BATCH_MAX as usize);
    let (from, to) = (world.origin.in_log(id).seq(), batch.position.in_log(id).seq());
    assert_eq!(to, from + batch.events.len() as u64);
    assert_eq!(world.events_since(&world.origin).await.len(), 1_500);
}

/// A waiting reader is woken by the next change, and not before; behind the head no reader waits.
pub async fn waiting_ends_with_the_next_change(world: &World) {
    world.build("1->2").await;
    let log = world.backend.log.clone();
    tokio::time::timeout(WAKE_MAX, log.wait(&world.origin)).await.unwrap().unwrap();
    world.settle([2]).await;
    let (head, graph) = (log.head().await.unwrap(), world.backend.store.clone());
    let early = tokio::time::timeout(Duration::from_millis(100), log.wait(&head)).await;
    assert!(early.is_err(), "at the head, waiting goes on until something happens");
    let next = world.next(1).of(u(1));
    let waiter = tokio::spawn(async move { follow_log(log, head, 1, 10).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiter.is_finished(), "nothing has happened yet");
    graph.apply(Write::all(vec![follow(1, 2)])).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiter.is_finished(), "a no-op is nothing");
    world.build("1->3").await;
    let events = tokio::time::timeout(WAKE_MAX, waiter).await.unwrap().unwrap();
    assert_eq!((events.len(), events[0].at, events[0].subject), (1, next, u(1)));
}

/// Readers that follow concurrent writers see every event once, in one order, without a gap.
pub async fn readers_follow_concurrent_writers(world: &World) {
    const WRITERS: u64 = 4;
    const EACH: u64 = 40;
    let readers: Vec<_> = [1, 7, 1_000]
        .map(|max| {
            let count = (WRITERS * EACH) as usize;
            tokio::spawn(follow_log(world.backend.log.clone(), world.origin.clone(), count, max))
        })
        .into();
    let writers: Vec<_> = (1..=WRITERS)
        .map(|subject| {
            let graph = world.backend.store.clone();
            tokio::spawn(async move {
                for object in 100..100 + EACH {
                    let write = Write::all(vec![follow(subject, object)]);
                    graph.apply(write).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    world.saw(&world.backend.log.head().await.unwrap());
    let all = world.events_since(&world.origin).await;
    assert!(all.is_sorted_by(|a, b| a.version < b.version), "versions rise");
    for reader in readers {
        let mut read = reader.await.unwrap();
        assert!(
            read.is_sorted_by(|a, b| a.at.log() != b.at.log() || b.at.is_after(a.at)),
            "each log in order"
        );
        read.sort_by_key(|event| event.version);
        assert_eq!(read, all);
    }
}

/// A reader that is far behind catches up while writers go on.
pub async fn a_reader_far_behind_catches_up(world: &World) {
    const BEHIND: u64 = 24_000;
    world.import((0..BEHIND).map(|n| (1_000 + n, 1 + n % 7, n))).await;
    let reader = tokio::spawn(follow_log(
        world.backend.log.clone(),
        world.origin.clone(),
        BEHIND as usize + 30,
        1_000,
    ));
    for object in 100..130 {
        world.build(&format!("9->{object}")).await;
    }
    let mut events = tokio::time::timeout(WAKE_MAX * 4, reader).await.unwrap().unwrap();
    events.sort_by_key(|event| event.version);
    let mut subjects: Vec<_> = events.iter().map(|event| event.subject).collect();
    if world.lacks(Need::OneOrder) {
        // Each of them is of a log of its own.
        subjects[..BEHIND as usize].sort_unstable();
    }
    for (n, subject) in (0..).zip(subjects) {
        assert_eq!(subject, if n < BEHIND { u(1_000 + n) } else { u(9) });
    }
}

/// Events applied twice, late and in any order end in the same state, since the newer version wins.
pub async fn events_may_be_applied_twice_and_in_any_order(world: &World) {
    let mut rng = Rng::new(3);
    let ops = client_ops();
    for _ in 0..400 {
        let (a, b) = (1 + rng.below(5), 1 + rng.below(5));
        if rng.below(8) == 0 {
            world.lock(a, rng.below(2) == 0).await;
        }
        world.act(*rng.pick(&ops), a, b).await;
        if rng.below(20) == 0 {
            world.set_limit(a, [None, Some(3), Some(50)][rng.below(3) as usize]).await;
        }
    }
    let mut events = world.events_since(&world.origin).await;
    let mut in_order = Replay::default();
    in_order.apply_all(&events);
    for _ in 0..5 {
        rng.shuffle(&mut events);
        let mut replay = Replay::default();
        replay.apply_all(&events);
        replay.apply_all(&events[..100]);
        assert_eq!(replay, in_order);
    }
    assert_eq!(world.portrait(&in_order).await, world.portrait_of(&in_order));
    let view = world.view().await;
    let page = Page::new(PageStart::Newest, 100).unwrap();
    for (uid, kind) in (1..=5).flat_map(|uid| RequestKind::ALL.map(|kind| (u(uid), kind))) {
        let asked = view.requests(uid, RequestDirection::Incoming, kind, page).await.unwrap().items;
        let asked = asked.into_iter().map(|request| Edge { at: request.at, uid: request.sender });
        assert_eq!(asked.collect::<Vec<_>>(), in_order.requests(uid, kind), "{kind:?} requests to {uid}");
    }
}

/// The head is the last event.
pub async fn the_head_is_the_last_event(world: &World) {
    world.build("1->2 2->3").await;
    world.settle([2, 3]).await;
    let head = world.backend.log.head().await.unwrap();
    for uid in [1, 2] {
        let log = log_of(&head, uid);
        let events = world.backend.log.read(log, &world.origin, 1_000).await.unwrap().events;
        assert_eq!(Some(head.of(u(uid))), events.last().map(|event| event.at));
        if !world.lacks(Need::NoLag) {
            assert_eq!(
                head.of(u(uid)),
                world.last().of(u(uid)),
                "what follows is in the log before the answer"
            );
        }
    }
    assert_eq!(world.events_since(&world.origin).await.len(), 2);
}

/// A place in one log of a world.
fn position(world: &World, log: LogId, seq: u64) -> Position {
    let history = world.settings.history;
    Position::seen(history, world.origin.logs(), EventAt::new(log, seq))
}

/// A log that holds few events says `Trimmed` to a reader that needs older ones, and serves the others. It runs with
/// [`Settings::short_log`](super::Settings::short_log).
pub async fn a_trimmed_log_says_so(world: &World) {
    let kept = world.settings.log_events_max;
    let log = &world.backend.log;
    world.import((0..kept).map(|n| (2, 100 + n, n))).await;
    let id = log_of(&world.last(), 2);
    assert_eq!(log.read(id, &world.origin, 1).await.unwrap().events.len(), 1, "so many are kept");
    for n in 0..kept + 10 {
        // Of the same gene, so that the same log tells of it.
        world.build(&format!("258->{}", 1_000 + n)).await;
        let oldest = world.last().in_log(id).seq() - kept;
        let read = log.read(id, &position(world, id, oldest), 1).await.unwrap();
        assert_eq!(read.events[0].at, EventAt::new(id, oldest + 1), "the oldest kept is served");
        if oldest > 0 {
            let error = log.read(id, &position(world, id, oldest - 1), 1).await.unwrap_err();
            assert_eq!(error.reason, Reason::Trimmed);
        }
    }
    assert_eq!(log.read(id, &world.origin, 1).await.unwrap_err().reason, Reason::Trimmed);
    assert_eq!(u64::from(world.counts(2).await.following), kept, "the graph has lost nothing");
    // A view at a trimmed position is no problem: it is only "at least".
    world.backend.store.view(Some(&world.origin)).await.unwrap();
    if !world.lacks(Need::MixedBatches) {
        let many: Vec<_> = (0..3 * kept).map(|n| follow(10 + n, 9)).collect();
        world.change(&many).await;
        let oldest = world.last().in_log(id).seq() - kept;
        let events = log.read(id, &position(world, id, oldest), 1_000).await.unwrap().events;
        assert_eq!(events.len() as u64, kept, "a commit larger than the log leaves its newest events");
    }
}
