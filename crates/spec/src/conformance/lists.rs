//! Lists, pages and cursors.

use super::{Need, World, follow, u};
use guanxi_model::user::Standing;
use guanxi_model::{Cursor, Edge, EdgePage, List, Op, Page, PageStart, Reason, Stamp, Uid};
use guanxi_ports::{BesideUsers, ListAsk};

/// A user with something in each list: whom, newest first.
async fn full_lists(world: &World) -> [(List, Vec<u64>); 5] {
    world.build("1->2 1->3 4->1 3->1 1->5 5->1 2->1 1-x6 1-x7 1-m3 1-m6 1->4 8->1").await;
    [
        (List::Following, vec![4, 5, 3, 2]),
        (List::Followers, vec![8, 2, 5, 3, 4]),
        (List::Friends, vec![4, 2, 5, 3]),
        (List::Blocks, vec![7, 6]),
        (List::Mutes, vec![6, 3]),
    ]
}

impl World {
    /// A page of a list: a view tells it, and a store that is asked directly tells the same.
    pub async fn page(&self, of: u64, list: List, start: PageStart, size: i32) -> EdgePage {
        let (view, page) = (self.view().await, Page::new(start, size).unwrap());
        let ask = ListAsk { of: u(of), list, page, subject: Some(u(of)) };
        let told = ask.in_view(&*view).await.unwrap();
        let at_least = self.last();
        let direct = self.backend.store.list(ask, Some(&at_least)).await.unwrap();
        let stands = |beside: &BesideUsers| beside.standings.iter().any(|it| *it != Standing::default());
        assert_eq!(direct.page, told.page, "{ask:?}");
        assert_eq!(direct.beside.relations, told.beside.relations, "{ask:?}");
        if stands(&direct.beside) || stands(&told.beside) {
            assert_eq!(direct.beside.standings, told.beside.standings, "{ask:?}");
        }
        assert!(
            direct.position.of(u(of)).seq() >= at_least.of(u(of)).seq(),
            "{ask:?}: {:?}",
            direct.position
        );
        told.page
    }
}

/// Each list holds whom it should, newest first; friends by when they became friends.
pub async fn lists_are_newest_first(world: &World) {
    for (list, expected) in full_lists(world).await {
        assert_eq!(world.uids(1, list).await, expected, "{list:?}");
    }
    for list in List::ALL {
        assert_eq!(world.uids(99, list).await, [], "a stranger's lists are empty");
    }
}

/// At every page size a walk gives the same list, and `next` is there exactly while more comes.
pub async fn pages_of_every_size_give_the_same_list(world: &World) {
    for (list, expected) in full_lists(world).await {
        let whole = world.walk(1, list, 1_000).await;
        for size in 1..=(expected.len() as i32 + 1) {
            assert_eq!(world.walk(1, list, size).await, whole, "{list:?} by {size}");
            let page = world.page(1, list, PageStart::Newest, size).await;
            assert_eq!(page.next.is_some(), (size as usize) < expected.len(), "{list:?} by {size}");
        }
    }
}

/// The times in the lists are those of the relations.
pub async fn lists_and_relations_agree_on_times(world: &World) {
    full_lists(world).await;
    for edge in world.walk(1, List::Following, 2).await {
        assert_eq!(world.relation(1, edge.uid.get()).await.following_since, Some(edge.at));
    }
    for edge in world.walk(1, List::Followers, 2).await {
        assert_eq!(world.relation(edge.uid.get(), 1).await.following_since, Some(edge.at));
    }
    for edge in world.walk(1, List::Friends, 2).await {
        assert_eq!(world.relation(1, edge.uid.get()).await.friends_since, Some(edge.at));
    }
}

