//! Step two of a read: what the rules need to know of the candidates, in batches.

use guanxi_model::post::Kind;
use guanxi_model::{Item, PostId, Relation, Result, Uid};
use guanxi_ports::{Audience, PostView};
use std::collections::{BTreeSet, HashMap};

/// Candidates with what the rules ask about.
pub(super) struct Hydrated {
    /// The items, in the order of the ids; `None` for what does not exist at the view.
    pub items: Vec<Option<Item>>,
    /// The originals of reposts.
    pub originals: HashMap<PostId, Item>,
    /// The viewer's relation to authors of originals whom the viewer does not follow.
    pub strangers: HashMap<Uid, Relation>,
}

pub(super) async fn hydrate(
    view: &dyn PostView,
    audience: &dyn Audience,
    viewer: Uid,
    ids: &[PostId],
) -> Result<Hydrated> {
    let items = view.items(ids).await?;
    let mut reposted: Vec<PostId> = Vec::new();
    let mut strangers: BTreeSet<Uid> = BTreeSet::new();
    for item in items.iter().flatten().filter(|item| !item.deleted) {
        if let Kind::Repost { of, author } = item.kind {
            reposted.push(of);
            if author != viewer && audience.follow(author).is_none() {
                strangers.insert(author);
            }
        }
    }
    if reposted.is_empty() {
        return Ok(Hydrated { items, originals: HashMap::new(), strangers: HashMap::new() });
    }
    let originals = view.items(&reposted).await?;
    let strangers: Vec<Uid> = strangers.into_iter().collect();
    let relations =
        if strangers.is_empty() { Vec::new() } else { view.relations(viewer, &strangers).await? };
    Ok(Hydrated {
        items,
        originals: reposted.into_iter().zip(originals).filter_map(|(id, item)| Some((id, item?))).collect(),
        strangers: strangers.into_iter().zip(relations).collect(),
    })
}
