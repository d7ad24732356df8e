//! Step two of a read: what the rules need to know of the candidates, in batches.

use guanxi_model::post::Kind;
use guanxi_model::{PostHeader, PostId, Relation, Result, Uid};
use guanxi_ports::{PostView, ViewerRelations};
use std::collections::{BTreeSet, HashMap};

/// Candidates with what the rules ask about.
pub(super) struct Hydrated {
    /// The headers, in the order of the ids; `None` for what does not exist at the view.
    pub headers: Vec<Option<PostHeader>>,
    /// The originals of plain reposts.
    pub originals: HashMap<PostId, PostHeader>,
    /// The viewer's relation to authors of originals whom the viewer does not follow.
    pub strangers: HashMap<Uid, Relation>,
}

pub(super) async fn hydrate(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    ids: &[PostId],
) -> Result<Hydrated> {
    let headers = view.headers(ids).await?;
    let mut reposted: Vec<PostId> = Vec::new();
    let mut strangers: BTreeSet<Uid> = BTreeSet::new();
    for header in headers.iter().flatten() {
        if let Kind::Repost { of, author } = header.kind {
            reposted.push(of);
            if author != viewer && viewer_relations.follow(author).is_none() {
                strangers.insert(author);
            }
        }
    }
    if reposted.is_empty() {
        return Ok(Hydrated { headers, originals: HashMap::new(), strangers: HashMap::new() });
    }
    let originals = view.headers(&reposted).await?;
    let strangers: Vec<Uid> = strangers.into_iter().collect();
    let relations =
        if strangers.is_empty() { Vec::new() } else { view.relations(viewer, &strangers).await? };
    Ok(Hydrated {
        headers,
        originals: reposted
            .into_iter()
            .zip(originals)
            .filter_map(|(id, header)| Some((id, header?)))
            .collect(),
        strangers: strangers.into_iter().zip(relations).collect(),
    })
}
