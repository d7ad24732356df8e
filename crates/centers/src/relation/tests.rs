//! The rules that the center adds to the graph's; the graph's own are in the conformance suite.

use super::*;
use crate::Viewer;
use crate::follow::Hub;
use guanxi_model::List;
use guanxi_model::{ManualClock, Op, Page, PairCommand, Position, Reason, RequestKey, Result, Uid, Write};
use guanxi_ports::{Applied, BoxFuture, Facts, StoreView};

fn uid(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

fn center() -> RelationCenter {
    let store = guanxi_spec::memory::MemoryStore::new(
        Arc::new(ManualClock::new(1_000)),
        guanxi_spec::memory::Options::default(),
    );
    let store = Arc::new(store);
    RelationCenter::new(store.clone(), Hub::new(store))
}

#[tokio::test]
async fn a_list_carries_the_viewers_relation_when_asked() {
    let center = center();
    for (a, b) in [(1, 2), (1, 3), (9, 3)] {
        center.act(Viewer::Trusted, Op::Follow, uid(a), uid(b), None).await.unwrap();
    }
    let listed = center
        .list(Viewer::Trusted, uid(1), List::Following, Page::first(), Some(uid(9)), None)
        .await
        .unwrap();
    let follows: Vec<_> =
        listed.items.iter().map(|i| (i.edge.uid, i.relation.unwrap().following_since.is_some())).collect();
    assert_eq!(follows, [(uid(3), true), (uid(2), false)]);
    let bare =
        center.list(Viewer::Trusted, uid(1), List::Following, Page::first(), None, None).await.unwrap();
    assert!(bare.items.iter().all(|i| i.relation.is_none()));
}

#[tokio::test]
async fn batches_and_request_ids_are_bounded() {
    let center = center();
    let many: Vec<Uid> = (1..=1_001).map(uid).collect();
    assert_eq!(
        center.relations(Viewer::Trusted, uid(1), &many, None).await.unwrap_err().reason,
        Reason::BatchTooLarge { limit: 1_000 }
    );
    assert_eq!(
        center.batch_follow(Viewer::Trusted, uid(5_000), &many, None).await.unwrap_err().reason,
        Reason::BatchTooLarge { limit: 1_000 }
    );
    let request = Some(RequestKey { actor: uid(1), id: "x".repeat(65), fingerprint: 1 });
    assert_eq!(
        center.act(Viewer::Trusted, Op::Follow, uid(1), uid(2), request).await.unwrap_err().reason,
        Reason::TooLong { field: "request_id", limit: 64 }
    );
}

#[tokio::test]
async fn a_refusal_of_one_pair_is_an_error_and_of_a_batch_an_outcome() {
    let center = center();
    assert_eq!(
        center.act(Viewer::Trusted, Op::Follow, uid(1), uid(1), None).await.unwrap_err().reason,
        Reason::SelfRelation
    );
    let batch = center.batch_follow(Viewer::Trusted, uid(1), &[uid(1), uid(2)], None).await.unwrap();
    assert_eq!(batch.outcomes[0].result, Err(Reason::SelfRelation));
    assert_eq!(batch.outcomes[1].result, Ok(true));
}

/// A graph on which a block is taken back as soon as it has refused somebody.
struct Forgiving(Arc<guanxi_spec::memory::MemoryStore>);

impl Facts for Forgiving {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            let answer = self.0.apply(write).await?;
            let unblock = PairCommand { op: Op::Unblock, subject: uid(1), object: uid(2) };
            if answer.outcomes.iter().any(|outcome| outcome.result() == Err(Reason::Blocked)) {
                self.0.apply(Write::of(unblock)).await?;
            }
            Ok(answer)
        })
    }
}

impl Graph for Forgiving {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.0.view(at_least)
    }
}

#[tokio::test]
async fn a_refusal_tells_of_the_block_that_refused_and_of_no_later_state() {
    let clock = Arc::new(ManualClock::new(1_000));
    let options = guanxi_spec::memory::Options::default();
    let store = Arc::new(guanxi_spec::memory::MemoryStore::new(clock, options));
    let center = RelationCenter::new(Arc::new(Forgiving(store.clone())), Hub::new(store));
    for (viewer, subject, object, told) in [
        (Viewer::EndUser(uid(1)), 1, 2, Reason::Blocked),
        (Viewer::EndUser(uid(2)), 2, 1, Reason::NotAllowed),
        (Viewer::Trusted, 2, 1, Reason::Blocked),
    ] {
        center.act(Viewer::Trusted, Op::Block, uid(1), uid(2), None).await.unwrap();
        let refused = center.act(viewer, Op::Follow, uid(subject), uid(object), None).await.unwrap_err();
        assert_eq!(refused.reason, told, "{viewer:?}");
    }
}
