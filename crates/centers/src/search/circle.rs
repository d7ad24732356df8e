//! Of whose restricted posts some may be for a viewer.

use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{Result, Uid, Visibility};
use guanxi_ports::{Circle, StoreView, ViewerRelations, Walk};

/// The most groups of others that a viewer's circle looks at. Posts for members of further groups are not found by a viewer
/// who does not follow the groups' owners.
const CIRCLE_GROUPS_MAX: usize = 10_000;

/// A viewer, with what a search asks of its relations.
pub(super) struct Searcher {
    relations: Option<Box<dyn ViewerRelations>>,
    /// In rising order.
    authors: Vec<Uid>,
}

impl Searcher {
    /// Reads whom a viewer follows and mutes, and whose groups it is in.
    pub(super) async fn read(view: &dyn StoreView, viewer: Option<Uid>) -> Result<Self> {
        let Some(viewer) = viewer else { return Ok(Self { relations: None, authors: Vec::new() }) };
        let (relations, mut authors) =
            tokio::try_join!(view.viewer_relations(viewer), group_owners(view, viewer))?;
        authors.extend_from_slice(relations.following());
        authors.push(viewer);
        authors.sort_unstable();
        authors.dedup();
        Ok(Self { relations: Some(relations), authors })
    }

    /// Returns the authors whose restricted posts an index proposes. A service that acts for no user searches public posts.
    pub(super) fn circle(&self) -> Circle<'_> {
        if self.relations.is_some() { Circle::Of(&self.authors) } else { Circle::Public }
    }

    /// Returns whether posts of this visibility are searched at all.
    pub(super) fn searches(&self, visibility: Visibility) -> bool {
        self.relations.is_some() || visibility == Visibility::Public
    }

    /// Returns whether a mute hides the posts of an author. A mute of reposts alone does not: a plain repost is no hit.
    pub(super) fn mutes(&self, author: Uid) -> bool {
        let relations = self.relations.as_ref();
        relations.is_some_and(|relations| relations.mutes(author) == Some(guanxi_model::MuteScope::All))
    }
}

/// Returns the owners of the groups that the viewer is in; owners may be named more than once.
async fn group_owners(view: &dyn StoreView, viewer: Uid) -> Result<Vec<Uid>> {
    let (mut owners, mut after) = (Vec::new(), None);
    while owners.len() < CIRCLE_GROUPS_MAX {
        let some = view.memberships(viewer, Walk::new(after, PAGE_SIZE_MAX as usize)).await?;
        owners.extend(some.iter().map(|(owner, _)| *owner));
        if some.len() < PAGE_SIZE_MAX as usize {
            break;
        }
        after = some.last().copied();
    }
    Ok(owners)
}