/// A page goes on from a cursor whose row was removed, in every list.
pub async fn a_cursor_outlives_its_row(world: &World) {
    full_lists(world).await;
    for (list, op) in [
        (List::Friends, Op::RemoveFollower),
        (List::Following, Op::Unfollow),
        (List::Followers, Op::RemoveFollower),
        (List::Blocks, Op::Unblock),
        (List::Mutes, Op::Unmute),
    ] {
        let before = world.walk(1, list, 1_000).await;
        let cursor = world.page(1, list, PageStart::Newest, 1).await.next.unwrap();
        world.act(op, 1, cursor.0.uid.get()).await;
        let rest = world.page(1, list, PageStart::After(cursor), 1_000).await;
        assert_eq!(rest.items, before[1..], "{list:?}");
        assert_eq!(rest.next, None);
    }
}

/// A cursor is a place in the order, wherever it comes from: before all, after all, or between rows.
pub async fn a_cursor_is_a_place_not_a_row(world: &World) {
    world.import((2..=9).map(|n| (1, n, n * 1_000))).await;
    world.import((2..=9).map(|n| (n + 100, 1, n * 1_000))).await;
    for list in [List::Following, List::Followers] {
        let whole = world.walk(1, list, 1_000).await;
        let after = async |at, uid| {
            let cursor = Cursor(Edge { at, uid });
            world.page(1, list, PageStart::After(cursor), 1_000).await.items
        };
        assert_eq!(after(Stamp::MAX, Uid::MAX).await, whole);
        assert_eq!(after(Stamp::ZERO, Uid::MIN).await, []);
        assert_eq!(after(Stamp::from_ms(5_500), Uid::MIN).await, whole[4..], "5,000 and older");
        // At the very time of a row, its uid decides.
        let row = whole[4];
        assert_eq!(after(row.at, u(row.uid.get() + 1)).await, whole[4..]);
        assert_eq!(after(row.at, row.uid).await, whole[5..]);
        assert_eq!(after(row.at, Uid::MIN).await, whole[5..]);
    }
}

/// Following again is a new place at the top, also for a walk under way, which has passed it already.
pub async fn following_again_moves_to_the_top(world: &World) {
    world.build("1->2 1->3 1->4 5->9 6->9 7->9").await;
    let cursor = world.page(1, List::Following, PageStart::Newest, 1).await.next.unwrap();
    world.build("1-/2 1->2 9-r5 5->9").await;
    assert_eq!(world.uids(1, List::Following).await, [2, 4, 3]);
    assert_eq!(world.uids(9, List::Followers).await, [5, 7, 6]);
    let rest = world.page(1, List::Following, PageStart::After(cursor), 10).await;
    assert_eq!(rest.items.iter().map(|edge| edge.uid.get()).collect::<Vec<_>>(), [3]);
    world.build("1-m2 1-m3 1-u2 1-m2 1-x4 1-x5 1-o4 1-x4").await;
    assert_eq!(world.uids(1, List::Mutes).await, [2, 3]);
    assert_eq!(world.uids(1, List::Blocks).await, [4, 5]);
}

/// A friend moves to the top when the friendship is renewed from either side.
pub async fn friends_are_ordered_by_when_they_became_friends(world: &World) {
    world.build("1->2 1->3 1->4 4->1 2->1 3->1").await;
    assert_eq!(world.uids(1, List::Friends).await, [3, 2, 4]);
    world.build("4-/1 4->1").await;
    assert_eq!(world.uids(1, List::Friends).await, [4, 3, 2]);
    world.build("1-/2 1->2").await;
    assert_eq!(world.uids(1, List::Friends).await, [2, 4, 3]);
    assert_eq!(world.uids(3, List::Friends).await, [1]);
    world.build("1-/3").await;
    assert_eq!(world.uids(3, List::Friends).await, []);
    assert_eq!(world.uids(1, List::Friends).await, [2, 4]);
}

/// Ties of imported times are broken by uid, also across pages.
pub async fn ties_are_ordered_by_uid(world: &World) {
    world.import((2..=40).map(|n| (1, n, 7_000))).await;
    world.import((2..=40).map(|n| (n, 1, 7_000))).await;
    for list in [List::Following, List::Followers, List::Friends] {
        assert_eq!(world.uids(1, list).await, (2..=40).rev().collect::<Vec<_>>(), "{list:?}");
        for size in [1, 7, 38, 39] {
            assert_eq!(world.walk(1, list, size).await.len(), 39, "{list:?} by {size}");
        }
    }
}

