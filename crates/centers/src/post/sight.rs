//! What a viewer may see of some posts, decided in three batches: items, originals, relations.

use guanxi_model::post::{Hidden, Kind, sight, visible};
use guanxi_model::{Item, PostId, Relation, Result, Uid};
use guanxi_ports::PostView;
use std::collections::{BTreeSet, HashMap};

/// A post as a viewer may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighted {
    /// There is no such post.
    Missing,
    /// There is, and the viewer does not see it.
    Hidden(Item, Hidden),
    /// The viewer sees it.
    Visible(Item),
}

/// Decides for each id, in order. Without a viewer everything is seen that is not deleted; a repost needs its
/// original all the same.
pub(crate) async fn look(view: &dyn PostView, viewer: Option<Uid>, ids: &[PostId]) -> Result<Vec<Sighted>> {
    let items = view.items(ids).await?;
    let originals = originals(view, &items).await?;
    let relations = relations(view, viewer, items.iter().flatten().chain(originals.values())).await?;
    let relation = |author: Uid| relations.get(&author).copied().unwrap_or_default();
    Ok(items
        .into_iter()
        .map(|item| {
            let Some(item) = item else { return Sighted::Missing };
            let original = match item.kind {
                Kind::Repost { of, .. } => originals.get(&of),
                Kind::Post | Kind::Reply { .. } => None,
            };
            let verdict = match viewer {
                Some(viewer) => {
                    let original = original.map(|original| (original, relation(original.author)));
                    let original = original.as_ref().map(|(original, relation)| (*original, relation));
                    visible(&item, &relation(item.author), original, viewer)
                }
                None => unrestricted(&item, original),
            };
            verdict.map_or_else(|hidden| Sighted::Hidden(item, hidden), |()| Sighted::Visible(item))
        })
        .collect())
}

/// What a service sees that acts for nobody.
fn unrestricted(item: &Item, original: Option<&Item>) -> Result<(), Hidden> {
    let own = Relation::default();
    sight(item, item.author, &own)?;
    match (item.kind, original) {
        (Kind::Repost { .. }, None) => Err(Hidden::OriginalGone),
        (Kind::Repost { .. }, Some(original)) => {
            sight(original, original.author, &own).map_err(|_| Hidden::OriginalGone)
        }
        _ => Ok(()),
    }
}

/// The originals of the reposts among some items.
async fn originals(view: &dyn PostView, items: &[Option<Item>]) -> Result<HashMap<PostId, Item>> {
    let ids: BTreeSet<PostId> = items
        .iter()
        .flatten()
        .filter_map(|item| match item.kind {
            Kind::Repost { of, .. } => Some(of),
            Kind::Post | Kind::Reply { .. } => None,
        })
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<PostId> = ids.into_iter().collect();
    let items = view.items(&ids).await?;
    Ok(ids.into_iter().zip(items).filter_map(|(id, item)| Some((id, item?))).collect())
}

/// The viewer's relation to each author.
async fn relations(
    view: &dyn PostView,
    viewer: Option<Uid>,
    items: impl Iterator<Item = &Item>,
) -> Result<HashMap<Uid, Relation>> {
    let Some(viewer) = viewer else { return Ok(HashMap::new()) };
    let authors: BTreeSet<Uid> = items.map(|item| item.author).collect();
    let authors: Vec<Uid> = authors.into_iter().collect();
    let relations = view.relations(viewer, &authors).await?;
    Ok(authors.into_iter().zip(relations).collect())
}
