//! Lists in the order of affinity: with whom their user has most to do first, then all others, newest first.

use super::RelationCenter;
use super::read::{ListedEdge, hydrate};
use crate::Viewer;
use guanxi_model::affinity::Affinity;
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{Cursor, Edge, List, Page, PageStart, Position, Relation, Result, Uid};
use guanxi_ports::StoreView;
use std::collections::HashSet;

/// Users with a score who are looked up at once at least: some may not be in the list.
const LOOKED_UP_MIN: usize = 64;

/// A place in a list by affinity: the item before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedPlace {
    /// Among those with a score. It is the same however much time has passed, since decay changes no order.
    Scored(Affinity),
    /// Among all others.
    Rest(Cursor),
}

/// A page of a list by affinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedList {
    /// The items, those with the highest scores first.
    pub items: Vec<ListedEdge>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<RankedPlace>,
    /// Where the answer stands.
    pub position: Position,
}

impl RelationCenter {
    /// A page of whom `of` follows or is friends with, in the order of affinity, after a place, with the relation of
    /// `subject` to each item. `size` is at most [`PAGE_SIZE_MAX`].
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user who asks for another's; those of pinning a view.
    pub async fn ranked(
        &self,
        viewer: Viewer,
        (of, list): (Uid, List),
        (after, size): (Option<RankedPlace>, usize),
        subject: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<RankedList> {
        viewer.require_private_of(of)?;
        let view = self.graph.view(at_least.as_ref()).await?;
        let scores = view.affinities(of).await?.all;
        let later = match after {
            None => &scores[..],
            Some(RankedPlace::Scored(before)) => {
                &scores[scores.partition_point(|known| known.rank() <= before.rank())..]
            }
            Some(RankedPlace::Rest(_)) => &[],
        };
        let mut found = scored(&*view, (of, list), later, size + 1).await?;
        if found.len() <= size {
            let known: HashSet<Uid> = scores.iter().map(|known| known.uid).collect();
            let start = match after {
                Some(RankedPlace::Rest(cursor)) => PageStart::After(cursor),
                _ => PageStart::Newest,
            };
            let wanted = size + 1 - found.len();
            let others = others(&*view, (of, list), start, &known, wanted).await?;
            found.extend(others.into_iter().map(|edge| (edge, RankedPlace::Rest(Cursor(edge)))));
        }
        let next = if found.len() > size { found.get(size - 1).map(|(_, place)| *place) } else { None };
        let edges = found.into_iter().take(size).map(|(edge, _)| edge).collect();
        let items = hydrate(&*view, viewer, edges, subject).await?;
        Ok(RankedList { items, next, position: view.position().joined(at_least.as_ref()) })
    }
}

/// Of some users with a score, the highest first, those who are in a list, at most `wanted`. No more are looked up than a page
/// needs, but for those who are not in the list.
async fn scored(
    view: &dyn StoreView,
    (of, list): (Uid, List),
    mut scores: &[Affinity],
    wanted: usize,
) -> Result<Vec<(Edge, RankedPlace)>> {
    let since = |relation: Relation| match list {
        List::Friends => relation.friends_since,
        _ => relation.following_since,
    };
    let mut found = Vec::with_capacity(wanted);
    while found.len() < wanted && !scores.is_empty() {
        let next = (wanted - found.len()).max(LOOKED_UP_MIN).min(scores.len());
        let (some, rest) = scores.split_at(next);
        let uids: Vec<Uid> = some.iter().map(|known| known.uid).collect();
        let relations = view.relations(of, &uids).await?;
        found.extend(some.iter().zip(relations).filter_map(|(known, relation)| {
            Some((Edge { at: since(relation)?, uid: known.uid }, RankedPlace::Scored(*known)))
        }));
        scores = rest;
    }
    found.truncate(wanted);
    Ok(found)
}

/// The others of a list, newest first, at most `wanted`.
async fn others(
    view: &dyn StoreView,
    (of, list): (Uid, List),
    mut start: PageStart,
    known: &HashSet<Uid>,
    wanted: usize,
) -> Result<Vec<Edge>> {
    let mut found = Vec::with_capacity(wanted);
    loop {
        let page = view.list(of, list, Page::new(start, PAGE_SIZE_MAX.cast_signed())?).await?;
        found.extend(page.items.into_iter().filter(|edge| !known.contains(&edge.uid)));
        match page.next {
            Some(next) if found.len() < wanted => start = PageStart::After(next),
            _ => break,
        }
    }
    found.truncate(wanted);
    Ok(found)
}
