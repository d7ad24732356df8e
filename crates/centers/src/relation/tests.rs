//! The rules that the center adds to the graph's; the graph's own are in the conformance suite.

use super::*;
use crate::Viewer;
use crate::heavy::{HEAVY_EDGES_MIN, HEAVY_PER_USER_MAX, HeavyWork};
use crate::log_readers::Hub;
use crate::user::UserCenter;
use guanxi_model::command::ImportEdge;
use guanxi_model::user::{PrivacyPatch, Standing, hides_edge};
use guanxi_model::{
    Cursor, Edge, List, ManualClock, Op, Page, PageStart, PairCommand, Position, Reason, RequestKey, Result,
    Uid, Write,
};
use guanxi_ports::{Applied, BoxFuture, Facts, StoreView};
use guanxi_spec::memory::{MemoryStore, Options};
use std::future::{Future as _, poll_fn};
use std::task::Poll;

fn uid(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

fn center() -> RelationCenter {
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
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
        center.act_on_many(Viewer::Trusted, Op::Follow, uid(5_000), &many, None).await.unwrap_err().reason,
        Reason::BatchTooLarge { limit: 1_000 }
    );
    let request = Some(RequestKey { actor: uid(1), id: "x".repeat(65).into(), fingerprint: 1 });
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
    let batch =
        center.act_on_many(Viewer::Trusted, Op::Follow, uid(1), &[uid(1), uid(2)], None).await.unwrap();
    assert_eq!(batch.outcomes[0].1.result, Err(Reason::SelfRelation));
    assert_eq!(batch.outcomes[1].1.result, Ok(true));
}

/// A graph on which a block is taken back as soon as it has refused somebody.
struct Forgiving(Arc<MemoryStore>);

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

impl Store for Forgiving {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.0.view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: guanxi_model::EventAt) -> BoxFuture<'_, Result<bool>> {
        self.0.is_applied(uid, at)
    }
}