/// Neighbouring and extreme uids do not bleed into each other's lists.
pub async fn lists_end_at_their_owner(world: &World) {
    let uids = [1, 2, 255, 256, 257, (1 << 32) - 1, 1 << 32, (1 << 63) - 2, (1 << 63) - 1];
    let mut commands = Vec::new();
    for subject in uids {
        commands.extend(uids.iter().filter(|uid| **uid != subject).map(|object| follow(subject, *object)));
    }
    world.change(&commands).await;
    for uid in uids {
        for list in [List::Following, List::Followers, List::Friends] {
            let mut listed = world.uids(uid, list).await;
            listed.sort_unstable();
            assert_eq!(
                listed,
                uids.into_iter().filter(|other| *other != uid).collect::<Vec<_>>(),
                "{uid} {list:?}"
            );
        }
    }
}

/// An offset skips rows of a bounded list.
pub async fn bounded_lists_accept_an_offset(world: &World) {
    let lists = full_lists(world).await;
    let everywhere = !world.lacks(Need::OffsetsEverywhere);
    for (list, expected) in lists {
        let required = matches!(list, List::Following | List::Friends) || everywhere;
        if !list.is_bounded() || !required {
            continue;
        }
        for skip in 0..=expected.len() + 1 {
            let page = world.page(1, list, PageStart::Offset(skip as u32), 2).await;
            let uids: Vec<u64> = page.items.iter().map(|edge| edge.uid.get()).collect();
            let rest: Vec<u64> = expected.iter().copied().skip(skip).collect();
            assert_eq!(uids, rest[..rest.len().min(2)], "{list:?} from {skip}");
            assert_eq!(page.next.is_some(), rest.len() > 2, "{list:?} from {skip}");
            if let Some(next) = page.next {
                let on = world.page(1, list, PageStart::After(next), 1_000).await;
                assert_eq!(on.items.len(), rest.len() - 2, "a cursor goes on from an offset");
            }
        }
        assert_eq!(world.page(1, list, PageStart::Offset(u32::MAX), 2).await, EdgePage::default());
    }
}

/// Followers have no bound, so an offset into them is refused.
pub async fn followers_refuse_an_offset(world: &World) {
    world.build("2->1 3->1").await;
    let page = Page::new(PageStart::Offset(1), 10).unwrap();
    let error = world.view().await.list(u(1), List::Followers, page).await.unwrap_err();
    assert_eq!(error.reason, Reason::InvalidField { field: "offset" });
}

/// A page holds 50 unless asked otherwise, and at most 1,000.
pub async fn page_sizes_are_honoured(world: &World) {
    world.import((1..=1_203).map(|n| (n + 10, 1, n))).await;
    let first = world.page(1, List::Followers, PageStart::Newest, 0).await;
    assert_eq!(first.items.len(), 50);
    let large = world.page(1, List::Followers, PageStart::Newest, 1_000).await;
    assert_eq!((large.items.len(), large.items[0].uid), (1_000, u(1_213)));
    let rest = world.page(1, List::Followers, PageStart::After(large.next.unwrap()), 1_000).await;
    assert_eq!((rest.items.len(), rest.next), (203, None));
    assert_eq!(world.walk(1, List::Followers, 401).await.len(), 1_203);
}

/// Removed edges do not slow or shorten pages: a page is full although most rows before it are gone.
pub async fn pages_are_full_after_churn(world: &World) {
    world.set_limit(1, Some(2_000)).await;
    world.import((2..=900).map(|n| (1, n, n))).await;
    let unfollow = |n| guanxi_model::PairCommand { op: Op::Unfollow, subject: u(1), object: u(n) };
    let gone: Vec<_> = (2..=900).filter(|n| n % 30 != 0).map(unfollow).collect();
    if !world.lacks(Need::MixedBatches) {
        world.change(&gone).await;
        let page = world.page(1, List::Following, PageStart::Newest, 25).await;
        assert_eq!(page.items.len(), 25);
        assert_eq!(world.walk(1, List::Following, 25).await.len(), 30);
    }
}
