//! The packed form says the same as the plain one.

use super::*;
use crate::user_relations::{Follow, SortedEdges as _, UserRelations};
use guanxi_model::{Cursor, Edge, PageStart, RequestKind, Stamp};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::cmp::Reverse;

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// Facts about users whose ids have so many bits.
fn facts(bits: u32) -> impl Strategy<Value = UserRelations> {
    let top = Uid::MAX.get().min((1 << bits) - 1);
    let follow = (any::<u64>(), proptest::option::of(any::<u64>()));
    let edges = || btree_map(1..=top, any::<u64>(), 0..5);
    let asks = btree_map(1..=top, (any::<u64>(), any::<bool>()), 0..5);
    let limit = proptest::option::of(0..70_000_u32);
    (btree_map(1..=top, follow, 0..100), edges(), edges(), any::<u8>(), asks, limit).prop_map(
        |(following, blocks, mutes, only_reposts, asks, limit)| {
            let plain = |edges: std::collections::BTreeMap<u64, u64>| {
                edges.into_iter().map(|(id, at)| Edge { at: Stamp::from_raw(at), uid: uid(id) }).collect()
            };
            let follow = |(id, (at, since)): (u64, (u64, Option<u64>))| Follow {
                uid: uid(id),
                at: Stamp::from_raw(at),
                friends_since: since.map(|since| Stamp::from_raw(since.max(at))),
            };
            let following = following.into_iter().map(follow).collect();
            let mutes: Vec<Edge> = plain(mutes);
            let flagged = mutes.iter().enumerate().filter(|(i, _)| only_reposts >> i & 1 == 1);
            let muted_reposts = flagged.map(|(_, edge)| edge.uid).collect();
            let ask = |(id, (at, friend)): (u64, (u64, bool))| {
                let kind = if friend { RequestKind::Friend } else { RequestKind::Follow };
                (Edge { at: Stamp::from_raw(at), uid: uid(id) }, kind)
            };
            let asks = asks.into_iter().map(ask).collect();
            UserRelations { following, blocks: plain(blocks), mutes, muted_reposts, asks, limit }
        },
    )
}

fn newest_first(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_by_key(|e| Reverse(*e));
    edges
}

/// Whether a list is told as it is, wherever that starts.
fn listed(right: &[Edge], told: &mut dyn FnMut(PageStart) -> Vec<Edge>) -> Result<(), TestCaseError> {
    prop_assert_eq!(told(PageStart::Newest), right);
    for place in 0..=right.len() {
        prop_assert_eq!(told(PageStart::Offset(place as u32)), &right[place..]);
    }
    for (place, edge) in right.iter().enumerate() {
        prop_assert_eq!(told(PageStart::After(Cursor(*edge))), &right[place + 1..]);
        // A cursor may name somebody who has gone from the list meanwhile.
        let gone = Edge { at: Stamp::from_raw(edge.at.raw().saturating_add(1)), uid: edge.uid };
        let after = right.iter().filter(|other| **other < gone).copied().collect::<Vec<Edge>>();
        prop_assert_eq!(told(PageStart::After(Cursor(gone))), after);
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_image_says_what_was_packed(facts in (7..=63_u32).prop_flat_map(facts), others in vec(1..300_000_u64, 20)) {
        let bytes = pack(&facts);
        let packed = PackedRelations::new(&bytes);
        prop_assert_eq!(&packed.unpack(), &facts);
        for follow in &facts.following {
            prop_assert_eq!(packed.follow(follow.uid), Some((follow.at, follow.friends_since.is_some())));
            prop_assert_eq!(packed.friends_since(follow.uid), follow.friends_since);
            for other in (0..63).filter_map(|bit| Uid::new(follow.uid.get() ^ (1 << bit)).ok()) {
                prop_assert_eq!(packed.follows(other), facts.follow(other).is_some());
            }
        }
        for other in others.into_iter().map(uid) {
            prop_assert_eq!(packed.follows(other), facts.follow(other).is_some());
            prop_assert_eq!(packed.blocks_user(other), facts.blocks.find(other).is_some());
            prop_assert_eq!(packed.mutes_user(other), facts.mute(other));
            prop_assert_eq!(packed.ask(other), facts.ask(other));
        }
        let list = facts.following.iter().map(|f| Edge { at: f.at, uid: f.uid }).collect();
        listed(&newest_first(list), &mut |start| packed.following(start).collect())?;
        let uids: Vec<Uid> = packed.following(PageStart::Newest).map(|edge| edge.uid).collect();
        prop_assert_eq!(packed.probe_again(packed.probe().shape()).uids(), uids);
        let friends = facts.following.iter().filter_map(|f| Some(Edge { at: f.friends_since?, uid: f.uid })).collect();
        listed(&newest_first(friends), &mut |start| packed.friends(start).collect())?;
        listed(&newest_first(facts.blocks.clone()), &mut |start| packed.blocks(start).collect())?;
        listed(&newest_first(facts.mutes.clone()), &mut |start| packed.mutes(start).collect())?;
        for edge in &facts.mutes {
            prop_assert_eq!(packed.mutes_user(edge.uid), facts.mute(edge.uid));
        }
        for (edge, kind) in &facts.asks {
            prop_assert_eq!(packed.ask(edge.uid), Some(*kind));
        }
        let unfollowed = facts.asks.iter().filter(|(edge, _)| facts.follow(edge.uid).is_none()).count();
        prop_assert_eq!(packed.asks_len() as usize, facts.asks.len());
        prop_assert_eq!(packed.places() as usize, facts.following.len() + unfollowed);
        prop_assert_eq!(packed.limit(), facts.limit);
        let counts = packed.counts();
        prop_assert_eq!((counts.following as usize, counts.friends as usize), (facts.following.len(), facts.friends()));
    }
}

#[test]
fn a_small_following_set_takes_about_ten_bytes_per_edge() {
    let following = (0..8)
        .map(|i| Follow {
            uid: uid(100_000 + i),
            at: Stamp::from_ms(1_700_000_000_000 + i * 86_400_000),
            friends_since: None,
        })
        .collect();
    let bytes = pack(&UserRelations { following, ..UserRelations::default() }).len();
    assert!(bytes <= 8 * 10 + HEADER_AND_PADDING, "{bytes} bytes");
}

const HEADER_AND_PADDING: usize = 32;

#[test]
fn the_largest_sets_fit() {
    let following = (1..=60_000)
        .map(|i| Follow { uid: uid(i), at: Stamp::from_ms(i), friends_since: Some(Stamp::from_ms(i)) })
        .collect();
    let bytes = pack(&UserRelations { following, ..UserRelations::default() });
    let packed = PackedRelations::new(&bytes);
    assert_eq!(packed.counts().friends, 60_000);
    assert!(packed.follows(uid(60_000)) && packed.follows(uid(1)) && !packed.follows(uid(60_001)));
}
