//! What comes late in the in-memory backend, when it comes, and what is in doubt.

use guanxi_model::{
    Event, EventAt, List, Logs, ManualClock, Op, Page, PairCommand, Position, Reason, RequestKey, Uid, Write,
};
use guanxi_ports::{Applied, Facts as _, Log as _, RelationView, Store as _, Upkeep as _};
use guanxi_spec::conformance::{Rng, follow, u};
use guanxi_spec::memory::{Carrying, MemoryStore, Options};
use std::sync::Arc;

/// Nothing arrives by chance for many questions with this seed.
const SLOW: u64 = 18;

fn store(carrying: Carrying) -> MemoryStore {
    let options = Options { logs: Logs::PerGene, carrying, ..Options::default() };
    MemoryStore::new(Arc::new(ManualClock::new(1_000_000)), options)
}

async fn act(store: &MemoryStore, op: Op, subject: u64, object: u64) -> Applied {
    store
        .apply(Write::of(PairCommand { op, subject: u(subject), object: u(object) }))
        .await
        .expect("a store in memory answers")
}

async fn followers(view: &dyn RelationView, of: u64) -> Vec<u64> {
    let page = view.list(u(of), List::Followers, Page::first()).await.expect("a store in memory answers");
    page.items.iter().map(|edge| edge.uid.get()).collect()
}

async fn log_of(store: &MemoryStore, uid: u64) -> Vec<Event> {
    let beginning = Position::beginning(Options::default().history, Logs::PerGene);
    store.read(Logs::PerGene.of(u(uid)), &beginning, 1_000).await.expect("a store in memory answers").events
}

/// A store in which something is under way, so that a follow that is made now comes late.
async fn slow() -> MemoryStore {
    let store = store(Carrying::Delayed { seed: SLOW });
    act(&store, Op::Follow, 8, 9).await;
    store.head().await.expect("a store in memory answers");
    store
}

#[tokio::test]
async fn a_follow_is_late_in_the_followers_list_but_for_who_brings_its_token() {
    let store = slow().await;
    let followed = act(&store, Op::Follow, 1, 2).await;
    let at = followed.position.of(u(1));
    assert!(!store.is_applied(u(1), at).await.expect("a store in memory answers"));
    assert!(
        store.is_applied(u(1), at.before()).await.expect("a store in memory answers"),
        "nothing was sent before it"
    );
    let stranger = store.view(None).await.expect("a store in memory answers");
    assert_eq!(followers(&*stranger, 2).await, [0; 0]);
    assert_eq!(stranger.counts(&[u(2)]).await.expect("a store in memory answers")[0].followers, 0);
    assert!(log_of(&store, 2).await.is_empty());

    let seen = Position::seen(followed.position.history(), Logs::PerGene, at);
    let reader = store.view(Some(&seen)).await.expect("a store in memory answers");
    assert_eq!(followers(&*reader, 2).await, [0; 0], "what was seen of one log asks nothing of another");
    let brings_token = store.view(Some(&followed.position)).await.expect("a store in memory answers");
    assert!(
        !store.is_applied(u(1), at).await.expect("a store in memory answers"),
        "nobody has asked about 2 yet"
    );
    assert_eq!(followers(&*brings_token, 2).await, [1]);
    assert!(store.is_applied(u(1), at).await.expect("a store in memory answers"));
    assert_eq!(log_of(&store, 2).await.iter().map(|event| event.echo).collect::<Vec<_>>(), [Some(at)]);
    assert_eq!(followers(&*stranger, 2).await, [0; 0], "a part of a view stands still");
}

#[tokio::test]
async fn what_is_late_stands_once_all_has_settled() {
    let store = slow().await;
    for (a, b) in [(1, 2), (2, 1), (3, 1)] {
        act(&store, Op::Follow, a, b).await;
    }
    store.settle();
    let view = store.view(None).await.expect("a store in memory answers");
    assert_eq!(followers(&*view, 1).await, [3, 2]);
    let counts = view.counts(&[u(1), u(2)]).await.expect("a store in memory answers");
    assert_eq!(counts.iter().map(|counts| counts.friends).collect::<Vec<_>>(), [1, 1]);
    assert!(store.verify(&mut |_| ()).expect("a store in memory answers").clean());
}

