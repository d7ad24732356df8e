//! Reads of the relation center.
//!
//! A relation check reads the subject's packed facts: the edge carries the mutual mark, and a follow excludes a block. The other
//! users are probed in memory, under one lock, in two passes so that cache misses overlap. "Does x follow y" is always asked of
//! x, whose set is bounded, never of the followers of y. A user not in memory is read from the tables at a snapshot.

use super::RelationCenter;
use super::hidden::{list_told, relations_told};
use super::write::check_batch;
use crate::heavy::{HEAVY_EDGES_MIN, HeavySlot};
use crate::{ShownCounts, Viewer};
use guanxi_model::{Cursor, Edge, List, MuteTerms, Page, Position, Relation, Result, Uid};
use guanxi_ports::{BesideUsers, KnownFollowers, ListAnswer, ListAsk, RelationView, StoreView};

/// One item of a list, with the relation of a user to it when one was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdge {
    /// The item.
    pub edge: Edge,
    /// The given user's relation to the item's user.
    pub relation: Option<Relation>,
    /// The item's user is deactivated.
    pub deactivated: bool,
    /// The terms of a mute, in lists of them.
    pub terms: MuteTerms,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The items, newest first.
    pub items: Vec<ListedEdge>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<Cursor>,
    /// The exact size of the whole list, where the call promises it.
    pub count: Option<u32>,
    /// Edges that two lists were compared for it by, where that is a heavy call; else 0.
    pub looked_at: u64,
    /// Where the answer stands.
    pub position: Position,
}

/// Relations and where the answer stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationsAt {
    /// One relation per object or pair, in order.
    pub relations: Vec<Relation>,
    /// Where the answer stands.
    pub position: Position,
}

impl RelationCenter {
    /// A page of a list, with the relation of `subject` to each item. List and relations are of one position.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for a viewer who may not know whom `of` blocks or mutes; those of [`RelationView::list`] and
    /// of pinning a view.
    pub async fn list(
        &self,
        viewer: Viewer,
        of: Uid,
        list: List,
        page: Page,
        subject: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        if matches!(list, List::Blocks | List::Mutes) {
            viewer.require_private_of(of)?;
        }
        if viewer == Viewer::Trusted && list != List::Mutes {
            let ask = ListAsk { of, list, page, subject };
            let ListAnswer { page, beside, position } = self.store.list(ask, at_least.as_ref()).await?;
            return Ok(Listed {
                items: listed(viewer, page.items, beside, subject),
                next: page.next,
                count: None,
                looked_at: 0,
                position: position.joined(at_least.as_ref()),
            });
        }
        let view = self.store.view(at_least.as_ref()).await?;
        let page = match viewer {
            Viewer::EndUser(told) => list_told(&*view, told, of, list, page).await?,
            Viewer::Trusted => view.list(of, list, page).await?,
        };
        let mut items = hydrate(&*view, (viewer, of), page.items, subject).await?;
        if list == List::Mutes {
            let muted: Vec<Uid> = items.iter().map(|item| item.edge.uid).collect();
            let terms = view.mute_terms(of, &muted).await?;
            items.iter_mut().zip(terms).for_each(|(item, terms)| item.terms = terms);
        }
        Ok(Listed {
            items,
            next: page.next,
            count: None,
            looked_at: 0,
            position: view.position().joined(at_least.as_ref()),
        })
    }