#[tokio::test]
async fn a_refusal_tells_of_the_block_that_refused_and_of_no_later_state() {
    let clock = Arc::new(ManualClock::new(1_000));
    let options = Options::default();
    let store = Arc::new(MemoryStore::new(clock, options));
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

/// Users of a random world.
const USERS: u64 = 8;

/// A random graph on users who hide this and that.
async fn hiding_world(center: &RelationCenter, users: &UserCenter, seed: u64) {
    let mut seed = seed;
    let mut below = |n: u64| {
        seed = guanxi_model::random::mix(seed);
        seed % n
    };
    for _ in 0..45 {
        let (a, b) = (below(USERS) + 1, below(USERS) + 1);
        if a != b {
            center.act(Viewer::Trusted, Op::Follow, uid(a), uid(b), None).await.unwrap();
        }
    }
    for n in 1..=USERS {
        let mut choice = || Some(below(4) == 0);
        let (hides_following, hides_followers) = (choice(), choice());
        let patch = PrivacyPatch { hides_following, hides_followers, ..PrivacyPatch::default() };
        users.set_privacy(uid(n), patch, None).await.unwrap();
    }
}

/// What end users are told of a world, against what services are told and who hides what.
struct Telling {
    center: RelationCenter,
    standings: Vec<Standing>,
    told: Uid,
    subject: Uid,
}

impl Telling {
    fn tells(&self, a: Uid, b: Uid) -> bool {
        let of = |uid: Uid| (uid, self.standings[usize::try_from(uid.get()).unwrap() - 1]);
        !hides_edge(self.told, of(a), of(b))
    }

    fn shows(&self, list: List, other: Uid) -> bool {
        let (there, back) = (self.tells(self.subject, other), self.tells(other, self.subject));
        match list {
            List::Following => there,
            List::Followers => back,
            _ => there && back,
        }
    }

    async fn page(
        &self,
        viewer: Viewer,
        list: List,
        start: PageStart,
        size: i32,
    ) -> (Vec<Edge>, Option<Cursor>) {
        let page = Page::new(start, size).unwrap();
        let listed = self.center.list(viewer, self.subject, list, page, None, None).await.unwrap();
        (listed.items.iter().map(|item| item.edge).collect(), listed.next)
    }

    async fn check_list(&self, list: List) {
        let viewer = Viewer::EndUser(self.told);
        let (mut expected, _) = self.page(Viewer::Trusted, list, PageStart::Newest, 100).await;
        expected.retain(|edge| self.shows(list, edge.uid));
        for size in [1, 2, 3, 100] {
            let context = format!("{list:?} of {} for {}, by {size}", self.subject, self.told);
            let (mut walked, mut start) = (Vec::new(), PageStart::Newest);
            loop {
                let (items, next) = self.page(viewer, list, start, size).await;
                let full = i32::try_from(items.len()).unwrap() == size;
                walked.extend(items);
                let Some(next) = next else { break };
                assert!(full, "{context}: a page with a successor is full");
                start = PageStart::After(next);
            }
            assert_eq!(walked, expected, "{context}");
        }
        if list != List::Followers {
            let (rest, _) = self.page(viewer, list, PageStart::Offset(1), 100).await;
            assert_eq!(rest, expected.into_iter().skip(1).collect::<Vec<_>>(), "{list:?} by offset");
        }
    }

    async fn check_relations(&self, everybody: &[Uid]) {
        let viewer = Viewer::EndUser(self.told);
        let pairs: Vec<(Uid, Uid)> = everybody.iter().map(|other| (self.subject, *other)).collect();
        let whole = self.center.pairs(Viewer::Trusted, &pairs, None).await.unwrap().relations;
        let seen = self.center.pairs(viewer, &pairs, None).await.unwrap().relations;
        let also = self.center.relations(viewer, self.subject, everybody, None).await.unwrap().relations;
        assert_eq!(seen, also);
        for ((a, b), (relation, seen)) in pairs.iter().zip(whole.iter().zip(&seen)) {
            let (there, back) = (self.tells(*a, *b), self.tells(*b, *a));
            let expected = (
                relation.following_since.filter(|_| there),
                relation.followed_by && back,
                relation.friends_since.filter(|_| there && back),
            );
            let found = (seen.following_since, seen.followed_by, seen.friends_since);
            assert_eq!(found, expected, "{a} {b} for {}", self.told);
        }
    }
}

#[tokio::test]
async fn an_end_user_learns_of_a_hidden_edge_only_at_its_ends() {
    let everybody: Vec<Uid> = (1..=USERS).map(uid).collect();
    for seed in 1..=6 {
        let clock = Arc::new(ManualClock::new(1_000));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let center = RelationCenter::new(store.clone(), Hub::new(store.clone()));
        hiding_world(&center, &UserCenter::new(store.clone(), clock), seed).await;
        let standings = store.view(None).await.unwrap().standings(&everybody).await.unwrap();
        for (told, subject) in everybody.iter().flat_map(|told| everybody.iter().map(|of| (*told, *of))) {
            let telling = Telling { center: center.clone(), standings: standings.clone(), told, subject };
            for list in [List::Following, List::Followers, List::Friends] {
                telling.check_list(list).await;
            }
            telling.check_relations(&everybody).await;
        }
    }
}

/// Comparing long lists is work that its user pays with time: it takes turns, and short lists and others do not wait for it.
#[tokio::test]
async fn comparing_long_lists_takes_a_place() {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_000_000_000_000)), Options::default()));
    let edges = (10..10 + HEAVY_EDGES_MIN).map(|fan| ImportEdge::new(uid(fan), uid(2), None));
    let edges: Vec<ImportEdge> = edges.collect();
    for some in edges.chunks(1_000) {
        store.apply(Write::edges(some.to_vec(), false)).await.unwrap();
    }
    let follow = |subject, object| ImportEdge::new(uid(subject), uid(object), None);
    store.apply(Write::edges(vec![follow(1, 10), follow(1, 11), follow(10, 3)], false)).await.unwrap();
    let heavy = HeavyWork::new(1);
    let center = RelationCenter::new(store.clone(), Hub::new(store)).sharing(heavy.clone());
    let page = Page::new(PageStart::Newest, 10).unwrap();
    let known = |target| center.known_followers(Viewer::Trusted, uid(1), uid(target), page, None);
    let works = heavy.begin(uid(1)).await.unwrap();
    let short = known(3).await.unwrap();
    assert_eq!((short.count, short.looked_at), (Some(1), 0), "a short list waits for nobody");
    let mutual = center.mutual_following(Viewer::Trusted, uid(1), uid(10), page, None).await.unwrap();
    assert_eq!(mutual.count, Some(0));
    let mut waiting: Vec<_> = (1..HEAVY_PER_USER_MAX).map(|_| Box::pin(known(2))).collect();
    for call in &mut waiting {
        assert!(poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await);
    }
    let refused = known(2).await.unwrap_err().reason;
    assert!(matches!(refused, Reason::Overloaded { .. }), "{refused:?}");
    drop(works);
    for call in waiting {
        let known = call.await.unwrap();
        assert_eq!((known.count, known.looked_at), (Some(2), 2), "each of the shorter list is looked for");
    }
}