#[tokio::test]
async fn a_block_overtakes_the_follow_that_it_ends() {
    let store = slow().await;
    let followed = act(&store, Op::Follow, 1, 2).await;
    act(&store, Op::Block, 2, 1).await;
    let now = store.view(None).await.expect("a store in memory answers");
    assert!(now.relations(u(1), &[u(2)]).await.expect("a store in memory answers")[0].blocked_by);
    let late = store.view(Some(&followed.position)).await.expect("a store in memory answers");
    assert_eq!(followers(&*late, 2).await, [0; 0], "the follow that arrives now is older than its end");
    assert_eq!(late.counts(&[u(2)]).await.expect("a store in memory answers")[0].followers, 0);
}

/// Returns the state that many acts lead to, with any of them late, twice or in another order.
async fn ending(carrying: Carrying) -> Vec<(guanxi_model::Counts, Vec<u64>)> {
    let (store, mut rng) = (store(carrying), Rng::new(5));
    for _ in 0..400 {
        let (a, b) = (1 + rng.below(6), 1 + rng.below(6));
        act(&store, *rng.pick(&Op::ALL), a, b).await;
    }
    store.settle();
    assert!(store.verify(&mut |_| ()).expect("a store in memory answers").clean());
    let view = store.view(None).await.expect("a store in memory answers");
    let mut said = Vec::new();
    for uid in 1..=6 {
        said.push((
            view.counts(&[u(uid)]).await.expect("a store in memory answers")[0],
            followers(&*view, uid).await,
        ));
    }
    said
}

#[tokio::test]
async fn every_shape_comes_to_the_same_end() {
    let at_once = ending(Carrying::AtOnce).await;
    for seed in 0..40 {
        assert_eq!(ending(Carrying::Delayed { seed }).await, at_once, "delayed by {seed}");
        assert_eq!(ending(Carrying::Disordered { seed }).await, at_once, "disordered by {seed}");
    }
}

#[tokio::test]
async fn a_write_of_unknown_outcome_happens_once_when_it_is_repeated() {
    let store = store(Carrying::Disordered { seed: 1 });
    let (mut took_place, mut lost) = (0, 0);
    for n in 0..300 {
        let request = RequestKey { actor: u(1), id: n.to_string().into(), fingerprint: n };
        let write = Write::of(follow(1, 1_000 + n)).under(Some(request));
        let Err(error) = store.apply(write.clone()).await else { continue };
        assert_eq!(error.reason, Reason::OutcomeUnknown);
        let before = log_of(&store, 1).await.len();
        let answer = loop {
            match store.apply(write.clone()).await {
                Err(error) => assert_eq!(error.reason, Reason::OutcomeUnknown),
                Ok(answer) => break answer,
            }
        };
        assert_eq!(answer.outcomes[0].result(), Ok(true), "as the first answer said, if there was one");
        let after = log_of(&store, 1).await.len();
        took_place += u32::from(after == before);
        lost += u32::from(after > before);
    }
    assert!(took_place > 5 && lost > 5, "{took_place} took place, {lost} did not");
    let facts = log_of(&store, 1).await.iter().filter(|event| event.subject == u(1)).count();
    assert_eq!(facts, 300, "each once");
}

#[tokio::test]
async fn only_a_write_that_can_be_repeated_is_left_in_doubt() {
    let store = store(Carrying::Disordered { seed: 2 });
    for object in 10..200 {
        act(&store, Op::Follow, 1, object).await;
    }
    let uid = Uid::new(10).expect("a store in memory answers");
    assert!(
        store
            .is_applied(uid, EventAt::beginning(Logs::PerGene.of(uid)))
            .await
            .expect("a store in memory answers")
    );
}
