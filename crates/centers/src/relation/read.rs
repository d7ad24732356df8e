//! Reads of the relation center.

use super::RelationCenter;
use super::write::check_batch;
use crate::{ShownCounts, Viewer};
use guanxi_model::{Cursor, Edge, List, Page, Position, Relation, Result, Uid};
use guanxi_ports::{GraphView, KnownFollowers};

/// One item of a list, with the relation of a user to it when one was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdge {
    /// The item.
    pub edge: Edge,
    /// The given user's relation to the item's user.
    pub relation: Option<Relation>,
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
    /// `PERMISSION_DENIED` for a viewer who may not know whom `of` blocks or mutes; those of [`GraphView::list`] and
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
        let view = self.graph.view(at_least.as_ref()).await?;
        let page = view.list(of, list, page).await?;
        let items = hydrate(&*view, viewer, page.items, subject).await?;
        Ok(Listed {
            items,
            next: page.next,
            count: None,
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
        let view = self.graph.view(at_least.as_ref()).await?;
        let found = view.relations(subject, objects).await?;
        let relations = found.into_iter().map(|relation| viewer.relation(subject, relation)).collect();
        Ok(RelationsAt { relations, position: view.position().joined(at_least.as_ref()) })
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
        let view = self.graph.view(at_least.as_ref()).await?;
        let found = pairs.iter().zip(view.pairs(pairs).await?);
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
        let view = self.graph.view(at_least.as_ref()).await?;
        let found = view.counts(uids).await?;
        let shown = uids.iter().zip(&found).map(|(uid, counts)| viewer.counts(*uid, counts)).collect();
        Ok((shown, view.position().joined(at_least.as_ref())))
    }

    /// Whom `viewer` follows that follows `target`, with the exact count.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        let view = self.graph.view(at_least.as_ref()).await?;
        let known = view.known_followers(viewer, target, page).await?;
        Ok(counted(known, view.position().joined(at_least.as_ref())))
    }

    /// Whom both users follow, with the exact count.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        let view = self.graph.view(at_least.as_ref()).await?;
        let mutual = view.mutual_following(a, b, page).await?;
        Ok(counted(mutual, view.position().joined(at_least.as_ref())))
    }
}

/// Adds the subject's relation to each edge, in one batch.
async fn hydrate(
    view: &dyn GraphView,
    viewer: Viewer,
    edges: Vec<Edge>,
    subject: Option<Uid>,
) -> Result<Vec<ListedEdge>> {
    let Some(subject) = subject else {
        return Ok(edges.into_iter().map(|edge| ListedEdge { edge, relation: None }).collect());
    };
    let uids: Vec<Uid> = edges.iter().map(|edge| edge.uid).collect();
    let relations = view.relations(subject, &uids).await?;
    Ok(edges
        .into_iter()
        .zip(relations)
        .map(|(edge, relation)| ListedEdge { edge, relation: Some(viewer.relation(subject, relation)) })
        .collect())
}

fn counted(known: KnownFollowers, position: Position) -> Listed {
    let items = known.page.items.into_iter().map(|edge| ListedEdge { edge, relation: None }).collect();
    Listed { items, next: known.page.next, count: Some(known.count), position }
}
