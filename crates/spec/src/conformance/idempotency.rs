//! Request ids: a write under one happens once.

use super::{World, follow, u};
use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::{Op, PairCommand, Reason, RequestKey, Write};

const fn command(op: Op, subject: guanxi_model::Uid, object: guanxi_model::Uid) -> PairCommand {
    PairCommand { op, subject, object }
}

/// A repeat gets the first answer again and does nothing, although the state has changed meanwhile.
pub async fn a_repeated_request_is_answered_from_the_first(world: &World) {
    let first = world.request("a", &[follow(1, 2)]).await.unwrap();
    assert_eq!(first.outcomes[0].result(), Ok(true));
    world.build("1-/2").await;
    let before = world.last();
    let again = world.request("a", &[follow(1, 2)]).await.unwrap();
    assert_eq!(again.position, first.position);
    assert_eq!(again.outcomes[0].result(), first.outcomes[0].result());
    assert_eq!(world.events_since(&before).await, []);
    assert!(world.relation(1, 2).await.following_since.is_none(), "the repeat did not follow again");
    // Without the id, or under another one, it is a new request.
    assert_eq!(world.request("b", &[follow(1, 2)]).await.unwrap().outcomes[0].result(), Ok(true));
    assert_eq!(world.result(Op::Follow, 1, 2).await, Ok(false));
}

/// The whole first answer comes again: relations included, for every operation and for batches.
pub async fn a_repeat_has_every_outcome_of_the_first(world: &World) {
    world.build("5-x1 1->4 6->1").await;
    let batch: Vec<PairCommand> = [2, 5, 4, 1, 3].map(|object| follow(1, object)).to_vec();
    let requests = [
        ("batch", batch),
        ("unfollow", vec![command(Op::Unfollow, u(1), u(2))]),
        ("remove", vec![command(Op::RemoveFollower, u(1), u(6))]),
        ("block", vec![command(Op::Block, u(1), u(2))]),
        ("unblock", vec![command(Op::Unblock, u(1), u(2))]),
        ("mute", vec![command(Op::Mute, u(1), u(7))]),
        ("unmute", vec![command(Op::Unmute, u(1), u(7))]),
        ("nothing", vec![command(Op::Unmute, u(1), u(8))]),
    ];
    let mut first = Vec::new();
    for (id, commands) in &requests {
        first.push(world.request(id, commands).await.unwrap());
    }
    let before = world.last();
    for ((id, commands), first) in requests.iter().zip(first) {
        assert_eq!(world.request(id, commands).await.unwrap(), first, "{id}");
    }
    assert_eq!(world.events_since(&before).await, []);
}

/// Each acting user has request ids of its own.
pub async fn the_same_request_id_of_another_user_is_another_request(world: &World) {
    world.request("a", &[follow(1, 2)]).await.unwrap();
    assert_eq!(world.request("a", &[follow(2, 1)]).await.unwrap().outcomes[0].result(), Ok(true));
    world.request("a", &[command(Op::Unfollow, u(3), u(1))]).await.unwrap();
    let before = world.last();
    for (again, changed) in
        [(follow(1, 2), true), (follow(2, 1), true), (command(Op::Unfollow, u(3), u(1)), false)]
    {
        assert_eq!(
            world.request("a", &[again]).await.unwrap().outcomes[0].result(),
            Ok(changed),
            "{again:?}"
        );
    }
    assert_eq!(world.events_since(&before).await, []);
}

/// The same id with other parameters is a mistake, and changes nothing.
pub async fn a_request_id_with_other_parameters_is_refused(world: &World) {
    world.request("a", &[follow(1, 2)]).await.unwrap();
    let before = world.last();
    for other in [follow(1, 3), follow(1, 4), command(Op::Unfollow, u(1), u(2))] {
        assert_eq!(world.request("a", &[other]).await, Err(Reason::IdempotencyMismatch), "{other:?}");
    }
    assert_eq!(world.request("a", &[follow(1, 2), follow(1, 3)]).await, Err(Reason::IdempotencyMismatch));
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.request("a", &[follow(1, 2)]).await.unwrap().outcomes[0].result(), Ok(true));
}

/// What was refused under an id stays refused under it.
pub async fn a_refusal_is_remembered_too(world: &World) {
    world.set_limit(1, Some(0)).await;
    let refused = Err(Reason::LimitReached { limit: 0 });
    assert_eq!(
        world.request("a", &[follow(1, 2), follow(1, 3)]).await.unwrap().outcomes[0].result(),
        refused
    );
    world.set_limit(1, None).await;
    assert_eq!(
        world.request("a", &[follow(1, 2), follow(1, 3)]).await.unwrap().outcomes[1].result(),
        refused
    );
    assert_eq!(world.request("b", &[follow(1, 2)]).await.unwrap().outcomes[0].result(), Ok(true));
}

/// An id is remembered for a day, and then free again.
pub async fn a_request_id_is_remembered_for_a_day(world: &World) {
    world.request("a", &[follow(1, 2)]).await.unwrap();
    world.build("1-/2").await;
    world.clock().advance(REQUEST_ID_TTL_MS - 1);
    world.request("a", &[follow(1, 2)]).await.unwrap();
    assert!(world.relation(1, 2).await.following_since.is_none());
    assert_eq!(world.request("a", &[follow(1, 3)]).await, Err(Reason::IdempotencyMismatch));
    world.clock().advance(1);
    assert_eq!(world.request("a", &[follow(1, 3)]).await.unwrap().outcomes[0].result(), Ok(true));
    // From here on the id belongs to the new request.
    world.clock().advance(REQUEST_ID_TTL_MS - 1);
    assert_eq!(world.request("a", &[follow(1, 2)]).await, Err(Reason::IdempotencyMismatch));
    assert_eq!(world.uids(1, guanxi_model::List::Following).await, [3]);
}

/// Ids of the largest length and of odd bytes are all different.
pub async fn request_ids_are_compared_byte_by_byte(world: &World) {
    let long = "x".repeat(64);
    let ids = ["", " ", "a", "A", "a ", "\u{e9}", "e\u{301}", &long[1..], &long];
    let ids: Vec<&str> = ids.into_iter().filter(|id| !id.is_empty()).collect();
    for (id, object) in ids.iter().zip(2..) {
        assert_eq!(
            world.request(id, &[follow(1, object)]).await.unwrap().outcomes[0].result(),
            Ok(true),
            "{id:?}"
        );
    }
    assert_eq!(world.counts(1).await.following as usize, ids.len());
}

/// Clients that race with one id: the write happens once, and all are told the same.
pub async fn racing_repeats_happen_once(world: &World) {
    for round in 0..10 {
        let object = 100 + round;
        let racers: Vec<_> = (0..6)
            .map(|_| {
                let graph = world.backend.store.clone();
                let request =
                    Some(RequestKey { actor: u(1), id: format!("race-{round}").into(), fingerprint: object });
                let commands = vec![follow(1, object), follow(1, object + 1_000)];
                tokio::spawn(async move { graph.apply(Write::all(commands).under(request)).await.unwrap() })
            })
            .collect();
        for racer in racers {
            let answer = racer.await.unwrap();
            world.saw(&answer.position);
            assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{answer:?}");
        }
    }
    assert_eq!(world.events_since(&world.origin).await.len(), 20);
}
