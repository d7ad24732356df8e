//! Views stand still, and all answers of one view agree.

use super::model_check::client_ops;
use super::{Need, Rng, World, u};
use guanxi_model::{Counts, Edge, List, Page, PageStart, PairCommand, Write};
use guanxi_ports::Walk;
use guanxi_ports::{Facts as _, Store, StoreView};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Users that the cases here play with.
const USERS: u64 = 8;

fn random_command(rng: &mut Rng) -> PairCommand {
    let subject = 1 + rng.below(USERS);
    let object = 1 + (subject + rng.below(USERS - 1)) % USERS;
    PairCommand { op: *rng.pick(&client_ops()), subject: u(subject), object: u(object) }
}

/// Writes random commands, several in one commit, until told to stop.
async fn write_at_random(graph: Arc<dyn Store>, stop: Arc<AtomicBool>, seed: u64) {
    let mut rng = Rng::new(seed);
    while !stop.load(Ordering::Relaxed) {
        let commands: Vec<_> = (0..=rng.below(4)).map(|_| random_command(&mut rng)).collect();
        graph.apply(Write::all(commands)).await.unwrap();
        tokio::task::yield_now().await;
    }
}

async fn whole(view: &dyn StoreView, of: u64, list: List) -> Vec<Edge> {
    view.list(u(of), list, Page::new(PageStart::Newest, 1_000).unwrap()).await.unwrap().items
}

/// Everything a view says of the users.
async fn say_all(view: &dyn StoreView) -> (Vec<Counts>, Vec<Vec<Edge>>, Vec<guanxi_model::Relation>) {
    let uids: Vec<_> = (1..=USERS).map(u).collect();
    let counts = view.counts(&uids).await.unwrap();
    let (mut lists, mut relations) = (Vec::new(), Vec::new());
    for uid in 1..=USERS {
        relations.extend(view.relations(u(uid), &uids).await.unwrap());
        for list in List::ALL {
            lists.push(whole(view, uid, list).await);
        }
    }
    (counts, lists, relations)
}

/// A view says the same for as long as it is held, for all writes meanwhile.
pub async fn a_view_stands_still(world: &World) {
    if world.lacks(Need::PinnedViews) {
        return;
    }
    world.build("1<->2 3->1 4-x1 1-m5 6->7").await;
    world.set_limit(1, Some(7)).await;
    let view = world.view().await;
    let before = say_all(&*view).await;
    let edges = view.edges(Walk::new(None, 1_000)).await.unwrap();
    let known = view.known_followers(u(3), u(2), Page::first(), None).await.unwrap();
    assert_eq!(known.count, 1);
    world.build("1-/2 3-/1 8->1 4-o1 1-u5 6-/7 1->3 2-x3").await;
    world.set_limit(1, None).await;
    world.import((20..600).map(|n| (n, 1, n))).await;
    assert_eq!(say_all(&*view).await, before);
    assert_eq!(view.edges(Walk::new(None, 1_000)).await.unwrap(), edges);
    assert_eq!(view.known_followers(u(3), u(2), Page::first(), None).await.unwrap(), known);
    assert_eq!(view.follow_limit(u(1)).await.unwrap().own, Some(7));
    assert_eq!(view.import_position("job").await.unwrap(), None);
    let later = world.view().await;
    later.relations(u(1), &[u(2)]).await.unwrap();
    assert!(!view.position().covers(&later.position()));
}

/// Under concurrent writes, the lists, counters, relations and export of one view agree with each other.
pub async fn all_answers_of_a_view_agree(world: &World) {
    if world.lacks(Need::PinnedViews) || world.lacks(Need::OneView) || world.lacks(Need::MixedBatches) {
        return;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (1..=3)
        .map(|seed| tokio::spawn(write_at_random(world.backend.store.clone(), stop.clone(), seed)))
        .collect();
    for _ in 0..60 {
        let view = world.backend.store.view(None).await.unwrap();
        check_agreement(&*view).await;
        assert_eq!(say_all(&*view).await, say_all(&*view).await, "a view repeats itself");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    world.saw(&world.backend.log.head().await.unwrap());
    check_agreement(&*world.view().await).await;
}

/// Counters are lengths of lists, both directions hold the same follows, friends are mutual follows.
pub(super) async fn check_agreement(view: &dyn StoreView) {
    let uids: Vec<_> = (1..=USERS).map(u).collect();
    let counts = view.counts(&uids).await.unwrap();
    let mut exported = view.edges(Walk::new(None, 1_000)).await.unwrap().into_iter();
    for (uid, counts) in (1..=USERS).zip(counts) {
        let lengths = Counts {
            following: whole(view, uid, List::Following).await.len() as u32,
            followers: whole(view, uid, List::Followers).await.len() as u64,
            friends: whole(view, uid, List::Friends).await.len() as u32,
            blocks: whole(view, uid, List::Blocks).await.len() as u32,
            mutes: whole(view, uid, List::Mutes).await.len() as u32,
        };
        assert_eq!(counts, lengths, "user {uid}");
        let relations = view.relations(u(uid), &uids).await.unwrap();
        let listed = async |list| whole(view, uid, list).await;
        let (following, followers, friends) =
            (listed(List::Following).await, listed(List::Followers).await, listed(List::Friends).await);
        let (blocks, mutes) = (listed(List::Blocks).await, listed(List::Mutes).await);
        for (other, relation) in uids.iter().zip(&relations) {
            let at = |edges: &[Edge]| edges.iter().find(|edge| edge.uid == *other).map(|edge| edge.at);
            assert_eq!(relation.following_since, at(&following), "{uid} {other}");
            assert_eq!(relation.followed_by, at(&followers).is_some(), "{uid} {other}");
            assert_eq!(relation.friends_since, at(&friends), "{uid} {other}");
            assert_eq!(relation.blocking, at(&blocks).is_some(), "{uid} {other}");
            assert_eq!(relation.muting, at(&mutes).is_some(), "{uid} {other}");
            let back = view.pairs(&[(*other, u(uid))]).await.unwrap()[0];
            assert_eq!(at(&followers), back.following_since, "{uid} {other}");
            assert_eq!(relation.friends_since, back.friends_since, "{uid} {other}");
            assert_eq!(relation.blocked_by, back.blocking, "{uid} {other}");
            if relation.following_since.is_some() {
                assert_eq!(
                    exported.next().map(|edge| (edge.subject, edge.object, Some(edge.at))),
                    Some((u(uid), *other, relation.following_since)),
                    "the export holds the same follows"
                );
            }
        }
    }
    assert_eq!(exported.next(), None, "and no others");
}

/// A commit is seen whole or not at all.
pub async fn nobody_sees_half_a_batch(world: &World) {
    const BATCH: u64 = 30;
    world.set_limit(1, Some(5_000)).await;
    let graph = world.backend.store.clone();
    let writer = tokio::spawn(async move {
        for round in 0..40 {
            let commands = (0..BATCH).map(|n| super::follow(1, 1_000 + round * BATCH + n));
            graph.apply(Write::all(commands)).await.unwrap();
            tokio::task::yield_now().await;
        }
    });
    while !writer.is_finished() {
        let view = world.backend.store.view(None).await.unwrap();
        let following = u64::from(view.counts(&[u(1)]).await.unwrap()[0].following);
        assert!(following.is_multiple_of(BATCH), "{following} is no number of whole batches");
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
    world.saw(&world.backend.log.head().await.unwrap());
}
