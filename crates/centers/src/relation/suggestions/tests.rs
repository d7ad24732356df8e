//! What suggestions ask for, and in how large pieces; what they answer is compared in the simulator's tests.

use super::sources::{COUNTS_PER_TURN, Counted, first, rank};
use super::*;
use crate::log_readers::Hub;
use crate::{HEAVY_PER_USER_MAX, HeavyWork};
use guanxi_model::{Command, EdgePage, List, ManualClock, Op, Page, PairCommand, Reason, Relation};
use guanxi_ports::{BoxFuture, Facts as _, Layer, PostLayer, RelationLayer, ScanLayer, UserLayer};
use guanxi_spec::conformance::Rng;
use guanxi_spec::memory::{MemoryStore, Options};
use guanxi_spec::viewed::Viewed;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// What was asked: which lists, and of how many users at once the relation.
#[derive(Default)]
struct Asked {
    lists: Vec<List>,
    relations: Vec<usize>,
}

/// A view that notes what it is asked.
struct NotingView {
    inner: Box<dyn StoreView>,
    asked: Arc<Mutex<Asked>>,
}

impl Layer for NotingView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.asked.lock().unwrap().lists.push(list);
        self.inner.list(of, list, page)
    }
}

impl RelationLayer for NotingView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.asked.lock().unwrap().relations.push(objects.len());
        self.inner.relations(subject, objects)
    }
}

impl PostLayer for NotingView {}

impl UserLayer for NotingView {}

impl ScanLayer for NotingView {}

/// However many users a viewer blocks, blocks are looked up for the best candidates alone, some at a time.
#[tokio::test]
async fn blocks_are_asked_of_candidates_alone() {
    const CANDIDATES: u64 = 400;
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default()));
    let asked = Arc::new(Mutex::new(Asked::default()));
    let notes = asked.clone();
    let graph = Arc::new(Viewed::new(store, move |inner| NotingView { inner, asked: notes.clone() }));
    let hub = Hub::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default())));
    let center = RelationCenter::new(graph.clone(), hub);
    let pair = |op, a, b| Command::from(PairCommand { op, subject: u(a), object: u(b) });
    let mut commands = vec![pair(Op::Follow, 1, 2)];
    commands.extend((100..100 + CANDIDATES).map(|uid| pair(Op::Follow, 2, uid)));
    // As many points each: in the order of uids.
    commands.extend((100..200).map(|uid| pair(Op::Block, 1, uid)));
    commands.extend((200..250).map(|uid| pair(Op::Block, uid, 1)));
    commands.extend((250..270).map(|uid| pair(Op::SendFriendRequest, 1, uid)));
    commands.extend((270..290).map(|uid| pair(Op::SendFriendRequest, uid, 1)));
    for some in commands.chunks(100) {
        graph.apply(Write::all(some.to_vec())).await.unwrap();
    }
    let ask = |size| SuggestionAsk { size, kinds: SuggestionKind::ALL.to_vec() };
    for (size, calls) in [(1, 13), (20, 11), (usize::MAX, 4)] {
        *asked.lock().unwrap() = Asked::default();
        let answer = center.suggestions(Viewer::Trusted, u(1), &ask(size), None).await.unwrap();
        let found: Vec<u64> = answer.items.iter().map(|item| item.uid.get()).collect();
        let expected: Vec<u64> = (290..100 + CANDIDATES).take(size).collect();
        assert_eq!(found, expected);
        let asked = asked.lock().unwrap();
        assert!(!asked.lists.contains(&List::Blocks), "no whole list: {:?}", asked.lists);
        assert_eq!(asked.relations.len(), calls, "not one by one: {:?}", asked.relations);
        assert!(asked.relations.iter().all(|len| *len <= RELATIONS_AT_ONCE), "{:?}", asked.relations);
    }
}

/// The first of many in pieces, with turns for others between them, are those of all in order.
#[tokio::test]
async fn the_highest_counts_are_found_in_pieces() {
    let mut rng = Rng::new(3);
    let counted: Vec<Counted> =
        (1..=3 * COUNTS_PER_TURN as u64 + 7).map(|uid| (u(uid * 3), rng.below(40) as u32)).collect();
    let mut ordered = counted.clone();
    ordered.sort_by_key(rank);
    for (least, len) in [(1, 500), (2, 70_000), (39, 3_000), (41, 10)] {
        let left: Vec<Counted> = ordered.iter().filter(|(_, count)| *count >= least).copied().collect();
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..3 {
            let mut turns = 0;
            let mut call = Box::pin(first(&counted, least, after, len));
            let some = poll_fn(|context| {
                turns += 1;
                call.as_mut().poll(context)
            });
            let mut some = some.await;
            assert_eq!(turns, 4);
            after = some.last().copied().or(after);
            assert_eq!(after, some.iter().copied().max_by_key(rank).or(after), "the last is last");
            some.sort_by_key(rank);
            found.extend(some);
        }
        assert_eq!(found, left[..left.len().min(3 * len)], "{least}, {len}");
    }
}

/// Suggestions for one user take turns: calls beyond those that may wait are refused at once, and other users' calls are not.
#[tokio::test]
async fn suggestions_hold_a_place_of_their_user() {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default()));
    let heavy = HeavyWork::new(2);
    let center = RelationCenter::new(store.clone(), Hub::new(store)).sharing(heavy.clone());
    let ask = SuggestionAsk { size: 5, kinds: SuggestionKind::ALL.to_vec() };
    let asked = |uid| center.suggestions(Viewer::Trusted, u(uid), &ask, None);
    let works = heavy.begin(u(1)).await.unwrap();
    let mut waiting: Vec<_> = (1..HEAVY_PER_USER_MAX).map(|_| Box::pin(asked(1))).collect();
    for call in &mut waiting {
        assert!(poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await);
    }
    let refused = asked(1).await.unwrap_err().reason;
    assert!(matches!(refused, Reason::Overloaded { .. }), "{refused:?}");
    asked(2).await.unwrap();
    drop(works);
    for call in waiting {
        call.await.unwrap();
    }
    asked(1).await.unwrap();
}
