//! Positions: what a write answers, and what a read may ask for.

use super::{World, follow, u};
use guanxi_model::{Command, HistoryId, Op, Position, Reason, Write};
use std::time::Duration;

/// Every write is seen at its own position, by each reader that brings it.
pub async fn a_read_at_a_writes_position_sees_it(world: &World) {
    for object in 2..40 {
        let commands = vec![follow(1, object)];
        let answer = world.write(Write::all(commands)).await;
        let view = world.backend.store.view(Some(&answer.position)).await.unwrap();
        let relation = view.relations(u(1), &[u(object)]).await.unwrap()[0];
        assert!(view.position().covers(&answer.position));
        assert_eq!(relation, answer.pair().unwrap().relation);
    }
}

/// The same with many clients at once.
pub async fn concurrent_clients_read_their_own_writes(world: &World) {
    let clients: Vec<_> = (1..=6)
        .map(|subject| {
            let graph = world.backend.store.clone();
            tokio::spawn(async move {
                let mut last: Option<Position> = None;
                for object in 100..125 {
                    let write = Write::of(follow(subject, object));
                    let answer = graph.apply(write).await.unwrap();
                    let rises = last
                        .is_none_or(|last| answer.position.covers(&last) && !last.covers(&answer.position));
                    assert!(rises, "positions of a client's writes rise");
                    let view = graph.view(Some(&answer.position)).await.unwrap();
                    last = Some(answer.position);
                    assert!(
                        view.relations(u(subject), &[u(object)]).await.unwrap()[0].following_since.is_some()
                    );
                    let counts = view.counts(&[u(subject)]).await.unwrap()[0];
                    assert_eq!(u64::from(counts.following), object - 99);
                }
                last.unwrap()
            })
        })
        .collect();
    for client in clients {
        world.saw(&client.await.unwrap());
    }
}

/// No-ops and refusals have a position, too: where the store stood when they were decided.
pub async fn every_answer_has_a_position(world: &World) {
    world.build("1->2 3-x1").await;
    let head = world.last().of(u(1));
    for commands in [[follow(1, 2), follow(1, 2)], [follow(1, 3), follow(1, 1)]] {
        let answer = world.write(Write::all(commands.to_vec())).await;
        assert_eq!(answer.position.of(u(1)), head);
    }
    let answer = world.write(Write::of(Command::FollowLimit { uid: u(1), limit: None })).await;
    assert_eq!(answer.position.of(u(1)), head);
    let next = world.next(1).of(u(1));
    let answer = world.write(Write::of(follow(1, 4))).await;
    assert_eq!(answer.position.of(u(1)), next);
}

/// A position of another history is refused, wherever it is brought.
pub async fn a_position_of_another_history_is_refused(world: &World) {
    world.build("1->2").await;
    let (other, last) = (HistoryId(world.settings.history.0 ^ 1), world.last());
    let at = last.of(u(1));
    for other in [Position::acted(other, last.logs(), at), Position::beginning(other, last.logs())] {
        let error = world.backend.store.view(Some(&other)).await.map(drop).unwrap_err();
        assert_eq!(error.reason, Reason::TokenFromOtherHistory);
        let error = world.backend.log.read(at.log(), &other, 10).await.unwrap_err();
        assert_eq!(error.reason, Reason::TokenFromOtherHistory);
    }
}

/// A position that the store does not reach is refused after a second; the log says so at once.
pub async fn a_position_ahead_is_refused_after_a_while(world: &World) {
    world.build("1->2").await;
    let ahead = world.next(1);
    let error = world.backend.log.read(ahead.of(u(1)).log(), &ahead, 10).await.unwrap_err();
    assert_eq!(error.reason, Reason::TokenAhead);
    let error = world.backend.store.view(Some(&ahead)).await.map(drop).unwrap_err();
    assert_eq!(error.reason, Reason::TokenAhead);
}

/// A read waits for a position that is about to be reached.
pub async fn a_read_waits_for_a_position(world: &World) {
    world.build("1->2").await;
    let ahead = world.next(1);
    let graph = world.backend.store.clone();
    let reader = tokio::spawn(async move {
        let view = graph.view(Some(&ahead)).await.unwrap();
        view.relations(u(1), &[u(3)]).await.unwrap()[0]
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!reader.is_finished());
    assert_eq!(world.result(Op::Follow, 1, 3).await, Ok(true));
    assert!(reader.await.unwrap().following_since.is_some());
}

/// The beginning is a position like any other.
pub async fn the_beginning_is_a_position(world: &World) {
    world.build("1->2").await;
    let view = world.backend.store.view(Some(&world.origin)).await.unwrap();
    assert!(view.relations(u(1), &[u(2)]).await.unwrap()[0].following_since.is_some());
    assert_eq!(world.events_since(&world.origin).await.len(), 1);
}
