//! Lists in the order of affinity: with whom their user has most to do first, then all others, newest first. Of those with the
//! same score the latest in the list is first, and of one time the highest uid, as in all lists.

use super::RelationCenter;
use super::read::{ListedEdge, hydrate};
use crate::Viewer;
use guanxi_model::affinity::{Affinity, Score};
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{Cursor, Edge, List, Page, PageStart, Position, Relation, Result, Stamp, Uid};
use guanxi_ports::StoreView;
use std::cmp::Reverse;
use std::collections::HashSet;

/// Users with a score who are looked up at once at least: some may not be in the list.
const LOOKED_UP_MIN: usize = 64;

/// A place in a list by affinity: the item before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedPlace {
    /// Among those with a score. It is the same however much time has passed, since decay changes no order.
    Scored {
        /// The score.
        score: Score,
        /// The user, and since when it is in the list.
        edge: Edge,
    },
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
    /// Returns a page of the users whom `of` follows or is friends with, in the order of affinity, after a place. Each item
    /// has the relation of `subject` to it. `size` is at most [`PAGE_SIZE_MAX`].
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user that asks for another user's list; those of pinning a view.
    pub async fn ranked(
        &self,
        viewer: Viewer,
        (of, list): (Uid, List),
        (after, size): (Option<RankedPlace>, usize),
        subject: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<RankedList> {
        viewer.require_private_of(of)?;
        let view = self.store.view(at_least.as_ref()).await?;
        let scores = view.affinities(of).await?.all;
        let later = match after {
            None => &scores[..],
            // Those with the same score are ordered among themselves, so that all of them are looked at again.
            Some(RankedPlace::Scored { score, .. }) => {
                &scores[scores.partition_point(|known| known.score > score)..]
            }
            Some(RankedPlace::Rest(_)) => &[],
        };
        let mut found = scored(&*view, (of, list), later, after, size + 1).await?;
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
        let items = hydrate(&*view, (viewer, of), edges, subject).await?;
        Ok(RankedList { items, next, position: view.position().joined(at_least.as_ref()) })
    }
}

/// The order of those with a score.
const fn rank(score: Score, Edge { at, uid }: Edge) -> (Reverse<Score>, Reverse<(Stamp, Uid)>) {
    (Reverse(score), Reverse((at, uid)))
}

/// Returns the scored users that are in a list behind a place, the highest score first, at most `wanted`. It looks up no more
/// users than a page needs, but for users outside of the list and users with the same score as the last one.
async fn scored(
    view: &dyn StoreView,
    (of, list): (Uid, List),
    mut scores: &[Affinity],
    after: Option<RankedPlace>,
    wanted: usize,
) -> Result<Vec<(Edge, RankedPlace)>> {
    let since = |relation: Relation| match list {
        List::Friends => relation.friends_since,
        _ => relation.following_since,
    };
    let is_behind = |score: Score, edge: Edge| match after {
        Some(RankedPlace::Scored { score: of, edge: before }) => rank(score, edge) > rank(of, before),
        _ => true,
    };
    let mut found = Vec::with_capacity(wanted);
    while found.len() < wanted && !scores.is_empty() {
        let next = (wanted - found.len()).max(LOOKED_UP_MIN).min(scores.len());
        let lowest = scores[next - 1].score;
        let (some, rest) = scores.split_at(scores.partition_point(|known| known.score >= lowest));
        let uids: Vec<Uid> = some.iter().map(|known| known.uid).collect();
        let relations = view.relations(of, &uids).await?;
        let listed = some.iter().zip(relations).filter_map(|(known, relation)| {
            Some((known.score, Edge { at: since(relation)?, uid: known.uid }))
        });
        let mut listed: Vec<(Score, Edge)> =
            listed.filter(|(score, edge)| is_behind(*score, *edge)).collect();
        listed.sort_unstable_by_key(|(score, edge)| rank(*score, *edge));
        found.extend(listed.into_iter().map(|(score, edge)| (edge, RankedPlace::Scored { score, edge })));
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