    /// The relation of `subject` to each of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) objects.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn relations(
        &self,
        viewer: Viewer,
        subject: Uid,
        objects: &[Uid],
        at_least: Option<Position>,
    ) -> Result<RelationsAt> {
        check_batch(objects.len())?;
        let (found, position) = match viewer {
            Viewer::EndUser(told) if told != subject => {
                let view = self.store.view(at_least.as_ref()).await?;
                let mut found = view.relations(subject, objects).await?;
                let pairs: Vec<(Uid, Uid)> = objects.iter().map(|object| (subject, *object)).collect();
                relations_told(&*view, told, &pairs, &mut found).await?;
                (found, view.position())
            }
            _ => self.store.relations(subject, objects, at_least.as_ref()).await?,
        };
        let relations = found.into_iter().map(|relation| viewer.relation(subject, relation)).collect();
        Ok(RelationsAt { relations, position: position.joined(at_least.as_ref()) })
    }

    /// The relation within each of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) pairs.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn pairs(
        &self,
        viewer: Viewer,
        pairs: &[(Uid, Uid)],
        at_least: Option<Position>,
    ) -> Result<RelationsAt> {
        check_batch(pairs.len())?;
        let view = self.store.view(at_least.as_ref()).await?;
        let mut found = view.pairs(pairs).await?;
        if let Viewer::EndUser(told) = viewer {
            relations_told(&*view, told, pairs, &mut found).await?;
        }
        let found = pairs.iter().zip(found);
        let relations = found.map(|((subject, _), relation)| viewer.relation(*subject, relation)).collect();
        Ok(RelationsAt { relations, position: view.position().joined(at_least.as_ref()) })
    }

    /// The counters of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) users, and where they stand.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn counts(
        &self,
        viewer: Viewer,
        uids: &[Uid],
        at_least: Option<Position>,
    ) -> Result<(Vec<ShownCounts>, Position)> {
        check_batch(uids.len())?;
        let view = self.store.view(at_least.as_ref()).await?;
        let found = view.counts(uids).await?;
        let shown = uids.iter().zip(&found).map(|(uid, counts)| viewer.counts(*uid, counts)).collect();
        Ok((shown, view.position().joined(at_least.as_ref())))
    }

    /// Returns the users that `viewer` follows and that follow `target`, with the exact count.
    ///
    /// # Errors
    /// `OVERLOADED` without a place for a heavy call, which it is from [`HEAVY_EDGES_MIN`] on; those of pinning a view.
    pub async fn known_followers(
        &self,
        told: Viewer,
        viewer: Uid,
        target: Uid,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        let sides = [(viewer, CountedSide::Following), (target, CountedSide::Followers)];
        let ComparedDocs { view, looked_at, _place } = self.comparing(sides, at_least.as_ref()).await?;
        let known = view.known_followers(viewer, target, page, told.end_user()).await?;
        Ok(Listed { looked_at, ..counted(&*view, viewer, known, at_least.as_ref()).await? })
    }

    /// Returns the users whom both users follow, with the exact count.
    ///
    /// # Errors
    /// `OVERLOADED` without a place for a heavy call, which it is from [`HEAVY_EDGES_MIN`] on; those of pinning a view.
    pub async fn mutual_following(
        &self,
        told: Viewer,
        a: Uid,
        b: Uid,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        let sides = [a, b].map(|uid| (uid, CountedSide::Following));
        let ComparedDocs { view, looked_at, _place } = self.comparing(sides, at_least.as_ref()).await?;
        let mutual = view.mutual_following(a, b, page, told.end_user()).await?;
        Ok(Listed { looked_at, ..counted(&*view, a, mutual, at_least.as_ref()).await? })
    }

    /// A view in which two lists are compared, and a place for that where they are long. The place is the first user's.
    async fn comparing(
        &self,
        sides: [(Uid, CountedSide); 2],
        at_least: Option<&Position>,
    ) -> Result<ComparedDocs> {
        let view = self.store.view(at_least).await?;
        let counts = view.counts(&sides.map(|(uid, _)| uid)).await?;
        let edges = counts.iter().zip(&sides).map(|(counts, (_, side))| match side {
            CountedSide::Following => u64::from(counts.following),
            CountedSide::Followers => counts.followers,
        });
        if edges.clone().sum::<u64>() < HEAVY_EDGES_MIN {
            return Ok(ComparedDocs { view, looked_at: 0, _place: None });
        }
        // Of the shorter list each is looked for in the other.
        let looked_at = edges.min().unwrap_or_default();
        // Nothing is pinned while the call waits.
        drop(view);
        let place = self.heavy.begin(sides[0].0).await?;
        Ok(ComparedDocs { view: self.store.view(at_least).await?, looked_at, _place: Some(place) })
    }
}

/// A view in which two lists are compared.
struct ComparedDocs {
    view: Box<dyn StoreView>,
    /// Edges that are looked at for it.
    looked_at: u64,
    _place: Option<HeavySlot>,
}

/// Which list of a user is compared.
#[derive(Clone, Copy)]
enum CountedSide {
    Following,
    Followers,
}

/// Adds to each edge of a list of `of` whether its user is there, and the subject's relation to it, in one batch.
pub(crate) async fn hydrate(
    view: &dyn RelationView,
    (viewer, of): (Viewer, Uid),
    edges: Vec<Edge>,
    subject: Option<Uid>,
) -> Result<Vec<ListedEdge>> {
    let uids: Vec<Uid> = edges.iter().map(|edge| edge.uid).collect();
    let beside: Vec<(Uid, Uid)> = uids.iter().map(|uid| (of, *uid)).collect();
    let standings = async {
        if view.all_stand_by_default() { Ok(Vec::new()) } else { view.standings_beside(&beside).await }
    };
    let relations = async {
        match subject {
            Some(subject) => view.relations(subject, &uids).await.map(Some),
            None => Ok(None),
        }
    };
    let (standings, relations) = tokio::try_join!(standings, relations)?;
    Ok(listed(viewer, edges, BesideUsers { standings, relations }, subject))
}

/// The items of a page, each with what was found beside its user.
fn listed(viewer: Viewer, edges: Vec<Edge>, beside: BesideUsers, subject: Option<Uid>) -> Vec<ListedEdge> {
    let item = |edge| ListedEdge { edge, relation: None, deactivated: false, terms: MuteTerms::default() };
    let mut items: Vec<ListedEdge> = edges.into_iter().map(item).collect();
    for (item, standing) in items.iter_mut().zip(beside.standings) {
        item.deactivated = standing.is_gone();
    }
    if let Some((subject, relations)) = subject.zip(beside.relations) {
        for (item, relation) in items.iter_mut().zip(relations) {
            item.relation = Some(viewer.relation(subject, relation));
        }
    }
    items
}

async fn counted(
    view: &dyn RelationView,
    of: Uid,
    known: KnownFollowers,
    at_least: Option<&Position>,
) -> Result<Listed> {
    let items = hydrate(view, (Viewer::Trusted, of), known.page.items, None).await?;
    let position = view.position().joined(at_least);
    Ok(Listed { items, next: known.page.next, count: Some(known.count), looked_at: 0, position })
}
