//! Reads of the relation center.

use super::RelationCenter;
use super::write::check_batch;
use guanxi_model::{Counts, Cursor, Edge, List, Page, Position, Relation, Result, Uid};
use guanxi_ports::{GraphView, KnownFollowers};

/// One item of a list, with the viewer's relation to it when a viewer was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdge {
    /// The item.
    pub edge: Edge,
    /// The viewer's relation to the item's user.
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
    /// A page of a list, with the relation of `viewer` to each item. List and relations are of one position.
    ///
    /// # Errors
    /// Those of [`GraphView::list`] and of pinning a view.
    pub async fn list(
        &self,
        of: Uid,
        list: List,
        page: Page,
        viewer: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<Listed> {
        let view = self.graph.view(at_least).await?;
        let page = view.list(of, list, page).await?;
        let items = hydrate(&*view, page.items, viewer).await?;
        Ok(Listed { items, next: page.next, count: None, position: view.position() })
    }

    /// The relation of `subject` to each of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) objects.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn relations(
        &self,
        subject: Uid,
        objects: &[Uid],
        at_least: Option<Position>,
    ) -> Result<RelationsAt> {
        check_batch(objects.len())?;
        let view = self.graph.view(at_least).await?;
        let relations = view.relations(subject, objects).await?;
        Ok(RelationsAt { relations, position: view.position() })
    }

    /// The relation within each of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) pairs.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn pairs(&self, pairs: &[(Uid, Uid)], at_least: Option<Position>) -> Result<RelationsAt> {
        check_batch(pairs.len())?;
        let view = self.graph.view(at_least).await?;
        let relations = view.pairs(pairs).await?;
        Ok(RelationsAt { relations, position: view.position() })
    }

    /// The counters of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) users, and where they stand.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn counts(&self, uids: &[Uid], at_least: Option<Position>) -> Result<(Vec<Counts>, Position)> {
        check_batch(uids.len())?;
        let view = self.graph.view(at_least).await?;
        Ok((view.counts(uids).await?, view.position()))
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
        let view = self.graph.view(at_least).await?;
        let known = view.known_followers(viewer, target, page).await?;
        Ok(counted(&*view, known))
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
        let view = self.graph.view(at_least).await?;
        let mutual = view.mutual_following(a, b, page).await?;
        Ok(counted(&*view, mutual))
    }
}

/// Adds the viewer's relation to each edge, in one batch.
async fn hydrate(view: &dyn GraphView, edges: Vec<Edge>, viewer: Option<Uid>) -> Result<Vec<ListedEdge>> {
    let Some(viewer) = viewer else {
        return Ok(edges.into_iter().map(|edge| ListedEdge { edge, relation: None }).collect());
    };
    let uids: Vec<Uid> = edges.iter().map(|edge| edge.uid).collect();
    let relations = view.relations(viewer, &uids).await?;
    Ok(edges
        .into_iter()
        .zip(relations)
        .map(|(edge, relation)| ListedEdge { edge, relation: Some(relation) })
        .collect())
}

fn counted(view: &dyn GraphView, known: KnownFollowers) -> Listed {
    let items = known.page.items.into_iter().map(|edge| ListedEdge { edge, relation: None }).collect();
    Listed { items, next: known.page.next, count: Some(known.count), position: view.position() }
}
